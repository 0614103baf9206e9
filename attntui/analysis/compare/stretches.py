"""Where on the device each unit stands: the stretch of time that is its span."""

from __future__ import annotations

import numpy as np

from attntui.analysis.groups import apart
from attntui.trace.model import ABSENT, I64, Trace

_NEVER = np.iinfo(np.int64).max


def extents(trace: Trace, ops: I64, owner: I64, number: int) -> tuple[I64, I64]:
    """From the first GPU operation of each of `number` units to the last one's end, in ns;
    ABSENT where a unit has none. `owner` is the unit of each of `ops`, ABSENT for none.
    """
    owned = owner != ABSENT
    begun, ended = np.full(number, _NEVER, np.int64), np.full(number, ABSENT, np.int64)
    np.minimum.at(begun, owner[owned], trace.start[ops[owned]])
    np.maximum.at(ended, owner[owned], trace.end[ops[owned]])
    return np.where(begun == _NEVER, ABSENT, begun), ended


def turns(begun: I64, ended: I64, host: I64, process: I64) -> I64:
    """From where on the device each step counts, given its extent and its start on the host.

    Steps of a process take turns: a step's time on the device begins where the work of those
    before it ended, or with the step itself on the host, if that is later. So the waiting
    inside a step is its own, and work put ahead of its turn counts once. The first step of a
    process begins with its first operation, as does one whose work ended before its turn.
    """
    found: I64 = begun.copy()
    for places in apart(np.arange(len(begun), dtype=np.int64), process)[1]:
        own = places[begun[places] != ABSENT]
        if len(own) < 2:
            continue
        later, before = own[1:], np.maximum.accumulate(ended[own])[:-1]
        turn = np.maximum(before, np.minimum(host[later], begun[later]))
        found[later] = np.where(turn < ended[later], turn, begun[later])
    return found
