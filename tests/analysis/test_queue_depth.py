"""How much work stood ready, and stretches where none did."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from made import call, kernel, trace_of

from attntui.analysis.queue_depth import queue_depth
from attntui.trace import Trace


def test_depth_rises_at_launches_and_falls_at_starts() -> None:
    trace = trace_of(
        [
            call("cudaLaunchKernel", 100, 110, 1),
            call("cudaLaunchKernel", 200, 210, 2),
            call("cudaLaunchKernel", 900, 910, 3),
            kernel("a", 300, 400, 1),
            kernel("b", 400, 500, 2),
            kernel("skewed", 850, 950, 3),
            kernel("leaked", 1_000, 1_100, 9),
        ]
    )
    depth = queue_depth(trace)
    origin = 100
    assert (depth.time + origin).tolist() == [100, 200, 300, 400]
    assert depth.depth.tolist() == [1, 2, 1, 0]
    assert depth.at(np.array([-5, 0, 150, 299, 10_000])).tolist() == [0, 1, 2, 1, 0]
    assert depth.mean(np.array([0, 100]), np.array([400, 200])).tolist() == [1.0, 2.0]


def test_nothing_launched() -> None:
    depth = queue_depth(trace_of([kernel("a", 0, 100)]))
    assert depth.at(np.array([50])).tolist() == [0]
    assert depth.mean(np.array([0]), np.array([50])).tolist() == [0.0]


queued = st.lists(
    st.tuples(st.integers(0, 80), st.integers(-3, 40), st.integers(0, 20)), max_size=12
)


@given(queued, st.integers(-5, 120), st.integers(1, 60))
def test_depth_counts_what_waits(made: list[tuple[int, int, int]], t0: int, length: int) -> None:
    events = [call("cudaLaunchKernel", 0, 0)]
    for number, (launch, delay, dur) in enumerate(made, 1):
        begun = max(0, launch + delay)
        events.append(call("cudaLaunchKernel", launch, launch, number))
        events.append(kernel("k", begun, begun + dur, number))
    depth = queue_depth(trace_of(events))

    def waiting(t: int) -> int:
        return sum(launch <= t < launch + delay for launch, delay, _ in made)

    window = range(t0, t0 + length)
    assert depth.at(np.array(window)).tolist() == [waiting(t) for t in window]
    mean = depth.mean(np.array([t0]), np.array([t0 + length]))[0]
    assert mean == sum(waiting(t) for t in window) / length


def spaced(*launches: int | None) -> Trace:
    """Kernels of 50 ns, 100 ns apart from 1,000 on, each launched at a time or nowhere."""
    events = []
    for i, launched in enumerate(launches):
        begun = 1_000 + 100 * i
        if launched is not None:
            events.append(call("cudaLaunchKernel", launched, launched + 5, i + 1))
        events.append(kernel("k", begun, begun + 50, i + 1))
    return trace_of(events)


def test_the_queue_of_some_operations_alone() -> None:
    trace = spaced(500, 600, 700)
    depth = queue_depth(trace, trace.gpu_ops[1:2])
    assert (depth.time + 500).tolist() == [600, 1_100]
    assert depth.depth.tolist() == [1, 0]
