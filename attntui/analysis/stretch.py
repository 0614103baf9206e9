"""What a stretch of time holds: idle time by cause, GPU operations by name, cut at its ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.gap_causes import Cause, cause_stretches
from attntui.trace.model import I64


@dataclass(frozen=True, eq=False)
class NamedTime:
    """GPU operations of one name in a stretch: `ns` of them inside, how many, the longest."""

    name: int
    ns: int
    count: int
    longest: int


def idle_by_cause(analysed: AnalysedTrace, start: int, end: int) -> dict[Cause, int]:
    """The idle ns of all devices in [start, end) by cause, largest first; their sum is what the
    gaps have in common with the stretch.
    """
    gaps = analysed.whole.gaps
    chosen = gaps.over(0, start, end)
    cut = (gaps.start[chosen] < start) | (gaps.end[chosen] > end)
    total: I64 = gaps.causes.split[chosen[~cut]].sum(axis=0)
    found = {cause: int(total[cause]) for cause in Cause}
    # Of each device at most two gaps reach beyond the ends.
    for number in chosen[cut].tolist():
        for part in cause_stretches(analysed.finder, gaps.causes, number):
            found[part.cause] += max(min(part.end, end) - max(part.start, start), 0)
    return dict(sorted(((c, ns) for c, ns in found.items() if ns), key=lambda item: -item[1]))


def operations_by_name(analysed: AnalysedTrace, start: int, end: int) -> list[NamedTime]:
    """The GPU operations of each name that run in [start, end), the most time first."""
    trace = analysed.trace
    rows = trace.gpu_ops[trace.start[trace.gpu_ops] < end]
    rows = rows[trace.end[rows] > start]
    inside = np.minimum(trace.end[rows], end) - np.maximum(trace.start[rows], start)
    names, of = np.unique(trace.name[rows], return_inverse=True)
    of = of.reshape(-1)
    total = np.bincount(of, inside, len(names)).astype(np.int64)
    count = np.bincount(of, minlength=len(names))
    order = np.lexsort((-inside, of))
    longest = rows[order[np.searchsorted(of[order], np.arange(len(names)))]]
    return [
        NamedTime(int(names[i]), int(total[i]), int(count[i]), int(longest[i]))
        for i in np.argsort(-total, kind="stable").tolist()
    ]
