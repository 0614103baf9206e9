"""The unit that two traces are compared by: one annotation, step, attention call, or all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.annotations import STEP_LABEL
from attntui.analysis.attention_ops import Direction
from attntui.analysis.compare.stretches import extents, turns
from attntui.analysis.groups import sums
from attntui.analysis.launches import outermost, process_of_lanes
from attntui.analysis.owners import owners
from attntui.analysis.steps import profiled_window
from attntui.trace.masks import places_of
from attntui.trace.model import ABSENT, I64, Trace


class UnitKind(Enum):
    """What a unit is."""

    ANNOTATION = "annotation"
    STEP = "step"
    ATTENTION = "attention"
    WINDOW = "window"


@dataclass(frozen=True, slots=True)
class UnitChoice:
    """A kind of unit; `label` is the annotation's, the steps' common name, or words."""

    kind: UnitKind
    label: str


ATTENTION_UNIT = UnitChoice(UnitKind.ATTENTION, "attention call")
WINDOW_UNIT = UnitChoice(UnitKind.WINDOW, "whole window")

# Share of the GPU time that an annotation must hold on every side to be chosen: of the
# steps' where there are steps (else it leaves out a backward or an optimizer), and of all
# that was launched where nothing else repeats.
_OF_STEPS = 0.9
_OF_WINDOW = 0.5


@dataclass(frozen=True, slots=True)
class Units:
    """All units of one side in order of time; columns of one length.

    `start` and `end` are on the host (ABSENT where no CPU side was recorded). `gpu_ops`
    are the launched GPU operations by start, `owner` the unit of each, ABSENT for none.
    `begun` and `ended` are on the device, from where a unit's span counts to the end of its
    last operation, ABSENT where it launched nothing: see `turns` for steps, else they are its
    first and last operation's. `gpu_ns` are sums of durations, `count` numbers of operations.
    `row` is the annotation that a unit is, else ABSENT.
    """

    choice: UnitChoice
    start: I64
    end: I64
    row: I64
    gpu_ops: I64
    owner: I64
    begun: I64
    ended: I64
    gpu_ns: I64
    count: I64

    def __len__(self) -> int:
        return len(self.start)

    def rows(self, index: int) -> I64:
        """The GPU operations of one unit, by start."""
        rows: I64 = self.gpu_ops[self.owner == index]
        return rows

    @property
    def working(self) -> I64:
        """Units that launched something, or all where none did."""
        some = np.flatnonzero(self.count)
        return some if len(some) else np.arange(len(self))

    @property
    def span_ns(self) -> I64:
        """The wall time of each unit: on the device, or on the host where none of the units
        launched anything.
        """
        return self.ended - self.begun if self.count.any() else self.end - self.start

    def representative(self) -> int:
        """The unit whose GPU time is the lower median of those that launched something, equal
        ones in order of time. Where none did, that of the lower median host time.
        """
        units = self.working
        size = self.gpu_ns[units] if self.count.any() else (self.end - self.start)[units]
        return int(units[np.argsort(size, kind="stable")[(len(units) - 1) // 2]])


def find_units(analysed: AnalysedTrace, choice: UnitChoice) -> Units:
    """The units of a kind. An annotation owns what was launched in it on its own thread, a
    step what was launched in it on any thread of its process; what has no launch, as the
    warm-up's kernels, is in no unit.
    """
    trace = analysed.trace
    if choice.kind is UnitKind.STEP:
        steps = analysed.steps
        return _units(trace, choice, steps.start, steps.end, steps.rows, steps.owner, steps.gpu_ops)
    ops = analysed.launchable
    if choice.kind is UnitKind.ANNOTATION:
        rows = _instances(analysed, choice.label)
        thread = np.arange(len(trace.lanes), dtype=np.int64)
        owner = owners(trace, rows, ops, thread)
        return _units(trace, choice, trace.start[rows], trace.end[rows], rows, owner, ops)
    if choice.kind is UnitKind.ATTENTION:
        calls = _calls(analysed)
        # One entry more than calls: the last, ABSENT, is what ABSENT itself looks up.
        owner = places_of(len(analysed.attention) + 1, calls)[analysed.call_of[ops]]
        told = [analysed.attention[index] for index in calls]
        start = np.array([ABSENT if c.start is None else c.start for c in told], np.int64)
        end = np.array([ABSENT if c.end is None else c.end for c in told], np.int64)
        rows = np.full(len(calls), ABSENT, np.int64)
        return _units(trace, choice, start, end, rows, owner, ops)
    start, end = (np.array([edge], np.int64) for edge in profiled_window(trace, analysed.steps))
    none = np.full(1, ABSENT, np.int64)
    return _units(trace, choice, start, end, none, np.zeros(len(ops), np.int64), ops)


def _units(
    trace: Trace, choice: UnitChoice, start: I64, end: I64, row: I64, owner: I64, ops: I64
) -> Units:
    owned = owner != ABSENT
    gpu_ns = sums(owner[owned], trace.dur[ops[owned]], len(start))
    count = np.bincount(owner[owned], minlength=len(start)).astype(np.int64)
    begun, ended = extents(trace, ops, owner, len(start))
    if choice.kind is UnitKind.STEP:
        begun = turns(begun, ended, start, process_of_lanes(trace)[trace.lane[row]])
    return Units(choice, start, end, row, ops, owner, begun, ended, gpu_ns, count)


def _instances(analysed: AnalysedTrace, label: str) -> I64:
    """The annotations with a label, by start; none inside another of them."""
    found = analysed.annotations
    if label not in found.labels:
        return np.zeros(0, np.int64)
    return outermost(analysed.trace, found.rows[found.instances(found.labels.index(label))])


def _calls(analysed: AnalysedTrace) -> list[int]:
    """Indices of the forward attention calls, or of all where none is forward."""
    calls = analysed.attention
    forward = [i for i, call in enumerate(calls) if call.direction is Direction.FORWARD]
    return forward or list(range(len(calls)))


def available(traces: Sequence[AnalysedTrace]) -> tuple[UnitChoice, ...]:
    """The units that all of `traces` have, the automatic one first.

    The automatic one is, in this order: an annotation with one label in all that holds at
    least nine tenths of the GPU time of the steps of each (or half of all that was
    launched, where there are no steps), the one that lasts longest on the host of several;
    the profiler's steps, or what repeats like them; attention calls; the whole window.
    """
    labels = set.intersection(*(set(s.annotations.labels) for s in traces)) - {STEP_LABEL}
    lasts = {label: sum(_host_ns(analysed, label) for analysed in traces) for label in labels}
    longest = sorted(labels, key=lambda label: (-lasts[label], label))
    choices = [UnitChoice(UnitKind.ANNOTATION, label) for label in longest]
    first = next((c for c in choices if all(_holds_most(s, c) for s in traces)), None)
    found = [] if first is None else [first]
    if all(len(s.steps) for s in traces):
        names = dict.fromkeys(s.steps.family or "step" for s in traces)
        found.append(UnitChoice(UnitKind.STEP, " / ".join(names)))
    if all(s.attention for s in traces):
        found.append(ATTENTION_UNIT)
    found.append(WINDOW_UNIT)
    return (*found, *(choice for choice in choices if choice is not first))


def _host_ns(analysed: AnalysedTrace, label: str) -> int:
    found = analysed.annotations
    return int(found.cpu_ns[found.instances(found.labels.index(label))].sum())


def _holds_most(analysed: AnalysedTrace, choice: UnitChoice) -> bool:
    """Whether an annotation holds so much of the GPU time that little is left out."""
    trace, steps = analysed.trace, analysed.steps
    whole, share = analysed.launchable, _OF_WINDOW
    if len(steps):
        whole, share = steps.gpu_ops[steps.owner != ABSENT], _OF_STEPS
    total = int(trace.dur[whole].sum())
    return total > 0 and int(find_units(analysed, choice).gpu_ns.sum()) >= share * total
