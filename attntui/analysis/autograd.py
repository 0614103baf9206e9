"""The autograd engine: it runs the backward on a thread of its own, and the caller waits."""

from __future__ import annotations

import numpy as np

from attntui.analysis.attention.vocabulary import NODE_PREFIX
from attntui.analysis.intervals import Intervals, of_disjoint, union
from attntui.analysis.named import holding, rows_named
from attntui.trace.masks import mask_of
from attntui.trace.model import I64, Bool, Category, Trace

BETWEEN_NODES_NS = 1_000_000
"""The engine goes from node to node within this; what is further apart are two backwards."""


def covered_by_engines(trace: Trace, rows: I64, end: I64) -> I64:
    """For how many ns of each row, taken to end at `end`, a thread of the same process that
    is not the row's evaluated autograd's graph. 0 on threads that do so themselves.
    """
    ops = np.flatnonzero(trace.category == Category.CPU_OP)
    nodes = rows_named(trace, ops, holding(NODE_PREFIX))
    covered = np.zeros(len(rows), np.int64)
    engines = _lanes_of(trace, nodes)
    pids = [lane.pid for lane in trace.lanes]
    for pid in {pids[lane] for lane in np.flatnonzero(engines).tolist()}:
        own = mask_of(len(pids), np.array([i for i, p in enumerate(pids) if p == pid], np.int64))
        busy = nodes[own[trace.lane[nodes]]]
        times = _bridged(union(trace.start[busy], trace.end[busy]))
        callers = np.flatnonzero((own & ~engines)[trace.lane[rows]])
        covered[callers] = times.covered(trace.start[rows[callers]], end[callers])
    return covered


def _bridged(times: Intervals) -> Intervals:
    """Nodes one soon after another as one stretch."""
    if not len(times):
        return times
    cuts = np.flatnonzero(times.start[1:] - times.end[:-1] > BETWEEN_NODES_NS)
    first, last = np.append(0, cuts + 1), np.append(cuts, len(times) - 1)
    return of_disjoint(times.start[first], times.end[last])


def _lanes_of(trace: Trace, rows: I64) -> Bool:
    return mask_of(len(trace.lanes), trace.lane[rows])
