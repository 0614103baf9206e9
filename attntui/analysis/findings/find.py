"""All findings of a trace or scope, ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attntui.analysis.attention import AttentionCall
from attntui.analysis.devices import DevicePeaks
from attntui.analysis.findings.attention import hidden_copies, naive_attention, sdpa_on_math
from attntui.analysis.findings.collectives import collectives_beside_compute
from attntui.analysis.findings.host_stalls import host_waits, steady_allocation
from attntui.analysis.findings.idle import (
    gpu_idle,
    idle_of_a_cause,
    launches_too_slow,
)
from attntui.analysis.findings.kernels import fine_low_occupancy, fp32_products, tiny_kernels
from attntui.analysis.findings.model import Finding, Observed
from attntui.analysis.findings.opaque import opaque_cpu_bars
from attntui.analysis.findings.recording import lacking
from attntui.analysis.gap_causes import CauseFinder
from attntui.analysis.idle import device_idle
from attntui.analysis.kernel_facts import GpuWork, kernel_facts
from attntui.analysis.kernels import kernel_table
from attntui.analysis.self_time import SelfTimes
from attntui.analysis.steps import Steps
from attntui.trace.model import I64, Trace

_FINDERS: tuple[Callable[[Observed], Iterator[Finding]], ...] = (
    gpu_idle,
    idle_of_a_cause,
    launches_too_slow,
    opaque_cpu_bars,
    host_waits,
    steady_allocation,
    naive_attention,
    hidden_copies,
    sdpa_on_math,
    fp32_products,
    tiny_kernels,
    fine_low_occupancy,
    collectives_beside_compute,
    lacking,
)


def observe(
    trace: Trace,
    rows: I64,
    *,
    finder: CauseFinder,
    cpu: SelfTimes,
    steps: Steps,
    work: GpuWork,
    calls: tuple[AttentionCall, ...],
    peaks: DevicePeaks | None,
) -> Observed:
    """What findings follow from, over the GPU operations `rows` (a scope's, or all).

    `calls` are the attention calls of those rows; the rest is the whole trace's.
    """
    idle, table = device_idle(trace, rows), kernel_table(trace, rows)
    return Observed(
        trace=trace,
        rows=rows,
        idle=idle,
        causes=tuple(finder.causes(device.gaps) for device in idle),
        host=finder.host,
        cpu=cpu,
        steps=steps,
        table=table,
        facts=kernel_facts(work, table, peaks),
        work=work,
        calls=calls,
        peaks=peaks,
    )


def find_findings(seen: Observed) -> tuple[Finding, ...]:
    """Every finding, the most severe first, then the costliest, then by id.

    A cost under `thresholds.LOW_SHARE` of the devices' span is no finding. Each id comes
    once at most.
    """
    found = [finding for finder in _FINDERS for finding in finder(seen)]
    return tuple(sorted(found, key=lambda f: (f.severity, -(f.cost_ns or 0), f.id)))
