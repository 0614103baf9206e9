"""Times in every spelling, to the nanosecond."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from builders import annotation, cpu_op, instant, kernel, launched, memory, trace_text, write_text
from hypothesis import given
from hypothesis import strategies as st

from attntui.trace import Trace, load
from attntui.trace.model import ABSENT
from attntui.trace.span import too_long
from attntui.trace.times import (
    EXACT_BELOW_US,
    LATEST_NS,
    LONGEST_NS,
    NO_TIME,
    durations_from_texts,
    ns_from_floats,
    ns_from_text,
    ns_from_texts,
)


def notices(trace: Trace) -> dict[str, int]:
    return {n.kind: n.count for n in trace.notices if n.kind not in ("no_gpu_ops", "no_cpu_ops")}


def written(events: list[dict], **numbers: str) -> str:
    """The text of a trace in which words stand for numbers as they are to be written."""
    text = trace_text(events)
    for word, number in numbers.items():
        text = text.replace(f'"{word}"', number)
    return text


@given(st.integers(-(2**43) * 1000 + 1, 2**43 * 1000 - 1))
def test_floats_are_exact_below_the_limit(ns: int) -> None:
    text = str(Decimal(ns).scaleb(-3))
    assert ns_from_floats(np.array([float(text)])).tolist() == [ns]


@given(st.integers(-(2**61) + 1, 2**62 - 1))
def test_digits_are_exact_everywhere(ns: int) -> None:
    text = f"{'-' if ns < 0 else ''}{abs(ns) // 1000}.{abs(ns) % 1000:03d}"
    assert ns_from_text(text.encode()) == ns
    assert ns_from_text(f'"{text}"'.encode()) == ns
    assert ns_from_text(text.rstrip("0").rstrip(".").encode()) == ns
    assert ns_from_text(f"{text}4".encode()) == ns


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("5", 5000),
        ("-0.5", -500),
        ("1.5e3", 1_500_000),
        ("1E-3", 1),
        ('" 7.25 "', 7250),
        ("0.0004", 0),
        ("1e-300", 0),
    ],
)
def test_spellings(text: str, ns: int) -> None:
    assert ns_from_text(text.encode()) == ns


@pytest.mark.parametrize(
    "text", ["", "null", "true", '"N/A"', '"inf"', "{}", "1e999", "9" * 30, '"1 2"', "--1"]
)
def test_no_times(text: str) -> None:
    assert ns_from_text(text.encode()) == NO_TIME


def test_floats_that_are_no_times() -> None:
    odd = np.array([np.nan, np.inf, -np.inf, 1e300, LATEST_NS / 1000, 1.0])
    assert ns_from_floats(odd).tolist() == [NO_TIME] * 5 + [1000]


SPELLINGS = {
    "integers": ("1712195495519689", "1712195495519692"),
    "three decimals": ("1712195495519689.047", "1712195495519692.001"),
    "strings": ('"1712195495519689.047"', '"1712195495519692.001"'),
    "short strings": ('"12.047"', '"15.001"'),
    "small": ("12.047", "15.001"),
    "just under the limit": (f"{int(EXACT_BELOW_US) - 5}.047", f"{int(EXACT_BELOW_US) - 2}.001"),
    "across the limit": (f"{int(EXACT_BELOW_US) - 2}.047", f"{int(EXACT_BELOW_US) + 1}.001"),
    "negative": ("-15.047", "-12.001"),
    "mixed": ("12", '"15.954"'),
}


@pytest.mark.parametrize("case", SPELLINGS)
def test_every_spelling_is_exact(tmp_path: Path, case: str) -> None:
    first, second = SPELLINGS[case]
    events = [cpu_op("a", "FIRST", 1), cpu_op("b", "SECOND", "DUR")]
    path = write_text(tmp_path, written(events, FIRST=first, SECOND=second, DUR='"0.123"'))
    trace = load(path)
    exact = [int(Decimal(text.strip('"')) * 1000) for text in (first, second)]
    assert trace.metadata.origin_ns == exact[0]
    assert trace.start.tolist() == [0, exact[1] - exact[0]]
    assert trace.dur.tolist() == [1000, 123]
    assert notices(trace) == {}


def test_events_out_of_order_are_sorted(make_trace) -> None:
    trace = make_trace([cpu_op("c", 9, 1), cpu_op("b", 5, 2), cpu_op("a", 5, 3), cpu_op("d", 5, 2)])
    assert [trace.name_of(row) for row in range(4)] == ["a", "b", "d", "c"]
    assert trace.start.tolist() == [0, 0, 0, 4000]
    assert trace.span == (0, 5000)


def test_odd_durations_count_as_nothing(make_trace) -> None:
    event = cpu_op("missing", 30, 0)
    del event["dur"]
    odd = [cpu_op("negative", 10, -5), cpu_op("zero", 20, 0), event, cpu_op("none", 40, None)]
    trace = make_trace([*odd, cpu_op("last", 50, 1)])
    assert len(trace) == 5
    assert trace.dur.tolist() == [0, 0, 0, 0, 1000]
    assert notices(trace) == {"negative_duration": 1, "missing_duration": 2}


def test_an_event_without_a_time_is_left_out(make_trace) -> None:
    lost = cpu_op("lost", 1, 1)
    del lost["ts"]
    odd = [lost, cpu_op("word", "N/A", 1), cpu_op("far", 1e300, 1), instant("mark", None)]
    trace = make_trace([cpu_op("a", 1, 1), *odd])
    assert len(trace) == 1
    assert trace.events == 5
    assert sum(trace.category_counts.values()) == 4
    assert notices(trace) == {"no_time": 4}


def test_a_kernel_that_swallows_later_ones_is_shown_and_doubted(make_trace) -> None:
    kernels = [kernel("k", 10 * n, 5, n) for n in range(1, 9)]
    trace = make_trace([cpu_op("a", 0, 1), kernel("endless", 5, 1000), *kernels])
    assert trace.span == (0, 1_005_000)
    assert notices(trace) == {"no_launch": 9, "doubtful_duration": 1}
    (notice,) = [n for n in trace.notices if n.kind == "doubtful_duration"]
    assert notice.example.startswith("endless")
    assert trace.depth[trace.gpu_ops].tolist() == [0] + [1] * 8


@pytest.mark.parametrize("count", [1, 4, 20])
@pytest.mark.parametrize("dur", [5e3, 1e12, 2.0**61 / 1000, "1e17", "123456789012345678901234"])
def test_an_impossible_duration_is_no_time(make_trace, dur: float | str, count: int) -> None:
    kernels = [kernel("k", 10 * n, 5, n) for n in range(1, 9)]
    endless = [kernel("endless", 5 + n, dur) for n in range(count)]
    trace = make_trace([cpu_op("a", 0, 1), *endless, *kernels])
    assert trace.span == (0, 85_000)
    assert "endless" not in {trace.name_of(row) for row in range(len(trace))}
    assert notices(trace) == {"impossible_duration": count, "no_launch": 8}
    assert trace.notices[0].example.startswith("endless: ")


def test_a_short_impossible_duration_is_told_as_long_as_it_is(make_trace) -> None:
    kernels = [kernel("k", 10 * n, 5, n) for n in range(1, 9)]
    notice = make_trace([kernel("endless", 5, 5000), *kernels]).notices[0]
    assert notice.example == "endless: 0.005 s, and all else took less by orders"


def test_no_sum_of_durations_leaves_64_bits() -> None:
    start = np.arange(20) * 2**55
    dur = np.full(20, 2**59)
    dur[3] = 5
    kept = ~too_long(start, dur, np.full(20, ABSENT))
    assert kept.any()
    assert 0 <= dur[kept].sum(dtype=object) <= 2**62


@pytest.mark.parametrize("stray", [0, 6e12 + 40 * 365 * 86_400e6, 1.0])
def test_an_outlier_does_not_stretch_the_trace(make_trace, stray: float) -> None:
    rest = [cpu_op(f"op{n}", 6e12 + 10 * n, 5) for n in range(20)]
    trace = make_trace([*rest, cpu_op("stray", stray, 5)])
    assert (trace.events, len(trace)) == (21, 20)
    assert trace.metadata.origin_ns == 6 * 10**15
    assert trace.span == (0, 195_000)
    (notice,) = [n for n in trace.notices if n.kind == "outlier"]
    assert (notice.count, notice.example[:7]) == (1, "stray: ")


@pytest.mark.parametrize("count", [4, 20, 40])
@pytest.mark.parametrize("step", [0, 1])
def test_however_many_lie_far_off_they_are_no_time(make_trace, count: int, step: int) -> None:
    """A time that was never set is alike, and early; a clock of another kind is far off."""
    rest = [cpu_op(f"op{n}", 6e12 + 10 * n, 5) for n in range(40)]
    unset = [cpu_op("unset", step * n, 0, args={"External id": n}) for n in range(count)]
    trace = make_trace([*rest, *unset])
    assert (trace.span, len(trace)) == ((0, 395_000), 40)
    assert notices(trace) == {"outlier": count}


def test_many_of_one_time_are_far_off_at_a_minute(make_trace) -> None:
    rest = [cpu_op(f"op{n}", 100e6 + 10 * n, 5) for n in range(8)]
    unset = [cpu_op("unset", 0, 0, args={"External id": n}) for n in range(8)]
    assert notices(make_trace([*rest, *unset]))["outlier"] == 8
    spread = [cpu_op("early", 10 * n, 5) for n in range(8)]
    assert "outlier" not in notices(make_trace([*rest, *spread]))


def test_an_op_of_an_hour_within_what_was_recorded_is_believed(make_trace) -> None:
    hour = 3600e6
    trace = make_trace([cpu_op("a", 0, 5), cpu_op("train", 10, hour), cpu_op("b", hour + 20, 5)])
    assert trace.span == (0, round(hour * 1000) + 25_000)


def test_the_only_event_is_the_trace_however_long(make_trace) -> None:
    assert make_trace([cpu_op("a", 0, 1e12)]).span == (0, 10**15)


@pytest.mark.parametrize("stray", [instant("mark", 0), memory(0, 1, 1, 1), memory(9e12, 1, 1, 1)])
def test_a_stray_mark_does_not_stretch_the_trace(make_trace, stray: dict) -> None:
    trace = make_trace([cpu_op(f"op{n}", 6e12 + 10 * n, 5) for n in range(20)] + [stray])
    assert trace.metadata.origin_ns == 6 * 10**15
    assert (len(trace.instants.time), len(trace.memory.time)) == (0, 0)
    assert notices(trace)["outlier"] == 1


def test_a_long_idle_step_is_no_outlier(make_trace) -> None:
    steps = [annotation(f"ProfilerStep#{n}", 20e6 * n, 19e6) for n in range(4)]
    trace = make_trace([*steps, cpu_op("late", 100e6, 5)])
    assert "outlier" not in notices(trace)


def test_marks_before_the_first_event_move_the_origin(make_trace) -> None:
    trace = make_trace([instant("Iteration Start", 90), memory(95, 8, 8, 8), cpu_op("a", 100, 5)])
    assert trace.metadata.origin_ns == 90_000
    assert trace.span == (10_000, 15_000)
    assert trace.instants.time.tolist() == [0]
    assert trace.memory.time.tolist() == [5000]


def test_events_cut_off_by_the_profiler_are_marked(make_trace) -> None:
    flags = ["false", False, "False", "true", True, None]
    events = [
        annotation(f"s{n}", 10 * n, 100 - 10 * n, args={"finished": f}) for n, f in enumerate(flags)
    ]
    trace = make_trace([*events, memory(5, 1, 1, 1) | {"args": {"finished": False, "Bytes": 1}}])
    assert trace.columns.unfinished.tolist() == [True, True, True, False, False, False]
    assert notices(trace)["unfinished"] == 3


def test_a_kernel_before_its_launch_is_noticed(make_trace) -> None:
    trace = make_trace([cpu_op("a", 0, 99), *launched(1, 20, 10, 5), *launched(2, 30, 40, 5)])
    assert notices(trace) == {"clock_skew": 1}
    assert (trace.launch[trace.gpu_ops] >= 0).all()


def test_base_time_and_unit_are_kept(make_trace) -> None:
    base = 1_790_857_026_000_000_000
    trace = make_trace([cpu_op("a", 1, 1)], baseTimeNanoseconds=base, displayTimeUnit="ns")
    assert trace.metadata.base_time_ns == base
    assert trace.metadata.display_time_unit == "ns"
    assert trace.dur.tolist() == [1000]
    assert trace.metadata.raw == {
        "schemaVersion": 1,
        "baseTimeNanoseconds": base,
        "displayTimeUnit": "ns",
    }


@given(
    st.lists(st.integers(0, 2**62 - 1), min_size=1, max_size=20), st.sampled_from([0, 1, 2, 3, 4])
)
def test_runs_of_numbers_are_exact(numbers: list[int], decimals: int) -> None:
    texts = [
        f"{n // 1000}" + f".{n % 1000:03d}0"[: decimals + 1 if decimals else 0] for n in numbers
    ]
    exact = [ns_from_text(text.encode()) for text in texts]
    assert ns_from_texts([text.encode() for text in texts]).tolist() == exact
    bounded = [min(ns, LONGEST_NS) for ns in exact]
    assert durations_from_texts([text.encode() for text in texts]).tolist() == bounded
    mixed = [*texts, "null", "-3", "1e30"]
    assert durations_from_texts([t.encode() for t in mixed]).tolist() == [
        *bounded,
        NO_TIME,
        -1,
        LONGEST_NS,
    ]


def test_many_exact_times_keep_their_digits(tmp_path: Path) -> None:
    times = [1712195495519689047 + 977 * n for n in range(3000)]
    events = [cpu_op("a", f"T{n}", 1) for n in range(3000)]
    text = json.dumps(events)
    for n, ns in enumerate(times):
        text = text.replace(f'"T{n}"', f"{ns // 1000}.{ns % 1000:03d}")
    trace = load(write_text(tmp_path, text))
    assert (trace.start + trace.metadata.origin_ns).tolist() == times
