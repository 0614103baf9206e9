"""What is selected, as one value that every pane draws from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention import AttentionCall
from attntui.analysis.gap_list import GapList
from attntui.analysis.scope import Range, Step
from attntui.trace.model import Trace


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing is selected."""


@dataclass(frozen=True, slots=True)
class EventAt:
    """One event, by its row in the trace."""

    row: int


@dataclass(frozen=True, slots=True)
class GapAt:
    """One gap [start, end) in ns, of a device, or of one stream of it (else ABSENT)."""

    device: int
    stream: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CallAt:
    """One attention call, by its index in the analysed trace's `attention`."""

    index: int


@dataclass(frozen=True, slots=True)
class RoleAt:
    """One GPU operation as a part of an attention call: the call's index, the operation's row."""

    call: int
    row: int


@dataclass(frozen=True, slots=True)
class FindingAt:
    """One line of the overview: `key` names it in any scope, `place` is where it leads."""

    key: str
    place: EventAt | GapAt | Range | None = None


Selection = Nothing | EventAt | GapAt | CallAt | RoleAt | FindingAt | Step | Range
"""`Step` and `Range` are those of scopes."""

NOTHING = Nothing()


def call_span(trace: Trace, call: AttentionCall) -> tuple[int, int]:
    """Where a call is shown: its time on the GPU, else on the host, in ns."""
    if call.gpu_ops:
        return int(trace.start[call.gpu_rows].min()), int(trace.end[call.gpu_rows].max())
    return host_span(call) or (0, 0)


def host_span(call: AttentionCall) -> tuple[int, int] | None:
    """A call's time on its thread, in ns; None where no op tells of it."""
    return None if call.start is None or call.end is None else (call.start, call.end)


def call_event(call: AttentionCall) -> int | None:
    """The row that stands for a call: its op, else its first GPU operation."""
    if call.op is not None:
        return call.op
    return int(call.gpu_rows[0]) if call.gpu_ops else None


def call_of(analysed: AnalysedTrace, selected: Selection) -> AttentionCall | None:
    """The attention call that is selected, in whole or in one of its roles."""
    if isinstance(selected, CallAt):
        return analysed.attention[selected.index]
    return analysed.attention[selected.call] if isinstance(selected, RoleAt) else None


def event_of(analysed: AnalysedTrace, selected: Selection) -> int | None:
    """The row of the event that is selected, or that stands for what is; None without one."""
    if isinstance(selected, EventAt | RoleAt):
        return selected.row
    if isinstance(selected, CallAt):
        return call_event(analysed.attention[selected.index])
    if isinstance(selected, Step):
        return int(analysed.steps.rows[selected.index])
    if isinstance(selected, FindingAt) and isinstance(selected.place, EventAt):
        return selected.place.row
    return None


def span_of(analysed: AnalysedTrace, selected: Selection) -> tuple[int, int] | None:
    """The stretch [start, end) in ns that is selected; None where nothing is."""
    trace = analysed.trace
    if isinstance(selected, GapAt | Range):
        return selected.start, selected.end
    if isinstance(selected, EventAt | RoleAt):
        return int(trace.start[selected.row]), int(trace.end[selected.row])
    if isinstance(selected, CallAt):
        return call_span(trace, analysed.attention[selected.index])
    if isinstance(selected, Step):
        return step_span(analysed, selected.index)
    if isinstance(selected, FindingAt) and selected.place is not None:
        return span_of(analysed, selected.place)
    return None


def step_span(analysed: AnalysedTrace, index: int) -> tuple[int, int]:
    """From a step's start on the host to its end there, or that of its last GPU operation."""
    steps = analysed.steps
    owned = steps.owned(index)
    end = int(np.max(analysed.trace.end[owned], initial=steps.end[index]))
    return int(steps.start[index]), end


def gap_at(gaps: GapList, number: int) -> GapAt:
    """A gap of a list as what can be selected."""
    device, stream = int(gaps.device[number]), int(gaps.stream[number])
    return GapAt(device, stream, int(gaps.start[number]), int(gaps.end[number]))


def stretch(analysed: AnalysedTrace, start: int, end: int) -> GapAt | Range:
    """A stretch of time: the gap of a device that it is, else a range."""
    gaps = analysed.whole.gaps
    number = gaps.number_of(None, start, end)
    if number is None:
        return Range(start, end)
    return gap_at(gaps, number)
