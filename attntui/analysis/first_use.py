"""Code loads and plans that the trace does not name: what took far longer the first time.

The first launch of a kernel may load its module, compile it or set up the device, inside
the launch call. The first call of an op with new shapes may build or choose a plan (cuDNN,
MIOpen), before it launches. Neither is what a launch or an op costs: the second time they
take the usual.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.bare_time import bare_time
from attntui.analysis.groups import distinct
from attntui.analysis.launches import nearest
from attntui.analysis.named import holding, is_named
from attntui.analysis.queue_depth import FULL_QUEUE, queue_depth
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Bool, Category, Trace

CALL_LEAST_NS = 100_000
"""A launch call takes 3 to 15 us; to load one small kernel takes some 100 us and more."""

OP_LEAST_NS = 1_000_000
"""Page faults and other threads hold an op up for some 100 us, the second time as the first."""

LEAST_RATIO = 10
"""Over the median of its kind: a slow call of a busy host takes three to five times that."""

LEAST_LATER = 3
"""Fewer later calls tell no usual time."""


@dataclass(frozen=True, slots=True)
class FirstUses:
    """First uses that took far longer than usual, by start; columns of one length.

    `rows` are launch calls, or CPU ops; [`start`, `end`) is the stretch of each beyond the
    usual time, in which nothing inside it was recorded. `kernels` are the rows of the kernels
    that it led up to.
    """

    rows: I64
    start: I64
    end: I64
    kernels: I64

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def excess_ns(self) -> I64:
        """How much longer than usual each took."""
        return self.end - self.start

    def take(self, chosen: Bool | I64) -> FirstUses:
        """Those that an index array or a mask chooses."""
        return FirstUses(
            self.rows[chosen], self.start[chosen], self.end[chosen], self.kernels[chosen]
        )


def find_first_uses(trace: Trace) -> FirstUses:
    """The launch calls and the CPU ops of a trace that loaded code or made a plan."""
    calls = _slow_calls(trace)
    ops = _slow_ops(trace, calls.rows)
    columns = zip(
        (calls.rows, calls.start, calls.end, calls.kernels),
        (ops.rows, ops.start, ops.end, ops.kernels),
        strict=True,
    )
    both = FirstUses(*(np.concatenate(pair) for pair in columns))
    return both.take(np.argsort(both.start, kind="stable"))


def _slow_calls(trace: Trace) -> FirstUses:
    """Launch calls with a kernel's first use in the trace, far over the median of their name.

    A graph's launch is none: it takes as long as its nodes are many. Nor is a call that
    found the queue full: it waits for room.
    """
    kernels = _launched_kernels(trace)
    kernels = kernels[~is_named(trace, trace.launch[kernels].astype(np.int64), holding("Graph"))]
    calls = trace.launch[kernels].astype(np.int64)
    first = mask_of(len(kernels), np.unique(trace.name[kernels], return_index=True)[1])
    usual = _usual(trace.dur[calls], trace.name[calls].astype(np.int64), first)
    dur = trace.dur[calls]
    slow = first & (dur >= CALL_LEAST_NS) & (dur >= LEAST_RATIO * usual)
    slow &= _waiting(trace, kernels) < FULL_QUEUE
    kernels, calls, usual = kernels[slow], calls[slow], usual[slow]
    # The load comes before the launch.
    return FirstUses(calls, trace.start[calls], trace.end[calls] - usual, kernels)


def _launched_kernels(trace: Trace) -> I64:
    """Rows of the kernels with a launch, ordered by that."""
    ops = trace.gpu_ops_by_launch
    kernels: I64 = ops[trace.category[ops] == Category.KERNEL]
    return kernels


def _usual(values: I64, kind: I64, first: Bool) -> I64:
    """The median over each value's kind of those that are no first use; over all kinds where
    a kind has too few, and of first uses too where all have.
    """
    later = values[~first]
    usual = np.full(len(values), _median(later if len(later) >= LEAST_LATER else values))
    for number in np.unique(kind).tolist():
        own = values[(kind == number) & ~first]
        if len(own) >= LEAST_LATER:
            usual[kind == number] = _median(own)
    return usual


def _median(values: I64) -> int:
    return int(np.median(values)) if len(values) else 0


def _waiting(trace: Trace, kernels: I64) -> I64:
    """How much stood ready on each operation's device when its launch call began."""
    found = np.zeros(len(kernels), np.int64)
    device = trace.device[kernels]
    for number in np.unique(device).tolist():
        queue = queue_depth(trace, trace.gpu_ops[trace.device[trace.gpu_ops] == number])
        own = device == number
        found[own] = queue.at(trace.start[trace.launch[kernels[own]]] - 1)
    return found


def _slow_ops(trace: Trace, slow_calls: I64) -> FirstUses:
    """CPU ops with a stretch before a launch in which nothing inside them was recorded, far
    over that of the op's later calls with shapes known by then.

    An op with no later calls counts where its own launch was a slow first use.
    """
    rows = np.flatnonzero(trace.category == Category.CPU_OP)
    bare = bare_time(trace, rows)
    longest = bare.longest(len(rows))
    length = np.where(longest == ABSENT, 0, bare.length[longest]) if len(bare.of) else longest * 0
    first = mask_of(len(rows), distinct(trace.name[rows], trace.columns.inputs[rows])[0])
    long = first & (length >= OP_LEAST_NS)
    usual = _usual_of_ops(trace, rows, length, first, long, slow_calls)
    chosen = np.flatnonzero(long & (usual != ABSENT) & (length >= LEAST_RATIO * usual))
    at = longest[chosen]
    kernels = _launched_next(trace, rows[chosen], bare.end[at])
    chosen, at, kernels = (column[kernels != ABSENT] for column in (chosen, at, kernels))
    return FirstUses(rows[chosen], bare.start[at], bare.end[at] - usual[chosen], kernels)


def _usual_of_ops(trace: Trace, rows: I64, length: I64, first: Bool, long: Bool, slow: I64) -> I64:
    """The usual longest bare stretch of each op that is `long`, ABSENT where nothing tells it."""
    usual = np.full(len(rows), ABSENT, np.int64)
    name = trace.name[rows]
    for number in np.unique(name[long]).tolist():
        later = length[(name == number) & ~first]
        if len(later) >= LEAST_LATER:
            usual[name == number] = _median(later)
    is_op = trace.category == Category.CPU_OP
    alone = long & (usual == ABSENT) & np.isin(rows, nearest(trace, slow, is_op))
    if alone.any():
        launching = nearest(trace, np.unique(trace.launch[trace.gpu_ops_by_launch]), is_op)
        usual[alone] = _median(length[np.isin(rows, launching)])
    return usual


def _launched_next(trace: Trace, rows: I64, since: I64) -> I64:
    """For each op the kernel that it launched first from a time on, else ABSENT."""
    found = np.full(len(rows), ABSENT, np.int64)
    ops = _launched_kernels(trace)
    launch = trace.launch[ops]
    for lane in np.unique(trace.lane[rows]).tolist():
        own = np.flatnonzero(trace.lane[rows] == lane)
        here = np.flatnonzero(trace.lane[launch] == lane)
        time = trace.start[launch[here]]
        at = np.searchsorted(time, since[own])
        inside = at < np.searchsorted(time, trace.end[rows[own]], side="right")
        found[own[inside]] = ops[here[at[inside]]]
    return found
