"""Waits for what the app does in its own time: loads, searches. Never sleeps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.loading import LoadingScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.picker import PickerScreen

Opened = Callable[..., AbstractAsyncContextManager[tuple[Pilot[None], MainScreen]]]


async def finished(pilot: Pilot[None], *names: str) -> None:
    """Waits for the workers of these names, if there are any (given none, Textual waits for
    all).
    """
    workers = [worker for worker in pilot.app.workers if worker.name in names]
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


async def compared_with(pilot: Pilot[None]) -> CompareScreen:
    """Waits until two traces are loaded, aligned and shown."""
    while not isinstance(pilot.app.screen, CompareScreen):
        await loaded(pilot)
    await pilot.pause()
    return pilot.app.screen


def drawn(pilot: Pilot[None]) -> list[str]:
    """The lines on screen."""
    screen = pilot.app.screen
    return [
        "".join(segment.text for segment in line) for line in screen._compositor.render_strips()
    ]
