"""Owners of instants and of launches."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from made import annotation, call, kernel, row, trace_of

from attntui.analysis.launches import process_of_lanes
from attntui.analysis.owners import owners, span_at

TIMES = st.integers(0, 20)


@given(st.lists(st.tuples(TIMES, TIMES)).map(sorted), st.lists(TIMES))
def test_the_last_span_begun_holds_a_time_up_to_its_end(
    spans: list[tuple[int, int]], times: list[int]
) -> None:
    def slowly(time: int) -> int:
        begun = [index for index, (start, _) in enumerate(spans) if start <= time]
        return begun[-1] if begun and time <= spans[begun[-1]][1] else -1

    start, end = np.array(spans, np.int64).reshape(-1, 2).T
    found = span_at(start, end, np.array(times, np.int64))
    assert found.tolist() == [slowly(time) for time in times]


def test_launches_are_owned_on_the_thread_or_in_the_process() -> None:
    trace = trace_of(
        [
            annotation("first", 1_000, 2_000, tid=1),
            annotation("second", 3_000, 5_000, tid=1),
            call("cudaLaunchKernel", 1_500, 1_600, 1, tid=1),
            call("cudaLaunchKernel", 3_500, 3_600, 2, tid=2),
            call("cudaLaunchKernel", 4_000, 4_100, 3, tid=1, pid=2),
            call("cudaLaunchKernel", 5_000, 5_100, 4, tid=1),
            kernel("own", 6_000, 6_010, 1),
            kernel("other thread", 6_100, 6_110, 2),
            kernel("other process", 6_200, 6_210, 3),
            kernel("at the end", 6_300, 6_310, 4),
            kernel("no launch", 6_400, 6_410, 5),
        ]
    )
    spans = np.array([row(trace, "first"), row(trace, "second")])
    thread = np.arange(len(trace.lanes))
    assert owners(trace, spans, trace.gpu_ops, thread).tolist() == [0, -1, -1, 1, -1]
    process = process_of_lanes(trace)
    assert owners(trace, spans, trace.gpu_ops, process).tolist() == [0, 1, -1, 1, -1]
    assert owners(trace, spans[:0], trace.gpu_ops, process).tolist() == [-1] * 5
