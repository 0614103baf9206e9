"""Waits for what the app does in its own time: loads, searches. Never sleeps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.loading import LoadingScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.picker import PickerScreen

QUIET = 2
"""Rounds without a message in any queue after which nothing more comes."""

Opened = Callable[..., AbstractAsyncContextManager[tuple[Pilot[None], MainScreen]]]


async def settled(pilot: Pilot[None]) -> None:
    """Waits until all that was asked of the screen so far has been done and drawn.

    The pilot's own pause waits until this process needs little time. It also does where the
    machine gives it none, and one answered message may ask for another.
    """
    quiet = 0
    while quiet < QUIET and pilot.app.is_running:
        screen, drawn = pilot.app.screen, asyncio.Event()
        if not screen.call_after_refresh(drawn.set):
            break
        await pilot._wait_for_screen()
        while not drawn.is_set() and pilot.app.is_running and pilot.app.screen is screen:
            await pilot.pause()
        nodes = (pilot.app, *screen.walk_children(with_self=True))
        # A screen that has just come is laid out when it is first drawn.
        waiting = (
            not drawn.is_set()
            or pilot.app.screen is not screen
            or not screen._compositor.size
            or any(node.message_queue_size for node in nodes)
        )
        quiet = 0 if waiting else quiet + 1
    await pilot.pause()


async def finished(pilot: Pilot[None], *names: str) -> None:
    """Waits for the workers of these names, if there are any (given none, Textual waits for
    all), and for what follows from them.
    """
    # What starts a worker may still wait to be answered.
    await settled(pilot)
    workers = [worker for worker in pilot.app.workers if worker.name in names]
    if workers:
        # A load's screen goes when it is done, and takes its finished worker with it.
        with suppress(WorkerCancelled):
            await pilot.app.workers.wait_for_complete(workers)
        await settled(pilot)


async def loaded(pilot: Pilot[None]) -> None:
    """Waits until no load is under way."""
    await finished(pilot, "_open")
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
    await settled(pilot)
    return pilot.app.screen


def drawn(pilot: Pilot[None]) -> list[str]:
    """The lines on screen."""
    screen = pilot.app.screen
    return [
        "".join(segment.text for segment in line) for line in screen._compositor.render_strips()
    ]
