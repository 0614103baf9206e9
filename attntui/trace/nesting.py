"""How the events of one lane lie in one another, or beside one another."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from attntui.trace.model import ABSENT, I16, I32, I64

DEEPEST = int(np.iinfo(np.int16).max)

_FEW = 1000
"""So many events that cross their parents are closed late one by one."""

_ROUNDS = 8
"""An event that is closed late may be crossed by more: so often it is looked at again."""


def nest(start: I64, end: I64) -> tuple[I16, I32]:
    """Depth and parent of each event of one lane, sorted by start, then longer first.

    The parent is the innermost event still open at the start, as a position in the
    given arrays, else ABSENT. An event that ends at t is closed before one that starts
    at t. An event that outlives its parent stays where its start puts it, so that two
    events of one depth never overlap.
    """
    count = len(start)
    if count == 0:
        return np.zeros(0, np.int16), np.zeros(0, np.int32)
    closing = end
    for _ in range(_ROUNDS):
        depth = _open_before(start, closing)
        parent = _parents(depth)
        crossing = _crossing(start, closing, parent)
        if not 0 < len(crossing) <= _FEW:
            break
        closing = _closed_late(start, closing, parent, crossing)
    if len(crossing):
        _mend(start, end, depth, parent, crossing)
    return np.minimum(depth, DEEPEST).astype(np.int16), parent.astype(np.int32)


def _crossing(start: I64, end: I64, parent: I64) -> I64:
    """The rows that do not lie in their parent."""
    inner = np.flatnonzero(parent != ABSENT)
    outer = parent[inner]
    return inner[(end[inner] > end[outer]) | (end[outer] <= start[inner])]


def _closed_late(start: I64, end: I64, parent: I64, crossing: I64) -> I64:
    """When events are closed if none is before those that began in it: later than `end` for
    those around what crosses them.
    """
    end = end.copy()
    for row in crossing.tolist():
        outer = int(parent[row])
        while outer != ABSENT and start[row] < end[outer] < end[row]:
            end[outer] = end[row]
            outer = int(parent[outer])
    return end


def _open_before(start: I64, end: I64) -> I64:
    """How many events are open when each one starts."""
    momentary = end <= start
    ends = np.sort(end[~momentary])
    closed = np.searchsorted(ends, start, side="right")
    # A momentary event closes right after its own start, so before every later row.
    return np.arange(len(start)) - closed - (np.cumsum(momentary) - momentary)


def _parents(depth: I64) -> I64:
    """The last row before each one that lies one level higher."""
    parent = np.full(len(depth), ABSENT, np.int64)
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max()) + 2))
    for level in range(1, len(bounds) - 1):
        outer = by_depth[bounds[level - 1] : bounds[level]]
        inner = by_depth[bounds[level] : bounds[level + 1]]
        before = np.searchsorted(outer, inner) - 1
        found = before >= 0
        parent[inner[found]] = outer[before[found]]
    return parent


def _mend(start: I64, end: I64, depth: I64, parent: I64, crossing: I64) -> None:
    """Where many cross: nests again, by a stack, the smallest groups of overlapping events
    that do.
    """
    todo = [(0, len(start), 0, ABSENT)]
    while todo:
        first, stop, level, owner = todo.pop()
        for low, high in _overlapping(start[first:stop], end[first:stop]):
            a, b = first + low, first + high
            if not np.searchsorted(crossing, b) > np.searchsorted(crossing, a):
                continue
            if end[a] >= end[a:b].max():
                # The first encloses the rest, so only what lies in it can cross.
                todo.append((a + 1, b, level + 1, a))
            else:
                _nest_by_stack(start, end, depth, parent, (a, b), level, owner)


def _overlapping(start: I64, end: I64) -> list[tuple[int, int]]:
    """Bounds of the maximal runs of rows in which each overlaps an earlier one."""
    reach = np.maximum.accumulate(end)
    heads = np.concatenate(([0], np.flatnonzero(start[1:] >= reach[:-1]) + 1))
    stops = np.concatenate((heads[1:], [len(start)]))
    several = stops - heads > 1
    return list(zip(heads[several].tolist(), stops[several].tolist(), strict=True))


def _nest_by_stack(
    start: I64, end: I64, depth: I64, parent: I64, rows: tuple[int, int], level: int, owner: int
) -> None:
    first, stop = rows
    starts, ends = start[first:stop].tolist(), end[first:stop].tolist()
    stack: list[int] = []
    for index, begin in enumerate(starts):
        while stack and ends[stack[-1]] <= begin:
            stack.pop()
        parent[first + index] = first + stack[-1] if stack else owner
        depth[first + index] = level + len(stack)
        stack.append(index)


def pack_rows(start: I64, end: I64) -> I16:
    """The display row of each event, sorted by start: the first row that is free."""
    row = np.zeros(len(start), np.int16)
    if len(start) == 0:
        return row
    for first, stop in _overlapping(start, end):
        row[first:stop] = _first_free(start[first:stop].tolist(), end[first:stop].tolist())
    return row


def _first_free(starts: list[int], ends: list[int]) -> list[int]:
    rows: list[int] = []
    free: list[int] = []
    taken: list[tuple[int, int]] = []
    used = 0
    for begin, finish in zip(starts, ends, strict=True):
        while taken and taken[0][0] <= begin:
            heappush(free, heappop(taken)[1])
        if free:
            row = heappop(free)
        else:
            row = used
            used += 1
        heappush(taken, (finish, row))
        rows.append(min(row, DEEPEST))
    return rows


def swallowing(end: I64) -> I64:
    """Positions of the events of one stream, sorted by start, that several later ones lie in.

    A stream runs its operations one after another, give or take an overlap, so such an
    event's duration is not to be believed.
    """
    reach = np.maximum.accumulate(end)
    grows = np.concatenate(([True], end[1:] > reach[:-1]))
    owner = np.maximum.accumulate(np.where(grows, np.arange(len(end)), 0))
    return np.flatnonzero(np.bincount(owner[~grows], minlength=len(end)) > 1)
