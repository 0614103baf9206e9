"""Units: which one is chosen, what each owns, and which stands for all."""

from __future__ import annotations

import numpy as np
import pytest
from made_script import Script, stack

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import UnitChoice, UnitKind, available, find_units, take
from attntui.analysis.compare.units import ATTENTION_UNIT, WINDOW_UNIT
from attntui.trace import Trace


def annotation(label: str) -> UnitChoice:
    return UnitChoice(UnitKind.ANNOTATION, label)


STEP = UnitChoice(UnitKind.STEP, "ProfilerStep#*")


def steps(*durations: float, label: str = "", beside: float = 0, leaked: bool = False) -> Trace:
    """A step for each duration of one kernel, in an annotation if it is named; `beside` is
    the duration of another kernel in each step.
    """
    script = Script()
    if leaked:
        script.leaked()
    for number, duration in enumerate(durations):
        with script.inside(f"ProfilerStep#{number}"):
            launched = [("k", duration)] if duration else []
            if label:
                with script.inside(label):
                    script.op("aten::mm", *launched)
            else:
                script.op("aten::mm", *launched)
            if beside:
                script.op("aten::sum", ("k", beside))
    return script.trace()


def chosen(*traces: Trace) -> UnitChoice:
    return available([AnalysedTrace(trace) for trace in traces])[0]


def test_an_annotation_of_both_that_holds_nearly_all_comes_first() -> None:
    assert chosen(steps(10, label="attn_fwd"), steps(5, label="attn_fwd")) == annotation("attn_fwd")


def test_an_annotation_that_leaves_much_out_does_not() -> None:
    traces = steps(10, label="attn_fwd", beside=1), steps(10, label="attn_fwd", beside=9)
    assert chosen(traces[0], traces[0]) == annotation("attn_fwd")
    assert chosen(*traces) == STEP
    assert annotation("attn_fwd") in available([AnalysedTrace(trace) for trace in traces])


def test_an_annotation_of_one_alone_is_no_unit() -> None:
    traces = steps(10, label="attn_fwd"), steps(10, label="other")
    assert available([AnalysedTrace(t) for t in traces]) == (STEP, WINDOW_UNIT)


def test_of_nested_annotations_the_outer_one() -> None:
    script = Script()
    with script.inside("ProfilerStep#0"), script.inside("model"), script.inside("a_block"):
        script.op("aten::mm", ("k", 5))
    assert chosen(script.trace(), script.trace()) == annotation("model")


def test_without_steps_attention_calls_then_the_window() -> None:
    script = Script()
    script.sdpa()
    assert available([AnalysedTrace(script.trace())] * 2) == (ATTENTION_UNIT, WINDOW_UNIT)
    script = Script()
    script.op("aten::mm", ("k", 5))
    assert available([AnalysedTrace(script.trace())] * 2) == (WINDOW_UNIT,)


def test_the_choice_is_the_same_from_both_sides() -> None:
    a, b = stack(fused=False), stack(fused=True)
    assert chosen(a, b) == chosen(b, a)


def test_the_representative_is_the_lower_median() -> None:
    units = find_units(AnalysedTrace(steps(40, 10, 30, 20)), STEP)
    assert (units.gpu_ns // 1000).tolist() == [40, 10, 30, 20]
    assert units.representative() == 3
    # Equal ones stand in order of time.
    assert find_units(AnalysedTrace(steps(20, 20, 20, 20)), STEP).representative() == 1


def test_a_unit_that_launched_nothing_stands_for_none() -> None:
    subject = AnalysedTrace(steps(0, 0, 0, 8, 9))
    units = find_units(subject, STEP)
    assert len(units) == 5
    assert units.representative() == 3
    side = take(subject, STEP)
    assert (side.gpu_ns_min, side.gpu_ns_max) == (8000, 9000)


def test_without_any_gpu_work_the_median_host_time_counts() -> None:
    script = Script()
    for number, ops in enumerate((5, 1, 3)):
        with script.inside(f"ProfilerStep#{number}"):
            for _ in range(ops):
                script.op("aten::mm")
    side = take(AnalysedTrace(script.trace()), STEP)
    assert (side.index, side.figures.gpu_ops, side.figures.gpu_ns) == (2, 0, 0)


@pytest.mark.parametrize("choice", [STEP, annotation("fwd"), WINDOW_UNIT])
def test_kernels_of_the_warm_up_are_in_no_unit(choice: UnitChoice) -> None:
    side = take(AnalysedTrace(steps(10, 20, label="fwd", leaked=True)), choice)
    assert side.left_out == 1
    names = {side.slice.trace.name_of(row) for row in side.rows.tolist()}
    assert names == {"k"}


def test_a_trace_without_any_launch_is_one_window() -> None:
    script = Script()
    script.leaked()
    script.leaked()
    side = take(AnalysedTrace(script.trace()), WINDOW_UNIT)
    assert (side.figures.gpu_ops, side.left_out) == (2, 0)


def test_a_step_owns_the_launches_of_other_threads_an_annotation_does_not() -> None:
    script = Script()
    with script.inside("ProfilerStep#0"), script.inside("fwd"):
        script.op("aten::mm", ("k", 5))
        script.tid = 200
        script.op("aten::mm", ("backward", 7))
        script.tid = 100
    subject = AnalysedTrace(script.trace())
    assert find_units(subject, STEP).gpu_ns.tolist() == [12_000]
    assert find_units(subject, annotation("fwd")).gpu_ns.tolist() == [5_000]


def test_an_annotation_inside_its_like_is_no_unit_of_its_own() -> None:
    script = Script()
    with script.inside("block"), script.inside("block"):
        script.op("aten::mm", ("k", 5))
    assert find_units(AnalysedTrace(script.trace()), annotation("block")).gpu_ns.tolist() == [5_000]


def test_attention_calls_are_units_with_their_own_span() -> None:
    script = Script()
    script.op("aten::mm", ("k", 5))
    script.sdpa()
    script.sdpa(scale=3)
    subject = AnalysedTrace(script.trace())
    units = find_units(subject, ATTENTION_UNIT)
    assert units.gpu_ns.tolist() == [9_000, 27_000]
    side = take(subject, ATTENTION_UNIT, 1)
    call = subject.attention[1]
    assert side.host == (call.start, call.end)
    assert side.start == call.start
    assert side.end == int(subject.trace.end[call.gpu_rows].max())


def test_a_unit_that_is_not_there_is_refused() -> None:
    subject = AnalysedTrace(steps(1))
    with pytest.raises(ValueError, match="no annotation 'fwd'"):
        take(subject, annotation("fwd"))
    with pytest.raises(ValueError, match="unit 2 of 1"):
        take(subject, STEP, 1)


def test_units_of_the_whole_are_sums_of_what_they_own() -> None:
    subject = AnalysedTrace(stack(fused=False))
    for choice in available([subject]):
        units = find_units(subject, choice)
        for index in range(len(units)):
            rows = units.rows(index)
            assert int(subject.trace.dur[rows].sum()) == units.gpu_ns[index]
            assert (np.diff(rows) > 0).all()
