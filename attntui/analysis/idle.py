"""When a device ran something, and the gaps in which it ran nothing.

One definition, everywhere: span = the first GPU operation's start to the last one's end;
busy = length of the union of the operations; idle = span - busy = the sum of the gaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis import intervals
from attntui.analysis.groups import apart
from attntui.analysis.intervals import Intervals
from attntui.trace.model import I64, Bool, Trace


@dataclass(frozen=True, slots=True)
class Gaps:
    """Stretches without a GPU operation, in order of time; columns of one length.

    `before` is the row of the operation that ended last before the gap (where several
    end together, the one that began last), `after` the row of the one that ends it.
    """

    start: I64
    length: I64
    before: I64
    after: I64

    def __len__(self) -> int:
        return len(self.start)

    @property
    def end(self) -> I64:
        return self.start + self.length

    def take(self, chosen: Bool | I64) -> Gaps:
        """The gaps that a mask or an index array chooses."""
        return Gaps(
            self.start[chosen], self.length[chosen], self.before[chosen], self.after[chosen]
        )


@dataclass(frozen=True, slots=True)
class DeviceIdle:
    """What one device did over `rows` (GPU operations, by start).

    `device` is the trace's number of it, `number` the file's: they differ where ranks
    merged into one file number their devices alike.
    """

    device: int
    number: int
    rows: I64
    start: int
    end: int
    busy: Intervals
    gaps: Gaps

    @property
    def span_ns(self) -> int:
        return self.end - self.start

    @property
    def busy_ns(self) -> int:
        return self.busy.length

    @property
    def idle_ns(self) -> int:
        return self.span_ns - self.busy_ns

    @property
    def longest_gap_ns(self) -> int:
        """0 where there is no gap."""
        return int(self.gaps.length.max(initial=0))

    def edges(self, window: tuple[int, int]) -> tuple[int, int]:
        """Time in `window` before the first operation, and after the last, in ns."""
        return max(0, self.start - window[0]), max(0, window[1] - self.end)


def _gaps(trace: Trace, rows: I64) -> Gaps:
    """The gaps between `rows`, which are ordered by start."""
    start, end = trace.start[rows], trace.end[rows]
    # A running maximum of ends: overlap and nesting never give a negative gap.
    reached = np.maximum.accumulate(end)
    sets_it = np.ones(len(rows), np.bool_)
    sets_it[1:] = end[1:] >= reached[:-1]
    last = np.maximum.accumulate(np.where(sets_it, np.arange(len(rows)), 0))
    after = np.flatnonzero(start[1:] > reached[:-1]) + 1
    before = after - 1
    gap_start = reached[before]
    return Gaps(gap_start, start[after] - gap_start, rows[last[before]], rows[after])


def device_idle(trace: Trace, rows: I64 | None = None) -> tuple[DeviceIdle, ...]:
    """Busy time and gaps of each device that ran any of `rows`, by device number.

    `rows` are GPU operations in ascending order, all of the trace's by default: pass a
    scope's, or those with a launch, for the same figures over them alone.
    """
    rows = trace.gpu_ops if rows is None else rows
    found = []
    for each, own in zip(*_by_device(trace, rows), strict=True):
        start, end = trace.start[own], trace.end[own]
        found.append(
            DeviceIdle(
                device=each,
                number=trace.number_of_device(each),
                rows=own,
                start=int(start[0]),
                end=int(end.max()),
                busy=intervals.union(start, end),
                gaps=_gaps(trace, own),
            )
        )
    return tuple(found)


def launched(trace: Trace, rows: I64 | None = None) -> I64:
    """Those of `rows` (all GPU operations by default) that have a launch in the trace."""
    rows = trace.gpu_ops if rows is None else rows
    return rows[trace.launch[rows] >= 0]


def stream_gaps(trace: Trace, rows: I64 | None = None) -> dict[tuple[int, int], Gaps]:
    """The gaps of each (device, stream) alone: another stream may be busy meanwhile."""
    rows = trace.gpu_ops if rows is None else rows
    found = {}
    for device, on_device in zip(*_by_device(trace, rows), strict=True):
        streams, parts = apart(on_device, trace.stream[on_device])
        for stream, own in zip(streams.tolist(), parts, strict=True):
            found[device, stream] = _gaps(trace, own)
    return found


def _by_device(trace: Trace, rows: I64) -> tuple[list[int], list[I64]]:
    """The devices of some rows, ascending, and the rows of each."""
    devices, parts = apart(rows, trace.device[rows])
    return devices.tolist(), parts
