"""What a scope and a selection are called, in a few words."""

from __future__ import annotations

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention.model import ROLES
from attntui.analysis.scope import Annotation, Call, Range, Scope, Step, Whole
from attntui.safe import Safe, safe
from attntui.view.session.selection import (
    CallAt,
    EventAt,
    FindingAt,
    GapAt,
    Nothing,
    RoleAt,
    Selection,
    span_of,
)
from attntui.view.words.attention import call_text
from attntui.view.words.formats import duration


def scope_text(analysed: AnalysedTrace, scope: Scope) -> Safe:
    """A scope: the name of the step, annotation or call, or how long the range is."""
    if isinstance(scope, Whole):
        return safe("whole trace")
    if isinstance(scope, Range):
        return safe(f"range of {duration(scope.end - scope.start)}")
    if isinstance(scope, Call):
        return call_text(analysed.attention[scope.index])
    if isinstance(scope, Annotation):
        return analysed.labels.event(scope.row)
    return analysed.labels.event(int(analysed.steps.rows[scope.index]))


def role_text(analysed: AnalysedTrace, row: int) -> Safe:
    """The role of a GPU operation in its attention call; nothing for one that is in none."""
    role = int(analysed.role_of[row])
    return safe("" if role < 0 else ROLES[role])


def selection_name(analysed: AnalysedTrace, selected: Selection) -> Safe:
    """What is selected; nothing for no selection."""
    if isinstance(selected, EventAt):
        return analysed.labels.event(selected.row)
    if isinstance(selected, RoleAt):
        role = role_text(analysed, selected.row)
        return safe(f"{role} {analysed.labels.event(selected.row)}".strip())
    if isinstance(selected, CallAt):
        return call_text(analysed.attention[selected.index])
    if isinstance(selected, GapAt):
        return safe("gap")
    if isinstance(selected, Range):
        return safe("range")
    if isinstance(selected, Step):
        return scope_text(analysed, selected)
    if isinstance(selected, FindingAt) and selected.place is not None:
        return selection_name(analysed, selected.place)
    return safe("")


def selection_text(analysed: AnalysedTrace, selected: Selection) -> Safe:
    """What is selected and how long it lasts; nothing for no selection."""
    if isinstance(selected, Nothing):
        return safe("")
    if isinstance(selected, FindingAt):
        return safe("") if selected.place is None else selection_text(analysed, selected.place)
    name = selection_name(analysed, selected)
    if isinstance(selected, CallAt):
        length = analysed.attention[selected.index].gpu_ns
    elif isinstance(selected, Step):
        length = int(analysed.steps.duration[selected.index])
    else:
        start, end = span_of(analysed, selected) or (0, 0)
        length = end - start
    between = " " if isinstance(selected, GapAt | Range) else "  "
    return safe(f"{name}{between}{duration(length)}")
