"""Notes on what the trace lacks, and how to record it."""

from __future__ import annotations

from collections.abc import Iterator

from attntui.analysis.findings.model import Finding, Observed, Severity, costliest
from attntui.trace.model import ABSENT, Category


def lacking(seen: Observed) -> Iterator[Finding]:
    """What was not recorded: the GPU side, the CPU side, launches, shapes, a known device."""
    trace = seen.trace
    if not len(seen.rows):
        yield _note(
            "no-gpu",
            "No GPU operation was recorded",
            "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], on a machine "
            "whose driver lets the profiler read the GPU.",
        )
        return
    ops = trace.category == Category.CPU_OP
    if not ops.any():
        yield _note(
            "no-cpu-side",
            "No CPU op was recorded: of {operations:GPU operation/GPU operations} no op, shape or "
            "cause is known",
            "Record ProfilerActivity.CPU beside ProfilerActivity.CUDA.",
            operations=len(seen.rows),
        )
    elif not (trace.columns.inputs[ops] != ABSENT).any():
        yield _note(
            "no-shapes",
            "No shapes were recorded: work, rates and bounds are not known",
            "Record with record_shapes=True.",
        )
    yield from _without_launch(seen)
    if seen.peaks is None:
        yield _note(
            "unknown-roofs",
            "The roofs of this device are not known: rates come without a share of a peak",
            "Give them with --peak-bw and --peak-tflops, or record with measured ceilings.",
        )


def _without_launch(seen: Observed) -> Iterator[Finding]:
    alone = seen.rows[seen.trace.launch[seen.rows] == ABSENT]
    if not len(alone):
        return
    dur = seen.trace.dur[alone]
    yield _note(
        "no-launches",
        "Without a launch in the trace: {without_launch} of "
        "{operations:GPU operation/GPU operations}, {running_ns} in all",
        "They were launched before the recording began, or by what was not recorded: wait for "
        "the GPU before the first recorded step, and record the CPU side.",
        evidence=costliest(alone, dur),
        without_launch=len(alone),
        operations=len(seen.rows),
        running_ns=int(dur.sum()),
    )


def _note(
    name: str, title: str, advice: str, evidence: tuple[int, ...] = (), **figures: int
) -> Finding:
    return Finding(name, Severity.INFO, None, title, figures, evidence, advice)
