"""Where a trace begins and ends, when stray events lie far from the rest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attntui.trace.model import I64

_FAR_NS = 60 * 10**9
"""An outlier lies at least this far from the rest,"""

_FAR_SPANS = 20
"""and at least this many times the length of the rest."""

_FEW = 3
_FEW_SHARE = 0.01
"""Outliers are at most this many, or this part of all."""


def outliers(start: I64, end: I64) -> npt.NDArray[np.bool_]:
    """True for the few events that lie so far away that they belong to another time.

    `start` is sorted. A group is a run of events with no wide hole; the largest group
    is the trace, and the others are outliers if all of them together are few.
    """
    stray = np.zeros(len(start), dtype=np.bool_)
    if len(start) < 3:
        return stray
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
