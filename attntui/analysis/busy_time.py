"""The busy time of a device shared out: each ns to one GPU operation.

Where operations overlap, compute hides what runs beside it: a kernel goes before a
collective, a collective before a copy, a copy before a memset; of equal ones the earlier
has the time. So what a copy or a collective has of its own is its exposed time: that in
which nothing of more use ran.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from attntui.analysis import intervals
from attntui.analysis.idle import DeviceIdle
from attntui.analysis.kernel_names import decode
from attntui.analysis.names.words import OperationKind
from attntui.trace.masks import mask_of
from attntui.trace.model import I8, I64, Category, Trace


class Rank(IntEnum):
    """Which operation has the time when several run; the first goes before."""

    COMPUTE = 0
    COLLECTIVE = 1
    COPY = 2
    MEMSET = 3


def ranks(trace: Trace, rows: I64) -> I8:
    """The `Rank` of each GPU operation of `rows`."""
    category = trace.category[rows]
    names = np.unique(trace.name[rows[category == Category.KERNEL]])
    talks = [decode(trace.names[i]).kind is OperationKind.COLLECTIVE for i in names.tolist()]
    collective = mask_of(len(trace.names), names[np.array(talks, np.bool_)])
    found = np.full(len(rows), Rank.COMPUTE, np.int8)
    found[collective[trace.name[rows]]] = Rank.COLLECTIVE
    found[category == Category.MEMCPY] = Rank.COPY
    found[category == Category.MEMSET] = Rank.MEMSET
    return found


def own_time(trace: Trace, device: DeviceIdle) -> I64:
    """The ns of each of the device's operations that are its own; they sum to its busy time."""
    start = trace.start[device.rows]
    end = np.minimum(trace.end[device.rows], device.end)
    rank = ranks(trace, device.rows)
    own = np.zeros(len(device.rows), np.int64)
    before = intervals.of_disjoint(start[:0], start[:0])
    for each in Rank:
        at = np.flatnonzero(rank == each)
        if not len(at):
            continue
        reached = np.maximum.accumulate(end[at])
        began = start[at]
        began[1:] = np.maximum(began[1:], reached[:-1])
        began = np.minimum(began, end[at])
        own[at] = end[at] - began - before.covered(began, end[at])
        chosen = rank <= each
        before = intervals.union(start[chosen], end[chosen])
    return own
