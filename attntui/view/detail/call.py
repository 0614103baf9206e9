"""An attention call: what it is, what tells it, what it moved, and its roles."""

from __future__ import annotations

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.view.detail.call_lines import call_lines
from attntui.view.detail.event import op_detail
from attntui.view.detail.items import Item, heading, item
from attntui.view.session.calls import role_rows
from attntui.view.session.naming import role_text, selection_name
from attntui.view.session.selection import CallAt, EventAt, RoleAt, call_event
from attntui.view.words.attention import call_text


def call_detail(analysed: AnalysedTrace, index: int) -> list[Item]:
    """The lines about a call, its roles to go to, and all of its op."""
    call = analysed.attention[index]
    event = call_event(call)
    items = [heading(f"attention: {call_text(call)}")]
    roles = [role_text(analysed, row) for row in role_rows(analysed, index).tolist()]
    if roles:
        items.append(item("roles", ", ".join(roles)))
    items += call_lines(call)
    if event is None:
        return items
    name = analysed.labels.event(event)
    items.append(item("op" if call.op is not None else "kernel", name, EventAt(event)))
    return [*items, *op_detail(analysed, event)]


def role_detail(analysed: AnalysedTrace, selected: RoleAt) -> list[Item]:
    """The lines about an operation as a part of its call: which part, then all of it."""
    rows = role_rows(analysed, selected.call)
    number = int(np.searchsorted(rows, selected.row, "right"))
    call = call_text(analysed.attention[selected.call])
    return [
        heading(selection_name(analysed, selected)),
        item("attention", f"role {number} of {len(rows)} of {call}", CallAt(selected.call)),
        *op_detail(analysed, selected.row),
    ]
