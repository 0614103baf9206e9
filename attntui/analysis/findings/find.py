"""All findings of a trace or scope, ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attntui.analysis.findings.attention import hidden_copies, naive_attention, sdpa_on_math
from attntui.analysis.findings.host import host_waits, steady_allocation
from attntui.analysis.findings.idle import (
    gpu_idle,
    idle_of_a_cause,
    launches_too_slow,
    opaque_cpu_bars,
)
from attntui.analysis.findings.kernels import fine_low_occupancy, fp32_products, tiny_kernels
from attntui.analysis.findings.model import Finding, Observed
from attntui.analysis.findings.recording import lacking

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
    lacking,
)


def find_findings(seen: Observed) -> tuple[Finding, ...]:
    """Every finding, the most severe first, then the costliest, then by id.

    A cost under `thresholds.LOW_SHARE` of the devices' span is no finding. Each id comes
    once at most.
    """
    found = [finding for finder in _FINDERS for finding in finder(seen)]
    return tuple(sorted(found, key=lambda f: (f.severity, -(f.cost_ns or 0), f.id)))
