"""Search by name: the pattern meets each distinct name once, never each event."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace.model import I64, Trace
from attntui.view.patterns import compile_pattern


@dataclass(frozen=True, eq=False)
class Search:
    """The rows whose name matches, in order of time."""

    pattern: str
    rows: I64

    @classmethod
    def of(cls, analysed: AnalysedTrace, pattern: str) -> Search:
        """All events whose name, in full or as it is shown, matches. Raises BadPattern."""
        found = compile_pattern(pattern)
        words = analysed.labels.words
        hits = np.fromiter((bool(found.search(word)) for word in words), np.bool_)
        name = analysed.trace.name
        return cls(pattern, np.flatnonzero(hits[name]) if len(hits) else np.zeros(0, np.int64))

    def within(self, trace: Trace, low: int, high: int) -> Search:
        """The hits that begin in [low, high): in the unit compared."""
        first, stop = np.searchsorted(trace.start[self.rows], [low, high]).tolist()
        return Search(self.pattern, self.rows[first:stop])

    def next(self, trace: Trace, cursor: int, event: int | None, direction: int, here: bool) -> int:
        """Number of the hit after (1) or before (-1) the selected event or the cursor.

        `here` lets a hit at the place itself count. Wraps round the ends.
        """
        place = event
        if place is None or int(trace.start[place]) > cursor or int(trace.end[place]) <= cursor:
            place = int(np.searchsorted(trace.start, cursor, "left"))
            here = True
        if direction > 0:
            at = int(np.searchsorted(self.rows, place, "left" if here else "right"))
        else:
            at = int(np.searchsorted(self.rows, place, "left")) - 1
        return at % len(self.rows)
