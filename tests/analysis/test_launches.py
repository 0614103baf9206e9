"""Launches: the op around them, the stack, the delay, and what a span launched."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from made import annotation, call, frame, kernel, op, row, trace_of

from attntui.analysis.launches import (
    launch_delay,
    launch_delays,
    launched_work,
    nearest,
    op_stack,
    parent_ops,
)
from attntui.trace import Trace


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
