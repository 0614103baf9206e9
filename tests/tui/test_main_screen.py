"""The main screen through its keys."""

from __future__ import annotations

import shlex
from pathlib import Path

import builders
import pytest
from driver import Opened, finished, loaded
from steps_trace import two_steps
from textual import events
from textual.widgets import Static

from attntui.analysis.scope import WHOLE, Step
from attntui.cli.view import parser
from attntui.tui.screens.bookmarks import BookmarksScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.roofline import RooflineScreen
from attntui.tui.widgets.detail import DetailView
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.status import StatusLine
from attntui.tui.widgets.table_pane import TablePane
from attntui.tui.widgets.timeline import TimelineView
from attntui.view.options import PANE_NAMES
from attntui.view.panes import PANES
from attntui.view.session.keys import KEYS, markdown
from attntui.view.session.selection import GapAt

GEMM = "ampere_bf16_s16816gemm_bf16_128x128_nn"


def selected(screen: MainScreen) -> str | None:
    event = screen.session.event
    return None if event is None else screen.session.trace.name_of(event)


def said(screen: MainScreen) -> str:
    return screen.query_one(StatusLine).said


def text_of(widget: TimelineView | TablePane) -> list[str]:
    return [widget.render_line(y).text for y in range(widget.size.height)]


def test_every_binding_has_an_action_and_a_key_of_its_own() -> None:
    seen: set[str] = set()
    for key in KEYS:
        action = key.action.partition("(")[0]
        assert hasattr(MainScreen, f"action_{action}"), key.name
        for name in key.keys:
            assert name not in seen, name
            seen.add(name)
    assert len({key.name for key in KEYS}) == len(KEYS)
    assert not any(binding.priority for binding in MainScreen.BINDINGS)  # type: ignore[union-attr]


def test_every_pane_has_a_name_for_the_command_line() -> None:
    assert (*(pane.name for pane in PANES), "timeline", "detail") == PANE_NAMES


def test_the_readme_has_the_table_of_keys() -> None:

    readme = Path(__file__).parents[2] / "README.md"
    assert markdown() in readme.read_text(encoding="utf-8")


async def test_opens_on_the_whole_trace(opened: Opened) -> None:
    async with opened() as (_, screen):
        timeline = screen.query_one(TimelineView)
        assert timeline.has_focus
        lines = text_of(timeline)
        assert any("ProfilerStep#1" in line for line in lines)
        assert any("idle 0" in line and "650" in line for line in lines)
        assert "2 steps" in str(screen.query_one("#title", Static).render())


async def test_time_keys_work_from_a_table(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2")
        assert screen.query_one("#kernels").has_focus
        before = screen.session.timeline.viewport
        await pilot.press("w", "w")
        after = screen.session.timeline.viewport
        assert after.span == before.span // 4
        await pilot.press("l")
        assert screen.session.timeline.viewport.t0 > after.t0
        await pilot.press("0")
        assert screen.session.timeline.viewport == before


async def test_enter_in_a_table_goes_to_the_longest_instance(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "g", "enter")
        assert screen.query_one(TimelineView).has_focus
        assert selected(screen) == GEMM
        await pilot.press("enter")
        assert screen.query_one(DetailView).has_focus


async def test_a_table_row_shows_its_detail(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "g", "j")
        labels = {item.label: item.text for item in screen.query_one(DetailView).items}
        assert labels["launch"] == "cudaLaunchKernel"
        assert labels["delay"] == "130.0 us"


async def test_opens_on_the_gravest_finding(opened: Opened) -> None:
    async with opened(pane=None) as (pilot, screen):
        overview = screen.query_one("#overview", TablePane)
        assert overview.has_focus
        assert "idle" in text_of(overview)[1]
        told = {item.label: item.text for item in screen.query_one(DetailView).items}
        assert "to try" in told
        await pilot.press("enter")
        assert screen.query_one(TimelineView).has_focus
        start, end = (screen.session.timeline.viewport.t0, screen.session.timeline.viewport.t1)
        finding = screen.session.slice.findings[0]
        piece = finding.evidence[0].place
        assert not isinstance(piece, int)
        assert start <= piece.start
        assert end >= piece.end


async def test_notices_of_the_load_can_be_read(opened: Opened) -> None:
    async with opened(pane="overview", size=(120, 50)) as (pilot, screen):
        overview = screen.query_one("#overview", TablePane)
        await pilot.press("G")
        lines = [line for line in text_of(overview) if "notice" in line]
        assert len(lines) == len(screen.session.trace.notices) > 0
        assert "no launch (1)" in lines[0]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_from_any_pane_to_the_notices_and_their_events(
    opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(pane="gaps", size=size) as (pilot, screen):
        assert "! 1 notice" in str(screen.query_one("#title", Static).render())
        await pilot.press("!")
        overview = screen.query_one("#overview", TablePane)
        assert overview.has_focus
        (marked,) = [line for line in text_of(overview) if line.startswith("▸")]
        assert marked.startswith("▸notice")
        assert "no launch (1)" in marked
        await pilot.press("enter")
        assert screen.query_one(TimelineView).has_focus
        event = screen.session.event
        assert event is not None
        assert screen.session.trace.name_of(event) == "leaked"


async def test_the_roofline_opens_and_closes(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("p")
        assert isinstance(pilot.app.screen, RooflineScreen)
        await pilot.press("escape")
        assert pilot.app.screen is screen


async def test_what_is_selected_in_one_pane_is_selected_in_all(opened: Opened) -> None:
    async with opened(size=(200, 60)) as (pilot, screen):
        await pilot.press("full_stop")
        kernels = screen.query_one("#kernels", TablePane)
        assert kernels.view is not None
        assert kernels.row is not None
        assert "s16816gemm" in kernels.view.columns[-1].text(kernels.row)
        await pilot.press("4", "3", "right_curly_bracket")
        gaps = screen.query_one("#gaps", TablePane)
        assert gaps.target == screen.session.selection == screen.session.gap
        await pilot.press("2")
        await pilot.pause()
        assert screen.session.event is not None
        assert screen.query_one(DetailView).items


async def test_sort_filter_and_instances(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        pane = screen.query_one("#kernels", TablePane)
        await pilot.press("2", "greater_than_sign")
        assert pane.view is not None
        assert pane.view.sort == 3
        await pilot.press("I")
        assert not pane.view.descending
        await pilot.press("backslash", *"soft", "enter")
        assert len(pane.view) == 1
        assert pane.has_focus
        await pilot.press("escape")
        assert len(pane.view) == 3
        await pilot.press("i")
        await finished(pilot, "_toggle_instances")
        assert len(pane.view) == 5
        await pilot.press("i")
        await finished(pilot, "_toggle_instances")
        assert len(pane.view) == 3


async def test_a_bad_pattern_is_said_and_harms_nothing(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "backslash", "left_parenthesis")
        assert "not a regular expression" in said(screen)
        await pilot.press("enter")
        assert "not a regular expression" in said(screen)
        assert screen.query_one(Prompt).asking
        await pilot.press("escape")
        pane = screen.query_one("#kernels", TablePane)
        assert pane.view is not None
        assert len(pane.view) == 3


async def test_launch_and_kernel(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("full_stop", "left_square_bracket")
        assert selected(screen) == "cudaLaunchKernel"
        await pilot.press("right_square_bracket")
        assert selected(screen) == GEMM


async def test_the_detail_leads_on(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("full_stop", "7", "j", "enter")
        assert selected(screen) == "aten::matmul"
        screen.action_pane("overview")
        await pilot.press("j", "k", "7", "j", "enter")
        assert screen.session.gap is not None


async def test_gaps_of_streams(opened: Opened) -> None:
    async with opened(pane="gaps") as (pilot, screen):
        pane = screen.query_one("#gaps", TablePane)
        assert " s7" not in "".join(text_of(pane))
        await pilot.press("i")
        await finished(pilot, "_toggle_instances")
        assert "0 s7" in text_of(pane)[1]
        await pilot.press("j")
        head = screen.query_one(DetailView).items[0].text
        assert head == "gap of 590.0 us on GPU 0 s7"
        await pilot.press("enter", "right_square_bracket")
        assert selected(screen) == GEMM


async def test_gaps_and_threshold(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("right_curly_bracket")
        assert screen.session.gap is not None
        head = screen.query_one(DetailView).items[0].text
        assert head == "gap of 590.0 us on GPU 0"
        before = screen.session.threshold
        await pilot.press("right_parenthesis")
        assert screen.session.threshold == 2 * before
        await pilot.press("left_parenthesis")
        assert screen.session.threshold == before


async def test_the_gaps_pane_jumps(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("4", "enter")
        assert screen.session.gap is not None
        assert screen.session.gap.end - screen.session.gap.start == 650_000


async def test_escape_undoes_one_thing_at_a_time_and_never_quits(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "backslash", *"gemm", "enter", "full_stop", "v")
        pane = screen.query_one("#kernels", TablePane)
        assert screen.session.mark is not None
        before = screen.session.selection
        await pilot.press("right_curly_bracket", "right_curly_bracket")
        await pilot.press("escape")
        assert screen.session.mark is None
        assert isinstance(screen.session.selection, GapAt)
        await pilot.press("escape", "escape")
        assert screen.session.selection == before
        assert pane.view is not None
        assert pane.view.pattern
        await pilot.press("escape")
        assert not pane.view.pattern
        await pilot.press("escape", "escape")
        assert pilot.app.screen is screen


async def test_steps_and_scope_restrict_the_tables(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("J", "S", "enter")
        await finished(pilot, "_find_slice")
        assert screen.session.scope == Step(0)
        pane = screen.query_one("#kernels", TablePane)
        assert pane.view is not None
        assert len(pane.view) == 2
        assert "ProfilerStep#1" in str(screen.query_one(TimelineView).border_title)
        await pilot.press("J")
        assert screen.session.scope == Step(1)


async def test_search_from_the_prompt(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("slash", *"aten::soft", "enter")
        assert selected(screen) == "aten::softmax"
        assert screen.query_one(TimelineView).has_focus
        first = screen.session.event
        await pilot.press("n")
        assert screen.session.event != first
        await pilot.press("N")
        assert screen.session.event == first


async def test_measuring(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("g", "v", "G", "v")
        assert screen.session.measured is not None
        assert "5 GPU operations" in said(screen)
        await pilot.press("r")
        assert screen.session.measured is not None


async def test_bookmarks(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("full_stop", "w", "m")
        there = screen.session.timeline.viewport
        await pilot.press("0", "apostrophe")
        assert isinstance(pilot.app.screen, BookmarksScreen)
        await pilot.press("enter")
        assert screen.session.timeline.viewport == there


async def test_copy_takes_the_row_or_the_event(opened: Opened) -> None:
    async with opened() as (pilot, _):
        await pilot.press("full_stop", "y")
        assert GEMM in pilot.app.clipboard
        await pilot.press("2", "y")
        header, row = pilot.app.clipboard.split("\n")
        assert header.split("\t")[:3] == ["%", "total", "count"]
        assert len(row.split("\t")) == len(header.split("\t"))
        assert not set("█▏▎▍▌▋▊▉") & set(row)


async def test_copy_to_a_file(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened() as (pilot, _):
        await pilot.press("full_stop", "Y")
    written = list(tmp_path.glob("*.txt"))
    assert len(written) == 1
    assert GEMM in written[0].read_text()


async def test_reload_keeps_the_view(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("J", "S", "enter")
        before = screen.session
        await pilot.press("R")
        await loaded(pilot)
        assert screen.session.analysed is not before.analysed
        assert screen.session.scope == before.scope
        assert screen.session.timeline.viewport == before.timeline.viewport


async def test_a_reload_shows_the_new_file_in_every_table(
    opened: Opened, steps_file: Path, tmp_path: Path
) -> None:
    async with opened(size=(200, 60)) as (pilot, screen):
        await pilot.press("2", "4", "8", "1")
        before = [pane.view for pane in screen.query(TablePane) if pane.shown and pane.view]
        more = builders.launched(90, 3_000, 4_000, 700, "brand_new")
        builders.write_trace(tmp_path, [*two_steps(), *more], steps_file.name)
        await pilot.press("R")
        await loaded(pilot)
        after = [pane.view for pane in screen.query(TablePane) if pane.shown and pane.view]
        assert len(after) == len(before) == 4
        assert not {id(view.table) for view in before} & {id(view.table) for view in after}
        kernels = screen.query_one("#kernels", TablePane)
        assert "brand_new" in text_of(kernels)[1]
        assert "6 operations" in str(kernels.border_title)
        assert "idle 2.890 ms" in str(screen.query_one("#title", Static).render())


async def test_the_current_lane_stays_on_screen_in_a_smaller_terminal(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("pagedown")
        timeline = screen.query_one(TimelineView)
        lines = screen.session.timeline.lines(screen.session.tracks)
        assert screen.session.timeline.line == len(lines) - 1
        await pilot.resize_terminal(120, 20)
        await pilot.pause()
        assert timeline.lane_lines < len(lines)
        last = screen.session.tracks[lines[-1].track].label
        assert last[:8] in text_of(timeline)[-1]


async def test_the_wheel_zooms_in_away_from_you_and_out_towards_you(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        timeline = screen.query_one(TimelineView)
        whole = screen.session.timeline.viewport.span

        async def turned(kind: type[events.MouseScrollUp | events.MouseScrollDown]) -> int:
            wheel = kind(timeline, 30, 5, 0, 0, 0, False, False, False, 30, 5)
            timeline.post_message(wheel)
            await pilot.pause()
            return screen.session.timeline.viewport.span

        assert await turned(events.MouseScrollUp) == whole // 2
        assert await turned(events.MouseScrollUp) == whole // 4
        assert await turned(events.MouseScrollDown) == whole // 2


async def test_a_key_in_a_focused_table_moves_its_row_along(opened: Opened) -> None:
    async with opened(pane="kernels") as (pilot, screen):
        kernels = screen.query_one("#kernels", TablePane)
        await pilot.pause()
        assert kernels.has_focus
        await pilot.press("full_stop")
        assert selected(screen) == GEMM
        assert kernels.target is not None
        assert kernels.view is not None
        assert kernels.row == kernels.view.table.row_of(screen.session.selection)


async def test_a_failed_reload_leaves_everything(opened: Opened, steps_file: Path) -> None:
    async with opened() as (pilot, screen):
        before = screen.session.analysed
        steps_file.unlink()
        await pilot.press("R")
        await loaded(pilot)
        assert pilot.app.screen is screen
        assert screen.session.analysed is before


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_tab_goes_round_all_panes(opened: Opened, size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        seen = []
        for _ in screen.panes:
            assert screen.focused is not None
            seen.append(screen.focused.id)
            assert screen.focused.size.height > 0
            await pilot.press("tab")
            await pilot.pause()
        assert sorted(map(str, seen)) == sorted(screen.panes)
        await pilot.press("shift+tab")
        await pilot.pause()
        assert screen.focused is not None
        assert screen.focused.id == seen[-1]


async def test_the_focus_comes_back_after_a_terminal_too_small(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2")
        await pilot.resize_terminal(50, 12)
        await pilot.pause()
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert screen.query_one("#kernels").has_focus


async def test_one_pane_at_80_columns(opened: Opened) -> None:
    async with opened(size=(80, 24)) as (pilot, screen):
        assert screen.query_one(TimelineView).display
        assert screen.query_one(TimelineView).size.width > 70
        await pilot.press("2")
        assert screen.query_one("#kernels", TablePane).size.width > 70
        assert screen.query_one(TimelineView).size.height == 0
        await pilot.press("7")
        assert screen.query_one(DetailView).size.height > 15


async def test_says_so_when_the_terminal_is_too_small(opened: Opened) -> None:
    async with opened(size=(50, 12)) as (_, screen):
        assert screen.query_one("#small", Static).display
        assert not screen.query_one("#body").display


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_maximise_follows_the_focus_and_keeps_the_status(
    opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(size=size) as (pilot, screen):
        await pilot.press("2", "x")
        for key, name in (("2", "kernels"), ("3", "timeline"), ("7", "detail"), ("4", "gaps")):
            await pilot.press(key)
            await pilot.pause()
            shown = screen.query_one(f"#{name}")
            assert shown.outer_size == (size[0], size[1] - 2), name
        assert screen.query_one(StatusLine).size.height == 1
        await pilot.press("escape")
        assert not screen.has_class("-maximised")


async def test_opens_at_a_step_and_a_time(opened: Opened) -> None:
    async with opened(step=2, pane="kernels") as (_, screen):
        assert screen.session.scope == Step(1)
        assert screen.query_one("#kernels").has_focus
    async with opened(at=1_650_000) as (_, screen):
        assert screen.session.timeline.cursor == 1_650_000
        assert selected(screen) == GEMM


async def test_the_command_line_for_a_view_opens_it_again(opened: Opened) -> None:
    async with opened(step=2) as (pilot, screen):
        await pilot.press("full_stop", "w", "w")
        before = screen.session
        screen.action_copy_command()
        line = shlex.split(pilot.app.clipboard)
    parsed = parser().parse_args(line[1:])
    (at,), (span,) = parsed.at, parsed.span
    async with opened(step=parsed.step, at=at, span=span) as (_, again):
        assert again.session.scope == before.scope
        assert again.session.timeline.cursor == before.timeline.cursor
        assert again.session.timeline.viewport.span == before.timeline.viewport.span
        assert again.session.event == before.event


async def test_the_selection_outlives_another_scope_in_a_focused_table(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "j", "J")
        before = screen.session.selection
        await pilot.press("S", "enter")
        await finished(pilot, "_find_slice")
        assert screen.session.scope != WHOLE
        assert screen.session.selection == before
        await pilot.press("escape")
        await finished(pilot, "_find_slice")
        assert screen.session.selection == before


async def test_another_threshold_selects_no_other_gap(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("4", "j", "j")
        before = screen.session.selection
        await pilot.press("right_parenthesis", "left_parenthesis")
        assert screen.session.selection == before
        gaps = screen.query_one("#gaps", TablePane)
        assert gaps.marked
        assert gaps.target == before


async def test_instances_asked_for_from_the_timeline_keep_the_row(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "j", "3", "i")
        await finished(pilot, "_toggle_instances")
        kernels = screen.query_one("#kernels", TablePane)
        assert kernels.instances
        assert kernels.target == screen.session.selection


async def test_a_table_without_the_selection_marks_no_row(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "right_curly_bracket")
        kernels = screen.query_one("#kernels", TablePane)
        assert isinstance(screen.session.selection, GapAt)
        assert not any(line.startswith("▸") for line in text_of(kernels))
        gap = screen.session.selection
        await pilot.press("enter")
        assert screen.session.selection == gap
        assert screen.focused is screen.query_one(TimelineView)
        await pilot.press("2", "j")
        assert kernels.marked
        assert kernels.target == screen.session.selection


async def test_what_is_pasted_into_the_prompt_is_drawn_harmless(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("slash")
        prompt = screen.query_one(Prompt)
        prompt.post_message(events.Paste("x\x1b]52;c;Z29uZQ==\x07y"))
        await pilot.pause()
        assert prompt.value == "x\\x1b]52;c;Z29uZQ==\\x07y"


async def test_enter_after_a_filter_goes_to_what_it_shows(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "j", "backslash", *"softmax", "enter")
        kernels = screen.query_one("#kernels", TablePane)
        assert kernels.marked
        assert selected(screen) == "softmax_warp_forward"
        await pilot.press("enter")
        assert selected(screen) == "softmax_warp_forward"
        assert screen.focused is screen.query_one(TimelineView)


async def test_a_filter_that_is_dropped_gives_the_row_back(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("2", "j")
        kernels = screen.query_one("#kernels", TablePane)
        before, row = screen.session.selection, kernels.row
        await pilot.press("backslash", *"nothing")
        assert not kernels.marked
        await pilot.press("escape")
        assert (screen.session.selection, kernels.row, kernels.marked) == (before, row, True)


async def test_no_table_is_made_that_has_no_room(opened: Opened) -> None:
    async with opened(pane=None, size=(80, 24)) as (pilot, screen):
        tables = list(screen.query(TablePane))
        for size, count in (((80, 24), 1), ((120, 40), 2), ((200, 60), 4)):
            await pilot.resize_terminal(*size)
            assert sum(pane.display for pane in tables) == count
            assert [pane.id for pane in tables if pane.view is not None] == [
                pane.id for pane in tables if pane.display
            ]
        await pilot.resize_terminal(80, 24)
        assert sum(pane.display for pane in tables) == 1
