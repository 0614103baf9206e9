"""What a fix would gain: a slice's devices run again (`replay`) with the fix made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis import intervals
from attntui.analysis.intervals import Intervals
from attntui.analysis.launches import outermost
from attntui.trace.model import F64, I64, Trace

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


@dataclass(frozen=True, slots=True)
class HostWork:
    """Stretches of host threads, by start: the work that a fix spares the host."""

    lane: I64
    start: I64
    end: I64

    @classmethod
    def sorted(cls, lane: I64, start: I64, end: I64) -> HostWork:
        """Stretches given in any order."""
        order = np.argsort(start, kind="stable")
        return cls(lane[order], start[order], end[order])

    @classmethod
    def of_rows(cls, trace: Trace, rows: I64, kept_ns: int = 0) -> HostWork:
        """The outermost of some events of host threads, less the first `kept_ns` of each."""
        rows = outermost(trace, rows)
        start = trace.start[rows] + kept_ns
        some = trace.end[rows] > start
        rows, start = rows[some], start[some]
        return cls.sorted(trace.lane[rows].astype(np.int64), start, trace.end[rows])

    def on(self, lanes: I64) -> Intervals:
        """The stretches on some threads, as one set of intervals."""
        own = np.isin(self.lane, lanes)
        return intervals.union(self.start[own], self.end[own])


@dataclass(frozen=True, slots=True)
class Gain:
    """What a fix would gain: `ns` that the devices' spans would be shorter by, together.
    `work_ns` is how much shorter their work would be: what would be gained if the host
    gave all of it out ahead.
    """

    ns: int
    work_ns: int = 0

    def __add__(self, more: int) -> Gain:
        """With some ns that are gained besides."""
        return Gain(self.ns + more, self.work_ns)


def shorter(
    seen: Slice,
    *,
    factor: F64 | None = None,
    spared: HostWork | None = None,
    without: I64 | None = None,
    beside: I64 | None = None,
) -> Gain:
    """How much shorter the devices' spans would be, and their work.

    `factor` is what part of its own time each of the slice's GPU operations would still take.
    `spared` is host work that falls away. `without` are calls that would no longer wait for
    the device. `beside` (ns, one a GPU operation) is what would run beside the rest: it takes
    none of the device's time, as long as the rest is longer than it.
    """
    own = seen.own if factor is None else np.rint(seen.own * factor).astype(np.int64)
    ns = work_ns = 0
    for device, replayed in zip(seen.devices, seen.replays, strict=True):
        kept = None
        if without is not None:
            kept = np.flatnonzero(~np.isin(replayed.calls, without))
        left = seen.own_on(device, own)
        span = replayed.span(left, None if spared is None else spared.on(replayed.lanes), kept)
        work = int(left.sum())
        if beside is not None:
            longest = int(seen.own_on(device, beside).sum())
            span, work = max(span, longest), max(work, longest)
        ns += device.span_ns - span
        work_ns += device.busy_ns - work
    return Gain(max(0, ns), max(0, work_ns))
