"""Search and scopes at the edges, on made-up traces."""

from __future__ import annotations

from collections.abc import Callable

import builders
import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import WHOLE, Annotation, Range, Step
from attntui.trace import Trace
from attntui.view.session.scoping import annotation_at, scope_choices, step_at
from attntui.view.session.search import Search


@pytest.fixture
def analysed(make_trace: Callable[..., Trace]) -> AnalysedTrace:
    return AnalysedTrace(make_trace(two_steps()))


def rows(analysed: AnalysedTrace, name: str) -> list[int]:
    trace = analysed.trace
    return [row for row in range(len(trace)) if trace.name_of(row) == name]


def test_the_next_hit_counts_from_the_selected_event_only_where_the_cursor_is_in_it(
    make_trace: Callable[..., Trace],
) -> None:
    analysed = AnalysedTrace(make_trace([builders.cpu_op("k", at, 10) for at in (0, 20, 40)]))
    trace, search = analysed.trace, Search.of(analysed, "k")

    def found(cursor: int, event: int | None, direction: int = 1, here: bool = False) -> int:
        return search.next(trace, cursor, event, direction, here)

    assert found(25_000, 1) == 2
    assert found(20_000, 1) == 2
    assert found(20_000, 1, here=True) == 1
    assert found(20_000, 1, -1) == 0
    # The selected event has ended, or is yet to begin: the cursor alone counts.
    assert found(30_000, 1) == 2
    assert found(40_000, 0) == 2
    assert found(0, 2) == 0
    assert found(20_000, None) == 1
    # Round the ends.
    assert found(41_000, 2) == 0
    assert found(0, 0, -1) == 2


def test_a_gpu_operation_belongs_to_the_step_that_launched_it(analysed: AnalysedTrace) -> None:
    steps = analysed.steps
    second = rows(analysed, "softmax_warp_forward")[1]
    assert step_at(steps, second, 0) == 1
    assert step_at(steps, rows(analysed, "leaked")[0], 2_000_000) is None


def test_on_the_host_the_cursor_tells_the_step(analysed: AnalysedTrace) -> None:
    steps = analysed.steps
    op = rows(analysed, "aten::mm")[0]
    begun = int(steps.start[1])
    assert [step_at(steps, op, at) for at in (0, begun - 1, begun)] == [0, 0, 1]
    assert step_at(steps, len(analysed.trace) - 1, 0) is not None


def test_the_innermost_annotation_is_offered_where_it_is_not_the_step(
    analysed: AnalysedTrace,
) -> None:
    trace = analysed.trace
    inner, step = rows(analysed, "attn_fwd")[0], rows(analysed, "ProfilerStep#1")[0]
    kernel, op = rows(analysed, "softmax_warp_forward")[0], rows(analysed, "aten::mm")[0]
    for event in (inner, kernel, op):
        assert annotation_at(trace, event) == inner
    assert annotation_at(trace, step) == step
    assert annotation_at(trace, None) is None
    cursor, measured = int(trace.start[op]), Range(0, 10)
    assert scope_choices(analysed, op, cursor, measured) == [
        WHOLE,
        Step(0),
        Annotation(inner),
        measured,
    ]
    assert scope_choices(analysed, step, cursor, None) == [WHOLE, Step(0)]
    assert scope_choices(analysed, None, cursor, None) == [WHOLE, Step(0)]


def test_without_steps_only_the_annotation_is_offered(make_trace: Callable[..., Trace]) -> None:
    events = [builders.annotation("part", 0, 50), builders.cpu_op("aten::mm", 10, 5)]
    analysed = AnalysedTrace(make_trace(events))
    (op,), (part,) = rows(analysed, "aten::mm"), rows(analysed, "part")
    assert scope_choices(analysed, op, 0, None) == [WHOLE, Annotation(part)]
