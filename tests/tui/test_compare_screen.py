"""The compare screen through its keys."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import builders
import pytest
from driver import compared_with, finished, loaded, picking
from steps_trace import two_steps
from textual.pilot import Pilot

from attntui.tui.app import AttntuiApp
from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.help import HelpScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.widgets.table import VirtualTable
from attntui.view.options import Options
from attntui.view.session.keys import COMPARE_KEYS

Compared = Callable[..., AbstractAsyncContextManager[tuple[Pilot[None], CompareScreen]]]


@pytest.fixture
def compared(steps_file: Path, tmp_path: Path) -> Compared:
    other = builders.write_trace(tmp_path, two_steps(), "other.json")

    @asynccontextmanager
    async def run(
        size: tuple[int, int] = (140, 45),
    ) -> AsyncIterator[tuple[Pilot[None], CompareScreen]]:
        app = AttntuiApp([str(steps_file), str(other)], Options())
        async with app.run_test(size=size) as pilot:
            yield pilot, await compared_with(pilot)

    return run


def test_every_binding_has_an_action_and_a_key_of_its_own() -> None:
    seen: set[str] = set()
    for key in COMPARE_KEYS:
        assert hasattr(CompareScreen, f"action_{key.action.partition('(')[0]}"), key.name
        for name in key.keys:
            assert name not in seen, name
            seen.add(name)


async def test_time_keys_move_both(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        await pilot.press("w", "w", "l")
        left, right = (s.timeline.viewport for s in screen.compared.sessions)
        assert left.span == right.span < left.high - left.low
        assert left.t0 - left.low == right.t0 - right.low > 0
        await pilot.press("t", "4", "w")
        left, right = (s.timeline.viewport for s in screen.compared.sessions)
        assert right.span * 2 == left.span


async def test_a_file_against_itself_has_no_differences(compared: Compared) -> None:
    async with compared() as (_, screen):
        assert all(row.delta_gpu_ns == 0 for row in screen.compared.comparison.rows)
        assert all(row.match == "both" for row in screen.compared.comparison.rows)


async def test_rows_select_and_enter_goes(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        rows = screen.query_one("#rows", VirtualTable)
        assert rows.has_focus
        await pilot.press("j")
        events = [s.event for s in screen.compared.sessions]
        assert None not in events
        await pilot.press("w", "w", "w", "w", "enter")
        for session in screen.compared.sessions:
            view, event = session.timeline.viewport, session.event
            assert event is not None
            assert view.t0 <= session.trace.start[event] < view.t1


async def test_units_kinds_swap_and_width(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        before = [unit.index for unit in screen.compared.sides]
        await pilot.press("J")
        await finished(pilot, "_align")
        assert [unit.index for unit in screen.compared.sides] != before
        await pilot.press("K", "t", "J")
        await finished(pilot, "_align")
        assert not screen.compared.tied
        await pilot.press("t")
        choice = screen.compared.comparison.choice
        await pilot.press("u")
        await finished(pilot, "_align")
        assert screen.compared.comparison.choice != choice
        paths = [d.trace.path for d in screen.compared.analysed]
        await pilot.press("o")
        assert [d.trace.path for d in screen.compared.analysed] == paths[::-1]
        await pilot.press("W")
        assert screen.compared.full_width


async def test_enter_on_a_timeline_opens_that_trace_and_escape_returns(
    compared: Compared,
) -> None:
    async with compared() as (pilot, screen):
        await pilot.press("3", "enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, MainScreen)
        await pilot.press("escape", "escape")
        assert pilot.app.screen is screen


async def test_filter_and_help(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        rows = screen.query_one("#rows", VirtualTable)
        assert rows.view is not None
        every = len(rows.view)
        await pilot.press("backslash", *"softmax", "enter")
        assert len(rows.view) < every
        await pilot.press("escape")
        assert len(rows.view) == every
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_nothing_is_squeezed_out(compared: Compared, size: tuple[int, int]) -> None:
    async with compared(size=size) as (pilot, screen):
        assert all(t.size.height >= 3 for t in screen._timelines)
        assert screen.query_one("#rows").size.height >= 3
        await pilot.press("1")
        assert screen.query_one("#scoreboard").size.height >= 3


async def test_c_in_the_main_screen_asks_for_the_other_trace(
    steps_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = AttntuiApp([str(steps_file)], Options())
    async with app.run_test(size=(140, 45)) as pilot:
        await loaded(pilot)
        main = app.screen
        await pilot.press("c")
        await picking(pilot)
        await pilot.press("enter")
        await compared_with(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is main


async def test_the_rows_follow_what_is_selected_in_a_timeline(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        rows = screen.query_one("#rows", VirtualTable)
        assert rows.marked
        await pilot.press("3", "full_stop")
        selected = tuple(session.event for session in screen.compared.sessions)
        here = None if rows.row is None else screen._changes.ends[rows.row]
        assert rows.marked == (here == selected)
        await pilot.press("2", "enter")
        assert tuple(session.event for session in screen.compared.sessions) == selected


async def test_it_opens_on_the_largest_change(compared: Compared) -> None:
    async with compared() as (_, screen):
        rows = screen.query_one("#rows", VirtualTable)
        assert (rows.cursor, rows.marked) == (0, True)
        assert screen._ends == tuple(session.event for session in screen.compared.sessions)
