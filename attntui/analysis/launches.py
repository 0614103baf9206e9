"""Who launched a GPU operation: its launch call, the op around it, and the delay.

The launch of an operation is the runtime or driver call with its correlation id
(`Trace.launch`); an operation without one was launched before the trace began or by
something that the trace does not record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.climbing import innermost
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Bool, Category, Trace


def is_op(trace: Trace) -> Bool:
    """Which rows are a CPU op or an annotation: what can be the parent of a launch."""
    return np.isin(trace.category, (Category.CPU_OP, Category.USER_ANNOTATION))


def nearest(trace: Trace, rows: I64, wanted: Bool) -> I64:
    """For each row, its innermost enclosing row of which `wanted` is true, else ABSENT.

    A row itself does not count, nor does one that ended before the row began: where a
    frame outlives the step it began in, the steps after it climb through that frame to a
    step that does not enclose them. `wanted` is a mask over the whole trace.
    """
    start = trace.start[rows]
    return innermost(
        trace.parent,
        trace.parent[rows],
        lambda which, at: wanted[at] & (trace.end[at] > start[which]),
    )


def outermost(trace: Trace, rows: I64) -> I64:
    """Those of some rows that lie inside none of the others, in their order."""
    found: I64 = rows[nearest(trace, rows, mask_of(len(trace), rows)) == ABSENT]
    return found


def parent_ops(trace: Trace, rows: I64 | None = None) -> I64:
    """For each GPU operation of `rows` (all by default) the CPU op or annotation that
    encloses its launch most closely on the launching thread, else ABSENT.

    Where a launch has nothing around it, the CPU op with the same external id that began
    before the launch is taken: old files record launches outside their ops.
    """
    rows = trace.gpu_ops if rows is None else rows
    launch = trace.launch[rows].astype(np.int64)
    parent = np.full(len(rows), ABSENT, np.int64)
    known = np.flatnonzero(launch != ABSENT)
    parent[known] = nearest(trace, launch[known], is_op(trace))
    alone = known[parent[known] == ABSENT]
    if len(alone):
        parent[alone] = _by_external_id(trace, rows[alone], launch[alone])
    return parent


def _by_external_id(trace: Trace, rows: I64, launch: I64) -> I64:
    """The CPU op sharing each operation's external id, if it began before the launch."""
    external = trace.columns.external_id
    ops = np.flatnonzero((trace.category == Category.CPU_OP) & (external > 0))
    if not len(ops):
        return np.full(len(rows), ABSENT, np.int64)
    ops = ops[np.argsort(external[ops], kind="stable")]
    # The last of equal ids is the innermost that bears it.
    found = np.searchsorted(external[ops], external[rows], side="right") - 1
    op = ops[np.maximum(found, 0)]
    fits = (found >= 0) & (external[op] == external[rows]) & (external[rows] > 0)
    fits &= trace.start[op] <= trace.start[launch]
    return np.where(fits, op, ABSENT)


def op_stack(trace: Trace, row: int) -> tuple[int, ...]:
    """The rows around an event, innermost first: CPU ops, annotations, Python frames.

    For a GPU operation these are the rows around its launch call (the call itself is
    `Trace.launch`); empty where the trace does not tell.
    """
    inner = row
    if trace.category_of(row) in (Category.KERNEL, Category.MEMCPY, Category.MEMSET):
        inner = int(trace.launch[row]) if trace.launch[row] != ABSENT else row
    at, begun = int(trace.parent[inner]), int(trace.start[inner])
    if at == ABSENT and inner != row:
        at = int(parent_ops(trace, np.array([row], np.int64))[0])
        begun = int(trace.start[at])
    stack = []
    # One event's whole stack: `innermost` finds one row for each of many.
    while at != ABSENT:
        if trace.end[at] > begun:
            stack.append(at)
        at = int(trace.parent[at])
    return tuple(stack)


def launched_inside(trace: Trace, row: int) -> I64:
    """GPU operations, in order of their launch, that a call launched, or whose launch lies
    inside an op or a frame on its own thread.
    """
    ops = trace.launched_by(row)
    if len(ops):
        return ops
    stop = int(np.searchsorted(trace.start, trace.end[row], "left"))
    ops = trace.launched_between(row, stop)
    own: I64 = ops[trace.lane[trace.launch[ops]] == trace.lane[row]]
    return own


def launch_delay(trace: Trace, row: int) -> int | None:
    """Start of a GPU operation minus the start of its launch, in ns; None without launch.

    Negative where the clocks of host and device disagree: skew, to be named so.
    """
    launch = int(trace.launch[row])
    return None if launch == ABSENT else int(trace.start[row] - trace.start[launch])


@dataclass(frozen=True, slots=True)
class LaunchDelays:
    """Launch delays in ns of the operations `rows` that have a launch.

    A negative delay is clock skew between host and device, counted in `skewed`.
    """

    rows: I64
    delay: I64

    @property
    def skewed(self) -> int:
        return int((self.delay < 0).sum())


def launch_delays(trace: Trace, rows: I64 | None = None) -> LaunchDelays:
    """The launch delays of `rows` (all GPU operations by default)."""
    rows = trace.gpu_ops if rows is None else rows
    rows = rows[trace.launch[rows] != ABSENT]
    return LaunchDelays(rows, trace.start[rows] - trace.start[trace.launch[rows]])


@dataclass(frozen=True, slots=True)
class LaunchedWork:
    """GPU operations launched inside each of some CPU spans; columns of one length.

    `gpu_ops` and `gpu_ns` (sum of durations) count launches on the span's own thread,
    the other two those on any thread of its process.
    """

    gpu_ops: I64
    gpu_ns: I64
    gpu_ops_any_thread: I64
    gpu_ns_any_thread: I64


def launched_work(trace: Trace, rows: I64) -> LaunchedWork:
    """What each of `rows` (ops, annotations, frames on CPU lanes) launched in its span.

    A launch belongs to a span when it starts in [start, end], both ends included.
    """
    ops = trace.gpu_ops_by_launch
    launch = trace.launch[ops]
    process = process_of_lanes(trace)
    thread = np.arange(len(trace.lanes), dtype=np.int64)
    lane, wanted = trace.lane[launch], trace.lane[rows]
    own_ops, own_ns = _launched_within(trace, rows, ops, thread[lane], thread[wanted])
    any_ops, any_ns = _launched_within(trace, rows, ops, process[lane], process[wanted])
    return LaunchedWork(own_ops, own_ns, any_ops, any_ns)


def process_of_lanes(trace: Trace) -> I64:
    """A number for each lane's process (pid), equal for lanes of one process."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(lane.pid, len(numbers)) for lane in trace.lanes], np.int64)


def _launched_within(trace: Trace, rows: I64, ops: I64, group: I64, wanted: I64) -> tuple[I64, I64]:
    """Count and sum of `ops` whose launch starts in each row's span, within one group.

    `ops` are ordered by launch, hence by the launch's start.
    """
    counts = np.zeros(len(rows), np.int64)
    sums = np.zeros(len(rows), np.int64)
    for number in np.unique(group).tolist():
        at = np.flatnonzero(wanted == number)
        own = ops[group == number]
        time = trace.start[trace.launch[own]]
        total = np.concatenate(([0], np.cumsum(trace.dur[own])))
        low = np.searchsorted(time, trace.start[rows[at]], side="left")
        high = np.searchsorted(time, trace.end[rows[at]], side="right")
        counts[at] = high - low
        sums[at] = total[high] - total[low]
    return counts, sums
