"""CPU time of ops and annotations: self and total, and what the self time went into.

Self time is what no op or annotation inside claims. Every instant of a thread
belongs to the innermost event around it: to a runtime call, then it counts for the op
around that call by the call's kind; or to the op itself, then it is dispatch, or module
load as far as `first_use` tells. An event that outlives the one it began in is cut at its
end. So the parts sum to the self time, and the self times of an op and of everything inside
it sum to its total, exactly; all but the time in which nothing ran inside an op while another
thread of its process evaluated autograd's graph. Then the op awaits that thread, which is no
time of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from attntui.analysis.autograd import covered_by_engines
from attntui.analysis.climbing import innermost
from attntui.analysis.groups import sums
from attntui.analysis.host_activity import HostActivity, host_activity
from attntui.analysis.launches import LaunchedWork, is_op, launched_work, nearest
from attntui.analysis.runtime_calls import CallKind
from attntui.trace.masks import mask_of, places_of
from attntui.trace.model import ABSENT, I32, I64, Bool, Category, Trace


class SelfPart(IntEnum):
    """What self time goes into. Blocking and pageable copies wait, so they are `SYNC`."""

    LAUNCH = 0
    SYNC = 1
    MEMORY = 2
    MODULE_LOAD = 3
    RUNTIME = 4
    DISPATCH = 5


_OF_CALL = {
    CallKind.SYNC: SelfPart.SYNC,
    CallKind.COPY: SelfPart.SYNC,
    CallKind.MEMORY: SelfPart.MEMORY,
    CallKind.MODULE_LOAD: SelfPart.MODULE_LOAD,
    CallKind.LAUNCH: SelfPart.LAUNCH,
    CallKind.STREAM_WAIT: SelfPart.RUNTIME,
    CallKind.OTHER: SelfPart.RUNTIME,
}


@dataclass(frozen=True)
class SelfTimes:
    """Every CPU op and annotation, by row ascending; columns of one length.

    `total_ns` is its duration (cut where it outlives its parent), `split` its self time in
    ns, shape [events, parts]; `awaited_ns` that in which it awaited autograd's thread, which is
    none of its self time; `parent` the index of the op around it, ABSENT at the top;
    `work` the GPU operations launched in it and in everything inside it.
    """

    trace: Trace
    rows: I64
    parent: I64
    total_ns: I64
    split: I64
    awaited_ns: I64
    work: LaunchedWork

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def self_ns(self) -> I64:
        return np.asarray(self.split.sum(axis=1), np.int64)

    @cached_property
    def with_inner(self) -> Bool:
        """By row of the trace whether an op or annotation lies directly inside."""
        return mask_of(len(self.trace), self.rows[self.parent[self.parent != ABSENT]])

    def inner(self, rows: I64) -> I64:
        """The rows of the ops and annotations directly inside these ones."""
        among = mask_of(len(self.trace), rows)[self.rows]
        return np.asarray(self.rows[(self.parent != ABSENT) & among[self.parent]], np.int64)


def self_times(trace: Trace, host: HostActivity | None = None) -> SelfTimes:
    """Own and total CPU time of every op and annotation of the trace.

    `host` is what `host_activity(trace)` gives, where the caller has it already.
    """
    host = host_activity(trace) if host is None else host
    op, kinds = is_op(trace), host.kinds
    rows = np.flatnonzero(op | (kinds != ABSENT))
    outer = nearest(trace, rows, mask_of(len(trace), rows))
    end = _cut_ends(trace, rows, outer)
    total = end - trace.start[rows]
    place = places_of(len(trace), rows)
    around = np.where(outer == ABSENT, ABSENT, place[outer])
    own = _without_inner(total, around)
    # Code loaded inside a call of another kind.
    loading = _without_inner(host.loading.covered(trace.start[rows], end), around)

    ops = np.flatnonzero(op[rows])
    index = places_of(len(rows), ops)
    split = np.zeros((len(ops), len(SelfPart)), np.int64)
    split[:, SelfPart.DISPATCH] = own[ops]
    calls = np.flatnonzero(~op[rows])
    caller = nearest(trace, rows[calls], op)
    calls, caller = calls[caller != ABSENT], index[place[caller[caller != ABSENT]]]
    part = np.array([_OF_CALL[kind] for kind in CallKind], np.int64)[kinds[rows[calls]]]
    loads = np.where((part == SelfPart.LAUNCH) | (part == SelfPart.RUNTIME), loading[calls], 0)
    np.add.at(split, (caller, part), own[calls] - loads)
    np.add.at(split, (caller, SelfPart.MODULE_LOAD), loads)
    planned = index[place[host.first_uses.rows]]
    excess = host.first_uses.excess_ns[planned != ABSENT]
    planned = planned[planned != ABSENT]
    excess = np.minimum(excess, split[planned, SelfPart.DISPATCH])
    np.add.at(split, (planned, SelfPart.DISPATCH), -excess)
    np.add.at(split, (planned, SelfPart.MODULE_LOAD), excess)
    awaited = _awaited(trace, rows, end, around)[ops].clip(max=split[:, SelfPart.DISPATCH])
    split[:, SelfPart.DISPATCH] -= awaited
    outer_op = nearest(trace, rows[ops], op)
    return SelfTimes(
        trace=trace,
        rows=rows[ops],
        parent=np.where(outer_op == ABSENT, ABSENT, index[place[outer_op]]),
        total_ns=total[ops],
        split=split,
        awaited_ns=awaited,
        work=launched_work(trace, rows[ops]),
    )


def _awaited(trace: Trace, rows: I64, end: I64, around: I64) -> I64:
    """How long each row awaited autograd's thread: nothing ran inside it meanwhile."""
    covered = covered_by_engines(trace, rows, end)
    own = _without_inner(covered, around)
    return np.where(own == covered, own, 0)


def _without_inner(value: I64, around: I64) -> I64:
    """Each row's value less those of the rows directly inside it."""
    inside = np.flatnonzero(around != ABSENT)
    return value - sums(around[inside], value[inside], len(value))


def _cut_ends(trace: Trace, rows: I64, outer: I64) -> I64:
    """The end of each row, or of the row around it where that is earlier."""
    end = trace.end.copy()
    todo = np.flatnonzero(outer != ABSENT)
    todo = todo[np.argsort(trace.depth[rows[todo]], kind="stable")]
    depths = trace.depth[rows[todo]]
    bounds = np.flatnonzero(np.diff(depths, prepend=-1, append=np.iinfo(np.int16).max))
    # Outer rows first, one turn a nesting level.
    for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        at = todo[low:high]
        end[rows[at]] = np.minimum(end[rows[at]], end[outer[at]])
    return np.asarray(np.maximum(end[rows], trace.start[rows]), np.int64)


@dataclass(frozen=True, slots=True)
class OpTable:
    """CPU ops and annotations by name, by self time descending, then by name.

    `name` holds name ids, `split` is [names, parts] in ns. Totals and GPU figures leave
    out instances inside another of the same name, so that recursion counts once.
    `longest` is the row with the most self time. The instances of entry `i` are
    `rows[first[i] : first[i] + count[i]]`, by start.
    """

    name: I32
    count: I64
    total_ns: I64
    self_ns: I64
    split: I64
    awaited_ns: I64
    gpu_ops: I64
    gpu_ns: I64
    longest: I64
    rows: I64
    first: I64

    def __len__(self) -> int:
        return len(self.name)

    def instances(self, index: int) -> I64:
        """Rows of the ops with the name of entry `index`, by start."""
        first = int(self.first[index])
        return self.rows[first : first + int(self.count[index])]


def op_table(cpu: SelfTimes, rows: I64 | None = None) -> OpTable:
    """CPU time by name over those ops and annotations that are among `rows` (default: all)."""
    trace = cpu.trace
    chosen = np.arange(len(cpu)) if rows is None else np.flatnonzero(np.isin(cpu.rows, rows))
    names = trace.name[cpu.rows]
    chosen = chosen[np.argsort(names[chosen], kind="stable")]
    name, first, count = np.unique(names[chosen], return_index=True, return_counts=True)
    if not len(name):
        none = np.zeros(0, np.int64)
        split = np.zeros((0, len(SelfPart)), np.int64)
        return OpTable(name, none, none, none, split, none, none, none, none, none, none)
    once = ~_inside_its_like(cpu, chosen)
    own = cpu.self_ns[chosen]
    self_ns = np.add.reduceat(own, first)
    by_own = np.lexsort((chosen, -own, names[chosen]))
    texts = [trace.names[i] for i in name.tolist()]
    order = np.array(sorted(range(len(name)), key=lambda i: (-int(self_ns[i]), texts[i])), np.int64)

    def outermost(values: I64) -> I64:
        sums = np.add.reduceat(np.where(once, values[chosen], 0), first)
        return np.asarray(sums[order], np.int64)

    return OpTable(
        name=name[order],
        count=count[order],
        total_ns=outermost(cpu.total_ns),
        self_ns=self_ns[order],
        split=np.add.reduceat(cpu.split[chosen], first, axis=0)[order],
        awaited_ns=np.add.reduceat(cpu.awaited_ns[chosen], first)[order],
        gpu_ops=outermost(cpu.work.gpu_ops),
        gpu_ns=outermost(cpu.work.gpu_ns),
        longest=cpu.rows[chosen[by_own[first]]][order],
        rows=cpu.rows[chosen],
        first=first[order],
    )


def _inside_its_like(cpu: SelfTimes, chosen: I64) -> Bool:
    """Which of the chosen ops lie inside a chosen one of the same name."""
    names, among = cpu.trace.name[cpu.rows], mask_of(len(cpu), chosen)
    own = names[chosen]
    around = innermost(
        cpu.parent,
        cpu.parent[chosen],
        lambda which, at: among[at] & (names[at] == own[which]),
    )
    return np.asarray(around != ABSENT, np.bool_)


class FatKind(IntEnum):
    """What makes a CPU bar fat."""

    LAUNCH_OVERHEAD = 0
    WAITING = 1
    MEMORY = 2
    MODULE_LOADING = 3
    RUNTIME_CALLS = 4
    OPAQUE = 5


_FAT_OF_PART = {
    SelfPart.LAUNCH: FatKind.LAUNCH_OVERHEAD,
    SelfPart.SYNC: FatKind.WAITING,
    SelfPart.MEMORY: FatKind.MEMORY,
    SelfPart.MODULE_LOAD: FatKind.MODULE_LOADING,
    SelfPart.RUNTIME: FatKind.RUNTIME_CALLS,
    SelfPart.DISPATCH: FatKind.OPAQUE,
}

FAT_SELF_NS = 100_000
"""Self time from which a bar can be fat: ten times what an op with one launch takes."""

FAT_RATIO = 4
"""How many times its own GPU work a fat bar's self time is at least."""


@dataclass(frozen=True, slots=True)
class FatBars:
    """Ops whose own CPU time is far over the GPU work they launched, most self time first.

    `index` points into `SelfTimes`; `kind` is a `FatKind`, from the largest part of the own
    time; `own_gpu_ns` is the GPU time that the op itself launched.
    """

    index: I64
    rows: I64
    kind: I64
    own_gpu_ns: I64

    def __len__(self) -> int:
        return len(self.rows)


def fat_bars(cpu: SelfTimes) -> FatBars:
    """CPU ops (not annotations) with at least `FAT_SELF_NS` of self time, and `FAT_RATIO`
    times the GPU time of the operations whose innermost op they are.
    """
    own_gpu = _without_inner(cpu.work.gpu_ns, cpu.parent)
    is_cpu_op = cpu.trace.category[cpu.rows] == Category.CPU_OP
    fat = is_cpu_op & (cpu.self_ns >= FAT_SELF_NS) & (cpu.self_ns >= FAT_RATIO * own_gpu)
    index = np.flatnonzero(fat)
    index = index[np.argsort(-cpu.self_ns[index], kind="stable")]
    of_part = np.array([_FAT_OF_PART[part] for part in SelfPart], np.int64)
    kind = of_part[np.argmax(cpu.split[index], axis=1)] if len(index) else index
    return FatBars(index, cpu.rows[index], kind, own_gpu[index])


def fat_names(cpu: SelfTimes) -> dict[int, FatKind]:
    """By name id the kind of the name's fattest bar, for names that have a fat one."""
    bars = fat_bars(cpu)
    names, first = np.unique(cpu.trace.name[bars.rows], return_index=True)
    kinds = bars.kind[first].tolist()
    return {name: FatKind(kind) for name, kind in zip(names.tolist(), kinds, strict=True)}
