"""Own times of GPU operations by a sweep from edge to edge (docs/architecture.md, "Time tree")."""

from __future__ import annotations

import re
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import pairwise

from attntui.trace import Trace
from attntui.trace.model import Category

_TALKS = re.compile("nccl|rccl|all_?reduce", re.IGNORECASE)


def precedence(trace: Trace, row: int) -> tuple[int, int]:
    """Which of the operations that run at once has the time: the smallest."""
    category = trace.category_of(row)
    if category is Category.KERNEL:
        return int(_TALKS.search(trace.name_of(row)) is not None), row
    return (2 if category is Category.MEMCPY else 3), row


def own_times(trace: Trace, rows: Iterable[int], end: int) -> dict[int, int]:
    """By row the own time in ns of one device's operations, `rows`, which count until `end`."""
    own = dict.fromkeys(rows, 0)
    start = {row: int(trace.start[row]) for row in own}
    stop = {row: min(int(trace.end[row]), end) for row in own}
    order = {row: precedence(trace, row) for row in own}
    coming = [(start[row], row) for row in own if stop[row] > start[row]]
    heapify(coming)
    running: list[tuple[tuple[int, int], int]] = []
    edges = sorted({*start.values(), *stop.values()})
    for low, high in pairwise(edges):
        while coming and coming[0][0] <= low:
            row = heappop(coming)[1]
            heappush(running, (order[row], row))
        while running and stop[running[0][1]] <= low:
            heappop(running)
        if running:
            own[running[0][1]] += high - low
    return own
