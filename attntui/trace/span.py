"""Where a trace begins and ends, when stray events lie far from the rest."""

from __future__ import annotations

import numpy as np

from attntui.trace.model import I64, Bool

_FAR_NS = 60 * 10**9
"""An outlier lies at least this far from the rest,"""

_FAR_SPANS = 20
"""and at least this many times the length of the rest."""

_ABSURD_NS = 86_400 * 10**9
"""An event longer than this, and that much longer than the rest, is no measure either."""

_FEW = 3
_FEW_SHARE = 0.01
"""Outliers are at most this many, or this part of all."""


def outliers(start: I64, end: I64) -> Bool:
    """True for the few events that lie, or last, so far away that they mislead.

    `start` is sorted. A group is a run of events with no wide hole; the largest group
    is the trace, and the others are outliers if all of them together are few.
    """
    stray = np.zeros(len(start), dtype=np.bool_)
    absurd = end - start > _ABSURD_NS
    usual = np.flatnonzero(~absurd)
    if len(usual) < 3:
        return stray
    stray[usual] = _outlying(start[usual], end[usual])
    rest = np.flatnonzero(~absurd & ~stray)
    length = int(end[rest].max() - start[rest[0]])
    if absurd.sum() <= max(_FEW, int(_FEW_SHARE * len(start))):
        stray |= absurd & (end - start > _FAR_SPANS * length)
    return stray


def far_before(times: I64, first: int, last: int) -> Bool:
    """True for marks so long before `first` that they are no part of the trace."""
    return times < first - max(_FAR_NS, _FAR_SPANS * (last - first))


def _outlying(start: I64, end: I64) -> Bool:
    stray = np.zeros(len(start), dtype=np.bool_)
    reach = np.maximum.accumulate(end)
    holes = np.flatnonzero(start[1:] - reach[:-1] > _FAR_NS)
    if not len(holes):
        return stray
    bounds = np.concatenate(([0], holes + 1, [len(start)]))
    sizes = np.diff(bounds)
    main = int(sizes.argmax())
    first, stop = int(bounds[main]), int(bounds[main + 1])
    length = int(reach[stop - 1] - start[first])
    stray[:first] = start[first] - end[:first] > _FAR_SPANS * length
    stray[stop:] = start[stop:] - reach[stop - 1] > _FAR_SPANS * length
    few = max(_FEW, int(_FEW_SHARE * len(start)))
    if stray.sum() > few or stray.sum() >= sizes[main]:
        stray[:] = False
    return stray
