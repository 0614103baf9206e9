"""Stepping through attention calls: each call, then its roles in the order of time."""

from __future__ import annotations

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention.model import ROLES, Role
from attntui.trace.model import I64
from attntui.view.session.selection import CallAt, RoleAt, call_span
from attntui.view.session.session import Session


def role_ends(analysed: AnalysedTrace, index: int) -> tuple[I64, I64]:
    """The first and the last GPU operation of each role of a call, by start; a role that comes
    again, after another, counts again. Memsets are left aside: they are none of the call's work.
    """
    rows = analysed.attention[index].gpu_rows
    rows = rows[analysed.role_of[rows] != ROLES.index(Role.MEMSET)]
    firsts = np.flatnonzero(np.diff(analysed.role_of[rows], prepend=-2))
    return rows[firsts], rows[np.append(firsts[1:], len(rows))[: len(firsts)] - 1]


def role_rows(analysed: AnalysedTrace, index: int) -> I64:
    """The first GPU operation of each role of a call, by start."""
    return role_ends(analysed, index)[0]


def stepped(session: Session, direction: int) -> Session:
    """The next (1) or previous (-1) event in the lane; inside an attention call its roles."""
    selected = session.selection
    if isinstance(selected, CallAt):
        call, number = selected.index, direction
    elif isinstance(selected, RoleAt):
        rows = role_rows(session.analysed, selected.call)
        call, number = selected.call, int(np.searchsorted(rows, selected.row, "right")) + direction
    else:
        return session.stepped(direction)
    rows = role_rows(session.analysed, call)
    if number == 0:
        return session.going_to(CallAt(call))
    if 0 < number <= len(rows):
        return session.onto_role(call, int(rows[number - 1]))
    return _beside(session, call, direction)


def _beside(session: Session, call: int, direction: int) -> Session:
    """From a call's last role to the next call; from a call to the last role of the one before."""
    spans = [call_span(session.trace, found) for found in session.analysed.attention]
    view = session.timeline.viewport
    order = [i for i in np.lexsort(np.array(spans, np.int64).T[::-1]).tolist()
             if view.low <= spans[i][0] < view.high]  # fmt: skip
    place = order.index(call) + direction if call in order else -1
    if not 0 <= place < len(order):
        return session.saying("no further attention call")
    other = order[place]
    rows = role_rows(session.analysed, other)
    if direction > 0 or not len(rows):
        return session.going_to(CallAt(other))
    return session.onto_role(other, int(rows[-1]))
