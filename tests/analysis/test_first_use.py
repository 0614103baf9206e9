"""Launch calls and ops that took far longer at a first use: code loads and plans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders import SAMPLES
from made import Event, call, complete, frame, kernel, op, trace_of

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.first_use import find_first_uses
from attntui.analysis.gap_causes import Cause
from attntui.analysis.self_time import SelfPart, self_times
from attntui.trace import load
from attntui.trace.model import Trace

US = 1_000
MS = 1_000_000


def launched(
    name: str, at: int, takes: int, number: int, *, by: str = "cudaLaunchKernel", tid: int = 1
) -> list[Event]:
    """A launch call and its kernel, which begins 1 us after the call and takes 2 us."""
    begin = at + takes + US
    return [call(by, at, at + takes, number, tid=tid), kernel(name, begin, begin + 2 * US, number)]


def loads(trace: Trace) -> list[tuple[str, str, int]]:
    """What each first use was of, its kernel, and its time beyond the usual."""
    found = find_first_uses(trace)
    columns = zip(
        found.rows.tolist(), found.kernels.tolist(), found.excess_ns.tolist(), strict=True
    )
    return [(trace.name_of(row), trace.name_of(of), excess) for row, of, excess in columns]


def usual(kernel_name: str = "warm", count: int = 5, takes: int = 5 * US) -> list[Event]:
    """Launches of one kernel, from 0 on."""
    return [e for n in range(count) for e in launched(kernel_name, n * 100 * US, takes, n + 1)]


def late(name: str, takes: int, number: int = 100, **other: str | int) -> list[Event]:
    return launched(name, 10 * MS, takes, number, **other)  # type: ignore[arg-type]


def test_the_first_launch_of_a_kernel_far_over_the_median_loads_its_code() -> None:
    trace = trace_of([*usual(), *late("cold", 400 * US)])
    assert loads(trace) == [("cudaLaunchKernel", "cold", 395 * US)]
    # The load comes before the launch itself.
    found = find_first_uses(trace)
    assert found.start.tolist() == [10 * MS]


@pytest.mark.parametrize(
    ("takes", "typical", "loaded"),
    [
        (100 * US, 5 * US, 1),
        (100 * US - 1, 5 * US, 0),
        (200 * US, 20 * US, 1),
        (200 * US - 1, 20 * US, 0),
    ],
)
def test_from_a_tenth_of_a_millisecond_and_ten_times_the_median(
    takes: int, typical: int, loaded: int
) -> None:
    assert len(loads(trace_of([*usual(takes=typical), *late("cold", takes)]))) == loaded


def test_a_later_launch_of_a_kernel_loads_nothing() -> None:
    assert loads(trace_of([*usual(), *late("warm", 400 * US)])) == []


def test_the_median_is_that_of_the_calls_of_one_name() -> None:
    slow = [
        e
        for n in range(4)
        for e in launched("slow", 2 * MS + n * MS, 90 * US, 20 + n, by="cuLaunchKernel")
    ]
    cold = late("cold", 400 * US, by="cuLaunchKernel")
    assert loads(trace_of([*usual(), *slow, *cold])) == []
    # A name with too few calls is measured by those of all names.
    assert len(loads(trace_of([*usual(), *cold]))) == 1


def test_where_all_is_used_once_nothing_stands_out() -> None:
    once = [e for n in range(5) for e in launched(f"k{n}", n * MS, 300 * US, n + 1)]
    assert loads(trace_of(once)) == []
    # One far over the others does.
    assert len(loads(trace_of([*once, *late("cold", 4 * MS)]))) == 1


def test_a_call_that_waits_for_room_in_the_queue_loads_nothing() -> None:
    """The GPU is far behind: `ready` kernels stand in the queue as the slow call begins."""

    def behind(ready: int) -> Trace:
        events = [*usual(), kernel("long", 600 * US, 11 * MS, 999)]
        events.append(call("cudaLaunchKernel", 590 * US, 595 * US, 999))
        for n in range(ready):
            at = 600 * US + n * 10 * US
            events.append(call("cudaLaunchKernel", at, at + 5 * US, 1_000 + n))
            begin = 11 * MS + n * US
            events.append(kernel("warm", begin, begin + US, 1_000 + n))
        return trace_of([*events, *late("cold", 400 * US)])

    assert loads(behind(256)) == []
    assert len(loads(behind(255))) == 1


def test_a_graphs_launch_and_a_copy_load_nothing() -> None:
    assert loads(trace_of([*usual(), *late("cold", 400 * US, by="cudaGraphLaunch")])) == []
    copied = [
        call("cudaMemcpyAsync", 10 * MS, 11 * MS, 100),
        kernel("Memcpy HtoD", 12 * MS, 12 * MS + US, 100, category="gpu_memcpy"),
    ]
    assert loads(trace_of([*usual(), *copied])) == []


# Ops


def planned(at: int, number: int, bare: int, shape: int, name: str = "aten::conv") -> list[Event]:
    """An op that runs `bare` ns before it launches, with an input of a shape."""
    end = at + bare + 20 * US
    dims = {"Input Dims": [[shape, 4]]}
    return [op(name, at, end, **dims), *launched("conv", at + bare, 5 * US, number)]


def convolutions(*bare_and_shape: tuple[int, int]) -> list[Event]:
    events = []
    for n, (bare, shape) in enumerate(bare_and_shape):
        events += planned(n * 100 * MS, n + 1, bare, shape)
    return events


QUICK = 20 * US


def test_an_op_far_slower_with_shapes_new_to_it_makes_a_plan() -> None:
    later = [(QUICK, 8)] * 3
    trace = trace_of(convolutions((30 * MS, 8), *later))
    assert loads(trace) == [("aten::conv", "conv", 30 * MS - QUICK)]
    assert find_first_uses(trace).start.tolist() == [0]
    # Each new shape, as in a decode whose cache grows.
    trace = trace_of(convolutions((30 * MS, 8), *later, (40 * MS, 9)))
    assert [excess for *_, excess in loads(trace)] == [30 * MS - QUICK, 40 * MS - QUICK]


@pytest.mark.parametrize(
    "calls",
    [
        # Slow with shapes it has seen.
        [(QUICK, 8), (30 * MS, 8), (QUICK, 8), (QUICK, 8), (QUICK, 8)],
        # Two later calls tell no usual time.
        [(30 * MS, 8), (QUICK, 8), (QUICK, 8)],
        # Later calls are as slow: it is what the op costs.
        [(30 * MS, 8), (4 * MS, 8), (4 * MS, 8), (4 * MS, 8)],
        # Short of a millisecond.
        [(MS - 1, 8), (QUICK, 8), (QUICK, 8), (QUICK, 8)],
    ],
)
def test_what_is_no_plan(calls: list[tuple[int, int]]) -> None:
    assert loads(trace_of(convolutions(*calls))) == []


def test_time_after_the_last_launch_or_with_frames_in_it_is_no_plan() -> None:
    later = [e for n in range(1, 4) for e in planned(n * 100 * MS, n + 1, QUICK, 8)]
    dims = {"Input Dims": [[8, 4]]}
    after = [op("aten::conv", 0, 30 * MS, **dims), *launched("conv", 10 * US, 5 * US, 1)]
    assert loads(trace_of([*after, *later])) == []
    within = [*planned(0, 1, 30 * MS, 8), frame("a.py(1): f", 10 * US, 30 * MS - 10 * US)]
    assert loads(trace_of([*within, *later])) == []


def test_an_op_used_once_whose_launch_loads_code_counts_with_it() -> None:
    """Nothing tells the op's usual time but the other ops that launch."""
    warm = [e for n in range(5) for e in planned(n * 100 * MS, n + 1, QUICK, 8, "aten::add")]
    at = 700 * MS

    def once(takes: int) -> list[Event]:
        return [
            op("aten::frac", at, at + 12 * MS),
            *launched("frac", at + 10 * MS, takes, 50),
        ]

    assert loads(trace_of([*warm, *once(MS)])) == [
        ("aten::frac", "frac", 10 * MS - QUICK),
        ("cudaLaunchKernel", "frac", MS - 5 * US),
    ]
    assert loads(trace_of([*warm, *once(5 * US)])) == []


# What follows from them


def test_idle_time_in_a_load_is_no_launch_call_and_no_dispatch() -> None:
    """The gap before `cold`: 30 ms of an op's plan, and 395 us of code in its launch call."""
    events = convolutions((30 * MS, 8), (QUICK, 8), (QUICK, 8), (QUICK, 8))
    trace = trace_of([*events, *launched("cold", 400 * MS, 400 * US, 90)])
    analysed = AnalysedTrace(trace)
    assert len(analysed.first_uses) == 2
    (causes,) = analysed.whole.causes
    last = causes.split[-1]
    assert last[Cause.MODULE_LOAD] == 395 * US
    assert last[Cause.LAUNCH_CALL] == 5 * US
    assert last.sum() == causes.gaps.length[-1]
    # Of the op's own time the plan is load, the rest dispatch.
    cpu = self_times(trace)
    first = cpu.split[0]
    assert first[SelfPart.MODULE_LOAD] == 30 * MS - QUICK
    assert first[SelfPart.DISPATCH] == QUICK + 15 * US
    assert first.sum() == trace.dur[cpu.rows[0]]


def test_a_gap_that_passes_a_plan_holds_it() -> None:
    lead = launched("warm", 0, 5 * US, 80)
    events = [e for n in range(1, 5) for e in planned(n * 100 * MS, n + 1, QUICK, 8)]
    slow = planned(50 * MS, 70, 30 * MS, 9)
    trace = trace_of([*lead, *events, *slow])
    (causes,) = AnalysedTrace(trace).whole.causes
    assert causes.split[0][Cause.MODULE_LOAD] == 30 * MS - QUICK
    assert causes.split[0][Cause.DISPATCH] == QUICK
    assert (causes.split.sum(axis=1) == causes.gaps.length).all()


def test_a_plan_on_one_thread_is_no_load_on_another() -> None:
    events = convolutions((30 * MS, 8), (QUICK, 8), (QUICK, 8), (QUICK, 8))
    other = [e for n in range(4) for e in launched("warm", n * MS, 5 * US, 60 + n, tid=2)]
    (causes,) = AnalysedTrace(trace_of([*events, *other])).whole.causes
    here = causes.gaps.start < 5 * MS
    # Three gaps end with launches of the other thread, the first began the span.
    assert causes.split[here][:3, Cause.LAUNCH_CALL].tolist() == [5 * US] * 3
    assert causes.split[here][:3, Cause.MODULE_LOAD].sum() == 0


def test_a_load_the_profiler_told_counts_once() -> None:
    told = complete("overhead", "Module Loading", 10 * MS, 10 * MS + 390 * US)
    trace = trace_of([*usual(), *late("cold", 400 * US), told])
    (causes,) = AnalysedTrace(trace).whole.causes
    assert causes.split[-1][Cause.MODULE_LOAD] == 395 * US


# Real traces


def test_ten_first_uses_are_nearly_all_of_the_launch_time(shared: Path) -> None:
    trace = load(shared / "public" / "tl_norm.json.gz")
    found = find_first_uses(trace)
    kernels = trace.gpu_ops[trace.launch[trace.gpu_ops] >= 0]
    names = {trace.name_of(int(r)) for r in trace.launch[kernels]} - {"hipMemsetAsync"}
    calls = found.rows[[trace.name_of(int(r)) in names for r in found.rows]]
    assert len(calls) == 10
    assert round(int(trace.dur[calls].sum()) / 1e6, 1) == 1090.0
    host = [i for i, name in enumerate(trace.names) if name in names]
    assert round(int(trace.dur[np.isin(trace.name, host)].sum()) / 1e6, 1) == 1091.0


def test_a_decode_that_plans_each_new_length(shared: Path) -> None:
    trace = load(SAMPLES / "decode-sdpa_l4_b1_h12_s1024_d64_bf16_h200.json.gz")
    found = find_first_uses(trace)
    assert {trace.name_of(r) for r in found.rows.tolist()} == {"aten::_cudnn_attention_forward"}
    # One a step, 37 to 44 ms each.
    assert [round(ns / 1e7) for ns in found.excess_ns.tolist()] == [4, 4, 4]


@pytest.mark.parametrize(
    "path",
    [
        "corpus/hta_v100_ns_resolution",  # 533 launch calls that waited for room
        "public/saf_false",
        "public/kineto_w0",
        "planted/healthy_gpt_prefill",
        "planted/graph_replay",
        "public/tl_sglang_decode",
    ],
)
def test_a_real_trace_that_is_warm_has_none(path: str, shared: Path) -> None:
    assert len(find_first_uses(load(shared / f"{path}.json.gz"))) == 0
