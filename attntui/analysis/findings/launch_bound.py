"""Findings about a host that gives out work more slowly than the GPU does it, and its waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.few_blocks import few_blocks, idle_before, told
from attntui.analysis.findings.gains import Gain, shorter
from attntui.analysis.findings.ledger import Ledger, Share, both
from attntui.analysis.findings.model import (
    Finding,
    costliest,
    costliest_names,
    finding,
    longest,
)
from attntui.analysis.findings.thresholds import (
    KERNEL_FLOOR_NS,
    LOW_SHARE,
    TINY_LEAST,
    TINY_LEAST_SHARE,
    TINY_NS,
)
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.groups import sums
from attntui.analysis.launches import nearest
from attntui.analysis.owners import span_at
from attntui.analysis.runtime_calls import CallKind
from attntui.trace.model import ABSENT, I64, Bool, Category

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

GIVING_OUT = (Cause.DISPATCH, Cause.PYTHON, Cause.UNRECORDED, Cause.RUNTIME, Cause.LAUNCH_CALL)
"""What the host does to give out the next operation."""

LAUNCH_BOUND = "launch-bound"


def given_out(seen: Slice, time: Ledger, gaps: Bool | None = None) -> Share:
    """What is left of the time that the host takes to give out what ends some gaps (all by
    default), with what that takes to begin where the host was late by more.
    """
    behind = time.idle_of(*GIVING_OUT, gaps=gaps)
    late = (behind.idle > 0).any(axis=1)
    queued = seen.gaps.causes.split[:, Cause.QUEUED]
    given = seen.gaps.causes.split[:, list(GIVING_OUT)].sum(axis=1)
    return both(behind, time.idle_of(Cause.QUEUED, gaps=late & (queued <= given)))


def host_behind(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Launch-bound, the waits of the host, and tiny kernels: which of them is the cause.

    Waits own the idle time that would not be there without them. Where that is next to
    nothing, the host would be behind all the same: then they are a symptom, and what they
    cost is the idle time in them and after them until work comes again.
    """
    calls = np.flatnonzero(seen.analysed.finder.host.kinds == CallKind.SYNC)
    gain = shorter(seen, without=calls).ns
    waits = _idle_by_waits(seen, time, calls)
    stalls = None
    if seen.span_ns and gain >= LOW_SHARE * seen.span_ns:
        stalls = _sync_stalls(seen, waits, gain, None)
    yield from time.charged(stalls, waits)
    launches = given_out(seen, time)
    if not stalls:
        launches = both(launches, time.idle_of(Cause.SYNC))
    bound = _launch_bound(seen, launches)
    after = time.idle_of(Cause.SYNC, *GIVING_OUT, gaps=seen.gaps.causes.trigger == Trigger.SYNC)
    yield from time.charged(bound, launches)
    if not stalls:
        # What the run without them spares of other findings' time is not theirs to gain.
        symptom = _sync_stalls(seen, after, min(gain, waits.ns), LAUNCH_BOUND if bound else None)
        yield from time.charged(symptom, after)
    yield from _tiny_kernels(seen, time, bound)


def _idle_by_waits(seen: Slice, time: Ledger, calls: I64) -> Share:
    """What would not be left of each gap without the waits in some calls: the time in the wait
    first, then what the host does next.
    """
    spared = np.zeros(len(seen.gaps), np.int64)
    for device, replayed in zip(seen.devices, seen.replays, strict=True):
        kept = np.flatnonzero(~np.isin(replayed.calls, calls))
        without = replayed.gaps(kept)[np.searchsorted(device.rows, device.gaps.after)]
        at = np.flatnonzero(seen.gaps.device == device.device)
        spared[at] = np.maximum(device.gaps.length - without, 0)
    causes = (Cause.SYNC, *GIVING_OUT, Cause.QUEUED)
    parts = []
    for cause in causes:
        part = time.idle_part(cause, spared)
        spared = spared - part.idle[:, cause]
        parts.append(part)
    return Share(parts[0].busy, np.sum([part.idle for part in parts], axis=0))


def _launch_bound(seen: Slice, share: Share) -> Finding | None:
    gaps = seen.gaps
    by_gap = share.idle.sum(axis=1)
    some = by_gap > 0
    if not some.any():
        return None
    after = gaps.after[some]
    own = seen.own[np.searchsorted(seen.gpu_ops, after)]
    by_cause = share.idle.sum(axis=0).tolist()
    figures = {
        "idle_ns": share.ns,
        "span_ns": seen.span_ns,
        "of_span_share": share.ns / seen.span_ns,
        "operations": len(after),
        "mean_operation_ns": round(int(own.sum()) / len(after)),
        "idle_before_each_ns": round(share.ns / len(after)),
    }
    # The parts by cause are figures of their own.
    figures |= {f"{cause.name.lower()}_ns": by_cause[cause] for cause in Cause if by_cause[cause]}
    title = (
        "Launch-bound: GPU idle {of_span_share}, {idle_ns} of {span_ns}; the host gives out "
        "{operations:operation/operations} of {mean_operation_ns} on average, each "
        "{idle_before_each_ns} late"
    )
    few = few_blocks(seen)
    idle = idle_before(seen, share.idle, few.rows)
    if idle >= LOW_SHARE * seen.span_ns:
        words, shares = told(len(few.rows), int(seen.own[few.small].sum()), idle)
        title += f"; {words}"
        figures |= shares
    return finding(
        seen,
        LAUNCH_BOUND,
        cost=share.ns,
        gain=Gain(share.ns),
        title=title,
        assumes="the GPU works without a pause: the whole is given out at once",
        advice=_launch_advice(seen),
        figures=figures,
        evidence=longest(gaps.start[some], gaps.end[some], by_gap[some]),
        in_use=seen.in_use.words("graph", "captured", "compiled"),
    )


def _launch_advice(seen: Slice) -> str:
    used = seen.in_use
    graph = "Replay a CUDA graph (torch.compile with mode='reduce-overhead')"
    tries = "fuse ops, or give each more work (larger batches)."
    if used.graph:
        return (
            "Take what still runs outside the CUDA graphs into one, fuse ops, or give each more "
            "work (larger batches)."
        )
    if used.captured:
        return (
            "A CUDA graph is captured here, which happens once: record its replays to see what "
            "they cost."
        )
    if used.compiled:
        return f"{graph}, or give each op more work (larger batches)."
    return f"{graph}, {tries}"


def _sync_stalls(seen: Slice, share: Share, gain: int, under: str | None) -> Finding | None:
    """Idle time that the host's waits for the GPU bring about."""
    trace = seen.trace
    by_gap = share.idle.sum(axis=1)
    waits = _waits_before(seen)
    some = np.flatnonzero((by_gap > 0) & (waits != ABSENT))
    calls, which = np.unique(waits[some], return_inverse=True)
    idle = sums(which, by_gap[some], len(calls))
    if not len(calls):
        return None
    figures: dict[str, int | float] = {
        "idle_ns": share.ns,
        "waits": len(calls),
        "waiting_ns": int(share.idle[:, Cause.SYNC].sum()),
        "gain_ns": max(0, min(gain, share.ns)),
    }
    title = "GPU idle in and after {waits:wait/waits} of the host for it: {idle_ns} ("
    title += "{waiting_ns} in the waits themselves"
    steps = seen.analysed.steps
    if len(steps):
        found = span_at(steps.start, steps.end - 1, trace.start[calls])
        figures["steps_with_waits"] = len(np.unique(found[found != ABSENT]))
        figures["steps"] = len(steps)
        title += ", in {steps_with_waits} of {steps:step/steps}"
    title += "); the most after {op}"
    if under:
        title += "; without them the host would be behind all the same: {gain_ns} gained"
    else:
        title += "; {gain_ns} gained without them"
    return finding(
        seen,
        "sync-stalls",
        cost=share.ns,
        gain=Gain(gain),
        title=title,
        assumes="the host runs ahead where it waited, and gives out work as fast as it did",
        figures=figures,
        evidence=costliest(calls, idle),
        advice="Read values from the GPU later, together and less often (.item(), .cpu(), "
        "nonzero and print wait for it); keep flags and losses on the device.",
        names={"op": _costliest_place(seen, calls, idle)},
        under=under,
    )


def _waits_before(seen: Slice) -> I64:
    """The wait that drained the queue before each gap, else the last one that drained its
    device's before: what comes later still comes of it. ABSENT where there is none.
    """
    causes = seen.gaps.causes
    found = np.full(len(seen.gaps), ABSENT, np.int64)
    for device in seen.devices:
        at = np.flatnonzero(seen.gaps.device == device.device)
        waited = np.where(causes.trigger[at] == Trigger.SYNC, np.arange(len(at)), ABSENT)
        last = np.maximum.accumulate(waited)
        found[at] = np.where(last == ABSENT, ABSENT, causes.trigger_row[at[last]])
    return found


def _costliest_place(seen: Slice, calls: I64, idle: I64) -> str:
    """The name of the op, else of the call, under which most idle time came about."""
    trace = seen.trace
    op = nearest(trace, calls, trace.category == Category.CPU_OP)
    place = np.where(op != ABSENT, op, calls)
    names, which = np.unique(trace.name[place], return_inverse=True)
    return trace.names[int(names[np.argmax(sums(which, idle, len(names)))])]


def _tiny_kernels(seen: Slice, time: Ledger, bound: Finding | None) -> Iterator[Finding]:
    """Kernels of which most are shorter than their launch."""
    trace = seen.trace
    is_kernel = trace.category[seen.gpu_ops] == Category.KERNEL
    tiny = is_kernel & (trace.dur[seen.gpu_ops] < TINY_NS)
    number = int(tiny.sum())
    if number < max(TINY_LEAST, TINY_LEAST_SHARE * int(is_kernel.sum())):
        return
    rows = seen.gpu_ops[tiny]
    share = Share(np.where(tiny, time.busy, 0), np.zeros_like(time.idle))
    running = int(seen.own[tiny].sum())
    # Where the host is behind by more than they run, that is what makes them matter.
    behind = bound is not None and (bound.cost_ns or 0) >= running
    under = LAUNCH_BOUND if behind else None
    found = finding(
        seen,
        "tiny-kernels",
        cost=running if under else share.ns,
        gain=shorter(seen, factor=share.factor_of_ns(np.minimum(share.busy, KERNEL_FLOOR_NS) / 2)),
        title="{tiny_kernels} of {all_kernels} kernels are shorter than {tiny_below_ns}: they run "
        "for {running_ns}",
        assumes="half as many kernels, each of twice the work",
        figures={
            "tiny_kernels": number,
            "all_kernels": int(is_kernel.sum()),
            "tiny_below_ns": TINY_NS,
            "running_ns": running,
        },
        evidence=costliest_names(trace, rows, (seen.own if under else share.busy)[tiny]),
        advice=_fuse_advice(seen),
        work=running if under else share.busy_ns,
        under=under,
        in_use=seen.in_use.words("compiled", "foreach", "graph", "captured"),
    )
    yield from time.charged(found, share)


def _fuse_advice(seen: Slice) -> str:
    used = seen.in_use
    means = ["in one compiled region, or by hand" if used.compiled else "torch.compile"]
    means += [] if used.foreach else ["fused optimisers, foreach ops"]
    graph = ", or replay a CUDA graph, which launches all of them at once"
    return f"Fuse them ({', '.join(means)}){'' if used.graph or used.captured else graph}."
