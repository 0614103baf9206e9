"""What is told of each kernel name over all its instances: work, rates, bound, occupancy.

Work of an instance is that of the op that launched it, by `kernel_work`. Rates come from
totals over the instances whose work is known, over the time of those same instances;
`coverage` says how much of the name's time they are. Occupancy is weighted by time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from attntui.analysis.casts import is_cast
from attntui.analysis.devices import DevicePeaks
from attntui.analysis.groups import distinct, sums
from attntui.analysis.kernel_names import KernelName, decode
from attntui.analysis.kernels import KernelTable
from attntui.analysis.launches import parent_ops
from attntui.analysis.names.words import Library
from attntui.analysis.occupancy import Occupancy, occupancy
from attntui.analysis.roofline import BEYOND, Bound, Kind, Reason, bound
from attntui.analysis.sm_limits import SmLimits, limits_of
from attntui.analysis.work.of_kernels import Work, kernel_dtype, kernel_work
from attntui.trace.model import ABSENT, I32, I64, Bool, Category, LaunchConfig, Trace

_MOST = 10**18
"""More FLOPs or bytes than a device does in a quarter of an hour: no kernel's, a broken file's."""


LOW_OCCUPANCY_PCT = 25
"""Percent of the warps an SM holds: under it, little runs while memory is waited for. A product
on tensor cores needs no more.
"""


@dataclass(frozen=True, slots=True)
class WorkKind:
    """Operations of one name, launched by ops of one name with the same inputs, or copies
    of one size: the work of one of them, the data type it computed in, and whether all it
    does is convert to another.
    """

    work: Work
    dtype: str | None
    cast: bool


@dataclass(frozen=True, slots=True, eq=False)
class GpuWork:
    """The work of every GPU operation of a trace; columns of one length with `gpu_ops`.

    `launcher` is the row of the op or annotation that launched it, ABSENT where not told.
    `kind` indexes `kinds`. `told` is true where the kind's work is this operation's own.
    """

    trace: Trace
    launcher: I64
    kind: I64
    told: Bool
    kinds: tuple[WorkKind, ...]


def gpu_work(trace: Trace) -> GpuWork:
    """The work of each GPU operation, from the inputs of the op that launched it.

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
    return GpuWork(trace, launcher, kind, told, kinds)


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
    return WorkKind(work, kernel_dtype(decoded, told), cast)


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
class KernelFact:
    """What is told of one GPU operation name over some instances; None where nothing tells.

    `flops` and `moved` (bytes read plus written) are totals over the instances with known
    work, which ran for `known_ns` of `gpu_ns`; `bound` has their rates. Where instances
    differ in what is known, those with FLOPs and bytes both count, and no others. Instances that
    would be faster than the device can be ran for `beyond_ns`: their shapes do not tell their
    work, or it came from a cache, so it counts as not known.

    `occupancy_pct` is theoretical, weighted by time; `limited_by` is what limits the
    launch configuration with the most time. `profiler_occupancy_pct` is the profiler's
    estimate, likewise weighted, its zeros left out as not measured; `unmeasured` says that it
    wrote nothing but zeros. `far_reasons` are what keeps it far from its roof, none where it
    is near or where the trace shows none.
    """

    decoded: KernelName
    dtype: str | None
    gpu_ns: int
    known_ns: int
    flops: int | None
    moved: int | None
    bound: Bound
    occupancy_pct: float | None
    limited_by: tuple[str, ...]
    profiler_occupancy_pct: float | None
    unmeasured: bool = False
    far_reasons: tuple[Reason, ...] = ()
    beyond_ns: int = 0

    @property
    def coverage(self) -> float | None:
        """The share of the name's time whose work is known; None without time."""
        return self.known_ns / self.gpu_ns if self.gpu_ns else None


def kernel_facts(
    work: GpuWork,
    table: KernelTable,
    peaks: DevicePeaks | None,
    limits: DevicePeaks | None = None,
) -> tuple[KernelFact, ...]:
    """Facts of each entry of `table`, in its order. `peaks` are the roofs that rates are held
    against, `limits` what the device can do at most.
    """
    order = np.argsort(table.first, kind="stable")
    entry = np.repeat(order, table.count[order])
    works = _works(work, table.rows, entry)
    held = _occupancies(work.trace, table.rows, entry)
    none = _Held()
    return tuple(
        _fact(work.trace.names[name], total, works.get(i, []), held.get(i, none), peaks, limits)
        for i, (name, total) in enumerate(
            zip(table.name.tolist(), table.total.tolist(), strict=True)
        )
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """The instances of one entry with one kind of work."""

    kind: WorkKind
    told: bool
    count: int
    ns: int


def _works(work: GpuWork, rows: I64, entry: I64) -> dict[int, list[_Part]]:
    """By entry, its instances by kind of work."""
    at = np.searchsorted(work.trace.gpu_ops, rows)
    kind, told = work.kind[at], work.told[at]
    first, group = distinct(entry, kind, told.astype(np.int64))
    count = np.bincount(group, minlength=len(first))
    ns = sums(group, work.trace.dur[rows], len(first))
    found: dict[int, list[_Part]] = defaultdict(list)
    for i, number, own, instances, time in zip(
        entry[first].tolist(),
        kind[first].tolist(),
        told[first].tolist(),
        count.tolist(),
        ns.tolist(),
        strict=True,
    ):
        found[i].append(_Part(work.kinds[number], own, instances, time))
    return found


def _fact(
    name: str,
    total: int,
    parts: Sequence[_Part],
    held: _Held,
    peaks: DevicePeaks | None,
    limits: DevicePeaks | None,
) -> KernelFact:
    decoded = decode(name)
    told = [part for part in parts if part.told]
    known = [part for part in told if not _is_beyond(part, decoded, limits)]
    beyond_ns = sum(part.ns for part in told) - sum(part.ns for part in known)
    both = [p for p in known if p.kind.work.flops is not None and p.kind.work.bytes is not None]
    known = both or known
    flops = _sum([(part.kind.work.flops, part.count) for part in known])
    moved = _sum([(part.kind.work.bytes, part.count) for part in known])
    known_ns = sum(part.ns for part in known)
    longest = max(parts, key=lambda part: part.ns, default=None)
    dtype = longest.kind.dtype if longest else None
    # The bus bounds a copy from or to the host, and no table has its rate.
    over_bus = decoded.library is Library.MEMORY and ("HtoD" in name or "DtoH" in name)
    roof = None if over_bus else peaks
    bounded = bound(flops, moved, known_ns, roof, dtype, decoded.tensor_cores)
    return KernelFact(
        decoded=decoded,
        dtype=dtype,
        gpu_ns=total,
        known_ns=known_ns,
        flops=flops,
        moved=moved,
        bound=bounded,
        occupancy_pct=held.percent,
        limited_by=held.limited_by,
        profiler_occupancy_pct=held.profiler,
        unmeasured=held.unmeasured,
        far_reasons=_reasons(bounded.kind, held, parts, total) if bounded.far else (),
        beyond_ns=beyond_ns,
    )


def _is_beyond(part: _Part, decoded: KernelName, limits: DevicePeaks | None) -> bool:
    """Whether the device cannot do the work of some instances in their time."""
    flops = _sum([(part.kind.work.flops, part.count)])
    moved = _sum([(part.kind.work.bytes, part.count)])
    found = bound(flops, moved, part.ns, limits, part.kind.dtype, decoded.tensor_cores)
    return (found.share or 0) > BEYOND


def _reasons(
    kind: Kind | None, held: _Held, parts: Sequence[_Part], total: int
) -> tuple[Reason, ...]:
    """What keeps a name far from its roof for at least half of its time."""
    casting = sum(part.ns for part in parts if part.kind.cast)
    low = kind != "compute" and (held.percent or 100) < LOW_OCCUPANCY_PCT
    told = {
        Reason.FEW_BLOCKS: 2 * held.few_blocks_ns >= total,
        Reason.LOW_OCCUPANCY: low,
        Reason.CONVERSION: 2 * casting >= total,
    }
    return tuple(reason for reason, holds in told.items() if holds and total)


def _sum(figures: Sequence[tuple[int | None, int]]) -> int | None:
    """The sum of figures times their counts; None where one is not known, or none is given."""
    total = 0
    for figure, number in figures:
        if figure is None:
            return None
        total += figure * number
    return total if figures else None


@dataclass(frozen=True, slots=True)
class _Held:
    """How launches of one name fill the device. `few_blocks_ns` is the time of those with
    fewer blocks than the device has multiprocessors.
    """

    percent: float | None = None
    limited_by: tuple[str, ...] = ()
    profiler: float | None = None
    unmeasured: bool = False
    few_blocks_ns: int = 0


@dataclass(frozen=True, slots=True)
class _Launches:
    """Launches of one name with one configuration on one device."""

    ns: int
    theory: Occupancy | None
    profiler: float | None
    few_blocks: bool


def _occupancies(trace: Trace, rows: I64, entry: I64) -> dict[int, _Held]:
    """By entry, the occupancy of its instances."""
    config = trace.columns.launch_config[rows].astype(np.int64)
    chosen = config != ABSENT
    rows, entry, config = rows[chosen], entry[chosen], config[chosen]
    first, group = distinct(entry, trace.device[rows], config)
    ns = sums(group, trace.dur[rows], len(first))
    limits = _limits(trace)
    units = {device.id: device.sms or 0 for device in trace.metadata.devices}
    parts: dict[int, list[_Launches]] = defaultdict(list)
    for i, device, number, time in zip(
        entry[first].tolist(),
        trace.device[rows[first]].tolist(),
        config[first].tolist(),
        ns.tolist(),
        strict=True,
    ):
        launch, told = trace.launch_configs[number], trace.number_of_device(device)
        few = launch.grid is not None and 0 < prod(launch.grid) < units.get(told, 0)
        theory = _occupancy(launch, limits.get(told))
        parts[i].append(_Launches(time, theory, launch.occupancy_pct, few))
    return {i: _held(own) for i, own in parts.items()}


def _held(parts: Sequence[_Launches]) -> _Held:
    theory = [(part.ns, part.theory) for part in parts if part.theory is not None]
    # More than all of an SM is no estimate but a broken file's.
    profiled = [(p.ns, p.profiler) for p in parts if p.profiler and p.profiler <= 100]
    most = max(theory, key=lambda pair: pair[0], default=None)
    return _Held(
        _weighted([(time, found.percent) for time, found in theory]),
        most[1].limited_by if most else (),
        _weighted(profiled),
        not profiled and any(part.profiler == 0 for part in parts),
        sum(part.ns for part in parts if part.few_blocks),
    )


def _weighted(parts: Sequence[tuple[int, float]]) -> float | None:
    """The mean of figures weighted by time; None without time."""
    whole = sum(time for time, _ in parts)
    return sum(time * figure for time, figure in parts) / whole if whole else None


def _occupancy(launch: LaunchConfig, limits: SmLimits | None) -> Occupancy | None:
    registers, shared, block = launch.registers, launch.shared_memory, launch.block
    if limits is None or registers is None or shared is None or block is None:
        return None
    x, y, z = block
    return occupancy(registers, shared, x * y * z, limits)


def _limits(trace: Trace) -> dict[int, SmLimits]:
    """Limits of the devices that the file describes, by device number."""
    found = {device.id: limits_of(device) for device in trace.metadata.devices}
    return {number: limits for number, limits in found.items() if limits is not None}


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
    moved = _sum([(work.kinds[i].work.bytes, number) for i, number in enumerate(count) if number])
    return Traffic(moved, int(dur[known].sum()), int(dur.sum()))
