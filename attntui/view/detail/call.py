"""An attention call: what it is, what tells it, what it moved, and its roles."""

from __future__ import annotations

from attntui.analysis.analysed import AnalysedTrace
from attntui.view.detail.call_lines import call_lines
from attntui.view.detail.event import op_detail
from attntui.view.detail.items import Item, heading, item
from attntui.view.session.selection import EventAt, call_event
from attntui.view.words.attention import call_text


def call_detail(analysed: AnalysedTrace, index: int) -> list[Item]:
    """The lines about a call, its roles to go to, and all of its op."""
    call = analysed.attention[index]
    event = call_event(call)
    items = [heading(f"attention: {call_text(call)}"), *call_lines(call)]
    if event is None:
        return items
    name = analysed.labels.event(event)
    items.append(item("op" if call.op is not None else "kernel", name, EventAt(event)))
    return [*items, *op_detail(analysed, event)]
