"""Whether what looks like an attention call ran: its op may be captured, or skip the work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attntui.analysis.attention.model import AttentionCall, Role
from attntui.analysis.attention_ops import Backend
from attntui.analysis.named import holding, rows_named
from attntui.trace.model import ABSENT, I64, Bool, Category, Trace

_WORK = frozenset((Role.FUSED, Role.QK, Role.SOFTMAX, Role.AV))
"""Roles of which at least one operation does attention itself."""


def that_ran(trace: Trace, calls: Sequence[AttentionCall]) -> list[int]:
    """Which calls ran, by index.

    A call with an operation that does attention did. Of the others, one whose op was captured
    into a graph did not: the graph's replays did, and they count. Nor did one whose op only
    dispatches: it may fill its output with zeros and do no attention. Where nothing of the GPU
    was recorded the ops are all that tells.
    """
    if not len(trace.gpu_ops):
        return list(range(len(calls)))
    ops = np.array([ABSENT if call.op is None else call.op for call in calls], np.int64)
    in_capture = captured(trace, ops)
    return [
        index
        for index, call in enumerate(calls)
        if any(share.role in _WORK for share in call.roles)
        or not (in_capture[index] or call.backend is Backend.OTHER)
    ]


def captured(trace: Trace, rows: I64) -> Bool:
    """Which rows began while a stream capture of their process was open; ABSENT rows did not."""
    calls = np.flatnonzero(np.isin(trace.category, (Category.RUNTIME, Category.DRIVER)))
    opened, closed = (
        rows_named(trace, calls, holding(word))
        for word in ("StreamBeginCapture", "StreamEndCapture")
    )
    held = np.zeros(len(rows), np.bool_)
    told = np.flatnonzero(rows != ABSENT)
    _, process = np.unique([lane.pid for lane in trace.lanes], return_inverse=True)
    for number in np.unique(process[trace.lane[opened]]).tolist():
        own = told[process[trace.lane[rows[told]]] == number]
        begun, ended = (
            np.searchsorted(
                trace.start[at[process[trace.lane[at]] == number]], trace.start[rows[own]]
            )
            for at in (opened, closed)
        )
        held[own] = begun > ended
    return held
