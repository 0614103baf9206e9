"""Findings about a GPU that stands idle, and about launches that cannot keep it busy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.model import Finding, recorded, severity_of
from attntui.analysis.findings.thresholds import EVIDENCE_MOST
from attntui.analysis.gap_causes import Cause
from attntui.analysis.idle import DeviceIdle
from attntui.analysis.queue_depth import launch_bound
from attntui.analysis.scope import Range
from attntui.trace.model import I64, Category, Trace

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

# How each cause reads in a sentence, and what to try against it.
_CAUSES: dict[Cause, tuple[str, str]] = {
    Cause.SYNC: (
        "while the host waited in synchronise calls",
        "Let the host run ahead: drop synchronise calls, read values later and less often.",
    ),
    Cause.COPY: (
        "while the host waited in blocking copies",
        "Pin the host memory (pin_memory=True) and copy with non_blocking=True.",
    ),
    Cause.MEMORY: (
        "while the host allocated or freed memory",
        "Reuse buffers and warm the allocator up; look at who empties its cache.",
    ),
    Cause.MODULE_LOAD: (
        "while code was loaded or compiled",
        "Warm up before the work that counts: code is loaded and compiled at first use.",
    ),
    Cause.DATA_LOADING: (
        "while the host waited for the data loader",
        "Give the DataLoader more workers, pinned memory and a longer prefetch.",
    ),
    Cause.RUNTIME: (
        "in runtime calls before the launch",
        "See which calls stand before the launches; a CUDA graph replays without them.",
    ),
    Cause.DISPATCH: (
        "while the host dispatched CPU ops",
        "Give the GPU more work an op (larger batch, fused ops), or let torch.compile or a "
        "CUDA graph take the dispatch away.",
    ),
    Cause.PYTHON: (
        "while the host ran Python code",
        "Look at the Python frames over the gaps; torch.compile or a CUDA graph skips them. "
        "Recording stacks slows Python itself down.",
    ),
    Cause.UNRECORDED: (
        "while the host ran code that the trace does not record",
        "Record stacks (with_stack=True) to see which Python code runs between the ops.",
    ),
    Cause.LAUNCH_CALL: (
        "inside launch calls",
        "Launch fewer kernels: fuse ops, or replay a CUDA graph.",
    ),
    Cause.QUEUED: (
        "between kernels that were already launched",
        "Launch fewer, longer kernels: every kernel costs the GPU a moment to begin.",
    ),
    Cause.WAIT_EVENT: (
        "while a stream waited for another's event",
        "Look at what the other stream runs until then; wait later, or split its work.",
    ),
    Cause.GRAPH: (
        "between the kernels of one CUDA graph",
        "Fuse the graph's kernels; each costs the GPU a moment to begin.",
    ),
    Cause.UNKNOWN: (
        "without a recorded launch that would explain it",
        "Wait for the GPU and begin recording before the launches.",
    ),
}


_NO_CPU_SIDE = (
    "Record the CPU side too (ProfilerActivity.CPU): without it the trace cannot tell what the "
    "host did meanwhile."
)
_BEYOND_STACKS = (
    "Stacks were recorded, and no frame or op ran then: look at native extensions and at other "
    "processes with a profiler of the host."
)


def _advice(trace: Trace, cause: Cause) -> str:
    """What to try against a cause. What to record depends on what was recorded already."""
    if cause in (Cause.UNRECORDED, Cause.UNKNOWN) and not recorded(trace, Category.CPU_OP):
        return _NO_CPU_SIDE
    if cause is Cause.UNRECORDED and recorded(trace, Category.PYTHON_FUNCTION):
        return _BEYOND_STACKS
    return _CAUSES[cause][1]


def gpu_idle(seen: Slice) -> Iterator[Finding]:
    """The whole idle time of all devices, with its main cause."""
    cost = sum(device.idle_ns for device in seen.devices)
    severity = severity_of(seen, cost)
    if severity is None:
        return
    by_cause = {cause: sum(c.by_cause()[cause] for c in seen.causes) for cause in Cause}
    main = max(by_cause, key=by_cause.__getitem__)
    words, advice = _CAUSES[main][0], _advice(seen.trace, main)
    yield Finding(
        id="gpu-idle",
        severity=severity,
        cost_ns=cost,
        title="GPU idle for {idle_ns} of {span_ns} ({of_span_share}), {main_cause_ns} of that "
        "{cause}",
        figures={
            "idle_ns": cost,
            "span_ns": seen.span_ns,
            "of_span_share": cost / seen.span_ns,
            "main_cause_ns": by_cause[main],
        },
        evidence=_longest_gaps(seen.devices),
        advice=advice,
        names={"cause": words},
    )


_APART = (Cause.DATA_LOADING, Cause.MODULE_LOAD, Cause.WAIT_EVENT)
"""Causes that are findings of their own: none of the other findings is about them."""


def idle_of_a_cause(seen: Slice) -> Iterator[Finding]:
    """Idle time with a cause that has its own remedy. The cost is that cause's idle time."""
    for cause in _APART:
        cost = sum(causes.by_cause()[cause] for causes in seen.causes)
        severity = severity_of(seen, cost)
        if severity is None:
            continue
        words, advice = _CAUSES[cause]
        gaps = [causes.gaps.take(causes.split[:, cause] > 0) for causes in seen.causes]
        part = [causes.split[causes.split[:, cause] > 0, cause] for causes in seen.causes]
        yield Finding(
            id=f"idle-{cause.name.lower().replace('_', '-')}",
            severity=severity,
            cost_ns=cost,
            title="GPU idle for {idle_ns} {cause}, in {gaps:gap/gaps}",
            figures={"idle_ns": cost, "gaps": sum(map(len, gaps))},
            evidence=_ranges(
                np.concatenate([g.start for g in gaps]),
                np.concatenate([g.end for g in gaps]),
                np.concatenate(part),
            ),
            advice=advice,
            names={"cause": words},
        )


def _longest_gaps(idle: tuple[DeviceIdle, ...]) -> tuple[Range, ...]:
    start = np.concatenate([device.gaps.start for device in idle])
    length = np.concatenate([device.gaps.length for device in idle])
    return _ranges(start, start + length, length)


def _ranges(start: I64, end: I64, cost: I64) -> tuple[Range, ...]:
    order = np.argsort(-cost, kind="stable")[:EVIDENCE_MOST]
    return tuple(map(Range, start[order].tolist(), end[order].tolist()))


def launches_too_slow(seen: Slice) -> Iterator[Finding]:
    """Stretches in which every operation found its device drained when it was launched."""
    stretches = [launch_bound(seen.trace, device) for device in seen.devices]
    start = np.concatenate([s.start for s in stretches] or [seen.gpu_ops[:0]])
    end = np.concatenate([s.end for s in stretches] or [seen.gpu_ops[:0]])
    busy = np.concatenate([s.busy_ns for s in stretches] or [seen.gpu_ops[:0]])
    gpu_ops = sum(int(s.gpu_ops.sum()) for s in stretches)
    idle = end - start - busy
    cost = int(idle.sum())
    severity = severity_of(seen, cost)
    if severity is None:
        return
    yield Finding(
        id="launch-bound",
        severity=severity,
        cost_ns=cost,
        title="Launch-bound: {operations} operations of {mean_operation_ns} on average found the "
        "GPU drained, in {stretches:stretch/stretches}; {idle_ns} of the GPU's idle time lies "
        "between them",
        figures={
            "operations": gpu_ops,
            "mean_operation_ns": round(int(busy.sum()) / gpu_ops),
            "stretches": len(start),
            "idle_ns": cost,
        },
        evidence=_ranges(start, end, idle),
        advice="The host cannot launch as fast as the GPU works. Replay a CUDA graph "
        "(torch.compile with mode='reduce-overhead'), fuse ops, or batch more work.",
    )
