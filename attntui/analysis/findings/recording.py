"""Notes on what the trace lacks, and how to record it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.model import Evidence, Finding, Severity, costliest
from attntui.trace.model import ABSENT, I64, Category, Trace

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_ACCELERATORS = ("mtia", "hpu", "xpu", "privateuse1", "glow")
"""How the raw categories of accelerators begin in the files of PyTorch's profiler, besides
those that go by the names of GPU operations (`kernel`, `gpu_memcpy`, `gpu_memset`).
"""

_NO_GPU = "No GPU operation was recorded"


def lacking(seen: Slice) -> Iterator[Finding]:
    """What was not recorded: the GPU side, the CPU side, launches, shapes, a known device."""
    trace = seen.trace
    foreign = _foreign(trace)
    if len(foreign):
        yield _other_accelerator(trace, foreign)
    elif not len(trace.gpu_ops):
        yield _blaming_the_file(
            trace,
            _note(
                "no-gpu",
                _NO_GPU,
                "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], on a "
                "machine whose driver lets the profiler read the GPU.",
            ),
        )
    if len(seen.gpu_ops):
        yield from _lacking_of_gpu_work(seen)


def _foreign(trace: Trace) -> I64:
    """Rows of accelerator events that are neither GPU operations nor host calls."""
    raw = [
        i for i, word in enumerate(trace.raw_categories) if word.lower().startswith(_ACCELERATORS)
    ]
    own = np.isin(trace.columns.raw_category, raw)
    return np.flatnonzero(own & (trace.category == Category.OTHER))


def _other_accelerator(trace: Trace, rows: I64) -> Finding:
    words = (trace.raw_categories[i] for i in np.unique(trace.columns.raw_category[rows]).tolist())
    note = _note(
        "other-accelerator",
        "{events:event/events} of another accelerator ({categories}): shown in lanes, not analysed",
        "Busy time, gaps, kernels and attention are told of GPU operations (kernels, copies and "
        "memsets) alone. Look at these events in the timeline, and at CPU time by op.",
        evidence=costliest(rows, trace.dur[rows]),
        events=len(rows),
    )
    note = replace(note, names={"categories": ", ".join(sorted(words))})
    if len(trace.gpu_ops):
        return note
    return _blaming_the_file(trace, replace(note, title=f"{_NO_GPU}. {note.title}"))


def _blaming_the_file(trace: Trace, note: Finding) -> Finding:
    """The note, after the file where it is cut or damaged: what lacks may have been in it."""
    kinds = {notice.kind for notice in trace.notices}
    if not kinds & {"truncated", "damaged"}:
        return note
    state = "cut off" if "truncated" in kinds else "damaged"
    return replace(
        note,
        title=f"The file is {state}, and what is missing may be missing for that: "
        f"{note.title[0].lower()}{note.title[1:]}",
        advice="Get the whole file first: let the profiler finish writing it, then copy it again. "
        f"If that is not it: {note.advice}",
    )


def _lacking_of_gpu_work(seen: Slice) -> Iterator[Finding]:
    trace = seen.trace
    ops = trace.category == Category.CPU_OP
    if not ops.any():
        yield _blaming_the_file(
            trace,
            _note(
                "no-cpu-side",
                "No CPU op was recorded: of {operations:GPU operation/GPU operations} no op, "
                "shape or cause is known",
                "Record ProfilerActivity.CPU beside ProfilerActivity.CUDA.",
                operations=len(seen.gpu_ops),
            ),
        )
    elif not (trace.columns.inputs[ops] != ABSENT).any():
        yield _note(
            "no-shapes",
            "No shapes were recorded: work, rates and bounds are not known",
            "Record with record_shapes=True.",
        )
    yield from _without_launch(seen)
    if seen.analysed.peaks is None:
        yield _note(
            "unknown-roofs",
            "The roofs of this device are not known: rates come without a share of a peak",
            "Give them with --peak-bw and --peak-tflops, or record with measured ceilings.",
        )


def _without_launch(seen: Slice) -> Iterator[Finding]:
    alone = seen.gpu_ops[seen.trace.launch[seen.gpu_ops] == ABSENT]
    if not len(alone):
        return
    dur = seen.trace.dur[alone]
    yield _blaming_the_file(
        seen.trace,
        _note(
            "no-launches",
            "Without a launch in the trace: {without_launch} of "
            "{operations:GPU operation/GPU operations}, {running_ns} in all",
            "They were launched before the recording began, or by what was not recorded: wait for "
            "the GPU before the first recorded step, and record the CPU side.",
            evidence=costliest(alone, dur),
            without_launch=len(alone),
            operations=len(seen.gpu_ops),
            running_ns=int(dur.sum()),
        ),
    )


def _note(
    name: str, title: str, advice: str, evidence: tuple[Evidence, ...] = (), **figures: int
) -> Finding:
    return Finding(name, Severity.INFO, None, title, figures, evidence, advice)
