"""What a scope and a selection are called, in a few words."""

from __future__ import annotations

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Range, Scope, Step, Whole
from attntui.safe import Safe, safe
from attntui.view.session.selection import CallAt, EventAt, FindingAt, GapAt, Nothing, Selection
from attntui.view.words.attention import call_text
from attntui.view.words.formats import duration


def scope_text(analysed: AnalysedTrace, scope: Scope) -> Safe:
    """A scope: the step's or the annotation's name, or how long the range is."""
    if isinstance(scope, Whole):
        return safe("whole trace")
    if isinstance(scope, Range):
        return safe(f"range of {duration(scope.end - scope.start)}")
    row = int(analysed.steps.rows[scope.index]) if isinstance(scope, Step) else scope.row
    return analysed.labels.event(row)


def selection_text(analysed: AnalysedTrace, selected: Selection) -> Safe:
    """What is selected and how long it lasts; nothing for no selection."""
    if isinstance(selected, Nothing):
        return safe("")
    if isinstance(selected, FindingAt):
        return safe("") if selected.place is None else selection_text(analysed, selected.place)
    if isinstance(selected, Range):
        return scope_text(analysed, selected)
    if isinstance(selected, GapAt):
        return safe(f"gap {duration(selected.end - selected.start)}")
    if isinstance(selected, CallAt):
        call = analysed.attention[selected.index]
        return safe(f"{call_text(call)}  {duration(call.gpu_ns)}")
    if isinstance(selected, EventAt):
        length = int(analysed.trace.dur[selected.row])
        return safe(f"{analysed.labels.event(selected.row)}  {duration(length)}")
    length = int(analysed.steps.duration[selected.index])
    return safe(f"{scope_text(analysed, selected)}  {duration(length)}")
