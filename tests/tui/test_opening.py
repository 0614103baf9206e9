"""Opening: the picker, the load, what cannot be opened."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import builders
import pytest
from driver import compared_with, finished, loaded, picking, settled
from steps_trace import two_steps
from textual import events
from textual.app import ComposeResult
from textual.widgets import Static
from walker import FLASH, NAIVE

from attntui.analysis.kept import opening
from attntui.errors import LoadCancelled
from attntui.safe import safe
from attntui.trace import Progress, Trace, load
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.base import PaneScreen
from attntui.tui.screens.help import HelpScreen
from attntui.tui.screens.loading import LoadingScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.picker import PickerScreen
from attntui.tui.widgets.table import VirtualTable
from attntui.view.files import find_traces
from attntui.view.options import Options


async def test_the_picker_lists_what_lies_here_newest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    older = builders.write_trace(tmp_path, two_steps(), "older.json")
    newer = builders.write_trace(tmp_path / "runs", two_steps(), "newer [bold].json.gz")
    (tmp_path / "notes.txt").write_text("no trace")
    os.utime(older, (1, 1))
    found = [f.path for f in find_traces(tmp_path) if not f.sample]
    assert found == [newer, older]
    app = AttntuiApp([], Options())
    async with app.run_test(size=(100, 30)) as pilot:
        table = (await picking(pilot)).query_one(VirtualTable)
        assert " newer [bold] " in table.render_line(1).text
        await pilot.press("j", "enter")
        await loaded(pilot)
        assert isinstance(app.screen, MainScreen)
        assert app.screen.session.trace.path.endswith("older.json")
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, PickerScreen)


async def test_the_picker_tells_the_whole_name_of_the_file_at_the_cursor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"{'llama_8b_' * 6}rank0_of_8.json"
    os.utime(builders.write_trace(tmp_path, two_steps(), name), (1, 1))
    builders.write_trace(tmp_path, two_steps(), "newer.json")
    app = AttntuiApp([], Options())
    async with app.run_test(size=(80, 24)) as pilot:
        picker = await picking(pilot)
        await finished(pilot, "_look")
        assert "newer.json" in str(picker.query_one("#box").border_subtitle)
        await pilot.press("j")
        await finished(pilot)
        assert name in str(picker.query_one("#box").border_subtitle)


async def test_a_file_that_is_no_trace_ends_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"learning_rate": 1}')
    app = AttntuiApp([str(path)], Options())
    async with app.run_test() as pilot:
        await loaded(pilot)
    assert app.failure is not None
    assert "config.json" in app.failure
    assert "\n" not in app.failure


async def test_the_picker_survives_a_file_that_is_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # It begins as a trace does, and is none.
    (tmp_path / "config.json").write_text('{"traceEvents": [1')
    app = AttntuiApp([], Options())
    async with app.run_test() as pilot:
        await picking(pilot)
        await pilot.press("enter")
        await loaded(pilot)
        assert isinstance(app.screen, PickerScreen)


async def test_the_picker_looks_into_files_and_says_what_is_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    builders.write_trace(tmp_path, two_steps(), "mine.json.gz")
    (tmp_path / "config.json").write_text('{"learning_rate": 1}')
    (tmp_path / "broken.json.gz").write_bytes(b"\x1f\x8bnothing")
    copied = next(f for f in find_traces(tmp_path) if f.sample)
    (tmp_path / copied.path.name).write_bytes(copied.path.read_bytes())
    found = find_traces(tmp_path)
    assert [f.path.name for f in found if not f.sample] == ["mine.json.gz"]
    assert len({f.path.name for f in found}) == len(found)
    app = AttntuiApp([], Options())
    async with app.run_test(size=(80, 24)) as pilot:
        table = (await picking(pilot)).query_one(VirtualTable)
        await finished(pilot, "_look")
        header, first = table.render_line(0).text, table.render_line(1).text
        assert [word for word in ("device", "steps", "busy", "age") if word not in header] == []
        assert " mine " in first
        assert "H200" in table.render_line(3).text
        sample = copied.path.name.removesuffix(".json.gz")
        assert any(f" {sample} " in table.render_line(y).text for y in range(table.size.height))


async def test_two_marked_traces_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.json", "b.json"):
        builders.write_trace(tmp_path, two_steps(), name)
    app = AttntuiApp([], Options())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await picking(pilot)
        await pilot.press("space", "j", "space")
        table = screen.query_one(VirtualTable)
        assert [table.render_line(y).text.count("●") for y in (1, 2, 3)] == [1, 1, 0]
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape", "enter")
        compared = await compared_with(pilot)
        await pilot.press("escape")
        assert not compared.is_running or app.screen is not compared
        await picking(pilot)


async def test_a_load_shows_progress_answers_keys_and_can_be_cancelled(
    steps_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, cancelled_seen = threading.Event(), threading.Event()

    def slow_load(path: str, *, progress: Any, cancelled: Any, **_: Any) -> None:
        progress(Progress(bytes_done=50, bytes_total=100, events=7, seconds=1.5))
        told.set()
        while not cancelled():
            cancelled_seen.wait(0.001)
        cancelled_seen.set()
        raise LoadCancelled

    monkeypatch.setattr(opening, "load", slow_load)
    app = AttntuiApp([str(steps_file)], Options())
    async with app.run_test() as pilot:
        while not told.is_set():
            await pilot.pause()
        await pilot.pause()
        assert isinstance(app.screen, LoadingScreen)
        figures = str(app.screen.query_one("#figures", Static).render())
        assert "7 events" in figures
        await pilot.press("escape")
        await pilot.pause()
        assert cancelled_seen.wait(10)
    assert app.return_code == 0
    assert app.failure is None


@pytest.mark.parametrize("samples", [[NAIVE], [NAIVE, FLASH]], ids=["alone", "compared"])
async def test_only_the_pane_asked_for_gets_the_focus(
    samples: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    focus, on_focus = VirtualTable.focus, PaneScreen.on_descendant_focus

    def late(table: VirtualTable, scroll_visible: bool = True) -> VirtualTable:
        # As on a busy machine: the screen is resumed before the pane has the focus.
        table.call_after_refresh(focus, table, scroll_visible)
        return table

    def noted(screen: PaneScreen, message: events.DescendantFocus) -> None:
        shown.append(str(message.widget.id))
        on_focus(screen, message)

    monkeypatch.setattr(VirtualTable, "focus", late)
    monkeypatch.setattr(PaneScreen, "on_descendant_focus", noted)
    app = AttntuiApp([str(builders.SAMPLES / f"{name}.json.gz") for name in samples], Options())
    async with app.run_test(size=(80, 24)) as pilot:
        await (loaded(pilot) if len(samples) == 1 else compared_with(pilot))
        assert isinstance(app.screen, PaneScreen)
        assert app.focused is app.screen.table
        assert shown == [app.screen.table.id]


async def test_leaving_while_the_screen_is_made_leaves_no_traceback(
    steps_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    compose = MainScreen.compose

    def leaving(screen: MainScreen) -> ComposeResult:
        asked.append(screen)
        screen.app.exit()
        return compose(screen)

    monkeypatch.setattr(MainScreen, "compose", leaving)
    app = AttntuiApp([str(steps_file)], Options())
    # What goes wrong in the app is raised here.
    async with app.run_test() as pilot:
        await finished(pilot, "_open")
    assert asked


async def test_keys_typed_before_a_screen_has_widgets_wait_for_them(steps_file: Path) -> None:
    app = AttntuiApp([str(steps_file)], Options())
    async with app.run_test() as pilot:
        await loaded(pilot)
        screen = PickerScreen(safe("Compare with"), {}, closable=True)
        app.push_screen(screen)
        assert not screen.is_mounted
        await app.run_action("sort_left", screen)
        await app.run_action("help", screen)
        await settled(pilot)
        assert isinstance(app.screen, HelpScreen)


async def test_keys_after_the_one_that_leaves_do_nothing(steps_file: Path) -> None:
    app = AttntuiApp([str(steps_file)], Options())
    async with app.run_test() as pilot:
        await loaded(pilot)
        for key in ("q", "question_mark", "S", "colon", "j"):
            app.post_message(events.Key(key, None))
        await pilot.pause()
    assert app.crash is None
    assert app.return_code == 0


async def test_a_load_that_ends_under_another_screen_does_not_stay(
    steps_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = AttntuiApp([str(steps_file)], Options())
    async with app.run_test() as pilot:
        await loaded(pilot)
        begun, go_on = threading.Event(), threading.Event()

        def slow(path: str, **more: Any) -> Trace:
            begun.set()
            assert go_on.wait(10)
            return load(path, **more)

        monkeypatch.setattr(opening, "load", slow)
        await pilot.press("R")
        over = PickerScreen(safe("over it"), {}, closable=True)
        app.push_screen(over)
        await settled(pilot)
        go_on.set()
        await finished(pilot, "_load")
        assert app.screen is over
        await pilot.press("escape")
        await settled(pilot)
        assert isinstance(app.screen, MainScreen)
        assert app.screen.session.said == "reloaded"
