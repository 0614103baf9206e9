"""Waits of one stream for another: which operation a recorded wait held back, until when.

`cudaStreamWaitEvent` holds a stream until the work that another stream had been given
before is done. The trace records when the host asked for it, and on which stream only
where the profiler recorded synchronisation events (`Stream Wait Event`); elsewhere a wait
is taken for the stream of whatever its thread launched next on a stream that had not
been given work since.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.named import holding, rows_named
from attntui.analysis.runtime_calls import CallKind
from attntui.trace.model import ABSENT, I8, I64, Category, Trace

_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class StreamWaits:
    """The waits of a trace.

    `rows` are the wait records; each holds the stream or the thread with the number in
    `key`, ascending: `of_stream` tells which. `previous` is, by row, the operation before
    each GPU operation on its stream, ABSENT for the first.
    """

    trace: Trace
    rows: I64
    key: I64
    of_stream: bool
    streams: I64
    previous: I64

    def holding(self, ops: I64, until: I64) -> tuple[I64, I64]:
        """For each launched operation: the wait that held it back before `until`, and the
        time up to which it did. ABSENT and a time before all others where none did.

        A wait holds an operation when it was asked for between the launches of the
        operation before it on its stream and its own, and an operation of another stream
        of the device, given out before the wait, ended after the launch call and by
        `until` (the operation's start).
        """
        held_by = np.full(len(ops), ABSENT, np.int64)
        held_until = np.full(len(ops), _NEVER, np.int64)
        if not len(self.rows):
            return held_by, held_until
        wait = self._last_wait(ops)
        at = np.flatnonzero(wait != ABSENT)
        for stream in np.unique(self.streams[ops[at]]).tolist():
            own = at[self.streams[ops[at]] == stream]
            ended = self._waited_for(stream, ops[own], wait[own], until[own])
            held = ended > self.trace.end[self.trace.launch[ops[own]]]
            held_by[own[held]] = wait[own[held]]
            held_until[own[held]] = ended[held]
        return held_by, held_until

    def _last_wait(self, ops: I64) -> I64:
        """The last wait asked for before each launch and since the stream's work before."""
        trace = self.trace
        launch = trace.launch[ops]
        wanted = self.streams[ops] if self.of_stream else trace.lane[launch].astype(np.int64)
        since = _launched_at(trace, self.previous[ops])
        wait = np.full(len(ops), ABSENT, np.int64)
        for number in np.unique(wanted).tolist():
            low, high = np.searchsorted(self.key, [number, number + 1]).tolist()
            rows = self.rows[low:high]
            if not len(rows):
                continue
            own = np.flatnonzero(wanted == number)
            last = np.searchsorted(trace.start[rows], trace.start[launch[own]], side="right") - 1
            row = rows[np.maximum(last, 0)]
            fits = (last >= 0) & (trace.start[row] >= since[own])
            wait[own[fits]] = row[fits]
        return wait

    def _waited_for(self, stream: int, ops: I64, wait: I64, until: I64) -> I64:
        """When the last operation of another stream ended that each wait could be for."""
        trace = self.trace
        others = trace.gpu_ops
        others = others[
            (trace.device[others] == trace.device[ops[0]]) & (self.streams[others] != stream)
        ]
        if not len(others):
            return np.full(len(ops), _NEVER, np.int64)
        others = others[np.argsort(trace.end[others], kind="stable")]
        given = _launched_at(trace, others)
        ends = trace.end[others]
        floor = trace.end[trace.launch[ops]]
        candidate = np.searchsorted(ends, until, side="right") - 1
        # Step back over operations that were given out after the wait.
        at = np.flatnonzero(candidate >= 0)
        while len(at):
            later = given[candidate[at]] > trace.start[wait[at]]
            at = at[later & (ends[candidate[at]] > floor[at])]
            candidate[at] -= 1
            at = at[candidate[at] >= 0]
        # A candidate that was given out later and ended by `floor` holds nothing either way.
        return np.where(candidate >= 0, ends[np.maximum(candidate, 0)], _NEVER)


def stream_waits(trace: Trace, kinds: I8) -> StreamWaits:
    """The waits of a trace; `kinds` are its rows' `CallKind`s."""
    ops = trace.gpu_ops
    streams = _stream_numbers(trace)
    records = np.flatnonzero(trace.category == Category.SYNC)
    rows = rows_named(trace, records, holding("Wait Event"))
    of_stream = len(rows) > 0
    if of_stream:
        key = streams[rows]
    else:
        rows = np.flatnonzero(kinds == CallKind.STREAM_WAIT)
        key = trace.lane[rows].astype(np.int64)
    order = np.argsort(key, kind="stable")
    previous = np.full(len(trace), ABSENT, np.int64)
    by_stream = ops[np.argsort(streams[ops], kind="stable")]
    same = streams[by_stream[1:]] == streams[by_stream[:-1]]
    previous[by_stream[1:][same]] = by_stream[:-1][same]
    return StreamWaits(trace, rows[order], key[order], of_stream, streams, previous)


def _stream_numbers(trace: Trace) -> I64:
    """By row, one number for each (device, stream) of a GPU operation or sync record."""
    numbers = np.full(len(trace), ABSENT, np.int64)
    rows = np.flatnonzero(
        np.isin(
            trace.category,
            (Category.KERNEL, Category.MEMCPY, Category.MEMSET, Category.SYNC),
        )
    )
    devices = np.unique(trace.device[rows], return_inverse=True)[1]
    handles, streams = np.unique(trace.stream[rows], return_inverse=True)
    numbers[rows] = devices * len(handles) + streams
    return numbers


def _launched_at(trace: Trace, rows: I64) -> I64:
    """The start of each row's launch; before all time where there is no row or launch."""
    launch = np.where(rows == ABSENT, ABSENT, trace.launch[rows])
    return np.where(launch == ABSENT, _NEVER, trace.start[launch])
