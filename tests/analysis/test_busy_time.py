"""Busy time shared out, against a sweep from edge to edge."""

from __future__ import annotations

from pathlib import Path

from builders import Event
from hypothesis import given
from hypothesis import strategies as st
from made import call, complete, kernel, trace_of
from real_traces import every_real_trace, observed
from swept import own_times

from attntui.analysis.analysed import AnalysedTrace

COLLECTIVE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
KINDS = ("kernel", "collective", "copy", "memset")


def made(kind: str, start: int, length: int, stream: int, number: int) -> list[Event]:
    if kind in ("kernel", "collective"):
        event = kernel("k" if kind == "kernel" else COLLECTIVE, start, start + length, number)
    else:
        category, name = (
            ("gpu_memcpy", "Memcpy HtoD") if kind == "copy" else ("gpu_memset", "Memset")
        )
        event = complete(category, name, start, start + length, pid=0, tid=stream)
        event["args"] = {"device": 0, "correlation": number}
    event["args"]["stream"] = stream
    return [call("cudaLaunchKernel", 0, 1, number), event]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(KINDS), st.integers(0, 60), st.integers(0, 30), st.integers(7, 9)
        ),
        min_size=1,
        max_size=10,
    )
)
def test_each_instant_has_one_owner(ops: list[tuple[str, int, int, int]]) -> None:
    events = [
        event
        for number, (kind, start, length, stream) in enumerate(ops, 1)
        for event in made(kind, start * 1000, length * 1000, stream, number)
    ]
    part = AnalysedTrace(trace_of(events)).whole
    own = dict(zip(part.gpu_ops.tolist(), part.own.tolist(), strict=True))
    assert own == own_times(part.trace, own, part.trace.span[1])
    assert sum(own.values()) == part.busy_ns


@every_real_trace
def test_each_instant_of_a_real_device_has_one_owner(path: Path) -> None:
    part = observed(path)
    for device in part.devices:
        swept = own_times(part.trace, device.rows.tolist(), device.end)
        assert list(swept.values()) == part.own_on(device, part.own).tolist()


def test_of_equal_ones_the_earlier_has_the_time() -> None:
    events = [*made("kernel", 0, 10_000, 7, 1), *made("kernel", 4_000, 10_000, 8, 2)]
    part = AnalysedTrace(trace_of(events)).whole
    assert part.own.tolist() == [10_000, 4_000]


def test_what_is_hidden_has_no_time_of_its_own() -> None:
    events = [*made("copy", 0, 10_000, 8, 1), *made("kernel", 2_000, 5_000, 7, 2)]
    part = AnalysedTrace(trace_of(events)).whole
    assert part.own.tolist() == [5_000, 5_000]
    collective = [*made("collective", 0, 10_000, 8, 1), *made("copy", 2_000, 10_000, 7, 2)]
    assert AnalysedTrace(trace_of(collective)).whole.own.tolist() == [10_000, 2_000]


def test_an_impossible_duration_has_no_time() -> None:
    events = [event for i in range(30) for event in made("kernel", i * 20_000, 9_000, 7, i + 1)]
    events[21]["dur"] = 1e13
    part = AnalysedTrace(trace_of(events)).whole
    (device,) = part.devices
    assert device.end == part.trace.span[1] < 1e9
    assert part.own.tolist() == [9_000] * 29
    assert sum(leaf.ns for leaf in part.time_tree) == part.span_ns
