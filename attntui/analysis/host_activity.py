"""What each host thread was doing at every instant, one activity a time.

Where several events enclose an instant, the activity is the first of `Activity` that one
of them shows: a blocking synchronise inside an op inside a Python frame counts as `SYNC`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from attntui.analysis import intervals
from attntui.analysis.first_use import FirstUses, find_first_uses
from attntui.analysis.intervals import Intervals
from attntui.analysis.named import holding, rows_named
from attntui.analysis.runtime_calls import CallKind, call_kinds
from attntui.trace.model import ABSENT, I8, I64, Bool, Category, Trace


class Activity(IntEnum):
    """What a thread does, by rank: the first that encloses an instant takes it."""

    SYNC = 0
    COPY = 1
    MEMORY = 2
    MODULE_LOAD = 3
    DATA_LOADING = 4
    RUNTIME = 5
    DISPATCH = 6
    PYTHON = 7
    UNRECORDED = 8


_OF_CALL = {
    CallKind.SYNC: Activity.SYNC,
    CallKind.COPY: Activity.COPY,
    CallKind.MEMORY: Activity.MEMORY,
    CallKind.MODULE_LOAD: Activity.MODULE_LOAD,
    CallKind.LAUNCH: Activity.RUNTIME,
    CallKind.STREAM_WAIT: Activity.RUNTIME,
    CallKind.OTHER: Activity.RUNTIME,
}

# The data loader's op (`enumerate(DataLoader)#...`), and frames of its package.
_DATA_LOADING = ("enumerate(DataLoader)", "torch/utils/data/")
# The compiler's own timed phases, which torch records as annotations.
_COMPILING = ("(dynamo_timed)",)
# CUPTI's overhead kinds that load code; the others are the profiler's own buffers.
_LOADING = ("Function Loading", "Module Loading", "Compiler")


@dataclass(frozen=True, slots=True)
class HostActivity:
    """The activities of every thread of a trace.

    `kinds` and `rank` hold each row's `CallKind` and `Activity` (ABSENT where it is no
    runtime call, or shows no activity). `frames` are the rows that name what ran: ops,
    annotations, Python frames. `first_uses` are the calls and ops that loaded code or made
    a plan. `loading` is the time, on all threads, in which device code was loaded or
    compiled inside calls, as the profiler's `overhead` events and `first_uses` tell.
    """

    trace: Trace
    kinds: I8
    rank: I8
    frames: Bool
    first_uses: FirstUses
    loading: Intervals
    _threads: dict[int, ThreadActivity] = field(default_factory=dict, repr=False)

    def thread(self, lane: int) -> ThreadActivity:
        """The activities of one CPU lane, made on first use."""
        if lane not in self._threads:
            self._threads[lane] = self._make_thread(lane)
        return self._threads[lane]

    def _make_thread(self, lane: int) -> ThreadActivity:
        trace = self.trace
        rows = np.flatnonzero(trace.lane == lane)
        rank = self.rank[rows]
        loads = self._loads(lane, rows[rank == Activity.RUNTIME])
        within = []
        for activity in range(Activity.UNRECORDED):
            chosen = rows[(rank >= 0) & (rank <= activity)]
            start, end = trace.start[chosen], trace.end[chosen]
            if activity >= Activity.MODULE_LOAD:
                start, end = _merged(start, end, loads)
            within.append(intervals.union(start, end))
        return ThreadActivity(lane, rows, tuple(within))

    def _loads(self, lane: int, calls: I64) -> Intervals:
        """When code was loaded inside the thread's `calls`, or one of its ops made a plan."""
        trace, planned = self.trace, self.first_uses
        planned = planned.take(trace.lane[planned.rows] == lane)
        # A call in which code was loaded is the load, as far as the load goes.
        inside = intervals.union(trace.start[calls], trace.end[calls])
        inside = intervals.intersection(inside, self.loading)
        return intervals.union(*_merged(planned.start, planned.end, inside))


@dataclass(frozen=True, slots=True)
class ThreadActivity:
    """One thread: its rows, and for each rank the time in an activity up to that rank."""

    lane: int
    rows: I64
    up_to: tuple[Intervals, ...]

    def split(self, t0: I64, t1: I64) -> I64:
        """Time in each activity in each window [t0, t1): shape [windows, activities].

        Each row sums to its window exactly.
        """
        whole = t1 - t0
        reached = [within.covered(t0, t1) for within in self.up_to]
        return np.diff(np.stack((*reached, whole), axis=1), axis=1, prepend=0)

    def at(self, time: I64) -> I64:
        """The `Activity` at each time."""
        found = np.full(len(time), Activity.UNRECORDED, np.int64)
        for activity in reversed(range(Activity.UNRECORDED)):
            found[self.up_to[activity].contains(time)] = activity
        return found

    def cuts(self, t0: int, t1: int) -> I64:
        """Times in (t0, t1) at which the activity may change, ascending."""
        inside = []
        for within in self.up_to:
            for times in (within.start, within.end):
                low, high = np.searchsorted(times, [t0 + 1, t1])
                inside.append(times[low:high])
        return np.unique(np.concatenate(inside))


def _merged(start: I64, end: I64, more: Intervals) -> tuple[I64, I64]:
    """Two lots of intervals in one, by start."""
    start, end = np.concatenate((start, more.start)), np.concatenate((end, more.end))
    order = np.argsort(start, kind="stable")
    return start[order], end[order]


def host_activity(trace: Trace) -> HostActivity:
    """Class every row of the CPU lanes by what it shows of its thread."""
    kinds = call_kinds(trace)
    rank = np.full(len(trace), ABSENT, np.int8)
    category = trace.category
    calls = np.flatnonzero(kinds != ABSENT)
    of_kind = np.array([_OF_CALL[kind] for kind in CallKind], np.int8)
    rank[calls] = of_kind[kinds[calls]]
    rank[category == Category.CPU_OP] = Activity.DISPATCH
    rank[category == Category.PYTHON_FUNCTION] = Activity.PYTHON
    host = np.isin(category, (Category.CPU_OP, Category.USER_ANNOTATION, Category.PYTHON_FUNCTION))
    frames = np.flatnonzero(host)
    rank[rows_named(trace, frames, holding(*_COMPILING))] = Activity.MODULE_LOAD
    rank[rows_named(trace, frames, holding(*_DATA_LOADING))] = Activity.DATA_LOADING
    overhead = np.flatnonzero(category == Category.OVERHEAD)
    loads = rows_named(trace, overhead, holding(*_LOADING))
    told = intervals.union(trace.start[loads], trace.end[loads])
    first_uses = find_first_uses(trace)
    in_calls = first_uses.take(kinds[first_uses.rows] != ABSENT)
    loading = intervals.union(*_merged(in_calls.start, in_calls.end, told))
    return HostActivity(trace, kinds, rank, host, first_uses, loading)
