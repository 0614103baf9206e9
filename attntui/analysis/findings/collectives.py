"""A note on collectives: how much of them runs beside compute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.model import Finding, Severity, costliest
from attntui.analysis.findings.thresholds import SEEN_SHARE
from attntui.analysis.intervals import Intervals, union
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.names.words import OperationKind
from attntui.trace.model import I64, Category, Trace

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


def collectives_beside_compute(seen: Slice) -> Iterator[Finding]:
    """A note: the time in which a device ran a collective, and the part of it in which it
    ran another kernel too. Copies and sets are no compute.
    """
    trace, rows = seen.trace, seen.gpu_ops
    names = seen.kernels.name[
        [i for i, fact in enumerate(seen.kernel_facts) if _is_collective(fact)]
    ]
    collective = rows[np.isin(trace.name[rows], names)]
    gpu_ns = int(trace.dur[collective].sum())
    if not len(collective) or gpu_ns < SEEN_SHARE * seen.gpu_ns:
        return
    running = beside = 0
    for device in seen.devices:
        kernels = device.rows[trace.category[device.rows] == Category.KERNEL]
        talks = np.isin(trace.name[kernels], names)
        own = _time_of(trace, kernels[talks])
        running += own.length
        compute = _time_of(trace, kernels[~talks])
        beside += int(compute.covered(own.start, own.end).sum())
    if not running:
        return
    yield Finding(
        id="collectives",
        severity=Severity.INFO,
        cost_ns=None,
        title="{collectives:collective/collectives} ran for {running_ns} on the GPU, "
        "{beside_compute_ns} ({overlap_share}) of it beside other kernels",
        figures={
            "collectives": len(collective),
            "running_ns": running,
            "beside_compute_ns": beside,
            "overlap_share": beside / running,
        },
        evidence=costliest(collective, trace.dur[collective]),
        advice="A collective that runs alone holds the step up, and its time includes waiting for "
        "slower ranks: start it earlier (smaller buckets, prefetch), beside compute that does "
        "not need its result.",
    )


def _is_collective(fact: KernelFact) -> bool:
    return fact.decoded.kind is OperationKind.COLLECTIVE


def _time_of(trace: Trace, rows: I64) -> Intervals:
    return union(trace.start[rows], trace.end[rows])
