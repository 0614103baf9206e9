"""Which scopes a place in the trace offers."""

from __future__ import annotations

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.launches import nearest
from attntui.analysis.scope import WHOLE, Annotation, Range, Scope, Step
from attntui.analysis.steps import Steps
from attntui.trace.model import ABSENT, Category, Trace


def scope_choices(
    analysed: AnalysedTrace, event: int | None, cursor: int, measured: Range | None
) -> list[Scope]:
    """The scopes at a place, in the order in which a key goes through them: the whole
    trace, the step, the innermost annotation where it is not that step, the range.
    """
    choices: list[Scope] = [WHOLE]
    steps = analysed.steps
    step = step_at(steps, event, cursor)
    if step is not None:
        choices.append(Step(step))
    annotation = annotation_at(analysed.trace, event)
    if annotation is not None and (step is None or annotation != int(steps.rows[step])):
        choices.append(Annotation(annotation))
    if measured is not None:
        choices.append(measured)
    return choices


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
