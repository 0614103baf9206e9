"""Sets of disjoint time intervals, and how much of a window they cover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.trace.model import I64, Bool


@dataclass(frozen=True, slots=True)
class Intervals:
    """Disjoint intervals [start, end) in ascending order, none of them empty.

    `total` holds prefix sums of their lengths: `total[i]` ns lie before interval `i`.
    """

    start: I64
    end: I64
    total: I64

    def __len__(self) -> int:
        return len(self.start)

    @property
    def length(self) -> int:
        """The whole time covered, in ns."""
        return int(self.total[-1])

    def covered_before(self, time: I64) -> I64:
        """How many ns of the set lie before each time."""
        index = np.searchsorted(self.start, time, side="right")
        if not len(self):
            return np.zeros(index.shape, np.int64)
        last = np.maximum(index - 1, 0)
        beyond = np.where(index > 0, np.maximum(self.end[last] - time, 0), 0)
        return self.total[index] - beyond

    def contains(self, time: I64) -> Bool:
        """Whether each time lies in an interval of the set."""
        index = np.searchsorted(self.start, time, side="right")
        inside = np.zeros(index.shape, np.bool_)
        began = index > 0
        inside[began] = self.end[index[began] - 1] > time[began]
        return inside

    def covered(self, t0: I64, t1: I64) -> I64:
        """How many ns of the set lie in each window [t0, t1)."""
        return self.covered_before(t1) - self.covered_before(t0)

    def covered_between(self, t0: int, t1: int) -> int:
        """How many ns of the set lie in the one window [t0, t1)."""
        before = self.covered_before(np.array([t0, t1], np.int64))
        return int(before[1] - before[0])


def of_disjoint(start: I64, end: I64) -> Intervals:
    """The set of intervals that are already disjoint, ascending and not empty."""
    total = np.zeros(len(start) + 1, np.int64)
    np.cumsum(end - start, out=total[1:])
    return Intervals(start, end, total)


def union(start: I64, end: I64) -> Intervals:
    """The union of intervals given in order of their start; they may overlap and nest."""
    keep = end > start
    if not keep.all():
        start, end = start[keep], end[keep]
    if not len(start):
        return of_disjoint(start, end)
    reached = np.maximum.accumulate(end)
    head = np.flatnonzero(start[1:] > reached[:-1]) + 1
    first = np.concatenate(([0], head))
    last = np.concatenate((head - 1, [len(start) - 1]))
    return of_disjoint(start[first], reached[last])


def intersection(a: Intervals, b: Intervals) -> Intervals:
    """The time that lies in both sets."""
    cuts = np.unique(np.concatenate((a.start, a.end, b.start, b.end)))
    both = np.flatnonzero(a.contains(cuts) & b.contains(cuts))
    return union(cuts[both], cuts[both + 1])


def overlaps(a_start: I64, a_end: I64, b_start: I64, b_end: I64) -> tuple[I64, I64, I64, I64]:
    """Where two lists of disjoint ascending intervals meet, by time: the number of each one's
    interval, and from when to when.
    """
    first = np.searchsorted(b_end, a_start, side="right")
    number = np.maximum(np.searchsorted(b_start, a_end, side="left") - first, 0)
    of_a = np.repeat(np.arange(len(a_start)), number)
    nth = np.arange(len(of_a)) - np.repeat(np.cumsum(number) - number, number)
    of_b = first[of_a] + nth
    return (
        of_a,
        of_b,
        np.maximum(a_start[of_a], b_start[of_b]),
        np.minimum(a_end[of_a], b_end[of_b]),
    )
