"""A device's recorded work run again, with some of it changed: what a fix would gain.

The model has two clocks. The host gives out operations as fast as it did, except that it
waits where it waited for the device: in a synchronise, a blocking copy, or a launch into a
full queue. The device begins an operation when the one before it has ended and the launch
has reached it. What the recording shows beyond that (a stream held by another, a start
later than the launch explains) stays as it was. Run again unchanged, the model gives the
recorded span to the ns; a change moves everything behind it only as far as the next
bottleneck allows.

With C the device's own time before each operation, both clocks are running maxima:
begin - C = max over earlier launches of (launch + latency - C), and a wait puts the host
off until what it waited for has ended.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis import intervals
from attntui.analysis.idle import DeviceIdle
from attntui.analysis.intervals import Intervals
from attntui.analysis.queue_depth import FULL_QUEUE, queue_depth
from attntui.analysis.runtime_calls import CallKind
from attntui.trace.model import ABSENT, I8, I64, Bool, Trace

_NEVER = -(2**62)

_LATENCY_NS = 5_000
"""From a launch call to a kernel's begin on an idle GPU, about; for traces without such a one."""

_BLOCKED = 10
"""A launch call this many times the median of its name waited, if work stood ready meanwhile."""


@dataclass(frozen=True, eq=False)
class Replay:
    """What one device did, one entry an operation, by start; times in ns.

    `own` is its own time (`busy_time.own_time`), `given` when its launch call began (no
    constraint where it has none), `latency` from there to the earliest begin, `held` what
    else put it off. `waits` are the host's: disjoint stretches in which the calls `calls`
    waited for the operations `until`; `late` is how much later than that one's end each
    stretch ends. `lanes` are the threads that launched.
    """

    own: I64
    given: I64
    launched: Bool
    latency: I64
    held: I64
    start: int
    waits: Intervals
    calls: I64
    until: I64
    late: I64
    lanes: I64

    def span(
        self,
        own: I64 | None = None,
        spared: Intervals | None = None,
        kept: I64 | None = None,
    ) -> int:
        """The device's span in ns with other own times, without the host's work in `spared`,
        and with only those of its waits whose numbers are in `kept`.
        """
        own = self.own if own is None else own
        if not len(own):
            return 0
        return int(self.begins(own, spared, kept)[-1] + own[-1]) - self.start

    def gaps(self, kept: I64) -> I64:
        """The idle time before each operation with only some of the waits; 0 before the first."""
        begin = self.begins(self.own, None, kept)
        gap = np.zeros(len(begin), np.int64)
        gap[1:] = begin[1:] - begin[:-1] - self.own[:-1]
        return gap

    def begins(self, own: I64, spared: Intervals | None, kept: I64 | None) -> I64:
        """When each operation begins, as `span` says."""
        kept = np.arange(len(self.waits), dtype=np.int64) if kept is None else kept
        done = np.cumsum(own + self.held)
        before = done - own
        clock = self._host_clock(self.given, spared)
        launched = np.where(self.launched, clock + self.latency + self.held - before, _NEVER)
        first = self.start - int(before[0]) + int(self.held[0])
        launched[0] = max(int(launched[0]), first)
        segment = self._segments(kept)
        wait_clock = self._host_clock(self.waits.end, spared)[kept]
        put_off = _put_off(launched, segment, self.until[kept], wait_clock, done, self.late[kept])
        return np.asarray(np.maximum.accumulate(launched + put_off[segment]) + before, np.int64)

    def _host_clock(self, time: I64, spared: Intervals | None) -> I64:
        """The host's own time at each recorded time: without its waits and what is spared."""
        clock = time - self.waits.covered_before(time)
        if spared is None or not len(spared):
            return clock
        both = intervals.intersection(spared, self.waits)
        return np.asarray(clock - spared.covered_before(time) + both.covered_before(time), np.int64)

    def _segments(self, kept: I64) -> I64:
        """How many of the kept waits came before each launch; it never falls."""
        after = np.searchsorted(self.waits.end[kept], self.given, side="right")
        after = np.where(self.launched, after, 0)
        return np.asarray(np.maximum.accumulate(after), np.int64)


def _put_off(launched: I64, segment: I64, until: I64, wait_clock: I64, done: I64, late: I64) -> I64:
    """By how much the waits before each segment of launches have put the host off, in all."""
    waits = len(until)
    found = np.zeros(waits + 1, np.int64)
    if not waits:
        return found
    # Operations that were launched after a wait cannot be what it waited for.
    first = np.searchsorted(segment, np.arange(1, waits + 1), side="left")
    until = np.minimum(until, first - 1)
    # Of each stretch between waits: the largest launch up to what the next wait is for, and after.
    bounds = np.unique(np.concatenate(([0], first, until + 1)))
    bounds = bounds[bounds < len(launched)]
    most = np.maximum.reduceat(launched, bounds).tolist()
    edges = bounds.tolist()
    begun, put_off, at = _NEVER, 0, 0
    for wait, (stop, ended) in enumerate(zip(first.tolist(), (until + 1).tolist(), strict=True)):
        while at < len(most) and edges[at] < ended:
            begun = max(begun, most[at] + put_off)
            at += 1
        ready = put_off
        if ended > 0:
            ready = begun + int(done[ended - 1]) + int(late[wait]) - int(wait_clock[wait])
        while at < len(most) and edges[at] < stop:
            begun = max(begun, most[at] + put_off)
            at += 1
        put_off = max(put_off, ready)
        found[wait + 1] = put_off
    return found


def replay(trace: Trace, device: DeviceIdle, own: I64, kinds: I8) -> Replay:
    """Prepare one device's work to be run again; `kinds` are the rows' `CallKind`s."""
    rows = device.rows
    launch = trace.launch[rows].astype(np.int64)
    launched = launch != ABSENT
    given = np.where(launched, trace.start[launch], 0)
    begin = _begins(device, own)
    lanes = np.unique(trace.lane[launch[launched]]).astype(np.int64)
    calls, waits, until, late = _waits(trace, device, given, launched, begin + own, kinds, lanes)
    free = begin.copy()
    free[1:] = begin[:-1] + own[:-1]
    free[0] = begin[0]
    reached = given + _latency(trace, rows, launched, begin, free)
    reached = np.minimum(reached, begin)
    held = begin - np.where(launched, np.maximum(reached, free), free)
    return Replay(
        own=own,
        given=given,
        launched=launched,
        latency=np.where(launched, reached - given, 0),
        held=held,
        start=device.start,
        waits=waits,
        calls=calls,
        until=until,
        late=late,
        lanes=lanes,
    )


def _begins(device: DeviceIdle, own: I64) -> I64:
    """Where each operation's own time lies if each stretch of busy time is packed in order."""
    before = np.cumsum(own) - own
    gap = np.zeros(len(own), np.int64)
    at = np.searchsorted(device.rows, device.gaps.after)
    gap[at] = device.gaps.length
    return device.start + before + np.cumsum(gap)


def _latency(trace: Trace, rows: I64, launched: Bool, begin: I64, free: I64) -> I64:
    """From each launch call to the operation's earliest begin: what it took where nothing was
    in its way, and the median of those where something was.
    """
    launch = trace.launch[rows].astype(np.int64)
    took = np.where(launched, np.maximum(begin - trace.start[launch], 0), 0)
    unhindered = launched & (free <= trace.start[launch])
    if unhindered.any():
        usual = int(np.median(took[unhindered]))
    else:
        usual = int(took[launched].min(initial=_LATENCY_NS))
    return np.where(unhindered, took, np.minimum(took, usual))


def _waits(
    trace: Trace,
    device: DeviceIdle,
    given: I64,
    launched: Bool,
    ended: I64,
    kinds: I8,
    lanes: I64,
) -> tuple[I64, Intervals, I64, I64]:
    """The host's calls that waited for the device, when, what for, and how late they ended."""
    rows = device.rows
    calls = np.flatnonzero(np.isin(kinds, (CallKind.SYNC, CallKind.COPY, CallKind.LAUNCH)))
    calls = calls[np.isin(trace.lane[calls], lanes)]
    launches = calls[kinds[calls] == CallKind.LAUNCH]
    calls = np.setdiff1d(calls, launches[~_waited_for_room(trace, rows, launches)])
    none = intervals.of_disjoint(given[:0], given[:0])
    if not len(calls) or not launched.any():
        return given[:0], none, given[:0], given[:0]
    reach = np.maximum.accumulate(trace.end[rows])
    known = np.maximum.accumulate(np.where(launched, given, _NEVER))
    last = np.searchsorted(reach, trace.end[calls], side="right") - 1
    last = np.minimum(last, np.searchsorted(known, trace.start[calls], side="right") - 1)
    end = np.where(last >= 0, reach[np.maximum(last, 0)], _NEVER)
    waited = end > trace.start[calls]
    calls, last, end = calls[waited], last[waited], end[waited]
    start = trace.start[calls]
    # Two threads, or a thread that launches meanwhile: that was no wait of the host's.
    apart = np.ones(len(calls), np.bool_)
    apart[1:] = start[1:] >= np.maximum.accumulate(end)[:-1]
    times = np.sort(given[launched])
    apart &= np.searchsorted(times, end) == np.searchsorted(times, start, side="right")
    calls, start, end, last = calls[apart], start[apart], end[apart], last[apart]
    return calls, intervals.of_disjoint(start, end), last, end - ended[last]


def _waited_for_room(trace: Trace, rows: I64, launches: I64) -> Bool:
    """Which launch calls took far longer than others of their name while much work stood ready
    for the device that runs `rows`.
    """
    name, dur = trace.name[launches], trace.dur[launches]
    slow = np.zeros(len(launches), np.bool_)
    for number in np.unique(name).tolist():
        own = name == number
        slow[own] = dur[own] > _BLOCKED * np.median(dur[own])
    full = queue_depth(trace, rows).at(trace.start[launches] - 1) >= FULL_QUEUE
    return np.asarray(slow & full, np.bool_)
