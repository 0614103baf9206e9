"""Scopes: the part of a trace that every table and figure is restricted to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.attention import AttentionCall
from attntui.analysis.steps import Steps
from attntui.trace.model import ABSENT, I64, Bool, LaneKind, Trace


@dataclass(frozen=True, slots=True)
class Whole:
    """Everything that was recorded."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step, by its index in `Steps`: what was launched in its CPU span on any thread
    of its process, and the CPU events that began there.
    """

    index: int


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotation or CPU op, by its row: what was launched in it on its own thread,
    and the CPU events of that thread that began there.
    """

    row: int


@dataclass(frozen=True, slots=True)
class Range:
    """A stretch of time [start, end) in ns: every event that overlaps it, on any lane.

    Durations of its events are whole, not cut at its ends.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Call:
    """One attention call, by its index in the analysed trace's `attention`: its GPU
    operations, and the CPU events of its thread that began in its time there.
    """

    index: int


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a comparison: the `index`-th annotation of a label, step, call, or all."""

    label: str
    index: int


Scope = Whole | Step | Annotation | Range | Call

WHOLE = Whole()


@dataclass(frozen=True, slots=True)
class ScopeRows:
    """What a scope holds: rows of GPU operations and of events on CPU lanes, ascending.

    `start` and `end` frame the scope in time.
    """

    gpu: I64
    cpu: I64
    start: int
    end: int


def scope_rows(trace: Trace, scope: Whole | Step | Annotation | Range, steps: Steps) -> ScopeRows:
    """The rows that a scope holds; those of an attention call `call_rows` has.

    Raises IndexError for a step or row that the trace does not have.
    """
    cpu = _on_cpu_lanes(trace)
    if isinstance(scope, Whole):
        return ScopeRows(trace.gpu_ops, np.flatnonzero(cpu), *trace.span)
    if isinstance(scope, Range):
        inside = (trace.start < scope.end) & (trace.end > scope.start)
        # An event without length overlaps the range that holds its instant.
        inside |= (trace.dur == 0) & (trace.start >= scope.start) & (trace.start < scope.end)
        gpu = trace.gpu_ops[inside[trace.gpu_ops]]
        return ScopeRows(gpu, np.flatnonzero(cpu & inside), scope.start, scope.end)
    row = int(steps.rows[scope.index]) if isinstance(scope, Step) else scope.row
    start, end = int(trace.start[row]), int(trace.end[row])
    lanes = _lanes_of(trace, int(trace.lane[row]), whole_process=isinstance(scope, Step))
    if isinstance(scope, Step):
        gpu = steps.owned(scope.index)
    else:
        gpu = _launched_on(trace, lanes, start, end)
    first, stop = np.searchsorted(trace.start, [start, end]).tolist()
    # Of rows with the same start the earlier ones lie outside an op or annotation.
    first = row if isinstance(scope, Annotation) else first
    began = np.arange(first, max(stop, row + 1))
    began = began[cpu[began] & lanes[trace.lane[began]]]
    return ScopeRows(gpu, began, start, end)


def call_rows(trace: Trace, call: AttentionCall) -> ScopeRows:
    """The rows of one attention call, framed by its time on the host, else on the GPU."""
    gpu = call.gpu_rows
    if call.start is None or call.end is None or call.lane is None:
        start, end = int(trace.start[gpu].min(initial=0)), int(trace.end[gpu].max(initial=0))
        return ScopeRows(gpu, gpu[:0], start, end)
    first, stop = np.searchsorted(trace.start, [call.start, call.end]).tolist()
    first = first if call.op is None else call.op
    began = np.arange(first, max(stop, first), dtype=np.int64)
    return ScopeRows(gpu, began[trace.lane[began] == call.lane], call.start, call.end)


def _on_cpu_lanes(trace: Trace) -> Bool:
    """Which rows lie on CPU lanes."""
    kind = np.array([lane.kind == LaneKind.CPU for lane in trace.lanes], np.bool_)
    return np.asarray(kind[trace.lane], np.bool_)


def _lanes_of(trace: Trace, lane: int, whole_process: bool) -> Bool:
    """Which lanes a scope on `lane` reaches: that one, or all of its process."""
    own = trace.lanes[lane]
    reached = [other is own or (whole_process and other.pid == own.pid) for other in trace.lanes]
    return np.array(reached, np.bool_)


def _launched_on(trace: Trace, lanes: Bool, start: int, end: int) -> I64:
    """GPU operations, by start, whose launch began in [start, end] on one of `lanes`."""
    ops = trace.gpu_ops
    ops = ops[trace.launch[ops] != ABSENT]
    launch = trace.launch[ops]
    time = trace.start[launch]
    chosen: I64 = ops[lanes[trace.lane[launch]] & (time >= start) & (time <= end)]
    return chosen
