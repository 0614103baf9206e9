"""How much work stood ready for a device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attntui.trace.model import ABSENT, I64, Trace

FULL_QUEUE = 256
"""Operations ready when a launch call is taken to have waited for room: CUDA's queues hold
1024, some of them taken by records of events that the trace does not show.
"""


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Operations launched and not begun, as a step function of time.

    From `time[i]` until the next the depth is `depth[i]`; before the first it is 0. An
    operation that began before its launch (clock skew), or has none, never waits.
    """

    time: I64
    depth: I64
    area: I64

    def at(self, time: I64) -> I64:
        """The depth at each time."""
        if not len(self.time):
            return np.zeros(len(time), np.int64)
        index = np.searchsorted(self.time, time, side="right") - 1
        return np.where(index >= 0, self.depth[np.maximum(index, 0)], 0)

    def mean(self, t0: I64, t1: I64) -> npt.NDArray[np.float64]:
        """The mean depth over each window [t0, t1), t1 > t0."""
        waiting = self._area_before(t1) - self._area_before(t0)
        return np.asarray(waiting / (t1 - t0), np.float64)

    def _area_before(self, time: I64) -> I64:
        if not len(self.time):
            return np.zeros(len(time), np.int64)
        index = np.maximum(np.searchsorted(self.time, time, side="right") - 1, 0)
        since = np.maximum(time - self.time[index], 0)
        return np.asarray(self.area[index] + since * self.depth[index], np.int64)


def queue_depth(trace: Trace, rows: I64 | None = None) -> QueueDepth:
    """The queue of `rows`, GPU operations (all by default; give one device's)."""
    rows = trace.gpu_ops if rows is None else rows
    rows = rows[trace.launch[rows] != ABSENT]
    launched, begun = trace.start[trace.launch[rows]], trace.start[rows]
    waits = begun > launched
    launched, begun = launched[waits], begun[waits]
    change_at, which = np.unique(np.concatenate((launched, begun)), return_inverse=True)
    joined = np.bincount(which[: len(launched)], minlength=len(change_at))
    left = np.bincount(which[len(launched) :], minlength=len(change_at))
    depth = np.cumsum(joined - left)
    area = np.zeros(len(change_at), np.int64)
    np.cumsum(depth[:-1] * np.diff(change_at), out=area[1:])
    return QueueDepth(change_at, depth, area)
