"""Why a device stood idle: every gap's time split by cause, and what drained the queue.

Let N be the operation that ends a gap, and L the call that launched it. Until L began the
host was late, and each instant goes to what the launching thread was doing. Inside L it
is the launch call (or code loading, or a blocking copy). After L ended, N stood in its
queue, held by a stream wait or not. The parts sum to the gap exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from attntui.analysis.climbing import innermost
from attntui.analysis.host_activity import Activity, HostActivity, ThreadActivity, host_activity
from attntui.analysis.idle import Gaps
from attntui.analysis.launches import nearest
from attntui.analysis.named import is_named
from attntui.analysis.runtime_calls import GRAPH_LAUNCH, CallKind, draining_copies
from attntui.analysis.stream_waits import StreamWaits, stream_waits
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I8, I64, Bool, Category, Trace


class Cause(IntEnum):
    """Where the time of a gap went. The first nine are those of `Activity`."""

    SYNC = 0
    COPY = 1
    MEMORY = 2
    MODULE_LOAD = 3
    DATA_LOADING = 4
    RUNTIME = 5
    DISPATCH = 6
    PYTHON = 7
    UNRECORDED = 8
    LAUNCH_CALL = 9
    QUEUED = 10
    WAIT_EVENT = 11
    GRAPH = 12
    UNKNOWN = 13

    @property
    def word(self) -> str:
        """As people read it: `launch call`."""
        return self.name.lower().replace("_", " ")


class Trigger(IntEnum):
    """What drained the queue before a gap."""

    SYNC = 0
    COPY = 1
    WAIT_EVENT = 2
    NONE = 3

    @property
    def word(self) -> str:
        """As people read it: `wait event`."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class GapCauses:
    """The causes of `gaps`, with their evidence; one entry a gap.

    `split` holds ns, shape [gaps, causes]: each row sums to the gap's length. `launch` is
    the row of L, `lane` its thread, `trigger_row` the call behind the trigger, `running`
    the innermost op, annotation or Python frame around the middle of the time before L
    (around L itself where the host was not late); ABSENT where there is none.
    """

    gaps: Gaps
    split: I64
    trigger: I8
    trigger_row: I64
    launch: I64
    lane: I64
    running: I64

    def __len__(self) -> int:
        return len(self.gaps)

    @property
    def main(self) -> I64:
        """The `Cause` with the largest part of each gap; of equal parts the first."""
        return np.asarray(np.argmax(self.split, axis=1), np.int64)

    def by_cause(self) -> dict[Cause, int]:
        """Total ns of each cause over all gaps; they sum to the gaps' whole length."""
        return dict(zip(Cause, self.split.sum(axis=0).tolist(), strict=True))

    def by_trigger(self) -> dict[Trigger, int]:
        """Total length in ns of the gaps with each trigger."""
        length = self.gaps.length
        return {trigger: int(length[self.trigger == trigger].sum()) for trigger in Trigger}

    def take(self, chosen: Bool | I64) -> GapCauses:
        """The gaps that an index array or a mask chooses."""
        return GapCauses(
            self.gaps.take(chosen),
            self.split[chosen],
            self.trigger[chosen],
            self.trigger_row[chosen],
            self.launch[chosen],
            self.lane[chosen],
            self.running[chosen],
        )


def joined(parts: Sequence[GapCauses]) -> GapCauses:
    """The gaps of several devices or streams in one, part after part."""

    def column(values: list[I64]) -> I64:
        return np.concatenate(values) if values else np.zeros(0, np.int64)

    gaps = [part.gaps for part in parts]
    return GapCauses(
        Gaps(
            column([g.start for g in gaps]),
            column([g.length for g in gaps]),
            column([g.before for g in gaps]),
            column([g.after for g in gaps]),
        ),
        np.concatenate([np.zeros((0, len(Cause)), np.int64), *(part.split for part in parts)]),
        np.concatenate([np.zeros(0, np.int8), *(part.trigger for part in parts)]),
        column([part.trigger_row for part in parts]),
        column([part.launch for part in parts]),
        column([part.lane for part in parts]),
        column([part.running for part in parts]),
    )


@dataclass(frozen=True, slots=True)
class CauseFinder:
    """What finding causes needs to know of a trace, made once for any number of gaps."""

    trace: Trace
    host: HostActivity
    waits: StreamWaits
    draining: Bool
    """Which rows are `draining_copies`."""

    def causes(self, gaps: Gaps) -> GapCauses:
        """The causes of gaps of a device or of a stream."""
        trace = self.trace
        launch = trace.launch[gaps.after].astype(np.int64)
        graph = _same_graph(trace, gaps.before, gaps.after)
        told = (launch != ABSENT) & ~graph
        lane = np.where(launch != ABSENT, trace.lane[launch], ABSENT).astype(np.int64)
        split = np.zeros((len(gaps), len(Cause)), np.int64)
        split[graph, Cause.GRAPH] = gaps.length[graph]
        unknown = ~graph & ~told
        split[unknown, Cause.UNKNOWN] = gaps.length[unknown]
        trigger = np.full(len(gaps), Trigger.NONE, np.int8)
        trigger_row = np.full(len(gaps), ABSENT, np.int64)
        running = np.full(len(gaps), ABSENT, np.int64)

        at = np.flatnonzero(told)
        call = launch[at]
        # The three stretches of a gap: before L, inside L, after L.
        began = np.clip(trace.start[call], gaps.start[at], gaps.end[at])
        ended = np.clip(trace.end[call], began, gaps.end[at])
        self._inside_launch(split, at, call, began, ended)
        held_by, held_until = self.waits.holding(gaps.after[at], gaps.end[at])
        held = np.clip(held_until, ended, gaps.end[at]) - ended
        split[at, Cause.WAIT_EVENT] = held
        split[at, Cause.QUEUED] = gaps.end[at] - ended - held
        for number in np.unique(lane[at]).tolist():
            here = np.flatnonzero(lane[at] == number)
            own = at[here]
            thread = self.host.thread(number)
            late_from, late_to = gaps.start[own], began[here]
            split[own, : len(Activity)] += thread.split(late_from, late_to)
            running[own] = _running(self.host, thread, (late_from, late_to), call[here])
            trigger[own], trigger_row[own] = self._blocking(thread, gaps.take(own), call[here])
        # A stream wait takes effect in the queue, however early the host asked for it.
        last = trigger_row[at]
        later = (last == ABSENT) | (trace.end[held_by] > trace.end[last])
        waited = (held_by != ABSENT) & (ended < gaps.end[at]) & later
        trigger[at[waited]] = Trigger.WAIT_EVENT
        trigger_row[at[waited]] = held_by[waited]
        return GapCauses(gaps, split, trigger, trigger_row, launch, lane, running)

    def _inside_launch(self, split: I64, at: I64, call: I64, began: I64, ended: I64) -> None:
        loading = self.host.loading.covered(began, ended)
        blocking = self.host.kinds[call] == CallKind.COPY
        rest = ended - began - loading
        split[at, Cause.MODULE_LOAD] += loading
        split[at, Cause.COPY] += np.where(blocking, rest, 0)
        split[at, Cause.LAUNCH_CALL] += np.where(blocking, 0, rest)

    def _blocking(self, thread: ThreadActivity, gaps: Gaps, call: I64) -> tuple[I8, I64]:
        """What of the thread's calls drained the queue before each gap: trigger and row.

        It is the last blocking call that returned before the gap's launch began and after
        the operation before the gap had begun. A copy that drains its stream before it
        stages (`draining_copies`) is the trigger of the gap that it ends, if it began
        before the gap, and takes the place of the synchronise that ends the copying op.
        """
        trace, rows = self.trace, thread.rows
        kinds = self.host.kinds[rows]
        blocking = rows[(kinds == CallKind.SYNC) | (kinds == CallKind.COPY)]
        trigger = np.full(len(gaps), Trigger.NONE, np.int8)
        row = np.full(len(gaps), ABSENT, np.int64)
        if len(blocking):
            given = rows[(kinds == CallKind.LAUNCH) | (kinds == CallKind.COPY)]
            blocking = blocking[np.argsort(trace.end[blocking], kind="stable")]
            last = np.searchsorted(trace.end[blocking], trace.start[call], side="right") - 1
            drained = blocking[np.maximum(last, 0)]
            found = (last >= 0) & (trace.end[drained] > trace.start[gaps.before])
            row[found] = self._waited_for(drained[found], given)
        early = self.draining[call] & (trace.start[call] < gaps.start)
        row[early] = call[early]
        told = row != ABSENT
        is_sync = self.host.kinds[row[told]] == CallKind.SYNC
        trigger[told] = np.where(is_sync, Trigger.SYNC, Trigger.COPY)
        return trigger, row

    def _waited_for(self, blocking: I64, given: I64) -> I64:
        """The calls themselves; for a synchronise that had but a staged copy of its own op
        to wait for, the copy. `given` are the thread's calls that gave work to a device.
        """
        if not len(given):
            return blocking
        last = np.searchsorted(given, blocking) - 1
        copy = given[np.maximum(last, 0)]
        op = self.trace.parent[copy]
        only = (last >= 0) & (self.host.kinds[blocking] == CallKind.SYNC) & self.draining[copy]
        only &= (op != ABSENT) & (op == self.trace.parent[blocking])
        only &= self.trace.category[op] == Category.CPU_OP
        return np.where(only, copy, blocking)


def cause_finder(trace: Trace) -> CauseFinder:
    """Prepare to find the causes of gaps in `trace`."""
    host = host_activity(trace)
    draining = mask_of(len(trace), draining_copies(trace))
    return CauseFinder(trace, host, stream_waits(trace, host.kinds), draining)


def _same_graph(trace: Trace, a: I64, b: I64) -> Bool:
    """Whether one launch of a graph launched both operations of each pair."""
    launch = trace.launch[a].astype(np.int64)
    same = np.flatnonzero((launch == trace.launch[b]) & (launch != ABSENT))
    return mask_of(len(a), same[is_named(trace, launch[same], GRAPH_LAUNCH)])


def _running(host: HostActivity, thread: ThreadActivity, late: tuple[I64, I64], call: I64) -> I64:
    """The innermost op, annotation or frame at the middle of each late stretch, or around
    the call where there is none.
    """
    trace = host.trace
    middle = (late[0] + late[1]) // 2
    was_late = late[1] > late[0]
    began = np.searchsorted(trace.start[thread.rows], middle, side="right") - 1
    row = np.where(was_late & (began >= 0), thread.rows[np.maximum(began, 0)], ABSENT)
    # Whatever encloses an instant is the last row that began before it, or around that row.
    around = innermost(
        trace.parent, row, lambda which, at: host.frames[at] & (trace.end[at] > middle[which])
    )
    return np.where(was_late, around, nearest(trace, call, host.frames))


@dataclass(frozen=True, slots=True)
class CauseStretch:
    """A stretch [start, end) of one gap with one cause."""

    start: int
    end: int
    cause: Cause


def cause_stretches(finder: CauseFinder, causes: GapCauses, index: int) -> tuple[CauseStretch, ...]:
    """One gap in order of time, for drawing; neighbours differ in cause.

    The lengths by cause are those of the gap's row of `split`.
    """
    gap_start, gap_end = int(causes.gaps.start[index]), int(causes.gaps.end[index])
    split = causes.split[index]
    for whole in (Cause.GRAPH, Cause.UNKNOWN):
        if split[whole]:
            return (CauseStretch(gap_start, gap_end, whole),)
    trace, host = finder.trace, finder.host
    call = int(causes.launch[index])
    began = min(max(int(trace.start[call]), gap_start), gap_end)
    ended = min(max(int(trace.end[call]), began), gap_end)
    thread = host.thread(int(causes.lane[index]))
    loads = np.concatenate((host.loading.start, host.loading.end))
    loads = loads[(loads > began) & (loads < ended)]
    held_until = ended + int(split[Cause.WAIT_EVENT])
    late_cuts = thread.cuts(gap_start, began)
    cuts = np.unique(
        np.concatenate(([gap_start, began, ended, held_until, gap_end], late_cuts, loads))
    )
    start = cuts[:-1]
    blocking = host.kinds[call] == CallKind.COPY
    cause = np.select(
        [start < began, start < ended, start < held_until],
        [
            thread.at(start),
            np.where(
                host.loading.contains(start),
                Cause.MODULE_LOAD,
                Cause.COPY if blocking else Cause.LAUNCH_CALL,
            ),
            np.full(len(start), Cause.WAIT_EVENT),
        ],
        Cause.QUEUED,
    )
    head = np.flatnonzero(np.diff(cause, prepend=-1))
    ends = [*start[head[1:]].tolist(), gap_end]
    return tuple(
        CauseStretch(begin, end, Cause(kind))
        for begin, end, kind in zip(start[head].tolist(), ends, cause[head].tolist(), strict=True)
    )
