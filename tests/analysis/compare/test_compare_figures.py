"""The scoreboard: every figure from the unit's own operations, absent where not told."""

from __future__ import annotations

import pytest
from builders import memory
from made_script import ADD, GEMM, Script, stack

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention.model import Role
from attntui.analysis.compare import Covered, compare, take
from attntui.analysis.compare.metrics import Metric
from attntui.analysis.compare.units import WINDOW_UNIT, UnitChoice, UnitKind
from attntui.analysis.idle import device_idle
from attntui.analysis.quantity import Quantity
from attntui.trace import Trace

H200 = {
    "id": 0,
    "name": "NVIDIA H200",
    "computeMajor": 9,
    "computeMinor": 0,
    "warpSize": 32,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerMultiprocessor": 65536,
    "sharedMemPerMultiprocessor": 233472,
}


def window(trace: Trace) -> dict[str, int | float | None]:
    """The figures of the whole window, by metric name."""
    subject = AnalysedTrace(trace)
    return {metric.name: metric.a for metric in compare(subject, subject, WINDOW_UNIT).metrics}


def test_counts_and_times_of_the_units_own_operations() -> None:
    script = Script()
    script.leaked()
    script.op("aten::mm", ("memset", 1), (GEMM, 10))
    script.op("aten::add", (ADD, 4))
    trace = script.trace()
    found = window(trace)
    assert (found["gpu_ops"], found["memsets"], found["launches"]) == (3, 1, 3)
    assert found["gpu_ns"] == 15_000
    # Operations stand 1 us apart.
    assert found["gpu_span_ns"] == 17_000
    assert found["idle_ns"] == 2_000


def test_idle_is_that_of_the_units_operations_and_its_causes_sum_to_it() -> None:
    subject = AnalysedTrace(stack(fused=False))
    found = take(subject, compare(subject, subject).choice)
    (idle,) = device_idle(subject.trace, found.rows)
    assert found.figures.idle_ns == idle.idle_ns > 0
    assert sum(found.figures.idle_by_cause.values()) == idle.idle_ns


def test_one_launch_of_many_operations_counts_once() -> None:
    script = Script()
    script.op("aten::mm", (GEMM, 10), (GEMM, 10))
    launches = [event for event in script.events if "Launch" in event["name"]]
    script.events.remove(launches[1])
    for event in script.events:
        if "correlation" in event["args"]:
            event["args"]["correlation"] = 9
    assert window(script.trace())["launches"] == 1


def test_bytes_and_flops_of_what_shapes_tell_and_how_much_that_covers() -> None:
    script = Script()
    script.op("aten::mm", (GEMM, 30), dims=([64, 32], [32, 16]))
    script.op("custom::op", ("k", 10))
    subject = AnalysedTrace(script.trace())
    figures = take(subject, WINDOW_UNIT).figures
    moved = 2 * (64 * 32 + 32 * 16 + 64 * 16)
    assert (figures.hbm_bytes.total, figures.hbm_bytes.known_ns) == (moved, 30_000)
    assert (figures.flops.total, figures.flops.known_ns) == (2 * 64 * 32 * 16, 30_000)
    assert figures.hbm_bytes.share(figures.gpu_ns) == 0.75
    assert figures.hbm_bytes.per_second() == pytest.approx(moved / 30e-6)


def test_attention_gives_the_bytes_and_flops_of_its_call() -> None:
    script = Script()
    script.sdpa(shape=(2, 4, 128, 64))
    subject = AnalysedTrace(script.trace())
    (call,) = subject.attention
    figures = take(subject, WINDOW_UNIT).figures
    assert figures.flops.total == call.flops == 2 * 2 * 4 * 128 * 128 * (64 + 64)
    assert call.hbm_bytes is not None
    assert figures.hbm_bytes.total == call.hbm_bytes
    assert figures.backends == (("flash", 1),)


@pytest.mark.parametrize(("device", "told"), [("NVIDIA H200", True), ("NVIDIA L4", False)])
def test_a_call_tells_no_work_that_the_device_cannot_do(device: str, told: bool) -> None:
    script = Script()
    # Scores of 16.8 MB, read and written in 30 us: 1.1 TB/s, of a cache on an L4.
    script.naive(shape=(8, 16, 256, 64))
    # 3.4e10 FLOPs in 90 us: 382 TFLOP/s. 67 MB: 746 GB/s.
    script.sdpa(scale=10, shape=(8, 16, 1024, 64))
    subject = AnalysedTrace(script.trace(deviceProperties=[{**H200, "name": device}]))
    naive, fused = subject.attention
    softmax = naive.role(Role.SOFTMAX)
    assert softmax is not None
    assert (softmax.hbm_bytes is not None) == told
    assert [fused.flops is not None, fused.hbm_bytes is not None] == [told, told]
    figures = take(subject, WINDOW_UNIT).figures
    assert (figures.flops.known_ns >= 90_000) == told
    assert (figures.hbm_bytes.known_ns >= 120_000) == told


def test_of_a_call_that_lies_in_the_unit_only_in_part_no_flops_are_told() -> None:
    script = Script()
    with script.inside("products"):
        script.op("aten::bmm", (GEMM, 10), dims=([8, 128, 64], [8, 64, 128]))
    script.op("aten::_softmax", (ADD, 30), dims=([2, 4, 128, 128], []))
    script.op("aten::bmm", (GEMM, 11), dims=([8, 128, 128], [8, 128, 64]))
    subject = AnalysedTrace(script.trace())
    (call,) = subject.attention
    figures = take(subject, UnitChoice(UnitKind.ANNOTATION, "products")).figures
    assert (figures.gpu_ops, figures.flops.total) == (1, None)
    product = call.role(Role.QK)
    assert product is not None
    assert (figures.hbm_bytes.total, figures.hbm_bytes.known_ns) == (product.hbm_bytes, 10_000)


def test_what_a_trace_does_not_tell_is_absent_not_zero() -> None:
    script = Script()
    script.op("custom::op", ("k", 10))
    found = window(script.trace())
    names = ("hbm_bytes", "flops", "hbm_bytes_per_s", "flops_per_s", "occupancy_pct")
    assert [found[name] for name in (*names, "peak_memory_bytes")] == [None] * 6


def test_occupancy_is_weighted_by_time() -> None:
    script = Script()
    script.op("aten::mm", (GEMM, 30))
    script.op("aten::add", (ADD, 10))
    kernels = [event for event in script.events if event["cat"] == "kernel"]
    for event, registers in zip(kernels, (255, 32), strict=True):
        event["args"] |= {
            "registers per thread": registers,
            "shared memory": 0,
            "block": [128, 1, 1],
            "grid": [1, 1, 1],
        }
    found = window(script.trace(deviceProperties=[H200]))
    # 255 registers leave room for 8 of 64 warps, 32 for all.
    assert found["occupancy_pct"] == pytest.approx((30 * 12.5 + 10 * 100) / 40)


def test_peak_memory_counts_what_was_allocated_before_the_unit() -> None:
    def script(*events: tuple[float, int]) -> int | float | None:
        made = Script()
        made.now = 100
        with made.inside("ProfilerStep#0"):
            made.op("aten::mm", (GEMM, 10))
        made.events += [memory(ts, 1, allocated, allocated) for ts, allocated in events]
        subject = AnalysedTrace(made.trace())
        return take(subject, UnitChoice(UnitKind.STEP, "ProfilerStep#*")).figures.peak_memory

    assert script((0, 900), (50, 500), (101, 200)) == 500
    assert script((50, 500), (101, 700), (102, 100)) == 700
    assert script((50, 500), (5000, 700)) == 500
    assert script((5000, 700)) is None


def test_peak_memory_is_the_most_of_any_device_and_leaves_out_what_tells_no_total() -> None:
    made = Script()
    with made.inside("ProfilerStep#0"):
        made.op("aten::mm", (GEMM, 10))
    for device, allocated in ((0, 500), (1, 900), (0, 600), (-1, 5_000)):
        event = memory(1, 1, allocated, allocated)
        event["args"]["Device Id"] = device
        made.events.append(event)
    untold = memory(2, 1, 0, 0)
    del untold["args"]["Total Allocated"]
    made.events.append(untold)
    step = UnitChoice(UnitKind.STEP, "ProfilerStep#*")
    assert take(AnalysedTrace(made.trace()), step).figures.peak_memory == 900


def test_an_estimate_of_nothing_has_no_rate_and_no_share() -> None:
    assert Covered(None, 0).per_second() is None
    assert Covered(None, 10).per_second() is None
    assert Covered(5, 0).per_second() is None
    assert Covered(0, 10).per_second() == 0
    assert Covered(5, 10).per_second() == 5e8
    assert Covered(None, 0).share(0) is None
    assert Covered(5, 10).share(40) == 0.25


def test_flops_of_several_kernels_and_calls_add_up() -> None:
    script = Script()
    for size, times in ((64, 2), (128, 3)):
        for _ in range(times):
            script.op("aten::mm", (GEMM, size), dims=([size, 32], [32, 16]))
    script.sdpa()
    script.op("custom::op", ("k", 10))
    subject = AnalysedTrace(script.trace())
    (call,) = subject.attention
    flops = take(subject, WINDOW_UNIT).figures.flops
    assert call.flops is not None
    assert flops.total == 2 * (2 * 64 * 32 * 16) + 3 * (2 * 128 * 32 * 16) + call.flops
    assert flops.known_ns == 1_000 * (2 * 64 + 3 * 128) + call.gpu_ns


def test_backends_by_how_often_they_are_called() -> None:
    script = Script()
    with script.inside("ProfilerStep#0"):
        script.naive()
        script.sdpa()
        script.sdpa()
    figures = take(
        AnalysedTrace(script.trace()), UnitChoice(UnitKind.STEP, "ProfilerStep#*")
    ).figures
    assert figures.backends == (("flash", 2), ("naive", 1))


def test_idle_by_cause_is_told_where_either_side_has_it() -> None:
    """One side waits for a launch that is late, the other has no gap at all."""

    def script(late: float) -> Trace:
        made = Script()
        made.op("aten::mm", (GEMM, 10))
        made.now += late
        made.gpu_now = max(made.gpu_now - 1, made.now)
        made.op("aten::mm", (GEMM, 10))
        return made.trace()

    busy, idle = AnalysedTrace(script(0)), AnalysedTrace(script(5_000))
    for a, b, none in ((busy, idle, "a"), (idle, busy, "b")):
        told = [m for m in compare(a, b, WINDOW_UNIT).metrics if m.name.startswith("idle_")]
        assert told[0].name == "idle_ns"
        assert len(told) > 1
        assert {getattr(m, none) for m in told} == {0}
        for side in "ab":
            assert sum(getattr(m, side) for m in told[1:]) == getattr(told[0], side)


@pytest.mark.parametrize(
    ("a", "b", "delta", "ratio"),
    [
        (4, 6, 2, 1.5),
        (4, 0, -4, 0.0),
        (0, 4, 4, None),
        (None, 4, None, None),
        (4, None, None, None),
    ],
)
def test_difference_and_ratio(
    a: int | None, b: int | None, delta: int | None, ratio: float | None
) -> None:
    metric = Metric("gpu_ns", Quantity.TIME, a, b)
    assert (metric.delta, metric.ratio) == (delta, ratio)


def test_a_metric_by_name() -> None:
    subject = AnalysedTrace(stack(fused=True))
    found = compare(subject, subject)
    assert found.metric("gpu_ops").quantity is Quantity.COUNT
    with pytest.raises(KeyError):
        found.metric("nothing")
