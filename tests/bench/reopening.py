"""What it costs to open a trace again: the first full screen on a terminal, and a summary."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from attntui.trace.kept.shelf import Shelf, directory
from attntui.view.panes import PANES

from .processes import once, python
from .table import Figure
from .terminal import shows

SCREEN_S = 0.5
SUMMARY_S = 1.0
_TARGETS_OF = "1 GB"

_SUMMARY = "import sys; from attntui.cli import main; main(['summary', sys.argv[1]])"
_FIRST = PANES[0].name.capitalize()
"""A word of the full screen that no other has."""


def measured(name: str, path: Path, rounds: int) -> Iterator[Figure]:
    """The first opening, with what keeping adds to a summary, and the later ones."""
    app, summary = [sys.executable, "-P", "-m", "attntui", str(path)], python(_SUMMARY, path)
    targets = (SCREEN_S, SUMMARY_S) if name == _TARGETS_OF else (None, None)
    with tempfile.TemporaryDirectory() as folder, _environment(_places(folder)):
        # A file that may still be being written is not kept.
        os.utime(path, (time.time() - 3600,) * 2)
        yield Figure(f"{name}: summary, the first time", "s", once(summary).seconds)
        yield Figure(f"{name}: first screen, facts to find", "s", shows(app, _FIRST, _Kept()))
        again = min(shows(app, _FIRST) for _ in range(rounds))
        yield Figure(f"{name}: first screen, again", "s", again, targets[0])
        again = min(once(summary).seconds for _ in range(rounds))
        yield Figure(f"{name}: summary, again", "s", again, targets[1])
        held = sum(held.size for held in _shelf().held())
        yield Figure(f"{name}: kept / file", "x", held / path.stat().st_size)


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
