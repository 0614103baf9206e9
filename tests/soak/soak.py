"""Keys at random through Textual's own parser into the app, and what must hold after some."""

from __future__ import annotations

import random
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from driver import settled
from rich.cells import cell_len
from textual._xterm_parser import XTermParser
from textual.pilot import Pilot

from attntui.safe import safe
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.loading import AligningScreen, LoadingScreen
from attntui.view.options import Options

from .presses import press

SIZES = ((80, 24), (120, 40), (200, 60), (60, 15), (59, 14), (20, 5), (1, 1), (300, 20))
RESIZED_EVERY = 3
"""One of so many batches is pressed on a terminal of another size."""

MOST_GROWTH = 400 << 20
"""Bytes that may be taken beyond those of the first tenth of the keys: other traces may be opened
meanwhile, and several stand on top of each other.
"""


@dataclass
class Outcome:
    """What became of the keys pressed on some traces."""

    keys: int = 0
    opened: int = 0
    """How often the program was started: it may be quit."""

    memory: int = 0
    """The most bytes that the process took."""


def drawn_and_alive(app: AttntuiApp) -> None:
    """No exception, every line as wide as the screen, nothing that a terminal acts on."""
    if app.crash is not None:
        raise app.crash
    if not app.is_running:
        return
    strips = app.screen._compositor.render_strips()
    assert not any(segment.control for strip in strips for segment in strip)
    for strip in strips:
        assert safe(strip.text) == strip.text
        assert cell_len(strip.text) == strip.cell_length
    assert {strip.cell_length for strip in strips} <= {app.size.width}


async def _waited(pilot: Pilot[None]) -> None:
    """Until all pressed so far is answered; a load too, or keys would only cancel it."""
    await settled(pilot)
    while pilot.app.is_running and isinstance(pilot.app.screen, LoadingScreen | AligningScreen):
        await settled(pilot)


def _send(app: AttntuiApp, text: str) -> None:
    """As if a terminal had sent this."""
    driver = app._driver
    assert driver is not None
    parser = XTermParser()
    for event in (*parser.feed(text), *parser.tick()):
        driver.process_message(event)


async def soak(
    paths: Sequence[str], keys: int, seed: int, batch: int = 10, outcome: Outcome | None = None
) -> Outcome:
    """Presses so many keys on traces, and opens them again when the program is quit. What is
    pressed follows from the seed.

    Raises whatever the program failed by, AssertionError where it draws what it must not or
    takes ever more memory.
    """
    chance, found = random.Random(seed), outcome or Outcome()
    early = 0
    while found.keys < keys:
        size = chance.choice(SIZES[:4])
        app = AttntuiApp([*paths], Options(ascii=chance.random() < 0.1))
        found.opened += 1
        async with app.run_test(size=size) as pilot:
            await _waited(pilot)
            while found.keys < keys and app.is_running:
                if chance.randrange(RESIZED_EVERY) == 0:
                    size = chance.choice(SIZES)
                    await pilot.resize_terminal(*size)
                for _ in range(min(batch, keys - found.keys)):
                    _send(app, press(chance, size))
                    found.keys += 1
                await _waited(pilot)
                drawn_and_alive(app)
                found.memory = _memory()
                if found.keys <= keys // 10:
                    early = found.memory
        assert app.failure is None, app.failure
    assert not early or found.memory - early < MOST_GROWTH
    return found


def _memory() -> int:
    """The most bytes that this process has taken so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
