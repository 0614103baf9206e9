"""Findings about host calls that stall the GPU: waits, pageable copies, allocation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.model import Finding, costliest, severity_of
from attntui.analysis.findings.thresholds import PAGEABLE_LEAST_BYTES
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.groups import sums
from attntui.analysis.launches import nearest
from attntui.analysis.named import holding, rows_named
from attntui.analysis.owners import span_at
from attntui.analysis.runtime_calls import CallKind
from attntui.trace.model import ABSENT, I64, Bool, Category

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


@dataclass(frozen=True, slots=True)
class _Stalls:
    """Gaps that a blocking call had brought about: the call, the op around it, the length."""

    call: I64
    op: I64
    length: I64

    def by_call(self) -> tuple[I64, I64]:
        """The distinct calls, and the idle time after each."""
        calls, which = np.unique(self.call, return_inverse=True)
        return calls, sums(which, self.length, len(calls))


def _stalls(seen: Slice) -> _Stalls:
    call, length = [seen.gpu_ops[:0]], [seen.gpu_ops[:0]]
    for causes in seen.causes:
        blocked = (causes.trigger == Trigger.SYNC) | (causes.trigger == Trigger.COPY)
        call.append(causes.trigger_row[blocked])
        length.append(causes.gaps.length[blocked])
    calls = np.concatenate(call)
    op = nearest(seen.trace, calls, seen.trace.category == Category.CPU_OP)
    return _Stalls(calls, op, np.concatenate(length))


def host_waits(seen: Slice) -> Iterator[Finding]:
    """Idle time after synchronisation, and after copies from or to pageable memory."""
    stalls = _stalls(seen)
    copies = _pageable(seen)
    of_copy = _belongs(seen, stalls, copies)
    yield from _pageable_copies(seen, copies, int(stalls.length[of_copy].sum()))
    rest = ~of_copy
    yield from _synchronisation(
        seen, _Stalls(stalls.call[rest], stalls.op[rest], stalls.length[rest])
    )


def _pageable(seen: Slice) -> I64:
    """Rows of copies from or to pageable memory that are worth pinning."""
    trace, rows = seen.trace, seen.gpu_ops
    copies = rows[trace.category[rows] == Category.MEMCPY]
    copies = rows_named(trace, copies, holding("Pageable"))
    worth: I64 = copies[trace.columns.copied_bytes[copies] >= PAGEABLE_LEAST_BYTES]
    return worth


def _belongs(seen: Slice, stalls: _Stalls, copies: I64) -> Bool:
    """Which stalls came after a call that made one of the copies, or after a call of the
    op that did: a copy waits in a synchronise call of its own.
    """
    launch = seen.trace.launch[copies].astype(np.int64)
    launch = launch[launch != ABSENT]
    op = nearest(seen.trace, launch, seen.trace.category == Category.CPU_OP)
    by_op = np.isin(stalls.op, op[op != ABSENT])
    return np.asarray(by_op | np.isin(stalls.call, launch), np.bool_)


def _pageable_copies(seen: Slice, copies: I64, idle_ns: int) -> Iterator[Finding]:
    dur = seen.trace.dur[copies]
    cost = int(dur.sum()) + idle_ns
    severity = severity_of(seen, cost)
    if severity is None or not len(copies):
        return
    yield Finding(
        id="pageable-copies",
        severity=severity,
        cost_ns=cost,
        title="{copies:copy/copies} from or to pageable memory, {moved_bytes} together: "
        "{copying_ns} of copying, and the GPU idle for {idle_afterwards_ns} afterwards",
        figures={
            "copies": len(copies),
            "moved_bytes": int(seen.trace.columns.copied_bytes[copies].sum()),
            "copying_ns": int(dur.sum()),
            "idle_afterwards_ns": idle_ns,
        },
        evidence=costliest(copies, dur),
        advice="Pin the host memory (pin_memory=True in the DataLoader or on the tensor) and "
        "copy with non_blocking=True.",
    )


def _synchronisation(seen: Slice, stalls: _Stalls) -> Iterator[Finding]:
    cost = int(stalls.length.sum())
    severity = severity_of(seen, cost)
    if severity is None:
        return
    calls, idle = stalls.by_call()
    figures = {"waits": len(calls), "idle_afterwards_ns": cost}
    title = "GPU idle for {idle_afterwards_ns} after the host had waited for it ({waits:wait/waits}"
    steps = seen.analysed.steps
    if len(steps):
        time = seen.trace.start[calls]
        at = span_at(steps.start, steps.end - 1, time)
        inside = at != ABSENT
        figures |= {"steps_with_waits": len(np.unique(at[inside])), "steps": len(steps)}
        title += ", in {steps_with_waits} of {steps:step/steps}"
    yield Finding(
        id="sync-stalls",
        severity=severity,
        cost_ns=cost,
        title=title + "); the most after {op}",
        figures=figures,
        evidence=costliest(calls, idle),
        advice="Read values from the GPU later, together and less often (.item(), .cpu(), "
        "nonzero and print wait for it); keep flags and losses on the device.",
        names={"op": _costliest_place(seen, stalls)},
    )


def _costliest_place(seen: Slice, stalls: _Stalls) -> str:
    """The name of the op, else of the call, under which most idle time came about."""
    trace = seen.trace
    place = np.where(stalls.op != ABSENT, stalls.op, stalls.call)
    names, which = np.unique(trace.name[place], return_inverse=True)
    idle = sums(which, stalls.length, len(names))
    return trace.names[int(names[np.argmax(idle)])]


def steady_allocation(seen: Slice) -> Iterator[Finding]:
    """Device or pinned memory allocated or freed after the first step, the GPU idle.

    The cost is the length of the gaps of which such calls took the largest part: they
    drain the queue too. It counts against the span after the first step.
    """
    if len(seen.analysed.steps) < 2:
        return
    trace, since, until = (
        seen.trace,
        int(seen.analysed.steps.start[1]),
        int(seen.analysed.steps.end.max()),
    )
    cost = whole = 0
    for device, causes in zip(seen.devices, seen.causes, strict=True):
        whole += max(0, min(device.end, until) - max(device.start, since))
        gaps = causes.gaps
        later = (gaps.start >= since) & (gaps.start < until)
        cost += int(gaps.length[later & (causes.main == Cause.MEMORY)].sum())
    severity = severity_of(seen, cost, whole)
    if severity is None:
        return
    calls = np.flatnonzero(seen.analysed.finder.host.kinds == CallKind.MEMORY)
    calls = calls[(trace.start[calls] >= since) & (trace.start[calls] < until)]
    dur = trace.dur[calls]
    yield Finding(
        id="steady-allocation",
        severity=severity,
        cost_ns=cost,
        title="Allocating and freeing memory after the first step ({calls:call/calls}, "
        "{in_calls_ns} in all) left the GPU idle for {idle_ns}",
        figures={"calls": len(calls), "in_calls_ns": int(dur.sum()), "idle_ns": cost},
        evidence=costliest(calls, dur),
        advice="A warm allocator serves from its cache: look for empty_cache(), growing shapes "
        "and memory near its limit; expandable_segments:True lowers fragmentation.",
    )
