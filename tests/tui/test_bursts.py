"""Keys faster than the screen answers: several in one go, as a terminal sends them."""

from __future__ import annotations

from driver import Opened, finished
from textual import events
from textual.pilot import Pilot

from attntui.tui.screens.picker import PickerScreen
from attntui.tui.widgets.table_pane import TablePane
from attntui.tui.widgets.timeline import TimelineView

GUTTER_AND_BORDER = 17


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
            assert timeline.cells == timeline.outer_size.width - GUTTER_AND_BORDER
