"""The work of every GPU operation of a trace, and what some of them moved.

Work is that of the op that launched it, by `kernel_work`. What a device cannot do in the time
that it took is no work of it: the shapes do not tell it, or it came from a cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.casts import is_cast
from attntui.analysis.devices import DevicePeaks
from attntui.analysis.groups import distinct, sums
from attntui.analysis.kernel_names import decode
from attntui.analysis.launches import parent_ops
from attntui.analysis.roofline import is_beyond
from attntui.analysis.work.of_kernels import Work, kernel_dtype, kernel_work
from attntui.trace.model import ABSENT, I32, I64, Bool, Category, Trace

_MOST = 10**18
"""More FLOPs or bytes than a device does in a quarter of an hour: no kernel's, a broken file's."""


@dataclass(frozen=True, slots=True)
class WorkKind:
    """Operations of one name, launched by ops of one name with the same inputs, or copies
    of one size: the work of one of them, the data type it computed in, on tensor cores or
    not, and whether all it does is convert to another.
    """

    work: Work
    dtype: str | None
    tensor_cores: bool | None
    cast: bool


@dataclass(frozen=True, slots=True, eq=False)
class GpuWork:
    """The work of every GPU operation of a trace; columns of one length with `gpu_ops`.

    `launcher` is the row of the op or annotation that launched it, ABSENT where not told.
    `kind` indexes `kinds`. `told` is true where the kind's work is this operation's own; where
    it would be, and is `beyond` what the device can do in that time, it is not told.
    """

    trace: Trace
    launcher: I64
    kind: I64
    told: Bool
    beyond: Bool
    kinds: tuple[WorkKind, ...]


def gpu_work(trace: Trace, limits: DevicePeaks | None = None) -> GpuWork:
    """The work of each GPU operation, from the inputs of the op that launched it. `limits` are
    what the device can do at most; operations of one kind are within them or beyond together.

    Where one op launched several kernels, its work stands on the name that ran longest; those
    of that name share it evenly (a tensor of more elements than 32-bit indices reach is walked
    in parts). The kernels of a graph have none: the op around the graph's launch did not launch
    each.
    """
    rows = trace.gpu_ops
    launcher = parent_ops(trace, rows)
    copies = trace.category[rows] != Category.KERNEL
    by_op = (launcher != ABSENT) & ~copies & ~_of_graph(trace, rows)
    op = np.where(by_op, trace.name[launcher], ABSENT)
    inputs = np.where(by_op, trace.columns.inputs[launcher], ABSENT)
    size = np.where(copies, trace.columns.copied_bytes[rows], ABSENT)
    parts = _parts(launcher, trace.name[rows], by_op)
    first, kind = distinct(trace.name[rows], op, inputs, size, parts)
    kinds = tuple(
        _kind(trace, *columns)
        for columns in zip(
            trace.name[rows[first]].tolist(),
            op[first].tolist(),
            inputs[first].tolist(),
            size[first].tolist(),
            parts[first].tolist(),
            strict=True,
        )
    )
    known = [k.work.flops is not None or k.work.bytes is not None for k in kinds]
    told = np.array(known, np.bool_)[kind]
    told &= ~_beside_longer(launcher, trace.name[rows], trace.dur[rows], told & by_op)
    beyond = told & _too_fast(kinds, kind, trace.dur[rows], told, limits)[kind]
    return GpuWork(trace, launcher, kind, told & ~beyond, beyond, kinds)


def _too_fast(
    kinds: Sequence[WorkKind], of_kind: I64, dur: I64, told: Bool, limits: DevicePeaks | None
) -> Bool:
    """Which kinds the device cannot do in the time that their operations took on average."""
    count = np.bincount(of_kind[told], minlength=len(kinds)).tolist()
    ns = sums(of_kind[told], dur[told], len(kinds)).tolist()
    found = [
        is_beyond(
            total_of([(kind.work.flops, number)]),
            total_of([(kind.work.bytes, number)]),
            time,
            limits,
            kind.dtype,
            kind.tensor_cores,
        )
        for kind, number, time in zip(kinds, count, ns, strict=True)
    ]
    return np.array(found, np.bool_)


def _of_graph(trace: Trace, rows: I64) -> Bool:
    """Which operations share their launch with others."""
    launch = trace.launch[rows]
    _, which, count = np.unique(launch, return_inverse=True, return_counts=True)
    return np.asarray((launch != ABSENT) & (count[which] > 1), np.bool_)


def _parts(launcher: I64, name: I32, mask: Bool) -> I64:
    """How many operations of `mask` have each one's launcher and name; 1 for all others."""
    found = np.ones(len(launcher), np.int64)
    _, group = distinct(launcher[mask], name[mask])
    found[mask] = np.bincount(group)[group]
    return found


def _kind(trace: Trace, name: int, op: int, inputs: int, size: int, parts: int) -> WorkKind:
    decoded = decode(trace.names[name])
    told = None if inputs == ABSENT else trace.op_inputs[inputs]
    launched_by = None if op == ABSENT else trace.names[op]
    copied = None if size == ABSENT else size
    work = kernel_work(decoded, launched_by, told, copied)
    if max(work.flops or 0, work.bytes or 0) > _MOST:
        work = Work(None, None, None, "larger than any kernel's")
    elif parts > 1:
        work = work.divided(parts)
    cast = is_cast(trace.names[name], launched_by, told)
    return WorkKind(work, kernel_dtype(decoded, told), decoded.tensor_cores, cast)


def _beside_longer(launcher: I64, name: I32, dur: I64, mask: Bool) -> Bool:
    """Which operations of `mask` have those of another name beside them, of the same op, that
    ran longer together (or as long, and later).
    """
    at = np.flatnonzero(mask)
    first, group = distinct(launcher[at], name[at])
    last = np.zeros(len(first), np.int64)
    np.maximum.at(last, group, at)
    op = launcher[at][first]
    order = np.lexsort((last, sums(group, dur[at], len(first)), op))
    shorter = np.zeros(len(first), np.bool_)
    shorter[order[:-1]] = op[order[1:]] == op[order[:-1]]
    beside = np.zeros(len(launcher), np.bool_)
    beside[at] = shorter[group]
    return beside


@dataclass(frozen=True, slots=True)
class Traffic:
    """Device memory that some operations moved, by estimate: `moved` bytes by those whose
    bytes are known, which ran for `known_ns` of `gpu_ns`. None where no bytes are known.
    """

    moved: int | None
    known_ns: int
    gpu_ns: int

    @property
    def coverage(self) -> float | None:
        """The share of the time whose bytes are known; None without time."""
        return self.known_ns / self.gpu_ns if self.gpu_ns else None


def traffic(work: GpuWork, rows: I64) -> Traffic:
    """Estimated traffic of GPU operations `rows`: a step's, a call's or a scope's."""
    at = np.searchsorted(work.trace.gpu_ops, rows)
    has_bytes = np.array([kind.work.bytes is not None for kind in work.kinds], np.bool_)
    kind, dur = work.kind[at], work.trace.dur[rows]
    known = work.told[at] & has_bytes[kind] if len(at) else np.zeros(0, np.bool_)
    count = np.bincount(kind[known], minlength=len(work.kinds)).tolist()
    moved = total_of(
        [(work.kinds[i].work.bytes, number) for i, number in enumerate(count) if number]
    )
    return Traffic(moved, int(dur[known].sum()), int(dur.sum()))


def total_of(figures: Sequence[tuple[int | None, int]]) -> int | None:
    """The sum of figures times their counts; None where one is not known, or none is given."""
    total = 0
    for figure, number in figures:
        if figure is None:
            return None
        total += figure * number
    return total if figures else None
