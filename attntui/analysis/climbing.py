"""Up from events to what lies around them: one turn a nesting level, no turn an event."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attntui.trace.model import ABSENT, I32, I64, Bool

Wanted = Callable[[I64, I64], Bool]
"""Given indices of some starting places and the place that each has reached: whether that
place is what each looks for.
"""


def innermost(parent: I32 | I64, places: I32 | I64, wanted: Wanted) -> I64:
    """For each place the first that is wanted of it and of what lies around it, else ABSENT.

    `parent` has for every place the one around it, ABSENT for the outermost. ABSENT among
    `places` stays so.
    """
    found = places.astype(np.int64)
    climbing = np.flatnonzero(found != ABSENT)
    while len(climbing):
        climbing = climbing[~wanted(climbing, found[climbing])]
        found[climbing] = parent[found[climbing]]
        climbing = climbing[found[climbing] != ABSENT]
    return found


def furthest(above: Callable[[I64], I64], places: I64) -> I64:
    """For each place the last that is reached by going `above` as long as that leads to one.

    `above` gives for each place the next, else ABSENT. ABSENT among `places` stays so.
    """
    found = places.astype(np.int64)
    climbing = np.flatnonzero(found != ABSENT)
    while len(climbing):
        reached = above(found[climbing])
        goes_on = reached != ABSENT
        climbing = climbing[goes_on]
        found[climbing] = reached[goes_on]
    return found
