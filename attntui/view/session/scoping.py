"""Which scopes a place in the trace offers, and one of them taken."""

from __future__ import annotations

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.launches import nearest
from attntui.analysis.scope import WHOLE, Annotation, Call, Range, Scope, Step
from attntui.analysis.steps import Steps
from attntui.trace.model import ABSENT, Category, Trace
from attntui.view.session.selection import CallAt, RoleAt, call_span, host_span
from attntui.view.session.session import Session


def scope_choices(
    analysed: AnalysedTrace, event: int | None, cursor: int, measured: Range | None
) -> list[Scope]:
    """The scopes at a place: the whole trace, the step, the innermost annotation where it is
    not that step, the attention call, the range.
    """
    choices: list[Scope] = [WHOLE]
    steps = analysed.steps
    step = step_at(steps, event, cursor)
    if step is not None:
        choices.append(Step(step))
    annotation = annotation_at(analysed.trace, event)
    if annotation is not None and (step is None or annotation != int(steps.rows[step])):
        choices.append(Annotation(annotation))
    call = None if event is None else analysed.calls_by_event.get(event)
    if call is not None:
        choices.append(Call(call))
    if measured is not None:
        choices.append(measured)
    return choices


def offered(session: Session) -> tuple[list[Scope], Scope]:
    """The scopes where a session stands, and which of them comes first to mind: the one that is
    selected, else the one after the present scope.
    """
    chosen, measured = session.selection, session.measured
    ranged = chosen if isinstance(chosen, Range) else None if measured is None else measured.range
    choices = scope_choices(session.analysed, session.event, session.timeline.cursor, ranged)
    own: Scope | None = None
    if isinstance(chosen, Step | Range):
        own = chosen
    elif isinstance(chosen, CallAt | RoleAt):
        own = Call(chosen.index if isinstance(chosen, CallAt) else chosen.call)
    if own is not None and own not in choices:
        # What is selected need not be where the cursor is: it stands for others of its kind.
        choices = [*(c for c in choices if type(c) is not type(own)), own]
    if own is not None and own != session.scope:
        return choices, own
    here = choices.index(session.scope) if session.scope in choices else -1
    return choices, choices[(here + 1) % len(choices)]


def scoping(session: Session, scope: Scope) -> Session:
    """With another scope, of which something is on screen; the selection stays."""
    moved = session.scoped(scope)
    start, end = scope_span(session.analysed, scope)
    if not session.timeline.viewport.shows(start, end):
        moved = moved.showing(session.timeline.viewport.showing(start, end))
    return moved.saying(f"scope: {moved.scope_text}")


def scope_span(analysed: AnalysedTrace, scope: Scope) -> tuple[int, int]:
    """The time of a scope on the host, in ns, of a call that none tells of on the GPU."""
    if isinstance(scope, Range):
        return scope.start, scope.end
    if isinstance(scope, Step):
        return int(analysed.steps.start[scope.index]), int(analysed.steps.end[scope.index])
    if isinstance(scope, Annotation):
        return int(analysed.trace.start[scope.row]), int(analysed.trace.end[scope.row])
    if isinstance(scope, Call):
        call = analysed.attention[scope.index]
        return host_span(call) or call_span(analysed.trace, call)
    return analysed.trace.span


def step_at(steps: Steps, event: int | None, cursor: int) -> int | None:
    """The step that owns the event if it is a GPU operation, else the last one begun
    before the cursor on the host (the first one before any began).
    """
    if not len(steps):
        return None
    if event is not None and steps.is_gpu_op(event):
        return steps.owner_of(event)
    return max(int(np.searchsorted(steps.start, cursor, "right")) - 1, 0)


def annotation_at(trace: Trace, event: int | None) -> int | None:
    """The innermost annotation round an event or its launch, or the event itself."""
    if event is None:
        return None
    if trace.category_of(event) is Category.USER_ANNOTATION:
        return event
    row = int(trace.launch[event]) if trace.launch[event] != ABSENT else event
    annotations = np.asarray(trace.category == Category.USER_ANNOTATION, np.bool_)
    found = int(nearest(trace, np.array([row], np.int64), annotations)[0])
    return None if found == ABSENT else found
