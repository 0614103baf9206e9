"""A stretch of a trace's time."""

from __future__ import annotations

from typing import NamedTuple

from attntui.trace.model import I64, Bool

OUTSIDE = "outside"
"""The notice of events that lie outside the part that is read."""


class Stretch(NamedTuple):
    """From `low` to before `high`, and the trace's `origin`: all in ns of the file."""

    low: int
    high: int
    origin: int

    def overlaps(self, start: I64, dur: I64) -> Bool:
        """Which events reach into it."""
        reaches: Bool = (start < self.high) & ((start >= self.low) | (dur > self.low - start))
        return reaches
