"""The copied command line of a comparison opens the same screen again."""

from __future__ import annotations

import shlex
from pathlib import Path

import builders
import pytest
from driver import compared_with, drawn, finished, loaded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from steps_trace import two_steps
from textual.pilot import Pilot

from attntui.cli.view import options_of, parser
from attntui.errors import AttntuiError
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.main import MainScreen
from attntui.view.options import Options

SAMPLES = Path(__file__).parents[2] / "sample_traces"
NAIVE, FLASH, PREFILL_NAIVE, PREFILL_SDPA = (
    str(next(SAMPLES.glob(f"{name}_*_bf16_h200.json.gz")))
    for name in ("naive_b8", "flash_b8", "prefill-naive", "prefill-sdpa")
)
SIZES = ((80, 24), (120, 40))


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    """Two steps against the same with a longer softmax in the second."""
    longer = two_steps()
    slow = [event for event in longer if event["name"] == "softmax_warp_forward"][1]
    slow["dur"] = 150
    a, b = (
        builders.write_trace(tmp_path, events, name)
        for events, name in ((two_steps(), "a.json"), (longer, "b.json"))
    )
    return str(a), str(b)


async def screen_after(
    paths: tuple[str, str], options: Options, size: tuple[int, int], keys: tuple[str, ...]
) -> tuple[list[str], list[str]]:
    """The lines on screen but for the last, and the words of the command line copied there."""
    async with AttntuiApp([*paths], options).run_test(size=size) as pilot:
        screen = await compared_with(pilot)
        for key in keys:
            await pilot.press(key)
            await finished(pilot, "_align")
        await pilot.pause()
        lines = drawn(pilot)[:-1]
        return lines, await copied(pilot, screen)


async def copied(pilot: Pilot[None], screen: CompareScreen) -> list[str]:
    """What the palette's command puts into the clipboard."""
    commands = pilot.app.get_system_commands(screen)
    command = next(command for command in commands if command.title.startswith("copy the command"))
    command.callback()
    await pilot.pause()
    return shlex.split(pilot.app.clipboard)


async def opens_again(
    paths: tuple[str, str], size: tuple[int, int], keys: tuple[str, ...], options: Options
) -> list[str]:
    lines, words = await screen_after(paths, options, size, keys)
    parsed = parser().parse_args(words[1:])
    again, same = await screen_after(
        (parsed.traces[0], parsed.traces[1]), options_of(parsed), size, ()
    )
    assert again == lines
    # How far lanes are scrolled is told only where a screen has drawn them so.
    assert [word for word in same if not word.startswith("--lanes")] == [
        word for word in words if not word.startswith("--lanes")
    ]
    return words


KEYS = {
    "as it opens": (),
    "a zoom from A": ("3", "w", "w", "l", "l"),
    "a zoom from B": ("4", "w", "right", "right", "l"),
    "untied": ("3", "w", "t", "4", "w", "w", "h"),
    "shifted at an edge": ("4", "w", "w", "w", "L", "L", "L", "L"),
    "full width": ("W", "w", "l"),
    "another unit": ("K", "3", "w"),
    "another kind of unit": ("u", "j"),
    "a row and both its ends": ("j", "j", "enter", "w"),
    "sorted, filtered, single": ("i", "greater_than_sign", "I", "backslash", *"soft", "enter"),
    "down a table": ("G",),
    "the scoreboard": ("1", "j", "j", "greater_than_sign"),
    "a launch": ("3", "left_square_bracket"),
    "lanes": ("3", "j", "j", "space", "U", "4", "k", "Z", "z"),
    "nothing selected": ("3", "j", "j", "j", "h", "h"),
    "a threshold": ("4", "right_parenthesis", "right_parenthesis"),
    "maximised": ("4", "x"),
    "swapped": ("o", "j"),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
async def test_the_copied_command_opens_the_same_screen(
    pair: tuple[str, str], size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    await opens_again(pair, size, keys, Options())


@pytest.mark.parametrize("paths", [(NAIVE, FLASH), (PREFILL_NAIVE, PREFILL_SDPA)])
async def test_so_it_does_of_real_traces(paths: tuple[str, str]) -> None:
    options = Options(ascii=True, peak_bandwidth=4.8e12, peak_flops=989e12)
    keys = ("J", "j", "enter", "4", "w", "w", "full_stop", "o", "3", "right_square_bracket")
    words = await opens_again(paths, (120, 40), keys, options)
    end = ["--ascii", "--peak-bw", "4.8", "--peak-tflops", "989", "--", *paths[::-1]]
    assert words[-len(end) :] == end


@given(
    keys=st.lists(
        st.sampled_from(
            [
                *("1", "2", "3", "4", "w", "s", "l", "h", "H", "0", "f", "j", "k", "G", "t", "W"),
                *("J", "K", "u", "o", "i", "I", "enter", "full_stop", "comma", "space", "z", "x"),
                *("left_square_bracket", "right_square_bracket", "less_than_sign", "ctrl+o"),
                *("escape", "right", "U", "Z", "right_curly_bracket", "left_parenthesis"),
            ]
        ),
        max_size=14,
    ),
    size=st.sampled_from(SIZES),
)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_so_it_does_after_any_keys(
    pair: tuple[str, str], keys: list[str], size: tuple[int, int]
) -> None:
    # Enter on a timeline opens that trace alone, which is another screen.
    kept = tuple(
        key for at, key in enumerate(keys) if key != "enter" or not {"3", "4"} & set(keys[:at])
    )
    await opens_again(pair, size, kept, Options())


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        (Options(unit="nothing"), "--unit nothing: not in all of these traces"),
        (Options(unit="step", pair=(0, 7)), "--pair: A has 2 such units, B 2"),
        (Options(select="event:99999"), "nothing like event:99999 in this trace"),
        (Options(filters=(("rows", "("),)), "not a regular expression"),
    ],
)
async def test_what_the_traces_do_not_have_is_said(
    pair: tuple[str, str], options: Options, answer: str
) -> None:
    async with AttntuiApp([*pair], options).run_test(size=(120, 40)) as pilot:
        await compared_with(pilot)
        assert answer in drawn(pilot)[-1]


async def test_times_of_a_alone_move_b_while_they_are_tied(pair: tuple[str, str]) -> None:
    words = ["--at", "30us", "--span", "20us", *pair]
    async with AttntuiApp([*pair], options_of(parser().parse_args(words))).run_test() as pilot:
        screen = await compared_with(pilot)
        assert screen.compared.is_in_step
        for session, side in zip(screen.compared.sessions, screen.compared.sides, strict=True):
            view = session.timeline.viewport
            assert (view.t0 - side.span[0], view.span) == (20_000, 20_000)
            assert session.timeline.cursor - side.span[0] == 30_000


async def test_a_trace_alone_has_no_use_for_the_panes_of_two(pair: tuple[str, str]) -> None:
    words = ["--pane", "rows", "--top", "rows:1", "--row", "rows:1", "--sort", "rows:label"]
    options = options_of(parser().parse_args([*words, pair[0]]))
    async with AttntuiApp([pair[0]], options).run_test(size=(80, 24)) as pilot:
        while not isinstance(pilot.app.screen, MainScreen):
            await loaded(pilot)
        await pilot.pause()
        assert pilot.app.screen.last_pane == "overview"
        assert "1 Overview" in " ".join(drawn(pilot))


@pytest.mark.parametrize("text", ["3", "0:1", "a:b", "1:2:3"])
def test_a_pair_has_two_numbers_from_one_on(text: str) -> None:
    with pytest.raises(AttntuiError, match="--pair"):
        parser().parse_args(["--pair", text])
