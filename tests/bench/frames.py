"""What a key costs the processor in a large trace on a large screen."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from textual.pilot import Pilot

from attntui.tui.app import AttntuiApp
from attntui.tui.screens.main import MainScreen
from attntui.view.options import Options

from .table import Figure

SIZE = (200, 60)
FRAME_MS = 16.0

KINDS = {
    "pan": ["l", "l", "h", "l"],
    "zoom": ["w", "w", "s", "w", "s"],
    "cursor": ["right", "right", "left"],
    "rows": ["down", "down", "up", "down"],
    "next": ["full_stop", "full_stop", "comma"],
}
TIMES = 20

NOTHING = "f12"
"""A key that does nothing: what it costs is the cost of asking every widget whether it is done,
which nobody does outside of tests.
"""


def measured(path: Path) -> Iterator[Figure]:
    costs = asyncio.run(_pressed(path))
    for kind, seconds in costs.items():
        ordered = sorted(seconds)
        p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        yield Figure(f"frame at 200x60, {kind}: p95", "ms", 1000 * p95, FRAME_MS)


async def _pressed(path: Path) -> dict[str, list[float]]:
    app = AttntuiApp([str(path)], Options(cache=False))
    async with app.run_test(size=SIZE) as pilot:
        while not isinstance(app.screen, MainScreen):
            await pilot.pause(0.1)
        await pilot.press("3")
        asking = statistics.median([await _cost(pilot, NOTHING) for _ in range(TIMES)])
        found: dict[str, list[float]] = {}
        for kind, keys in KINDS.items():
            await pilot.pause()
            found[kind] = []
            for _ in range(TIMES):
                for key in keys:
                    found[kind].append(await _cost(pilot, key) - asking)
        return found


async def _cost(pilot: Pilot[None], key: str) -> float:
    """Seconds of the processor from a key to its frame."""
    began = time.process_time()
    await pilot.press(key)
    await pilot.pause()
    return time.process_time() - began
