"""The app opens a trace where it was left."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from driver import Opened, finished

from attntui.analysis.scope import WHOLE, Step
from attntui.trace.kept import shelf
from attntui.trace.kept.key import key_of
from attntui.trace.kept.notes import ELSEWHERE, note, notes
from attntui.tui.screens.main import MainScreen
from attntui.tui.widgets.table_pane import TablePane
from attntui.view.session.jumps import place_of
from attntui.view.session.left import left_of


@pytest.fixture(autouse=True)
def _keeping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(shelf.OFF, raising=False)
    monkeypatch.setenv(ELSEWHERE, str(tmp_path / "state"))


def left_by(screen: MainScreen) -> None:
    """The program is left, and what is kept is on the disk."""
    app = screen.app
    app.exit()
    app.keeper.stop()  # type: ignore[attr-defined]


async def test_a_trace_opens_as_it_was_left(opened: Opened, steps_file: Path) -> None:
    async with opened(pane=None) as (pilot, screen):
        await pilot.press("2", "j", "J")
        await pilot.press("S", "enter")
        await finished(pilot, "_find_slice")
        await pilot.press("m", "3", "greater_than_sign", "7", "w", "l")
        before = screen.session
        assert before.scope != WHOLE
        left_by(screen)
    async with opened(pane=None) as (pilot, again):
        await finished(pilot, "_find_slice")
        found = again.session
        assert place_of(replace(found, lists=())) == place_of(replace(before, lists=()))
        assert found.is_settled
        assert [mark.label for mark in found.bookmarks] == [m.label for m in before.bookmarks]
        assert before.pane
        assert again.query_one(f"#{before.pane}").has_focus
        assert found.said.startswith("as you left it")
        await pilot.press("l")
        assert not again.session.said


async def test_fresh_and_a_place_asked_for_go_before(opened: Opened) -> None:
    async with opened(pane=None) as (pilot, screen):
        await pilot.press("m", "J")
        left_by(screen)
    async with opened(pane=None, fresh=True) as (_, again):
        assert again.session.scope == WHOLE
        assert again.query_one("#overview").has_focus
        assert len(again.session.bookmarks) == 1
    async with opened(step=2) as (_, again):
        assert again.session.scope == Step(1)
        assert len(again.session.bookmarks) == 1


async def test_tables_come_back_sorted_and_filtered(opened: Opened) -> None:
    async with opened(pane=None) as (pilot, screen):
        await pilot.press("2", "greater_than_sign", "4")
        table = screen.query_one("#kernels", TablePane)
        assert table.view is not None
        before = table.view.arrangement
        left_by(screen)
    async with opened(pane=None) as (_, again):
        table = again.query_one("#kernels", TablePane)
        assert table.view is not None
        assert table.view.arrangement == before
        assert again.last_pane == "gaps" == again.focused.id  # type: ignore[union-attr]


async def test_the_place_is_kept_before_the_end(opened: Opened, steps_file: Path) -> None:
    async with opened(pane=None) as (pilot, screen):
        await pilot.press("m")
        # The timer's turn.
        screen.tell_place()
        pilot.app.keeper.stop()  # type: ignore[attr-defined]
        found = left_of(key_of(str(steps_file)))
        assert found is not None
        assert len(found.bookmarks) == 1


async def test_another_content_is_opened_anew(opened: Opened, steps_file: Path) -> None:
    async with opened(pane=None) as (pilot, screen):
        await pilot.press("m", "7")
        left_by(screen)
    steps_file.write_text(steps_file.read_text() + " ")
    async with opened(pane=None) as (_, again):
        assert not again.session.bookmarks
        assert not again.session.said


async def test_without_a_cache_nothing_is_kept(opened: Opened, tmp_path: Path) -> None:
    async with opened(pane=None, cache=False) as (pilot, screen):
        await pilot.press("m")
        left_by(screen)
    assert not (tmp_path / "state").exists()


async def test_a_note_that_is_damaged_is_let_be(opened: Opened, steps_file: Path) -> None:
    async with opened(pane=None) as (pilot, screen):
        await pilot.press("m")
        left_by(screen)
    key, place = key_of(str(steps_file)), notes()
    assert key is not None
    assert place is not None
    (held,) = place.held()
    assert note(key)
    with held.path.open("r+b") as file:
        file.seek(os.path.getsize(held.path) - 100)
        file.write(b"\x00")
    assert note(key) is None
    async with opened(pane=None) as (_, again):
        assert not again.session.bookmarks
