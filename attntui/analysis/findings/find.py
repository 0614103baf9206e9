"""All findings of a trace or scope, ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from attntui.analysis.findings.attention import (
    hidden_copies,
    naive_attention,
    sdpa_on_math,
)
from attntui.analysis.findings.collectives import exposed_communication
from attntui.analysis.findings.copies import exposed_copies, pageable_copies
from attntui.analysis.findings.expanded_heads import expanded_heads
from attntui.analysis.findings.grid import fine_low_occupancy, small_grid
from attntui.analysis.findings.idle import (
    allocation,
    blocking_copies,
    data_loading,
    first_use,
    host_code,
    in_the_queue,
)
from attntui.analysis.findings.launch_bound import LAUNCH_BOUND, host_behind
from attntui.analysis.findings.ledger import Ledger
from attntui.analysis.findings.model import Finding, Severity
from attntui.analysis.findings.opaque import opaque_cpu_bars
from attntui.analysis.findings.pointwise import OPTIMIZER_LOOP, optimizer_loop, unfused_pointwise
from attntui.analysis.findings.products import fp32_products, unaligned_shapes
from attntui.analysis.findings.recording import lacking
from attntui.analysis.findings.upcast import upcast

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

Finder = Callable[["Slice", Ledger], Iterator[Finding]]

_FINDERS: tuple[Finder, ...] = (
    # In this order they take time: what is behind others goes before them.
    data_loading,
    first_use,
    allocation,
    pageable_copies,
    opaque_cpu_bars,
    host_code,
    naive_attention,
    sdpa_on_math,
    upcast,
    hidden_copies,
    expanded_heads,
    optimizer_loop,
    exposed_copies,
    exposed_communication,
    unaligned_shapes,
    fp32_products,
    unfused_pointwise,
    host_behind,
    small_grid,
    blocking_copies,
    in_the_queue,
    fine_low_occupancy,
)


def find_findings(seen: Slice) -> tuple[Finding, ...]:
    """Every finding: the best gain first, then the costliest, then by id; notes come last.

    What neither costs nor gains `thresholds.LOW_SHARE` of the slice's span is no finding. Each
    id comes once at most, and a finding stands after the one that it is under.
    """
    time = Ledger(seen)
    found = [each for finder in _FINDERS for each in finder(seen, time)]
    found += lacking(seen)
    by_id = {each.id: each for each in _nameable_first(found)}
    found = [each if each.under in by_id else replace(each, under=None) for each in by_id.values()]
    return tuple(sorted(found, key=lambda each: _rank(each, by_id)))


def _nameable_first(found: list[Finding]) -> list[Finding]:
    """Where a change of one line mends a part of what is launched too slowly, and that part
    matters, the rest is told under it: its remedy, a graph, is for all that is left after.
    """
    loop = next((each for each in found if each.id == OPTIMIZER_LOOP), None)
    if loop is None or loop.severity > Severity.MEDIUM:
        return found
    return [replace(each, under=loop.id) if each.id == LAUNCH_BOUND else each for each in found]


def _rank(found: Finding, by_id: Mapping[str, Finding]) -> tuple[bool, int, int, int, str]:
    gain, depth, above = found.gain_ns or 0, 0, by_id.get(found.under or "")
    while above is not None:
        gain, depth = min(gain, above.gain_ns or 0), depth + 1
        above = by_id.get(above.under or "")
    return found.cost_ns is None, -gain, depth, -(found.cost_ns or 0), found.id
