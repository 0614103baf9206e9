"""What the screens tell of their own keys, colours and empty places."""

from __future__ import annotations

import pytest
from builders import SAMPLES
from driver import Opened, finished
from textual.command import CommandList
from textual.pilot import Pilot

from attntui.tui.screens.help import HelpScreen
from attntui.tui.screens.roofline import RooflineScreen
from attntui.tui.theme import colours_of
from attntui.tui.widgets.detail import DetailView
from attntui.tui.widgets.status import StatusLine
from attntui.tui.widgets.table_pane import TablePane
from attntui.tui.widgets.text import Block
from attntui.view.session.hints import pane_keys
from attntui.view.session.keys import KEYS, MOUSE
from attntui.view.words.legend import PAINTS


def text_of(widget: TablePane) -> list[str]:
    return [widget.render_line(y).text for y in range(widget.size.height)]


@pytest.mark.parametrize("width", [80, 120, 200])
async def test_help_begins_with_the_pane_and_has_every_key_and_the_mouse(
    opened: Opened, width: int
) -> None:
    async with opened(pane="gaps", size=(width, 150)) as (pilot, screen):
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        while not pilot.app.screen.query_one(Block).size.height:
            await pilot.pause()
        await pilot.pause()
        lines = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
        top = next(i for i, line in enumerate(lines) if "4 Gaps" in line)
        near = " ".join(lines[top : top + 14])
        assert all(set(key.text.split()) <= set(near.split()) for key in pane_keys(KEYS, "gaps"))
        words = " ".join(lines)
        assert [key for key in KEYS if key.shown not in words] == []
        told = set(words.split())
        assert all(set(key.text.split()) <= told for key in (*KEYS, *MOUSE))
        # Columns stand side by side where there is room.
        long = [key.text for key in KEYS if len(key.text) > 12]
        beside = [line for line in lines if sum(text in line for text in long) > 1]
        assert bool(beside) is (width > 80)
        await pilot.press("escape")
        assert pilot.app.screen is screen


async def test_rows_of_the_ops_pane_open_and_close(opened: Opened) -> None:
    async with opened(pane="ops", size=(120, 60)) as (pilot, screen):
        ops = screen.query_one("#ops", TablePane)

        def names() -> list[str]:
            return [line.split()[-1] for line in text_of(ops)[1:] if line.strip()]

        before = names()
        at = next(i for i, line in enumerate(text_of(ops)[1:]) if "▸ attn_fwd" in line)
        await pilot.press("g", *["j"] * at, "right")
        after = names()
        assert len(after) > len(before)
        assert after[: at + 1] == before[: at + 1]
        assert "▾ attn_fwd" in text_of(ops)[at + 1]
        await pilot.press("j")
        assert screen.session.event is not None
        child = screen.session.analysed.labels.event(screen.session.event)
        assert after[at + 1] == child.split()[-1]
        await pilot.press("left")
        assert names() == before
        assert ops.cursor == at
        await pilot.press("space", "space")
        assert names() == before


async def test_a_click_on_a_header_sorts_and_two_on_a_row_go_there(opened: Opened) -> None:
    async with opened(pane="kernels") as (pilot, screen):
        kernels = screen.query_one("#kernels", TablePane)

        def header() -> str:
            return text_of(kernels)[0]

        assert "total▼" in header()
        x = kernels.render_line(0).text.index("count") + 1
        await pilot.click(kernels, offset=(x + 1, 1))
        assert "count▼" in header()
        await pilot.click(kernels, offset=(x + 1, 1))
        assert "count▲" in header()
        await pilot.click(kernels, offset=(10, 3), times=2)
        await pilot.pause()
        assert screen.last_pane == "timeline"


async def test_the_first_line_of_hints_names_how_to_learn_the_rest(opened: Opened) -> None:
    for size in ((80, 24), (120, 40), (200, 60)):
        async with opened(pane="overview", size=size) as (pilot, screen):
            last = screen._compositor.render_strips()[-1].text
            assert all(
                word in last for word in ("Enter", "? keys", "Tab", "1-8 panes", ": actions")
            )
            await pilot.press("4")
            hints = screen.query_one(StatusLine).hints
            assert hints.startswith("Enter go  ? keys  Tab next  1-8 panes  : actions")


async def test_titles_name_the_keys_that_lead_there(opened: Opened) -> None:
    async with opened(size=(200, 60)) as (pilot, screen):
        shown = "\n".join(strip.text for strip in screen._compositor.render_strips())
        titles = ("1 Overview", "2 Kernels", "3 Timeline", "4 Gaps", "5 Attention", "7 Detail")
        assert [title for title in titles if f"─ {title} " not in shown] == []
        await pilot.press("6")
        shown = "\n".join(strip.text for strip in screen._compositor.render_strips())
        assert "─ 6 Ops (CPU) ─" in shown


async def test_the_palette_opens_with_the_panes_own_actions(opened: Opened) -> None:
    async with opened(pane="gaps") as (pilot, screen):
        await pilot.press("colon")
        palette = pilot.app.screen
        options = palette.query_one(CommandList)
        while not options.option_count:
            await pilot.pause()
        own = pane_keys(KEYS, "gaps")
        wanted = [key for key in own if not screen.does_nothing(key)][:3]
        first = [str(options.get_option_at_index(i).prompt) for i in range(3)]
        told = [key.text in line for key, line in zip(wanted, first, strict=True)]
        assert told == [True, True, True]


async def test_the_palette_ends_with_what_does_nothing_now(opened: Opened) -> None:
    async def listed(pilot: Pilot[None]) -> list[str]:
        await pilot.press("colon")
        options = pilot.app.screen.query_one(CommandList)
        while not options.option_count:
            await pilot.pause()
        found = [str(options.get_option_at_index(i).prompt) for i in range(options.option_count)]
        await pilot.press("escape")
        await finished(pilot)
        return found

    async with opened(pane="overview") as (pilot, _):
        back, bookmarks = "back to before the last jump", "list bookmarks"
        idle = ("forward again", "next match", "show the lanes hidden", "names or instances")
        before = await listed(pilot)
        last = before[-len(before) // 3 :]
        for text in (back, bookmarks, *idle):
            assert any(text in line for line in last), text
        doing = next(i for i, line in enumerate(before) if "overview (1)" in line)
        assert not any("next gap" in line for line in before[doing:])
        await pilot.press("m", "enter")
        after = await listed(pilot)
        assert len(after) == len(before)
        for text in (back, bookmarks):
            assert not any(text in line for line in after[-len(last) :]), text


async def test_a_pane_with_nothing_to_show_gives_its_room_away(opened: Opened) -> None:
    path = SAMPLES / "naive_b1_h4_s256_d64_bf16_cpu.json.gz"
    async with opened(path, pane="overview") as (pilot, screen):
        on_screen = [pane.id for pane in screen.query(TablePane) if pane.size.height]
        assert on_screen == ["overview", "attention"]
        await pilot.press("2")
        kernels = screen.query_one("#kernels", TablePane)
        assert "profile with ProfilerActivity.CUDA" in text_of(kernels)[1]


async def test_the_legend_shows_every_class_of_colour(opened: Opened) -> None:
    async with opened(size=(80, 60)) as (pilot, screen):
        await pilot.press("C")
        shown = " ".join(strip.text for strip in pilot.app.screen._compositor.render_strips())
        assert [words for words in PAINTS.values() if words not in shown] == []
        assert colours_of(pilot.app).word in shown
        await pilot.press("C")
        assert pilot.app.screen is screen


async def test_a_row_of_the_roofline_leads_to_its_kernel(opened: Opened) -> None:
    path = SAMPLES / "naive_b8_h16_s1024_d64_bf16_h200.json.gz"
    async with opened(path, pane="kernels") as (pilot, screen):
        await pilot.press("p", "j", "j")
        roofline = pilot.app.screen
        assert isinstance(roofline, RooflineScreen)
        drawn = roofline._drawn
        chosen = drawn.entries[2]
        # The letter in the picture is that of the kernel's line, and bears its colour.
        assert chosen.dot is None or drawn.lines[chosen.dot[0]][chosen.dot[1]] == "C"
        assert drawn.lines[chosen.line].startswith("C ")
        assert {entry.bound for entry in drawn.entries} <= {"memory", "compute", "latency"}
        strips = roofline._compositor.render_strips()
        colours = {
            segment.style.color.name
            for strip in strips
            for segment in strip
            if " of roof" in segment.text and segment.style and segment.style.color
        }
        assert len(colours) > 1
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen is screen
        name = screen.session.analysed.labels.event(screen.session.event or 0)
        assert name in drawn.lines[chosen.line]
        assert screen.last_pane == "timeline"


async def test_links_of_the_detail_can_be_clicked(opened: Opened) -> None:
    async with opened(size=(120, 60)) as (pilot, screen):
        await pilot.press("full_stop")
        detail = screen.query_one(DetailView)
        rows = [strip.text for strip in screen._compositor.render_strips()]
        y = next(i for i, line in enumerate(rows) if "launch     " in line[70:])
        x = rows[y].index("cuda", 70)
        await pilot.click(offset=(x + 1, y))
        await pilot.pause()
        assert screen.session.event is not None
        assert "LaunchKernel" in screen.session.trace.name_of(screen.session.event)
        assert detail.items[0].text == "cudaLaunchKernel"
