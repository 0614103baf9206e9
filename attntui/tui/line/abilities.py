"""What a terminal can do beside moves, styles and characters."""

from __future__ import annotations

import os
from dataclasses import dataclass

_PROBED_ROW, _PROBED_COLUMN = 2, 4
PROBE = f"\x1b[{_PROBED_ROW}H \x1b[2b\x1b[6n"
"""A blank, twice more where the terminal repeats, and the question where the cursor is."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """`erases`: to the end of a line (EL), and a number of cells (ECH); `erases_in_colour`: such
    cells take the ground of the pen; `repeats`: the last character (REP).
    """

    erases: bool = False
    erases_in_colour: bool = False
    repeats: bool = False


def answers_probe(y: int) -> bool:
    """Whether a place of the cursor, its row from 0, is the answer to the probe."""
    return y == _PROBED_ROW - 1


def repeats(x: int) -> bool:
    """Whether the terminal that answered the probe with this column, from 0, repeats."""
    return x == _PROBED_COLUMN - 1


def described(terminal: str | None = None) -> Abilities:
    """What the terminal's description says, by its name or `TERM`. Repeating is left to the
    probe: many terminals go by the name of one that can.
    """
    try:
        import curses

        curses.setupterm(terminal or os.environ.get("TERM", ""), 1)
        can = (curses.tigetstr("el"), curses.tigetstr("ech")) == (b"\x1b[K", b"\x1b[%p1%dX")
        return Abilities(erases=can, erases_in_colour=can and curses.tigetflag("bce") == 1)
    except (ImportError, OSError, ValueError):
        return Abilities()
    except Exception as error:
        # `curses.error` is no class that could be named before the import.
        if type(error).__name__ != "error":
            raise
        return Abilities()
