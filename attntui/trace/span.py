"""Which events cannot lie, or last, where and as long as the file says."""

from __future__ import annotations

import numpy as np

from attntui.trace.model import ABSENT, I64, Bool

_FAR_SPANS = 20
"""What is far from the rest, or too long, is so by this many times the rest's length,"""

_NEVER_NS = 2**62
"""No limit above this: it would not fit 64 bits, and nothing is as far off or as long."""

_FAR_NS = 3600 * 10**9
"""and a group of events that is far lies at least this far off,"""

_FAR_FEW_NS = 60 * 10**9
"""or this far where it is a few events, or many of one time, which no clock gave."""

_FEW = 3
_FEW_SHARE = 0.01
"""A few are at most this many, or this part of all, and fewer than the rest."""

_TOO_LONG_NS = 600 * 10**9
"""and an event that is too long lasts this much longer than all others take."""

_LONGEST_SUM_NS = 2**62
"""No sum of durations comes near what 64 bits hold."""


def far_off(start: I64, end: I64) -> Bool:
    """True for events so far from the rest that their time is none.

    `start` is sorted, both in ns. A group is a run of events with no wide hole. The
    group with the most different starts is the trace, of several such the latest: times
    that were never set are alike, and early.
    """
    # A duration that is no measure must not bridge the hole between two groups.
    reach = np.maximum.accumulate(np.where(end - start > _FAR_NS, start, end))
    holes = np.flatnonzero(start[1:] - reach[:-1] > _FAR_FEW_NS) + 1
    if not len(holes):
        return np.zeros(len(start), np.bool_)
    stops = np.append(holes, len(start))
    firsts = np.insert(holes, 0, 0)
    steps = np.insert(np.cumsum(np.diff(start) > 0), 0, 0)
    different = steps[stops - 1] - steps[firsts]
    main = len(different) - 1 - int(different[::-1].argmax())
    begin, finish = int(start[firsts[main]]), int(reach[stops[main] - 1])
    distance = np.where(firsts < firsts[main], begin - reach[stops - 1], start[firsts] - finish)
    sizes = stops - firsts
    few = (sizes <= max(_FEW, int(_FEW_SHARE * len(start)))) & (sizes < sizes[main])
    unset = (different == 0) & (sizes > _FEW)
    limit = np.where(few | unset, _FAR_FEW_NS, _FAR_NS)
    limit = np.maximum(limit, min(_FAR_SPANS * (finish - begin), _NEVER_NS))
    limit[main] = _NEVER_NS
    far: Bool = np.repeat(distance > limit, sizes)
    return far


def too_long(start: I64, dur: I64, stream: I64) -> Bool:
    """True for events that last far beyond all that was recorded.

    `start` is sorted, both in ns, what is `far_off` left out; `stream` numbers the lane
    of what runs alone in it, ABSENT for the rest. That time went by is seen by what starts
    in it, not by how long something else says that it took. No stream starts the next
    but one before an operation ends, so there no margin is left.
    """
    if len(start) < 2:
        return np.zeros(len(start), np.bool_)
    limit = _FAR_SPANS * int(start[-1] - start[0])
    long: Bool = dur > min(_TOO_LONG_NS + limit, _NEVER_NS)
    longer = dur > min(limit, _NEVER_NS)
    if longer.any():
        alone = np.flatnonzero(stream != ABSENT)
        alone = alone[np.argsort(stream[alone], kind="stable")]
        passed = alone[:-2][stream[alone[2:]] == stream[alone[:-2]]]
        long[passed[longer[passed]]] = True
    left = np.where(long, 0, dur)
    if left.sum(dtype=np.float64) > _LONGEST_SUM_NS:
        long |= left > _LONGEST_SUM_NS // len(start)
    return long


def beside(times: I64, first: int, last: int) -> Bool:
    """True for marks so far from `first` to `last` that they are no part of the trace."""
    limit = min(max(_FAR_FEW_NS, _FAR_SPANS * (last - first)), _NEVER_NS)
    return (times < first - limit) | (times > last + limit)
