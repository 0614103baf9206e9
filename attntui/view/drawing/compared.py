"""What is drawn where two units are compared: which work the other has, and ties between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.cells import cell_len

from attntui.analysis.compare.compare import Answered
from attntui.safe import Safe
from attntui.trace.model import I64
from attntui.view.tables.order import fit

BOTH, MIXED, NEITHER = "=", "~", " "
ALONE = ("-", "+")
"""The sign of work that only A has, and of work that only B has."""


@dataclass(frozen=True, slots=True)
class ComparedUnit:
    """The unit that a timeline shows: from `start`, in ns, its axis counts. `answered` tells
    which of its work the other side has too; `side` is 0 for A, 1 for B.
    """

    start: int
    answered: Answered
    side: int

    @property
    def heading(self) -> Safe:
        """What the strip stands against."""
        return Safe(f"against {'BA'[self.side]}")

    def strip(self, edges: I64) -> Safe:
        """A sign for each cell between `edges`: work that both have, that this side has alone,
        or some of each.
        """
        both, alone = (
            np.diff(spans.covered_before(edges)) > 0
            for spans in (self.answered.both, self.answered.alone)
        )
        signs = np.array([NEITHER, BOTH, ALONE[self.side], MIXED])
        return Safe("".join(signs[both + 2 * alone].tolist()))


def tie(width: int, a: int | None, b: int | None, words: Safe) -> Safe:
    """A line of `width` cells between two timelines, from cell `a` above it to cell `b` under
    it: `╰─────╮ words`. A cell off screen is beyond the line's ends, one that is not there None.
    """
    known = [min(max(cell, 0), width - 1) for cell in (a, b) if cell is not None]
    if not known:
        return fit(words, width, right=False)
    low, high = min(known), max(known)
    line = [" "] * low + ["─"] * (high + 1 - low) + [" "] * (width - high - 1)
    for cell, other, signs in ((a, b, "╵╰╯"), (b, a, "╷╭╮")):
        if cell is None:
            continue
        if not 0 <= cell < width:
            line[0 if cell < 0 else width - 1] = "◀" if cell < 0 else "▶"
        elif other is None:
            line[cell] = signs[0]
        else:
            line[cell] = "│" if cell == other else signs[1 if cell < other else 2]
    before, after = max(low - 1, 0), max(width - high - 2, 0)
    drawn = "".join(line)
    if after >= min(cell_len(words), before):
        return Safe(drawn[: width - after] + fit(words, after, right=False))
    return Safe(fit(words, before, right=False) + drawn[before:])
