"""Launches: the op around them, the stack, the delay, and what a span launched."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from made import annotation, call, frame, kernel, op, row, trace_of

from attntui.analysis.launches import (
    launch_delay,
    launch_delays,
    launched_inside,
    launched_work,
    nearest,
    op_stack,
    parent_ops,
)
from attntui.trace import Trace
from attntui.trace.model import Category


def names(trace: Trace, rows: Iterable[int]) -> list[str | None]:
    return [trace.name_of(int(r)) if r >= 0 else None for r in rows]


def test_parent_is_the_innermost_op_around_the_launch() -> None:
    trace = trace_of(
        [
            annotation("step", 0, 9_000),
            frame("train.py(1): main", 100, 8_900),
            op("aten::matmul", 1_000, 3_000),
            op("aten::mm", 1_000, 3_000),
            call("cudaLaunchKernel", 1_500, 1_600, 5),
            kernel("gemm", 4_000, 5_000, 5),
            kernel("leaked", 500, 600, 77),
        ]
    )
    assert names(trace, parent_ops(trace)) == [None, "aten::mm"]
    stack = op_stack(trace, row(trace, "gemm"))
    assert names(trace, stack) == ["aten::mm", "aten::matmul", "train.py(1): main", "step"]
    assert names(trace, op_stack(trace, row(trace, "aten::matmul"))) == [
        "train.py(1): main",
        "step",
    ]
    assert op_stack(trace, row(trace, "leaked")) == ()


def test_external_id_serves_only_where_nothing_encloses() -> None:
    apart = [
        op("aten::add", 1_000, 2_000, tid=1, **{"External id": 3}),
        op("late", 8_000, 9_000, tid=1, **{"External id": 4}),
        call("cudaLaunchKernel", 3_000, 3_100, 5, tid=2),
        call("cudaLaunchKernel", 3_200, 3_300, 6, tid=2),
        {**kernel("k", 4_000, 5_000, 5)},
        {**kernel("skewed", 5_000, 6_000, 6)},
    ]
    apart[4]["args"]["External id"] = 3
    apart[5]["args"]["External id"] = 4
    trace = trace_of(apart)
    assert names(trace, parent_ops(trace)) == ["aten::add", None]


def of_ids(*ops: tuple[str, int, int, int | None], kernel_id: int | None) -> Trace:
    """Ops (name, start, end, external id) on one thread; on another a bare launch at 3,000
    whose kernel has an external id.
    """
    events = [
        op(name, start, end, **({} if number is None else {"External id": number}))
        for name, start, end, number in ops
    ]
    launched = kernel("k", 4_000, 5_000, 5)
    if kernel_id is not None:
        launched["args"]["External id"] = kernel_id
    return trace_of([*events, call("cudaLaunchKernel", 3_000, 3_100, 5, tid=2), launched])


def test_of_ops_with_one_external_id_the_innermost() -> None:
    nested = [("aten::matmul", 1_000, 2_000, 3), ("aten::mm", 1_100, 1_900, 3)]
    trace = of_ids(("first", 0, 500, 2), *nested, ("next", 2_100, 2_200, 4), kernel_id=3)
    assert names(trace, parent_ops(trace)) == ["aten::mm"]
    # Its stack goes on from there, though nothing encloses the launch itself.
    assert names(trace, op_stack(trace, row(trace, "k"))) == ["aten::mm", "aten::matmul"]


@pytest.mark.parametrize(
    ("ids", "kernel_id"),
    [((3, 7), 5), ((3, 7), 2), ((3, 7), 9), ((3, 7), None), ((None, None), 5), ((0, None), 0)],
)
def test_another_external_id_or_none_tells_nothing(
    ids: tuple[int | None, ...], kernel_id: int | None
) -> None:
    made = [(f"op{n}", 100 * n, 100 * n + 50, number) for n, number in enumerate(ids)]
    trace = of_ids(*made, kernel_id=kernel_id)
    assert parent_ops(trace).tolist() == [-1]
    assert op_stack(trace, row(trace, "k")) == ()


def test_parents_and_delays_of_some_rows_alone() -> None:
    trace = trace_of(
        [
            op("one", 0, 500),
            call("cudaLaunchKernel", 100, 200, 1),
            op("two", 1_000, 1_500),
            call("cudaLaunchKernel", 1_100, 1_200, 2),
            kernel("a", 2_000, 2_100, 1),
            kernel("b", 3_000, 3_100, 2),
        ]
    )
    assert names(trace, parent_ops(trace, np.array([row(trace, "b")]))) == ["two"]
    assert launch_delays(trace, np.array([row(trace, "b")])).delay.tolist() == [1_900]


def test_a_frame_between_an_op_and_its_launch_is_in_the_stack_and_no_parent() -> None:
    trace = trace_of(
        [
            op("custom::op", 0, 9_000),
            frame("kernel.py(7): run", 100, 8_000),
            call("cudaLaunchKernel", 200, 300, 5),
            kernel("k", 400, 500, 5),
        ]
    )
    assert names(trace, parent_ops(trace)) == ["custom::op"]
    stack = op_stack(trace, row(trace, "k"))
    assert names(trace, stack) == ["kernel.py(7): run", "custom::op"]


def test_what_has_no_launch_has_no_stack_whatever_stands_last_in_the_trace() -> None:
    trace = trace_of([kernel("leaked", 0, 100, 9), op("outer", 500, 900), op("last", 600, 700)])
    assert op_stack(trace, row(trace, "leaked")) == ()
    assert op_stack(trace, row(trace, "outer")) == ()
    assert names(trace, op_stack(trace, row(trace, "last"))) == ["outer"]


def test_the_work_of_a_call_is_its_own_and_of_an_op_that_of_its_thread() -> None:
    trace = trace_of(
        [
            op("aten::mm", 0, 1_000, tid=1),
            call("cudaLaunchKernel", 100, 200, 1, tid=1),
            call("cudaGraphLaunch", 300, 800, 2, tid=1),
            call("cudaLaunchKernel", 350, 400, 3, tid=2),
            call("cudaLaunchKernel", 1_000, 1_100, 4, tid=1),
            kernel("third", 5_000, 5_100, 1),
            kernel("graph a", 2_000, 2_100, 2),
            kernel("graph b", 2_200, 2_300, 2),
            kernel("other thread", 2_500, 2_600, 3),
            kernel("after", 6_000, 6_100, 4),
        ]
    )

    def inside(name: str) -> list[str | None]:
        return names(trace, launched_inside(trace, row(trace, name)))

    assert inside("cudaGraphLaunch") == ["graph a", "graph b"]
    # In order of launch, not of running; what is launched as the op ends is not inside.
    assert inside("aten::mm") == ["third", "graph a", "graph b"]


def test_delay_may_be_skew_and_may_be_absent() -> None:
    trace = trace_of(
        [
            call("cudaLaunchKernel", 1_000, 1_200, 1),
            call("cudaLaunchKernel", 2_000, 2_200, 2),
            kernel("late", 1_700, 1_800, 1),
            kernel("early", 1_900, 1_950, 2),
            kernel("leaked", 100, 200, 9),
        ]
    )
    assert launch_delay(trace, row(trace, "late")) == 700
    assert launch_delay(trace, row(trace, "early")) == -100
    assert launch_delay(trace, row(trace, "leaked")) is None
    delays = launch_delays(trace)
    assert delays.delay.tolist() == [700, -100]
    assert delays.skewed == 1


def test_work_launched_on_the_own_thread_and_on_any() -> None:
    trace = trace_of(
        [
            annotation("step", 1_000, 5_000, tid=1),
            call("cudaLaunchKernel", 1_000, 1_100, 1, tid=1),
            call("cudaLaunchKernel", 2_000, 2_100, 2, tid=2),
            call("cudaLaunchKernel", 2_500, 2_600, 3, tid=1, pid=2),
            call("cudaLaunchKernel", 6_000, 6_100, 4, tid=1),
            kernel("own", 3_000, 3_010, 1),
            kernel("backward", 4_000, 4_100, 2),
            kernel("other process", 5_000, 6_000, 3),
            kernel("after", 7_000, 8_000, 4),
        ]
    )
    work = launched_work(trace, np.array([row(trace, "step")]))
    assert (work.gpu_ops.tolist(), work.gpu_ns.tolist()) == ([1], [10])
    assert (work.gpu_ops_any_thread.tolist(), work.gpu_ns_any_thread.tolist()) == ([2], [110])


def test_a_launch_belongs_to_the_spans_that_it_starts_in_both_ends_included() -> None:
    starts = {900: 1, 1_000: 2, 1_500: 4, 2_000: 8, 2_001: 16}
    events = [op("span", 1_000, 2_000)]
    for number, (start, dur) in enumerate(starts.items(), start=1):
        events.append(call("cudaLaunchKernel", start, start + 90, number))
        events.append(kernel("k", 5_000 + 100 * number, 5_000 + 100 * number + dur, number))
    trace = trace_of(events)
    work = launched_work(trace, np.array([row(trace, "span")]))
    assert (work.gpu_ops.tolist(), work.gpu_ns.tolist()) == ([3], [2 + 4 + 8])


def test_a_kernel_that_starts_with_its_launch_is_no_skew() -> None:
    trace = trace_of([call("cudaLaunchKernel", 100, 200, 1), kernel("k", 100, 300, 1)])
    delays = launch_delays(trace)
    assert (delays.delay.tolist(), delays.skewed) == ([0], 0)


def test_what_ended_before_an_event_does_not_enclose_it() -> None:
    """A frame that outlives one step and opens the next must not put it inside the first."""
    trace = trace_of(
        [
            annotation("ProfilerStep#1", 1_000, 5_000),
            frame("profiler.py(1): step", 4_800, 6_000),
            annotation("ProfilerStep#2", 5_500, 9_000),
            op("aten::mm", 7_000, 8_000),
            call("cudaLaunchKernel", 7_100, 7_200, 5),
            kernel("gemm", 7_500, 7_900, 5),
        ]
    )
    second = row(trace, "ProfilerStep#2")
    wanted = np.isin(np.arange(len(trace)), [row(trace, "ProfilerStep#1"), second])
    inside = np.array([second, row(trace, "aten::mm")])
    assert names(trace, nearest(trace, inside, wanted)) == [None, "ProfilerStep#2"]
    assert names(trace, op_stack(trace, row(trace, "gemm"))) == ["aten::mm", "ProfilerStep#2"]


def test_what_ends_as_an_event_begins_does_not_enclose_it() -> None:
    """The frame outlives the step it began in and ends in the instant in which the op begins."""
    trace = trace_of(
        [
            frame("profiler.py(1): step", 4_800, 6_000),
            annotation("ProfilerStep#2", 5_500, 9_000),
            op("aten::mm", 6_000, 8_000),
        ]
    )
    frames = trace.category == Category.PYTHON_FUNCTION
    mm = row(trace, "aten::mm")
    assert nearest(trace, np.array([mm]), frames).tolist() == [-1]
    assert names(trace, op_stack(trace, mm)) == ["ProfilerStep#2"]
    # In the step it does enclose, it is found.
    step = row(trace, "ProfilerStep#2")
    assert names(trace, nearest(trace, np.array([step]), frames)) == ["profiler.py(1): step"]
