"""What it costs to open a trace again: the first full screen on a terminal, and a summary."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from terminal import Terminal

from attntui.trace.kept.shelf import Shelf, directory
from attntui.view.panes import PANES

from .processes import once, python
from .table import Figure

SIZE = (120, 40)
TOLD_S = 0.5
SCREEN_S = 0.5
SUMMARY_S = 1.0
_TARGETS_OF = "1 GB"

_SUMMARY = "import sys; from attntui.cli import main; main(['summary', sys.argv[1]])"
_TOLD = b"opening "
"""What stands there before the screens."""

_FIRST = PANES[0].name.capitalize().encode()
"""A word of the full screen that no other has."""


def measured(name: str, path: Path, rounds: int) -> Iterator[Figure]:
    """The first opening, with what keeping adds to a summary, and the later ones."""
    summary = python(_SUMMARY, path)
    targets = (SCREEN_S, SUMMARY_S) if name == _TARGETS_OF else (None, None)
    with tempfile.TemporaryDirectory() as folder, _environment(_places(folder)):
        # A file that may still be being written is not kept.
        os.utime(path, (time.time() - 3600,) * 2)
        yield Figure(f"{name}: summary, the first time", "s", once(summary).seconds)
        told = min(_first(_TOLD, path) for _ in range(rounds))
        yield Figure(f"{name}: something true on the terminal", "s", told, TOLD_S)
        yield Figure(f"{name}: first screen, facts to find", "s", _first(_FIRST, path, _Kept()))
        again = min(_first(_FIRST, path) for _ in range(rounds))
        yield Figure(f"{name}: first screen, again", "s", again, targets[0])
        again = min(once(summary).seconds for _ in range(rounds))
        yield Figure(f"{name}: summary, again", "s", again, targets[1])
        held = sum(held.size for held in _shelf().held())
        yield Figure(f"{name}: kept / file", "x", held / path.stat().st_size)


def _first(word: bytes, path: Path, then: Callable[[], bool] = lambda: True) -> float:
    """Seconds from the start of the program to a word on its terminal; it goes on until `then`."""
    began = time.perf_counter()
    terminal = Terminal(str(path), size=SIZE, env={"COLORTERM": "truecolor"})
    terminal.wait_for(word)
    seconds = time.perf_counter() - began
    terminal.wait_until(then)
    terminal.process.send_signal(signal.SIGTERM)
    terminal.exit_code()
    return seconds


class _Kept:
    """Whether something else is kept than when this was made."""

    def __init__(self) -> None:
        self._before = self._now()

    def __call__(self) -> bool:
        return self._now() != self._before

    def _now(self) -> set[tuple[str, int]]:
        return {(held.path.name, held.size) for held in _shelf().held()}


def _shelf() -> Shelf:
    place = directory()
    assert place is not None
    return Shelf(place)


def _places(folder: str) -> dict[str, str]:
    return {"ATTNTUI_CACHE_DIR": folder, "ATTNTUI_STATE_DIR": f"{folder}/state"}


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
