"""Notes on what the trace lacks, and how to record it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.model import Evidence, Finding, Severity, costliest
from attntui.analysis.findings.thresholds import SEEN_SHARE
from attntui.analysis.named import holding, is_named
from attntui.analysis.recorded import (
    NoGpu,
    accelerator_events,
    counted_ranges,
    host_recorded,
    launch_calls,
    recorded_by,
    why_no_gpu,
)
from attntui.analysis.runtime_calls import GRAPH_LAUNCH
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Category, Trace
from attntui.trace.stretch import OUTSIDE

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_NO_GPU = "No GPU operation was recorded"


def lacking(seen: Slice) -> Iterator[Finding]:
    """What was not recorded: the GPU side, the CPU side, launches, shapes, a known device."""
    trace = seen.trace
    source = recorded_by(trace)
    foreign = accelerator_events(trace)
    if source is not None:
        yield _foreign(source)
        return
    if len(foreign):
        yield _other_accelerator(trace, foreign)
    elif (why := why_no_gpu(trace)) is not None:
        yield _blaming_the_file(trace, _no_gpu(trace, why))
    if len(seen.gpu_ops):
        yield from _lacking_of_gpu_work(seen)


def _foreign(source: str) -> Finding:
    note = _note(
        "foreign",
        "Recorded by {source}: lanes and the time of streams are shown; no op, launch or shape is "
        "known",
        "Read lanes, kernels and idle time here, and what else that tool tells in its own viewer.",
    )
    return replace(note, names={"source": source})


def _no_gpu(trace: Trace, why: NoGpu) -> Finding:
    if why is NoGpu.RANGES:
        ranges = counted_ranges(trace)
        return _note(
            "range-profile",
            _NO_GPU + ", but {ranges:range/ranges} with counters of the device: a range profile",
            "The counters stand in each range's args; a range's place in time is not a "
            "kernel's. Record without profiler_metrics for kernels, idle time and causes.",
            evidence=costliest(ranges, trace.dur[ranges]),
            ranges=len(ranges),
        )
    if why is NoGpu.LOST:
        calls = launch_calls(trace)
        return _note(
            "lost-gpu",
            _NO_GPU
            + ", though {launch_calls:call/calls} launched some: the GPU's records are lost",
            "Let the profiler finish before the program ends, record fewer steps, and see that "
            "no other tool holds the GPU's profiler. While a CUDA graph is captured nothing runs.",
            evidence=costliest(calls, trace.dur[calls]),
            launch_calls=len(calls),
        )
    return _note(
        "no-gpu",
        _NO_GPU + ", nor a call that launches any: this is the CPU alone",
        "If a GPU was in use, record with activities=[ProfilerActivity.CPU, "
        "ProfilerActivity.CUDA], on a machine whose driver lets the profiler read it.",
    )


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
    if not host_recorded(trace):
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
    elif ops.any() and not (trace.columns.inputs[ops] != ABSENT).any():
        yield _note(
            "no-shapes",
            "No shapes were recorded: work, rates and bounds are not known",
            "Record with record_shapes=True.",
        )
    yield from _in_graphs(seen)
    yield from _without_launch(seen)
    yield from _launching_nothing(seen)
    if seen.analysed.peaks is None:
        yield _note(
            "unknown-roofs",
            "The roofs of this device are not known: rates come without a share of a peak",
            "Give them with --peak-bw and --peak-tflops, or record with measured ceilings.",
        )


def _in_graphs(seen: Slice) -> Iterator[Finding]:
    """The operations of graph replays, where they are much of the work: no op launched them."""
    trace, ops = seen.trace, seen.gpu_ops
    ops = ops[trace.launch[ops] != ABSENT]
    launch = trace.launch[ops].astype(np.int64)
    graph = is_named(trace, launch, GRAPH_LAUNCH)
    ops, launch = ops[graph], np.unique(launch[graph])
    running = int(trace.dur[ops].sum())
    if running < SEEN_SHARE * int(trace.dur[seen.gpu_ops].sum()) or not len(ops):
        return
    yield _note(
        "graph-replays",
        "{in_graphs} of {operations:GPU operation/GPU operations}, {running_ns} in all, ran in "
        "{graph_launches:replay/replays} of a graph: of them no op and no shape is known",
        "To see the op of each kernel, record the same work once without the graph.",
        evidence=costliest(launch, trace.dur[launch]),
        in_graphs=len(ops),
        operations=len(seen.gpu_ops),
        running_ns=running,
        graph_launches=len(launch),
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
            "the GPU before the first recorded step"
            + ("." if host_recorded(seen.trace) else ", and record the CPU side."),
            evidence=costliest(alone, dur),
            without_launch=len(alone),
            operations=len(seen.gpu_ops),
            running_ns=int(dur.sum()),
        ),
    )


def _launching_nothing(seen: Slice) -> Iterator[Finding]:
    """Launches of which no operation is there, unless those are memsets alone: not each of
    them runs on the GPU."""
    trace = seen.trace
    if any(notice.kind == OUTSIDE for notice in trace.notices):
        # Theirs may be among what was not read.
        return
    calls = launch_calls(trace)
    calls = calls[mask_of(len(trace), seen.rows.cpu)[calls]]
    lost = calls[~mask_of(len(trace), trace.launch[trace.gpu_ops_by_launch])[calls]]
    if is_named(trace, lost, holding("emset")).all():
        return
    names = Counter(trace.name_of(row) for row in lost.tolist())
    yield _blaming_the_file(
        trace,
        replace(
            _note(
                "lost-kernels",
                "{lost} of {launch_calls:launch/launches} have no operation on the GPU in the "
                "trace: {kinds}",
                "The GPU's records are lost, or the recording ended before they ran: wait for the "
                "GPU before it ends, and record fewer steps. While a CUDA graph is captured "
                "nothing runs.",
                evidence=costliest(lost, trace.dur[lost]),
                lost=len(lost),
                launch_calls=len(calls),
            ),
            names={"kinds": ", ".join(f"{name} {count:,}" for name, count in names.most_common())},
        ),
    )


def _note(
    name: str, title: str, advice: str, evidence: tuple[Evidence, ...] = (), **figures: int
) -> Finding:
    return Finding(name, Severity.INFO, None, title, figures, evidence, advice)
