"""Findings about how much of the GPU a kernel's launch can fill."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.few_blocks import few_blocks, idle_before, told
from attntui.analysis.findings.gains import shorter
from attntui.analysis.findings.launch_bound import LAUNCH_BOUND
from attntui.analysis.findings.ledger import Ledger
from attntui.analysis.findings.model import Finding, costliest, finding, note
from attntui.analysis.findings.thresholds import (
    KERNEL_FLOOR_NS,
    LOW_OCCUPANCY_PCT,
    NEAR_ROOF,
    SEEN_SHARE,
)

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


def small_grid(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Kernels with fewer blocks than half of the multiprocessors. Those that the floor of a
    kernel bounds would not be shorter with more: they are a symptom of giving out little work.
    """
    trace = seen.trace
    few = few_blocks(seen)
    rows, blocks, sms = few.rows, few.blocks, few.multiprocessors
    if not len(rows):
        return
    share, under = time.of_work(rows)
    spread = np.maximum(share.busy - KERNEL_FLOOR_NS, 0)
    left = np.where(few.small, blocks / np.maximum(sms, 1), 1.0)
    factor = share.factor_of_ns(spread * (1 - left))
    gain = shorter(seen, factor=factor)
    idle = idle_before(seen, time.idle_owned_by(LAUNCH_BOUND), rows)
    if under is None and idle > share.ns:
        # Mostly the GPU waits for the next of them: that is the cause.
        under = LAUNCH_BOUND
    words, figures = told(share.ops, share.ns, idle)
    at = np.flatnonzero(share.busy)
    worst = int(at[np.argmax(share.busy[at])])
    found = finding(
        seen,
        "small-grid",
        cost=share.ns,
        gain=gain,
        title=words + "; the longest, {kernel}, has {blocks:block/blocks} for {multiprocessors}",
        assumes="the same work in as many blocks as multiprocessors, a kernel no shorter than "
        "{kernel_floor_ns}",
        limit="; most of their time is that floor",
        figures=figures
        | {
            "blocks": int(blocks[worst]),
            "multiprocessors": int(sms[worst]),
            "kernel_floor_ns": KERNEL_FLOOR_NS,
        },
        evidence=costliest(seen.gpu_ops[at], share.busy[at]),
        names={"kernel": seen.analysed.labels.names[int(trace.name[seen.gpu_ops[worst]])]},
        advice="Give one launch more work: batch the calls, larger tiles of the problem a call, "
        "or split the reduction over more blocks (split-K, split-KV).",
        work=share.busy_ns,
        under=under,
    )
    yield from time.charged(found, share)


def fine_low_occupancy(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """A note: kernels at low occupancy that reach a good share of a known roof all the same."""
    chosen = [
        i
        for i, fact in enumerate(seen.kernel_facts)
        if fact.occupancy_pct is not None
        and fact.occupancy_pct < LOW_OCCUPANCY_PCT
        and fact.gpu_ns >= SEEN_SHARE * seen.gpu_ns > 0
        and (fact.bound.share or 0) >= NEAR_ROOF
    ]
    if not chosen:
        return
    most = seen.kernel_facts[chosen[0]]
    assert most.occupancy_pct is not None
    assert most.bound.share is not None
    yield note(
        "low-occupancy-fine",
        "Low occupancy that is fine: {kernel} at {occupancy_pct}, limited by {limit}, reaches "
        "{of_roof_share} of its roof ({kernel_names:kernel name/kernel names} in all)",
        "Kernels that keep their tiles in registers and shared memory need few warps to stay "
        "busy. Judge them by their share of the roof.",
        costliest(seen.kernels.longest[chosen], seen.kernels.total[chosen]),
        {
            "kernel": seen.analysed.labels.names[int(seen.kernels.name[chosen[0]])],
            "limit": " and ".join(most.limited_by),
        },
        {
            "kernel_names": len(chosen),
            "occupancy_pct": most.occupancy_pct,
            "of_roof_share": most.bound.share,
        },
    )
