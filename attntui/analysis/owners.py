"""Which span of time holds an instant, or a launch."""

from __future__ import annotations

import numpy as np

from attntui.trace.model import ABSENT, I64, Trace


def span_at(start: I64, end: I64, time: I64) -> I64:
    """For each time the last span begun by then, if it has not ended: both ends belong to it.

    `start` ascends. The index of the span, else ABSENT: of spans that overlap only the last
    one begun counts.
    """
    last: I64 = np.searchsorted(start, time, side="right") - 1
    if not len(start):
        return last
    return np.where((last >= 0) & (time <= end[np.maximum(last, 0)]), last, ABSENT)


def owners(trace: Trace, spans: I64, ops: I64, group_of_lane: I64) -> I64:
    """For each of `ops` the index of the span that holds its launch, as `span_at` tells.

    `spans` are rows of CPU lanes by start. Each owns launches on the lanes of its own group:
    of its thread, say, or of its process.
    """
    owner = np.full(len(ops), ABSENT, np.int64)
    known = np.flatnonzero(trace.launch[ops] != ABSENT)
    launch = trace.launch[ops[known]]
    time = trace.start[launch]
    of_launch, of_span = group_of_lane[trace.lane[launch]], group_of_lane[trace.lane[spans]]
    for number in np.unique(of_span).tolist():
        own = np.flatnonzero(of_span == number)
        here = np.flatnonzero(of_launch == number)
        at = span_at(trace.start[spans[own]], trace.end[spans[own]], time[here])
        owner[known[here]] = np.where(at == ABSENT, ABSENT, own[at])
    return owner
