"""When an event runs and nothing recorded inside it does."""

from __future__ import annotations

import numpy as np
from made import call, frame, op, row, trace_of

from attntui.analysis.bare_time import BareTime, bare_time
from attntui.trace.model import ABSENT, Trace


def bare(trace: Trace, *names: str) -> BareTime:
    return bare_time(trace, np.array([row(trace, name) for name in names], np.int64))


def stretches(trace: Trace, *names: str) -> list[tuple[str, int, int]]:
    found = bare(trace, *names)
    columns = (found.of.tolist(), found.start.tolist(), found.end.tolist())
    return [(names[of], start, end) for of, start, end in zip(*columns, strict=True)]


def nested() -> Trace:
    return trace_of(
        [
            op("outer", 0, 1_000),
            op("inner", 100, 400),
            call("cudaLaunchKernel", 150, 160),
            frame("frame", 400, 500),
            call("cudaMalloc", 900, 1_000),
            op("alone", 2_000, 2_100),
            op("empty", 3_000, 3_000),
            op("on another thread", 500, 900, tid=2),
        ]
    )


def test_calls_ops_and_frames_interrupt_it() -> None:
    assert stretches(nested(), "outer", "inner", "alone", "empty") == [
        ("outer", 0, 100),
        ("outer", 500, 900),
        ("inner", 100, 150),
        ("inner", 160, 400),
        ("alone", 2_000, 2_100),
    ]


def test_only_what_was_asked_for() -> None:
    assert stretches(nested(), "inner") == [("inner", 100, 150), ("inner", 160, 400)]
    assert stretches(nested()) == []


def test_the_longest_of_each() -> None:
    trace = nested()
    found = bare(trace, "outer", "empty", "inner")
    place = found.longest(3)
    assert place[1] == ABSENT
    assert found.length[place[[0, 2]]].tolist() == [400, 240]
    alike = trace_of([op("outer", 0, 300), op("inner", 100, 200)])
    found = bare(alike, "outer")
    assert found.start[found.longest(1)].tolist() == [0]


def test_what_outlives_the_event_is_cut_at_its_end() -> None:
    trace = trace_of([op("outer", 0, 300), op("late", 200, 900)])
    assert stretches(trace, "outer", "late") == [("outer", 0, 200), ("late", 200, 900)]
