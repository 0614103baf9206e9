"""Keys faster than the screen answers: several in one go, as a terminal sends them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from driver import Opened, finished, loaded, settled
from textual import events
from textual.pilot import Pilot

from attntui.analysis.kept import opening
from attntui.trace import Trace, load
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.bookmarks import BookmarkList
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.picker import PickerScreen
from attntui.tui.widgets.table_pane import TablePane
from attntui.tui.widgets.timeline import HEADER_LINES, TimelineView
from attntui.view.options import Options
from attntui.view.session.reopen import opened as opened_as
from attntui.view.session.session import Session

BORDER = 2


async def burst(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await pilot.pause()
    await pilot.pause()


async def test_two_quick_enters_close_one_screen(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("m", "apostrophe")
        await burst(pilot, "enter", "enter")
        assert pilot.app.screen is screen


async def test_two_quick_enters_in_the_palette(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await burst(pilot, "colon")
        await burst(pilot, "down", "enter", "enter")
        for _ in range(3):
            await pilot.press("escape")
        assert pilot.app.screen_stack[1] is screen


async def test_the_last_of_quick_changes_of_pane_holds(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await burst(pilot, "2", "3", "tab", "tab")
        assert screen.focused is not None
        assert screen.focused.id == screen.last_pane


async def test_quick_toggles_end_where_they_began(opened: Opened) -> None:
    async with opened(pane="kernels") as (pilot, screen):
        pane = screen.query_one("#kernels", TablePane)
        await burst(pilot, "i", "i")
        await finished(pilot, "_toggle_instances")
        assert not pane.instances


async def test_scopes_changed_quickly_settle_on_the_last(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        await burst(pilot, "full_stop", "S", "enter", "J", "J")
        await burst(pilot, "S", "enter", "K")
        while not screen.session.is_settled:
            await finished(pilot, "_find_slice")
        assert screen.session.slice.scope == screen.session.scope


async def test_asking_twice_to_compare_opens_one_picker(opened: Opened) -> None:
    async with opened() as (pilot, _):
        await burst(pilot, "c", "c")
        for _ in range(5):
            await pilot.pause()
        pickers = [s for s in pilot.app.screen_stack if isinstance(s, PickerScreen)]
        assert len(pickers) == 1


async def test_a_selection_outlives_the_focus(opened: Opened) -> None:
    async with opened(pane="overview") as (pilot, screen):
        await pilot.press("slash", *"aten::soft", "enter")
        found = screen.session.event
        assert found is not None
        assert screen.session.trace.name_of(found) == "aten::softmax"
        await pilot.resize_terminal(50, 12)
        await pilot.pause()
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert screen.session.event == found


async def test_a_key_takes_the_width_that_is_drawn_then(opened: Opened) -> None:
    async with opened() as (pilot, screen):
        timeline = screen.query_one(TimelineView)
        for width in (120, 64, 200):
            await pilot.resize_terminal(width, 40)
            await pilot.press("left")
            assert screen.session.width == timeline.cells
            assert timeline.cells == timeline.outer_size.width - timeline.heading_cells - BORDER


async def test_keys_and_resizes_before_the_load_ends_do_not_steer_the_timeline(
    steps_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow_load(path: str, **more: Any) -> Trace:
        asked.set()
        assert go_on.wait(10)
        return load(path, **more)

    monkeypatch.setattr(opening, "load", slow_load)
    app = AttntuiApp([str(steps_file)], Options(pane="timeline"))
    async with app.run_test(size=(80, 24)) as pilot:
        while not asked.is_set():
            await pilot.pause()
        await burst(pilot, "right", "right", "w", "G", "4", "right_curly_bracket")
        await pilot.resize_terminal(200, 60)
        await burst(pilot, "w", "l")
        go_on.set()
        while not isinstance(app.screen, MainScreen):
            await pilot.pause()
        # These come as soon as the screen is there, before anything is drawn on it.
        app.post_message(events.Key("right", None))
        await loaded(pilot)
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, MainScreen)
        timeline = screen.query_one(TimelineView)
        cells = timeline.cells
        assert cells == 200 - 56 - timeline.heading_cells - BORDER
        first = opened_as(Session.of(screen.session.analysed), Options(pane="timeline"))
        moved = first.resized(cells).cursor_moved(1)
        assert screen.session.timeline.viewport == first.timeline.viewport
        assert screen.session.timeline.cursor in (moved.timeline.cursor, first.timeline.cursor)
        assert screen.session.pane == "timeline"


async def test_a_drag_goes_on_where_the_terminal_became_narrower(opened: Opened) -> None:
    async with opened(size=(200, 40)) as (pilot, screen):
        timeline = screen.query_one(TimelineView)
        right, line = timeline.region.right - 3, timeline.region.y + HEADER_LINES + 2
        await pilot.mouse_down(offset=(right, line))
        await pilot.resize_terminal(80, 40)
        await pilot._post_mouse_events([events.MouseMove], offset=(40, line), button=1)
        await pilot.mouse_up(offset=(40, line))
        measured = screen.session.measured
        assert measured is not None
        assert measured.range.end <= screen.session.trace.span[1]


@pytest.mark.parametrize("key", ["colon", "apostrophe", "question_mark", "S", "p", "C"])
async def test_any_terminal_has_room_for_what_opens_over_the_panes(
    opened: Opened, key: str
) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("m", key)
        over = pilot.app.screen
        assert over is not screen
        for size in ((1, 1), (4, 3), (7, 1), (1, 40), (120, 40)):
            await pilot.resize_terminal(*size)
        assert pilot.app.screen is over
        assert pilot.app.crash is None


def test_bookmarks_that_are_not_drawn_yet_have_no_pages() -> None:
    found = BookmarkList("a", "b")
    found.highlighted = 1
    found.action_page_up()
    found.action_page_down()
    assert found.highlighted == 1


@pytest.mark.parametrize("key", ["colon", "apostrophe"])
async def test_a_list_without_room_has_no_pages(opened: Opened, key: str) -> None:
    async with opened() as (pilot, _):
        await pilot.press("m")
        for size in ((20, 1), (1, 1), (4, 3), (3, 40)):
            await pilot.resize_terminal(*size)
            await pilot.press(key, "pagedown", "pagedown", "pageup", "escape")
        assert pilot.app.crash is None


@pytest.mark.parametrize("key", ["right", "l", "w"])
async def test_keys_that_wait_are_drawn_once_after_the_last(
    opened: Opened, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = 0

    def count(_: AttntuiApp) -> None:
        nonlocal frames
        frames += 1

    async with opened() as (pilot, screen):
        monkeypatch.setattr(AttntuiApp, "post_display_hook", count)
        before = screen.session.timeline
        await burst(pilot, *[key] * 30)
        await settled(pilot)
        assert screen.session.timeline != before
        assert 0 < frames < 6
