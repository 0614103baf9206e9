"""Everything known of what is selected, line by line."""

from __future__ import annotations

from attntui.analysis.scope import Range, Step
from attntui.analysis.slice import Slice
from attntui.view.detail.call import call_detail, role_detail
from attntui.view.detail.event import event_detail
from attntui.view.detail.finding import finding_detail
from attntui.view.detail.gap import gap_detail
from attntui.view.detail.items import Item, heading
from attntui.view.detail.stretch import range_detail, step_detail
from attntui.view.session.selection import CallAt, EventAt, FindingAt, GapAt, RoleAt, Selection

__all__ = ["Item", "detail_of"]


def detail_of(part: Slice, selected: Selection) -> list[Item]:
    """The lines about what is selected, in the scope of `part`; none where nothing is."""
    analysed = part.analysed
    if isinstance(selected, RoleAt):
        return role_detail(analysed, selected)
    if isinstance(selected, EventAt):
        return event_detail(analysed, selected.row)
    if isinstance(selected, GapAt):
        return gap_detail(part, selected)
    if isinstance(selected, CallAt):
        return call_detail(analysed, selected.index)
    if isinstance(selected, FindingAt):
        return finding_detail(part, selected.key)
    if isinstance(selected, Step):
        return step_detail(analysed, selected.index)
    if isinstance(selected, Range):
        return range_detail(analysed, selected)
    return [heading("nothing is selected: j k in a table, . , in the timeline, or a click")]
