"""Which attention call each stretch of a thread, and what was launched in it, belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.attention.model import Found, Role
from attntui.analysis.attention.optree import Launches
from attntui.analysis.climbing import innermost
from attntui.trace.model import ABSENT, I64, Trace


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """Every stretch of a thread that belongs to a call, by thread and row.

    `floor` is the first row that can be a step of the call: the row itself, or the one
    after it where the row is an op that encloses all. `outer` is the claim round each, else
    ABSENT: a forward computed again inside a node of the backward.
    """

    trace: Trace
    call: I64
    first: I64
    end: I64
    floor: I64
    role: tuple[Role | None, ...]
    keys: I64
    outer: I64

    def holding(self, rows: I64) -> I64:
        """The index of the innermost claim that holds each row, else ABSENT."""
        trace = self.trace
        if not len(self.keys):
            return np.full(len(rows), ABSENT, np.int64)
        claim = np.searchsorted(self.keys, _key(trace, rows), side="right") - 1
        first = self.first[np.maximum(claim, 0)]
        claim[trace.lane[first] != trace.lane[rows]] = ABSENT
        start = trace.start[rows]
        return innermost(self.outer, claim, lambda which, at: self.end[at] >= start[which])


def _key(trace: Trace, rows: I64) -> I64:
    return trace.lane[rows].astype(np.int64) * (len(trace) + 1) + rows


def claims_of(trace: Trace, found: Sequence[Found]) -> Claims:
    """The stretches of all calls found."""
    spans = [(index, span) for index, call in enumerate(found) for span in call.spans]
    first = np.array([span.first for _, span in spans], np.int64)
    order = np.argsort(_key(trace, first), kind="stable")
    spans = [spans[index] for index in order.tolist()]
    first = first[order]
    end = np.array([span.end for _, span in spans], np.int64)
    return Claims(
        trace,
        np.array([index for index, _ in spans], np.int64),
        first,
        end,
        first + np.array([span.whole for _, span in spans], np.int64),
        tuple(span.role for _, span in spans),
        _key(trace, first),
        _outer(trace, first, end),
    )


def _outer(trace: Trace, first: I64, end: I64) -> I64:
    """The claim round each of some claims in order of thread and row, else ABSENT."""
    outer = np.full(len(first), ABSENT, np.int64)
    same = trace.lane[first[1:]] == trace.lane[first[:-1]]
    if not (same & (end[:-1] >= trace.start[first[1:]])).any():
        return outer
    open_claims: list[int] = []
    lanes, starts, ends = trace.lane[first].tolist(), trace.start[first].tolist(), end.tolist()
    for claim, (lane, start) in enumerate(zip(lanes, starts, strict=True)):
        while open_claims and (lanes[open_claims[-1]] != lane or ends[open_claims[-1]] < start):
            open_claims.pop()
        if open_claims:
            outer[claim] = open_claims[-1]
        open_claims.append(claim)
    return outer


def claimed(where: Launches, claims: Claims) -> I64:
    """The claim that holds each GPU operation of the trace, else ABSENT."""
    found = np.full(len(where.gpu_ops), ABSENT, np.int64)
    known = np.flatnonzero(where.anchor != ABSENT)
    found[known] = claims.holding(where.anchor[known])
    return found
