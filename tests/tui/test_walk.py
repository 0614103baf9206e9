"""The tasks of `docs/walk.md` at three sizes, and what leads from one place to the next."""

from __future__ import annotations

import re
import shlex

import pytest
from builders import SAMPLES
from walk import Task, tasks
from walker import GAPS, NAIVE, PREFILL, SIZES, SMALL, TRAIN, WIDE, walking, walking_over

from attntui.cli.view import options_of, parser


def is_shown(text: str, screen: str) -> bool:
    """Whether a screen has a line with a text, in which `…` stands for anything."""
    return re.search(".*".join(map(re.escape, re.split(" *… *", text))), screen) is not None


def test_the_walk_has_twelve_tasks_in_a_row() -> None:
    assert [task.number for task in tasks()] == list(range(1, 13))
    for task in tasks():
        assert sum(len(stage.keys) for stage in task.stages) == task.told_keys, task.title
        assert all(stage.shown for stage in task.stages)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("task", tasks(), ids=lambda task: f"task{task.number}")
async def test_a_task_of_the_walk(task: Task, size: tuple[int, int]) -> None:
    paths = [SAMPLES.parent / trace for trace in task.traces]
    async with walking_over(paths, size) as walker:
        for stage in task.stages:
            screen = await walker.press(*stage.keys)
            missing = [text for text in stage.shown if not is_shown(text, screen)]
            assert not missing, f"{missing}\n{screen}"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [NAIVE, PREFILL])
async def test_one_naive_forward_with_the_role_of_every_kernel_takes_three_keys(
    name: str, size: tuple[int, int]
) -> None:
    async with walking(name, size) as walker:
        await walker.press("5", "enter", "f")
        roles = walker.line("attention     ")
        places = [roles.find(role) for role in ("qk", "scale", "copy", "mask", "softmax", "av")]
        assert -1 not in places, roles
        assert places == sorted(places)
        assert "naive fwd" in walker.footer
        # Its ops on the host are marked too.
        assert "◆" in walker.text or name == NAIVE
        assert walker.keys == 3


async def test_the_roles_of_a_call_follow_one_another() -> None:
    async with walking(PREFILL) as walker:
        await walker.press("5", "enter", "right_square_bracket")
        told = [walker.footer.split()[0]]
        for _ in range(5):
            await walker.press("full_stop")
            told.append(walker.footer.split()[0])
        assert told == ["qk", "scale", "copy", "mask", "softmax", "av"]
        await walker.press("comma")
        assert walker.footer.split()[0] == "softmax"


async def test_the_next_gap_moves_the_row_of_the_gaps() -> None:
    async with walking(GAPS) as walker:
        before = walker.line("▸") if await walker.press("4") else ""
        await walker.press("left_curly_bracket")
        after = walker.line("▸")
        assert after != before
        length = after.split("▸")[1].split()[0]
        assert f"gap {length}" in walker.footer
        assert f"gap of {length}" in walker.text


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_back_to_where_i_was_takes_one_key(size: tuple[int, int]) -> None:
    async with walking(PREFILL, size) as walker:
        screens = [walker.text]
        for key in ("enter", "right_square_bracket", "left_square_bracket"):
            screens.append(await walker.press(key))
        screens.append(await walker.press("w"))
        assert len(set(screens)) == 5
        assert await walker.press("ctrl+o") == screens[2]
        assert await walker.press("alt+left") == screens[1]
        assert await walker.press("escape") == screens[0]
        assert await walker.press("alt+right") == screens[1]


async def test_a_stretch_is_measured_in_five_keys_at_full_fit() -> None:
    async with walking(PREFILL) as walker:
        await walker.press("3", "0")
        began = walker.keys
        await walker.press("v", "l", "l", "l", "v")
        assert walker.keys - began == 5
        assert "2.794 ms of time" in walker.text
        assert "━━━" in walker.text
        assert re.search(r"busy +442\.5 us +15\.8 %", walker.text)
        await walker.press("7", "pagedown")
        assert re.search(r"idle .*, by cause", walker.text)
        assert "GPU operations by name" in walker.text


async def test_the_scope_is_a_step_in_a_word_and_enter() -> None:
    async with walking(PREFILL) as walker:
        before = walker.footer
        await walker.press("S")
        assert "type to find" in walker.text
        await walker.type("step#5")
        await walker.press("enter")
        assert walker.keys == 8
        assert "ProfilerStep#5" in walker.footer
        assert before.split("  ")[0].strip() in walker.footer
        await walker.press("3")
        assert "scope: ProfilerStep#5" in walker.text
        # The axis is shaded before the step.
        assert "░░░" in walker.text
        await walker.press("escape", "3")
        assert "scope: whole trace" in walker.text


async def test_a_kernel_by_name_and_its_instances() -> None:
    async with walking(PREFILL) as walker:
        await walker.press("2", "backslash")
        await walker.type("gelu")
        await walker.press("enter")
        assert walker.keys == 7
        assert "▸" in walker.line("gelu bf16")
        assert "gelu bf16" in walker.footer
        await walker.press("i")
        rows = [line for line in walker.text.splitlines() if "gelu bf16" in line and " ms " in line]
        assert len(rows) == 8
        assert walker.keys == 8


async def test_a_bookmark_is_named_by_what_is_under_it_and_leads_back() -> None:
    async with walking(PREFILL) as walker:
        await walker.press("5", "enter", "f", "m")
        there = walker.screen.session
        await walker.press("0", "4", "g", "apostrophe")
        assert "naive fwd 1x12x1024x64" in walker.text
        await walker.press("r")
        for _ in range(60):
            await walker.press("backspace")
        await walker.type("slow one")
        await walker.press("enter")
        assert "slow one" in walker.text
        await walker.press("enter")
        back = walker.screen.session
        assert (back.selection, back.pane) == (there.selection, there.pane)
        assert back.timeline.viewport == there.timeline.viewport
        await walker.press("ctrl+o")
        assert walker.screen.session.pane == "gaps"


@pytest.mark.parametrize("size", SIZES)
async def test_the_copied_command_opens_the_same_view(size: tuple[int, int]) -> None:
    async with walking(PREFILL, size) as walker:
        await walker.press("2", "greater_than_sign", "backslash", *"bf16", "enter", "j")
        await walker.press("S", *"#5", "enter", "4", *["j"] * 12, *["k"] * 5, "enter", "w")
        walker.screen.action_copy_command()
        line = shlex.split(walker.screen.app.clipboard)
        before = await walker.press("escape", "alt+right")
    parsed = parser().parse_args(line[1:])
    assert parsed.traces == [str(SAMPLES / f"{PREFILL}.json.gz")]
    async with walking(PREFILL, size, options_of(parsed)) as walker:
        assert walker.text == before


async def test_a_list_opens_scrolled_as_it_was() -> None:
    async with walking(PREFILL) as walker:
        await walker.press("4", *["j"] * 15, *["k"] * 4)
        walker.screen.action_copy_command()
        line = shlex.split(walker.screen.app.clipboard)
        before = await walker.press("j", "k")
    async with walking(PREFILL, options=options_of(parser().parse_args(line[1:]))) as walker:
        assert walker.text == before
        assert "--top" in line


async def test_the_selection_off_screen_is_named_at_the_edge() -> None:
    async with walking(PREFILL) as walker:
        await walker.press("5", "enter", "f", "L", "L")
        axis = walker.text.splitlines()[2]
        assert re.search(r"◀ naive fwd.* \d", axis)
        assert "naive fwd 1x12x1024x64" in walker.footer
        await walker.press("f", "H", "H")
        assert re.search(r"naive fwd.* ▶", walker.text.splitlines()[2])
        await walker.press("f")
        assert "▸qk" in walker.line("attention     ")


@pytest.mark.parametrize("name", [TRAIN, f"{NAIVE[:-5]}_bwd_h200"])
async def test_a_call_brings_its_ops_on_the_host_on_screen(name: str) -> None:
    async with walking(name) as walker:
        # The lane of autograd's thread stands above that of the thread of the forward calls.
        assert "pt_autograd" in await walker.press("3", "0")
        assert "◆" not in walker.text
        for keys in (("5", "g", "enter"), ("f",)):
            await walker.press(*keys)
            assert "◆" in walker.text
            assert re.search(r"│.python3 \d+ ", walker.text), walker.text
