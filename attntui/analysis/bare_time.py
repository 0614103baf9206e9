"""When an event of a thread runs and nothing that was recorded inside it does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.trace.masks import places_of
from attntui.trace.model import ABSENT, I64, Trace


@dataclass(frozen=True, slots=True)
class BareTime:
    """Stretches [start, end) by event, then by time; `of` is the event's place among those
    asked for. Columns of one length, no stretch empty.
    """

    of: I64
    start: I64
    end: I64

    @property
    def length(self) -> I64:
        return self.end - self.start

    def longest(self, events: int) -> I64:
        """The place of each event's longest stretch, of equal ones the first; ABSENT where it
        has none. `events` is how many were asked for.
        """
        found = np.full(events, ABSENT, np.int64)
        if len(self.of):
            first = np.flatnonzero(np.diff(self.of, prepend=-1))
            most = np.maximum.reduceat(self.length, first)
            stretches = np.diff(first, append=len(self.of))
            longest = np.flatnonzero(self.length == np.repeat(most, stretches))
            # Of several values for one place the last is kept: backwards, the first.
            found[self.of[longest[::-1]]] = longest[::-1]
        return found


def bare_time(trace: Trace, rows: I64) -> BareTime:
    """The stretches of some rows of CPU lanes that no op, call or frame in them covers."""
    place = places_of(len(trace), rows)
    inner = np.flatnonzero(trace.parent != ABSENT)
    around = place[trace.parent[inner]]
    inner, around = inner[around != ABSENT], around[around != ABSENT]
    by_event = np.argsort(around, kind="stable")
    inner, around = inner[by_event], around[by_event]
    # An event with n others in it has n + 1 stretches: before, between and after them.
    of = np.sort(np.concatenate((np.arange(len(rows)), around)), kind="stable")
    nth = np.arange(len(inner)) + around
    start, end = trace.start[rows][of], trace.end[rows][of]
    start[nth + 1] = trace.end[inner]
    stop = end.copy()
    stop[nth] = trace.start[inner]
    # What outlives the event that it began in is cut at that one's end.
    stop = np.minimum(stop, end)
    some = np.flatnonzero(stop > start)
    return BareTime(of[some], start[some], stop[some])
