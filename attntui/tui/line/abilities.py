"""What a terminal can do beside moves, styles and characters."""

from __future__ import annotations

import os
from dataclasses import dataclass

_PROBED_ROW, _PROBED_COLUMN = 2, 4
PROBE = f"\x1b[{_PROBED_ROW}H \x1b[2b"
"""A blank, twice more where the terminal repeats: the cursor tells."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """`erases`: to the end of a line (EL), and a number of cells (ECH); `erases_in_colour`: such
    cells take the ground of the pen; `repeats`: the last character (REP).
    """

    erases: bool = False
    erases_in_colour: bool = False
    repeats: bool = False


def repeats(x: int, y: int) -> bool:
    """Whether a terminal repeats, by where its cursor is after the probe, from 0."""
    return (x, y) == (_PROBED_COLUMN - 1, _PROBED_ROW - 1)


def described(terminal: str | None = None) -> Abilities:
    """What the terminal's description says, by its name or `TERM`. Repeating is left to the
    probe: many terminals go by the name of one that can.
    """
    try:
        import curses
    except ImportError:
        return Abilities()
    try:
        curses.setupterm(terminal or os.environ.get("TERM", ""), 1)
    except curses.error:
        return Abilities()
    can = (curses.tigetstr("el"), curses.tigetstr("ech")) == (b"\x1b[K", b"\x1b[%p1%dX")
    return Abilities(erases=can, erases_in_colour=can and curses.tigetflag("bce") == 1)
