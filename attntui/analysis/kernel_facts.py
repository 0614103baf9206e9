"""What is told of each kernel name over all its instances: work, rates, bound, occupancy.

Work of an instance is that of the op that launched it, by `kernel_work`. Rates come from
totals over the instances whose work is known, over the time of those same instances;
`coverage` says how much of the name's time they are. Occupancy is weighted by time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.devices import DevicePeaks
from attntui.analysis.filling import Filling, fillings
from attntui.analysis.gpu_work import GpuWork, WorkKind, total_of
from attntui.analysis.groups import distinct, sums
from attntui.analysis.kernel_names import KernelName, decode
from attntui.analysis.kernels import KernelTable
from attntui.analysis.names.words import Library
from attntui.analysis.roofline import Bound, Kind, Reason, bound
from attntui.trace.model import I64

LOW_OCCUPANCY_PCT = 25
"""Percent of the warps an SM holds: under it, little runs while memory is waited for. A product
on tensor cores needs no more.
"""


@dataclass(frozen=True, slots=True)
class KernelFact:
    """What is told of one GPU operation name over some instances; None where nothing tells.

    `flops` and `moved` (bytes read plus written) are totals over the instances with known
    work, which ran for `known_ns` of `gpu_ns`; `bound` has their rates. Where instances
    differ in what is known, those with FLOPs and bytes both count, and no others. Those whose
    work is beyond what the device can do, and so not known, ran for `beyond_ns`.

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
    work: GpuWork, table: KernelTable, peaks: DevicePeaks | None
) -> tuple[KernelFact, ...]:
    """Facts of each entry of `table`, in its order; `peaks` are the roofs that rates are held
    against.
    """
    order = np.argsort(table.first, kind="stable")
    entry = np.repeat(order, table.count[order])
    works = _works(work, table.rows, entry)
    held = fillings(work.trace, table.rows, entry)
    none = Filling()
    return tuple(
        _fact(work.trace.names[name], total, works.get(i, []), held.get(i, none), peaks)
        for i, (name, total) in enumerate(
            zip(table.name.tolist(), table.total.tolist(), strict=True)
        )
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """The instances of one entry with one kind of work."""

    kind: WorkKind
    told: bool
    beyond: bool
    count: int
    ns: int


def _works(work: GpuWork, rows: I64, entry: I64) -> dict[int, list[_Part]]:
    """By entry, its instances by kind of work."""
    at = np.searchsorted(work.trace.gpu_ops, rows)
    kind, told, beyond = work.kind[at], work.told[at], work.beyond[at]
    first, group = distinct(entry, kind, told.astype(np.int64), beyond.astype(np.int64))
    count = np.bincount(group, minlength=len(first))
    ns = sums(group, work.trace.dur[rows], len(first))
    found: dict[int, list[_Part]] = defaultdict(list)
    for i, number, own, fast, instances, time in zip(
        entry[first].tolist(),
        kind[first].tolist(),
        told[first].tolist(),
        beyond[first].tolist(),
        count.tolist(),
        ns.tolist(),
        strict=True,
    ):
        found[i].append(_Part(work.kinds[number], own, fast, instances, time))
    return found


def _fact(
    name: str,
    total: int,
    parts: Sequence[_Part],
    held: Filling,
    peaks: DevicePeaks | None,
) -> KernelFact:
    decoded = decode(name)
    known = [part for part in parts if part.told]
    both = [p for p in known if p.kind.work.flops is not None and p.kind.work.bytes is not None]
    known = both or known
    flops = total_of([(part.kind.work.flops, part.count) for part in known])
    moved = total_of([(part.kind.work.bytes, part.count) for part in known])
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
        beyond_ns=sum(part.ns for part in parts if part.beyond),
    )


def _reasons(
    kind: Kind | None, held: Filling, parts: Sequence[_Part], total: int
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
