"""All findings of a trace or scope, ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from attntui.analysis.findings.launch_bound import host_behind
from attntui.analysis.findings.ledger import Ledger
from attntui.analysis.findings.model import Finding
from attntui.analysis.findings.opaque import opaque_cpu_bars
from attntui.analysis.findings.pointwise import optimizer_loop, unfused_pointwise
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
    ids = {each.id for each in found}
    found = [replace(each, under=None) if each.under not in ids else each for each in found]
    return tuple(sorted(found, key=_rank))


def _rank(found: Finding) -> tuple[bool, int, bool, int, str]:
    return (
        found.cost_ns is None,
        -(found.gain_ns or 0),
        found.under is not None,
        -(found.cost_ns or 0),
        found.id,
    )
