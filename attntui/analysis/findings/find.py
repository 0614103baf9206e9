"""All findings of a trace or scope, ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from attntui.analysis.findings.attention import hidden_copies, naive_attention, sdpa_on_math
from attntui.analysis.findings.collectives import collectives_beside_compute
from attntui.analysis.findings.host_stalls import host_waits, steady_allocation
from attntui.analysis.findings.idle import (
    gpu_idle,
    idle_of_a_cause,
    launches_too_slow,
)
from attntui.analysis.findings.kernels import fine_low_occupancy, fp32_products, tiny_kernels
from attntui.analysis.findings.model import Finding
from attntui.analysis.findings.opaque import opaque_cpu_bars
from attntui.analysis.findings.recording import lacking

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_FINDERS: tuple[Callable[[Slice], Iterator[Finding]], ...] = (
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


def find_findings(seen: Slice) -> tuple[Finding, ...]:
    """Every finding, the most severe first, then the costliest, then by id.

    A cost under `thresholds.LOW_SHARE` of the slice's span is no finding. Each id comes
    once at most.
    """
    found = [finding for finder in _FINDERS for finding in finder(seen)]
    return tuple(sorted(found, key=lambda f: (f.severity, -(f.cost_ns or 0), f.id)))
