"""Units at their edges: launches at a bound, calls that are not forward, shares of a window."""

from __future__ import annotations

import pytest
from made import annotation, call, kernel, op, trace_of
from made_script import FLASH, Script

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention_ops import Direction
from attntui.analysis.compare import UnitChoice, UnitKind, available, find_units
from attntui.analysis.compare.units import ATTENTION_UNIT, WINDOW_UNIT
from attntui.trace import ABSENT, Trace

FWD = UnitChoice(UnitKind.ANNOTATION, "fwd")
FLASH_BWD = FLASH.replace("fwd", "bwd")


def test_an_annotation_owns_launches_at_both_its_ends_and_none_beyond() -> None:
    events = [op("first", 0, 10), annotation("fwd", 1_000, 2_000), annotation("fwd", 5_000, 6_000)]
    for number, at in enumerate((999, 1_000, 2_000, 2_001, 5_000, 6_000, 6_001), 1):
        begin = 10_000 + 1_000 * number
        events += [
            call("cudaLaunchKernel", at, at + 1, number),
            kernel("k", begin, begin + 2**number, number),
        ]
    units = find_units(AnalysedTrace(trace_of(events)), FWD)
    assert units.owner.tolist() == [ABSENT, 0, 0, ABSENT, 1, 1, ABSENT]
    assert units.count.tolist() == [2, 2]
    assert units.start.tolist() == [1_000, 5_000]
    assert units.end.tolist() == [2_000, 6_000]
    assert units.gpu_ns.tolist() == [2**2 + 2**3, 2**5 + 2**6]
    assert units.rows(0).tolist() == units.gpu_ops[1:3].tolist()
    assert units.rows(1).tolist() == units.gpu_ops[4:6].tolist()


def test_a_launch_where_one_annotation_ends_and_the_next_begins_is_the_nexts() -> None:
    events = [
        annotation("fwd", 1_000, 2_000),
        annotation("fwd", 2_000, 3_000),
        call("cudaLaunchKernel", 2_000, 2_001, 1),
        kernel("k", 10_000, 10_500, 1),
    ]
    units = find_units(AnalysedTrace(trace_of(events)), FWD)
    assert units.owner.tolist() == [1]
    assert (units.gpu_ns.tolist(), units.count.tolist()) == ([0, 500], [0, 1])
    assert units.working.tolist() == [1]


def test_units_at_the_end_that_launched_nothing_are_counted() -> None:
    script = Script()
    for name in ("k", "", ""):
        with script.inside("fwd"):
            script.op("aten::mm", *([(name, 8)] if name else []))
    units = find_units(AnalysedTrace(script.trace()), FWD)
    assert (units.gpu_ns.tolist(), units.count.tolist()) == ([8_000, 0, 0], [1, 0, 0])


def backward(script: Script, dur: float) -> None:
    script.op(
        "aten::_flash_attention_backward",
        (FLASH_BWD, dur),
        outer="aten::_scaled_dot_product_flash_attention_backward",
    )


def test_backward_calls_are_the_attention_units_where_no_call_is_forward() -> None:
    script = Script()
    backward(script, 5)
    script.op("aten::mm", ("k", 3))
    backward(script, 7)
    subject = AnalysedTrace(script.trace())
    assert [c.direction for c in subject.attention] == [Direction.BACKWARD] * 2
    units = find_units(subject, ATTENTION_UNIT)
    assert units.owner.tolist() == [0, ABSENT, 1]
    assert units.gpu_ns.tolist() == [5_000, 7_000]
    assert units.start.tolist() == [c.start for c in subject.attention]
    assert units.end.tolist() == [c.end for c in subject.attention]
    assert units.row.tolist() == [ABSENT, ABSENT]


def test_backward_calls_are_no_attention_units_beside_a_forward_one() -> None:
    script = Script()
    backward(script, 5)
    script.sdpa()
    backward(script, 7)
    subject = AnalysedTrace(script.trace())
    assert len(subject.attention) == 3
    units = find_units(subject, ATTENTION_UNIT)
    assert units.owner.tolist() == [ABSENT, 0, ABSENT]
    assert units.gpu_ns.tolist() == [9_000]


def beside(inside: float, outside: float, *, step: str = "", elsewhere: float = 0) -> Trace:
    """An annotation with one kernel and one outside it, in a step if it is named, and one
    outside of the step too.
    """
    script = Script()

    def write() -> None:
        with script.inside("fwd"):
            script.op("aten::mm", ("k", inside))
        script.op("aten::sum", ("l", outside))

    if step:
        with script.inside(step):
            write()
    else:
        write()
    if elsewhere:
        script.op("aten::add", ("m", elsewhere))
    return script.trace()


def first(*traces: Trace) -> UnitChoice:
    return available([AnalysedTrace(trace) for trace in traces])[0]


@pytest.mark.parametrize(
    ("inside", "outside", "chosen"), [(10, 10, FWD), (10, 10.001, WINDOW_UNIT), (10, 2, FWD)]
)
def test_an_annotation_needs_half_of_the_window(
    inside: float, outside: float, chosen: UnitChoice
) -> None:
    trace = beside(inside, outside)
    assert not len(AnalysedTrace(trace).steps)
    assert first(trace) == chosen
    # On every side, in any order.
    assert first(trace, beside(10, 1)) == chosen
    assert first(beside(10, 1), trace) == chosen


@pytest.mark.parametrize(
    ("inside", "outside", "kind"), [(9, 1, UnitKind.ANNOTATION), (9, 1.001, UnitKind.STEP)]
)
def test_an_annotation_needs_nine_tenths_of_the_steps_not_of_what_is_outside(
    inside: float, outside: float, kind: UnitKind
) -> None:
    trace = beside(inside, outside, step="ProfilerStep#0", elsewhere=50)
    assert first(trace).kind is kind


def test_an_annotation_without_any_gpu_work_is_not_chosen() -> None:
    script = Script()
    with script.inside("fwd"):
        script.op("aten::mm")
    trace = script.trace()
    assert available([AnalysedTrace(trace)]) == (WINDOW_UNIT, FWD)
