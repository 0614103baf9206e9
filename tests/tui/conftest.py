"""Runs the app over a made-up or a real trace and waits for what it shows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path

import builders
import pytest
from steps_trace import two_steps
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from attntui.tui.app import AttntuiApp
from attntui.tui.screens.loading import LoadingScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.picker import PickerScreen
from attntui.view.options import Options

Opened = Callable[..., AbstractAsyncContextManager[tuple[Pilot[None], MainScreen]]]


@pytest.fixture
def steps_file(tmp_path: Path) -> Path:
    return builders.write_trace(tmp_path, two_steps())


async def finished(pilot: Pilot[None], name: str) -> None:
    """Waits for the workers of a name, if there are any (given none, Textual waits for all)."""
    workers = [worker for worker in pilot.app.workers if worker.name == name]
    if workers:
        # A load's screen goes when it is done, and takes its finished worker with it.
        with suppress(WorkerCancelled):
            await pilot.app.workers.wait_for_complete(workers)
    await pilot.pause()


async def loaded(pilot: Pilot[None]) -> None:
    """Waits until no load is under way."""
    await pilot.pause()
    while isinstance(pilot.app.screen, LoadingScreen):
        await finished(pilot, "_load")


async def picking(pilot: Pilot[None]) -> PickerScreen:
    """Waits until the picker shows what it found."""
    while not isinstance(pilot.app.screen, PickerScreen):
        await pilot.pause()
    await finished(pilot, "_search")
    return pilot.app.screen


@pytest.fixture
def opened(steps_file: Path) -> Opened:
    """`async with opened() as (pilot, screen)`: the app over a file, loaded."""

    @asynccontextmanager
    async def run(
        path: Path | None = None, size: tuple[int, int] = (120, 40), **options: object
    ) -> AsyncIterator[tuple[Pilot[None], MainScreen]]:
        asked = {"pane": "timeline", **options}
        app = AttntuiApp([str(path or steps_file)], Options(**asked))  # type: ignore[arg-type]
        async with app.run_test(size=size) as pilot:
            await loaded(pilot)
            assert isinstance(app.screen, MainScreen)
            yield pilot, app.screen

    return run
