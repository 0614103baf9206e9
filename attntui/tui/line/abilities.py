"""What a terminal can do beside moves, styles and characters."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Abilities:
    """`erases`: to the end of a line (EL), and a number of cells (ECH); `erases_in_colour`: such
    cells take the ground of the pen. Repeating (REP) is none: some repeat what is no ASCII wrong.
    """

    erases: bool = False
    erases_in_colour: bool = False


def described(terminal: str | None = None) -> Abilities:
    """What the terminal's description says, by its name or `TERM`."""
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
