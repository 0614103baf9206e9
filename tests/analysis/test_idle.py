"""Busy, idle and gaps: one definition, exact to the nanosecond."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import plainly
import pytest
from builders import SAMPLES, name_of
from hypothesis import given
from hypothesis import strategies as st
from made import Event, annotation, call, kernel, row, trace_of

from attntui.analysis.idle import device_idle, launched, stream_gaps
from attntui.trace import load


def test_overlap_and_nesting_never_make_a_negative_gap() -> None:
    trace = trace_of(
        [
            kernel("long", 1_000, 9_000),
            kernel("inner", 2_000, 3_000, stream=8),
            kernel("later", 8_500, 9_500, stream=8),
            kernel("last", 12_000, 13_000),
        ]
    )
    (idle,) = device_idle(trace)
    assert (idle.span_ns, idle.busy_ns, idle.idle_ns) == (12_000, 9_500, 2_500)
    assert idle.gaps.start.tolist() == [8_500]
    assert idle.gaps.length.tolist() == [2_500]
    assert idle.gaps.before.tolist() == [row(trace, "later")]
    assert idle.gaps.after.tolist() == [row(trace, "last")]


def test_of_operations_that_end_together_the_one_that_began_last_is_before_the_gap() -> None:
    trace = trace_of(
        [
            kernel("first", 0, 2_000),
            kernel("second", 1_000, 2_000, stream=8),
            kernel("inside", 1_200, 1_800, stream=9),
            kernel("after", 3_000, 4_000),
        ]
    )
    (idle,) = device_idle(trace)
    assert idle.gaps.before.tolist() == [row(trace, "second")]
    assert idle.gaps.after.tolist() == [row(trace, "after")]


def test_what_ran_inside_the_first_operation_is_not_before_the_gap() -> None:
    trace = trace_of(
        [kernel("outer", 0, 2_000), kernel("inner", 500, 900, stream=8), kernel("z", 3_000, 4_000)]
    )
    (idle,) = device_idle(trace)
    assert idle.gaps.before.tolist() == [row(trace, "outer")]


def test_a_momentary_operation_at_the_end_of_the_trace_ends_the_last_gap() -> None:
    trace = trace_of([kernel("a", 0, 1_000), kernel("now", 5_000, 5_000)])
    (idle,) = device_idle(trace)
    assert (idle.span_ns, idle.idle_ns, idle.rows.tolist()) == (5_000, 4_000, [0, 1])


def test_the_longest_gap_and_the_gaps_that_a_mask_chooses() -> None:
    ends = [(0, 1_000), (1_500, 2_000), (5_000, 6_000), (6_200, 7_000)]
    (idle,) = device_idle(trace_of(kernel("k", *end) for end in ends))
    assert idle.longest_gap_ns == 3_000
    for chosen in (idle.gaps.length > 400, np.array([0, 1])):
        some = idle.gaps.take(chosen)
        assert list(zip(some.start, some.end, some.before, some.after, strict=True)) == [
            (1_000, 1_500, 0, 1),
            (2_000, 5_000, 1, 2),
        ]


def test_over_some_rows_alone() -> None:
    trace = trace_of(
        [
            call("cudaLaunchKernel", 0, 50, 1),
            call("cudaLaunchKernel", 60, 90, 3),
            kernel("a", 100, 200, 1),
            kernel("b", 300, 400, 2),
            kernel("c", 600, 700, 3),
        ]
    )
    ends = np.array([row(trace, "a"), row(trace, "c")])
    assert stream_gaps(trace, ends)[0, 7].length.tolist() == [400]
    assert device_idle(trace, ends)[0].gaps.length.tolist() == [400]
    assert launched(trace, trace.gpu_ops[:2]).tolist() == [row(trace, "a")]


def test_operations_that_touch_leave_no_gap() -> None:
    (idle,) = device_idle(trace_of([kernel("a", 0, 1_000), kernel("b", 1_000, 2_000)]))
    assert len(idle.gaps) == 0
    assert idle.longest_gap_ns == 0
    assert idle.busy_ns == idle.span_ns == 2_000


def test_devices_are_apart_and_a_range_is_measured() -> None:
    trace = trace_of(
        [
            kernel("a", 0, 1_000, device=0),
            kernel("b", 3_000, 4_000, device=0),
            kernel("c", 500, 2_500, device=3),
        ]
    )
    first, second = device_idle(trace)
    assert (first.device, first.idle_ns, second.device, second.idle_ns) == (0, 2_000, 3, 0)
    assert first.busy.covered_between(500, 3_500) == 1_000


def of_rank(rank: int, kernels: list[tuple[int, int]]) -> list[Event]:
    """A rank's kernels on its device 0, launched by its own process, as mergers leave them."""
    events = []
    for i, (start, end) in enumerate(kernels, start=1):
        launch = call("cudaLaunchKernel", start - 500, start - 400, i, pid=f"[TP0{rank}] 900")
        ran = kernel("k", start, end, i) | {"pid": f"[TP0{rank}] 0"}
        events += [launch, ran]
    return events


def test_a_device_of_one_rank_is_not_that_of_another() -> None:
    first = of_rank(0, [(1_000, 2_000), (5_000, 6_000)])
    second = of_rank(1, [(2_000, 5_000), (6_000, 9_000)])
    trace = trace_of([*first, *second])
    zero, one = device_idle(trace)
    assert (zero.span_ns, zero.busy_ns, zero.idle_ns) == (5_000, 2_000, 3_000)
    assert (one.span_ns, one.busy_ns, one.idle_ns) == (7_000, 6_000, 1_000)
    assert (zero.device, one.device) == (0, 1)
    assert zero.number == one.number == 0
    assert len(launched(trace)) == 4
    assert {place: len(gaps) for place, gaps in stream_gaps(trace).items()} == {
        (0, 7): 1,
        (1, 7): 1,
    }
    alone = {n: device_idle(trace_of(part))[0] for n, part in enumerate((first, second))}
    for n, merged in enumerate((zero, one)):
        assert alone[n].busy_ns == merged.busy_ns
        assert alone[n].gaps.length.tolist() == merged.gaps.length.tolist()


DAY = 86_400 * 10**9
AT = 90 * DAY
REST = [kernel("k", at, at + 5_000) for at in range(AT, AT + 100_000, 10_000)]


@pytest.mark.parametrize(("day", "where"), [(0, "before"), (400, "after")])
def test_a_kernel_far_from_all_others_makes_no_idle_time(day: int, where: str) -> None:
    days, stray = abs(day - 90) * 86_400, (day * DAY, day * DAY + 3_000)
    trace = trace_of([*REST, kernel("stray", *stray)])
    assert [notice.example for notice in trace.notices if notice.kind == "outlier"] == [
        f"stray: {days:,} s {where} the first of the other events"
    ]
    (idle,) = device_idle(trace)
    assert (idle.span_ns, idle.busy_ns, idle.idle_ns) == (95_000, 50_000, 45_000)
    assert stream_gaps(trace)[0, 7].length.tolist() == [5_000] * 9
    assert len(idle.rows) == len(REST) == len(trace.gpu_ops)


@pytest.mark.parametrize(
    ("length", "span", "idle", "doubted"),
    [
        (4_000, 95_000, 44_000, False),
        (44_000, 96_000, 25_000, True),
        (10**6, 52_000 + 10**6, 25_000, True),
        # By orders longer than all the rest: no time at all.
        (10**9, 95_000, 45_000, False),
        (400 * DAY, 95_000, 45_000, False),
    ],
)
def test_a_doubtful_duration_never_makes_more_than_wholly_busy(
    length: int, span: int, idle: int, doubted: bool
) -> None:
    trace = trace_of([*REST, kernel("endless", AT + 52_000, AT + 52_000 + length)])
    assert ("doubtful_duration" in {notice.kind for notice in trace.notices}) == doubted
    (found,) = device_idle(trace)
    assert (found.span_ns, found.idle_ns) == (span, idle)
    assert found.busy_ns == span - idle
    assert found.gaps.length.sum() == idle
    assert len(found.rows) == len(trace.gpu_ops)


def test_times_below_zero_are_times_like_others() -> None:
    made = [kernel("a", 0, 1_000), kernel("b", 3_000, 4_000), call("cudaLaunchKernel", 0, 9_000)]
    moved = [{**event, "ts": event["ts"] - 7.5} for event in made]
    assert all(event["ts"] < 0 for event in moved)
    for events in (made, moved):
        (idle,) = device_idle(trace_of(events))
        assert (idle.start, idle.span_ns, idle.idle_ns) == (0, 4_000, 2_000)


def test_edges_of_the_window() -> None:
    (idle,) = device_idle(trace_of([annotation("w", 0, 9_000), kernel("a", 2_000, 5_000)]))
    assert idle.edges((0, 9_000)) == (2_000, 4_000)
    assert idle.edges((3_000, 4_000)) == (0, 0)


def test_launched_alone_leaves_out_what_has_no_launch() -> None:
    trace = trace_of(
        [
            kernel("leaked", 1_000, 2_000, 99),
            call("cudaLaunchKernel", 2_500, 2_600, 5),
            kernel("own", 4_000, 5_000, 5),
        ]
    )
    (idle,) = device_idle(trace, launched(trace))
    assert (len(idle.rows), idle.span_ns, idle.idle_ns) == (1, 1_000, 0)


def test_no_gpu_operation_is_no_device() -> None:
    assert device_idle(trace_of([annotation("w", 0, 9_000)])) == ()


def test_a_stream_has_gaps_while_another_is_busy() -> None:
    trace = trace_of(
        [
            kernel("a", 0, 1_000, stream=7),
            kernel("c", 500, 5_000, stream=9),
            kernel("b", 4_000, 6_000, stream=7),
        ]
    )
    gaps = stream_gaps(trace)
    assert set(gaps) == {(0, 7), (0, 9)}
    assert gaps[0, 7].length.tolist() == [3_000]
    assert len(gaps[0, 9]) == 0
    assert len(device_idle(trace)[0].gaps) == 0


operations = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 40), st.integers(0, 2), st.integers(0, 1)),
    min_size=1,
    max_size=25,
)


@given(operations)
def test_busy_and_gaps_count_every_instant(made: list[tuple[int, int, int, int]]) -> None:
    trace = trace_of(
        kernel(f"k{i}", start, start + dur, stream=stream, device=device)
        for i, (start, dur, stream, device) in enumerate(made)
    )
    for idle in device_idle(trace):
        own = [(s, s + d) for s, d, _, device in made if device == idle.device]
        covered = {t for start, end in own for t in range(start, end)}
        span = range(min(s for s, _ in own), max(e for _, e in own))
        assert idle.span_ns == len(span)
        assert idle.busy_ns == len(covered)
        assert idle.busy_ns + idle.idle_ns == idle.span_ns
        assert int(idle.gaps.length.sum()) == idle.idle_ns
        assert (idle.gaps.length > 0).all()
        ends = trace.end[idle.gaps.before]
        assert (ends == idle.gaps.start).all()
        assert (trace.start[idle.gaps.after] == idle.gaps.end).all()


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json.gz")), ids=name_of)
def test_busy_and_idle_of_the_samples_counted_plainly(path: Path) -> None:
    found = {
        str(idle.number): (len(idle.rows), idle.span_ns, idle.busy_ns, idle.idle_ns)
        for idle in device_idle(load(path))
    }
    assert found == {
        number: (told["ops"], told["span_ns"], told["busy_ns"], told["idle_ns"])
        for number, told in plainly.record(path)["devices"].items()
    }
