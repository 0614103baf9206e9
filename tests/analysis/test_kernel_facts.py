"""Facts by kernel name: work, rates, bounds and occupancy over many instances."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from builders import Event, name_of, where_real
from made import annotation, call, copy, kernel, op, trace_of
from real_traces import every_real_trace, observed

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import take
from attntui.analysis.compare.units import WINDOW_UNIT
from attntui.analysis.devices import DevicePeaks, peaks
from attntui.analysis.gpu_work import gpu_work, traffic
from attntui.analysis.kernel_facts import KernelFact, kernel_facts
from attntui.analysis.kernels import kernel_table
from attntui.analysis.roofline import BEYOND
from attntui.analysis.roofs import limits, roofs
from attntui.trace import Trace, load
from attntui.view.reports import summary

MEASURED = Path(__file__).parent / "measured_h200.csv"
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
GEMM = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"
ADD = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"
)


def inputs(*shapes: list[int], kind: str = "float") -> dict[str, Any]:
    return {"Input Dims": list(shapes), "Input type": [kind] * len(shapes)}


def configured(event: Event, registers: int, shared: int, threads: int, occupancy: int) -> Event:
    """The kernel event with a launch configuration."""
    event["args"] |= {
        "registers per thread": registers,
        "shared memory": shared,
        "block": [threads, 1, 1],
        "grid": [8, 1, 1],
        "est. achieved occupancy %": occupancy,
    }
    return event


def facts_of(trace: Trace, peaks: DevicePeaks | None = None) -> dict[str, KernelFact]:
    """The facts by the name's text."""
    table = kernel_table(trace)
    found = kernel_facts(gpu_work(trace), table, peaks)
    assert len(found) == len(table)
    return {trace.names[i]: fact for i, fact in zip(table.name.tolist(), found, strict=True)}


def added(number: int, shape: list[int] | None, busy: int) -> list[Event]:
    """An `aten::add` at a time of its own; its kernel runs for `busy` ns."""
    begin = 100_000 * number
    args = inputs(shape, shape) if shape is not None else {}
    return [
        op("aten::add", begin, begin + 9_000, **args),
        call("cudaLaunchKernel", begin + 1_000, begin + 2_000, number),
        kernel(ADD, begin + 5_000, begin + 5_000 + busy, number),
    ]


def test_rates_come_from_totals_over_the_instances_with_known_work() -> None:
    events = [*added(1, [1000], 1_000), *added(2, [3000], 2_000), *added(3, None, 7_000)]
    trace = trace_of(events, deviceProperties=[H200])
    fact = facts_of(trace, roofs(trace))[ADD]
    # Two reads and a write of 4 bytes, one addition an element.
    assert (fact.flops, fact.moved) == (4_000, 4 * 3 * 4_000)
    assert (fact.gpu_ns, fact.known_ns) == (10_000, 3_000)
    assert fact.coverage == 0.3
    assert fact.bound.gbps == 48_000 / 3_000
    assert fact.bound.tflops == 4_000 / 3_000 / 1e3
    assert fact.bound.intensity == 4_000 / 48_000
    assert fact.bound.share == pytest.approx(16e9 / 4800e9)
    assert fact.bound.kind == "latency"
    assert fact.dtype == "fp32"


def test_nothing_known_is_none_not_nothing() -> None:
    fact = facts_of(trace_of(added(1, None, 1_000)))[ADD]
    assert (fact.flops, fact.moved, fact.known_ns, fact.coverage) == (None, None, 0, 0.0)
    assert (fact.bound.kind, fact.bound.tflops, fact.bound.gbps) == (None, None, None)
    assert (fact.occupancy_pct, fact.limited_by, fact.profiler_occupancy_pct) == (None, (), None)


def test_instances_with_one_figure_do_not_mix_with_those_that_have_both() -> None:
    def summed(number: int, **args: Any) -> list[Event]:
        begin = 100_000 * number
        return [
            op("aten::sum", begin, begin + 9_000, **args),
            call("cudaLaunchKernel", begin + 1_000, begin + 2_000, number),
            kernel("reduce_kernel", begin + 5_000, begin + 6_000, number),
        ]

    whole = inputs([100, 100])
    # Which dimension is summed is not recorded: the written bytes are not known.
    one = {"Input Dims": [[100, 100], [], []], "Input type": ["float", "ScalarList", "Scalar"]}
    fact = facts_of(trace_of([*summed(1, **whole), *summed(2, **one)]))["reduce_kernel"]
    assert fact.moved is not None
    assert fact.known_ns == 1_000
    lone = facts_of(trace_of(summed(1, **one)))["reduce_kernel"]
    assert (lone.flops, lone.moved, lone.known_ns) == (10_000, None, 1_000)


def test_an_op_that_launched_several_kernels_gives_its_work_to_the_longest() -> None:
    events = [
        op("aten::add", 0, 90_000, **inputs([1000], [1000])),
        call("cudaLaunchKernel", 1_000, 2_000, 1),
        call("cudaLaunchKernel", 3_000, 4_000, 2),
        kernel("first", 5_000, 6_000, 1),
        kernel("second", 7_000, 9_000, 2),
    ]
    found = facts_of(trace_of(events))
    assert (found["first"].moved, found["second"].moved) == (None, 12_000)


@pytest.mark.parametrize(
    ("lengths", "told"),
    [
        ((3_000, 1_000, 2_000), 0),
        ((1_000, 3_000, 2_000), 1),
        ((1_000, 2_000, 3_000), 2),
        # Of equal ones the last.
        ((3_000, 1_000, 3_000), 2),
        ((2_000, 2_000, 1_000), 1),
    ],
)
def test_the_longest_of_several_kernels_bears_the_work_wherever_it_stands(
    lengths: tuple[int, ...], told: int
) -> None:
    events = [
        # Another op with one kernel, longer than some of these, takes nothing from them.
        *added(4, [500], 2_500),
        op("aten::add", 200_000, 290_000, **inputs([1000], [1000])),
    ]
    for number, length in enumerate(lengths, 1):
        begin = 200_000 + 10_000 * number
        events.append(call("cudaLaunchKernel", begin, begin + 1_000, number))
        events.append(kernel(f"part{number}", begin + 5_000, begin + 5_000 + length, number))
    found = facts_of(trace_of(events))
    assert [found[f"part{number}"].moved for number in (1, 2, 3)] == [
        12_000 if at == told else None for at in range(3)
    ]
    assert [found[f"part{number}"].known_ns for number in (1, 2, 3)] == [
        length if at == told else 0 for at, length in enumerate(lengths)
    ]


def test_kernels_of_one_name_share_the_work_of_the_op_that_launched_them() -> None:
    """A tensor of too many elements for 32-bit indices is walked in parts, a product of too many
    rows too; the op's work is done by all of them together.
    """
    events = [op("aten::mm", 0, 90_000, **inputs([90, 12], [12, 9]))]
    # Another kernel does the rest.
    for number, (name, busy) in enumerate(
        [(GEMM, 2_000), (GEMM, 3_000), (GEMM, 1_000), ("gemmk1_kernel", 2_500)], 1
    ):
        begin = 10_000 * number
        events += [
            call("cudaLaunchKernel", begin - 2_000, begin - 1_000, number),
            kernel(name, begin, begin + busy, number),
        ]
    trace = trace_of([*events, *added(9, [500], 1_000)])
    found = facts_of(trace)
    product = found[GEMM]
    assert (product.flops, product.moved) == (2 * 90 * 12 * 9, 7_992)
    assert (product.known_ns, product.gpu_ns, product.coverage) == (6_000, 6_000, 1.0)
    assert (found["gemmk1_kernel"].flops, found[ADD].moved) == (None, 6_000)
    # Each part has as much of it; together they move what the op does.
    assert [traffic(gpu_work(trace), trace.gpu_ops[:n]).moved for n in (1, 3)] == [2_664, 7_992]


def test_many_short_kernels_of_one_name_bear_the_work_before_a_longer_one() -> None:
    events = [op("aten::add", 0, 90_000, **inputs([3000], [3000]))]
    for number, (name, busy) in enumerate([("a", 2_000), ("b", 3_000), ("a", 2_000)], 1):
        begin = 10_000 * number
        events += [
            call("cudaLaunchKernel", begin - 2_000, begin - 1_000, number),
            kernel(name, begin, begin + busy, number),
        ]
    found = facts_of(trace_of(events))
    assert (found["a"].moved, found["b"].moved) == (36_000, None)


def test_work_that_the_device_cannot_do_in_that_time_is_not_told() -> None:
    """More than a tenth above a roof: the shapes do not tell the work, or it came from a cache."""
    most = roofs(trace_of(added(1, [1000], 1_000), deviceProperties=[H200]))
    assert most is not None
    # 12 MB in a time that is fair at 4800 GB/s, in one that is a bit too short, in half of it.
    fair, close, half = 2_500, 2_300, 1_250
    shape = [1_000_000]
    for busy, told in ((fair, True), (close, True), (half, False)):
        trace = trace_of(added(1, shape, busy), deviceProperties=[H200])
        fact = kernel_facts(gpu_work(trace, most), kernel_table(trace), most)[0]
        assert (fact.moved is not None, fact.beyond_ns) == (told, 0 if told else busy)
        assert (fact.bound.gbps is not None, fact.bound.kind is not None) == (told, told)
    mixed = trace_of(
        [*added(1, shape, half), *added(2, [2_000_000], 10_000)], deviceProperties=[H200]
    )
    fact = kernel_facts(gpu_work(mixed, most), kernel_table(mixed), most)[0]
    assert (fact.moved, fact.known_ns, fact.beyond_ns) == (24_000_000, 10_000, half)
    # A roof that was asked for may be lower than what the device can do.
    trace = trace_of(added(1, shape, fair), deviceProperties=[H200])
    asked = roofs(trace, bandwidth=1e12)
    fact = kernel_facts(gpu_work(trace, most), kernel_table(trace), asked)[0]
    assert fact.beyond_ns == 0
    assert fact.bound.share == pytest.approx(4.8)


def test_work_beyond_the_device_is_in_no_sum() -> None:
    """The kernel's facts, traffic, steps, the comparison and JSON leave out the same."""
    # Four times 12 MB, in 1.25 us (beyond 4800 GB/s) or in 10 us; both of one step.
    events = [annotation("ProfilerStep#1", 90_000, 900_000)]
    for number, (shape, busy) in enumerate([([1_000_000], 1_250), ([2_000_000], 10_000)] * 2, 1):
        events += added(number, shape, busy)
    analysed = AnalysedTrace(trace_of(events, deviceProperties=[H200]))
    moved, known, beyond = 2 * 24_000_000, 20_000, 2_500
    (fact,) = analysed.whole.kernel_facts
    assert (fact.moved, fact.known_ns, fact.beyond_ns) == (moved, known, beyond)
    found = analysed.whole.traffic
    assert (found.moved, found.known_ns, found.gpu_ns) == (moved, known, known + beyond)
    figures = take(analysed, WINDOW_UNIT).figures
    assert (figures.hbm_bytes.total, figures.hbm_bytes.known_ns) == (moved, known)
    assert (figures.flops.total, figures.flops.known_ns) == (2 * 2_000_000, known)
    document = summary.document(analysed)
    assert [kernel["beyond_roof_ns"] for kernel in document["kernels"]] == [beyond]
    assert [(step["hbm_bytes"], step["coverage"]) for step in document["steps"]] == [
        (moved, known / (known + beyond))
    ]


def test_operations_alike_are_beyond_the_device_together() -> None:
    """One of them may be a bit short by chance: the mean tells."""
    shape = [1_000_000]
    events = [event for n, busy in enumerate((2_000, 2_600), 1) for event in added(n, shape, busy)]
    most = roofs(trace_of(events, deviceProperties=[H200]))
    assert gpu_work(trace_of(events), most).told.all()
    events += added(3, shape, 1_000)
    assert gpu_work(trace_of(events), most).beyond.all()


def test_what_a_device_can_do_is_told_by_its_datasheet_before_what_was_measured() -> None:
    events = added(1, [1_000_000], 2_500)
    low = {"copy_gbps": 1000.0}
    known = trace_of(events, deviceProperties=[H200], attntui={"ceilings": low})
    assert limits(known) == peaks("NVIDIA H200")
    other = [{"id": 0, "name": "Some GPU"}]
    measured = limits(trace_of(events, deviceProperties=other, attntui={"ceilings": low}))
    assert measured is not None
    assert measured.hbm == 1e12
    assert limits(trace_of(events, deviceProperties=other)) is None


def test_a_longer_copy_of_the_same_op_takes_no_work_from_its_kernel() -> None:
    inside = "Memcpy DtoD (Device -> Device)"
    events = [
        op("aten::add", 0, 90_000, **inputs([1000], [1000])),
        call("cudaMemcpyAsync", 1_000, 2_000, 1),
        call("cudaLaunchKernel", 3_000, 4_000, 2),
        sized(inside, 5_000, 9_000, 1, 64),
        kernel("k", 10_000, 11_000, 2),
    ]
    found = facts_of(trace_of(events))
    assert (found["k"].moved, found[inside].moved) == (12_000, 128)


def test_a_longer_helper_without_work_takes_none_from_the_main_kernel() -> None:
    helper = "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float>(int)"
    events = [
        op("aten::mm", 0, 90_000, **inputs([10, 10], [10, 10])),
        call("cudaLaunchKernel", 1_000, 2_000, 1),
        call("cudaLaunchKernel", 3_000, 4_000, 2),
        kernel(GEMM, 5_000, 6_000, 1),
        kernel(helper, 7_000, 9_000, 2),
    ]
    found = facts_of(trace_of(events))
    assert (found[GEMM].flops, found[helper].flops) == (2_000, None)


def test_one_kernel_has_the_work_of_each_op_that_launched_it() -> None:
    """Not that of an op of another name or with other inputs, nor any where none tells."""
    events = [*added(1, [1000], 1_000), *added(2, [10], 1_000), *added(3, None, 1_000)]
    begin = 400_000
    events += [
        op("aten::add_", begin, begin + 9_000, **inputs([10, 10], [10, 10])),
        call("cudaLaunchKernel", begin + 1_000, begin + 2_000, 4),
        kernel(ADD, begin + 5_000, begin + 6_000, 4),
    ]
    begin = 500_000
    events += [
        op("aten::mm", begin, begin + 9_000, **inputs([10, 10], [10, 10])),
        call("cudaLaunchKernel", begin + 1_000, begin + 2_000, 5),
        kernel(ADD, begin + 5_000, begin + 6_000, 5),
    ]
    work = gpu_work(trace_of(events))
    flops = [work.kinds[i].work.flops for i in work.kind.tolist()]
    assert flops == [1_000, 10, None, 100, 2_000]
    assert work.told.tolist() == [True, True, False, True, True]
    launchers = [work.trace.name_of(row) for row in work.launcher.tolist()]
    assert launchers == ["aten::add"] * 3 + ["aten::add_", "aten::mm"]


def test_a_kernel_that_nothing_launched_has_no_work_of_the_last_op() -> None:
    events = [
        kernel(ADD, 0, 1_000),
        op("aten::add", 50_000, 90_000, **inputs([1000], [1000])),
    ]
    work = gpu_work(trace_of(events))
    assert (work.launcher.tolist(), work.told.tolist()) == ([-1], [False])


def test_kernels_that_nothing_launched_are_not_beside_one_another() -> None:
    inside = "Memcpy DtoD (Device -> Device)"
    events = [sized(inside, 0, 1_000, 0, 8), sized(inside, 2_000, 5_000, 0, 8)]
    assert gpu_work(trace_of(events)).told.tolist() == [True, True]


def test_kernels_of_a_graph_have_no_work_from_the_op_around_its_launch() -> None:
    events = [
        op("aten::add", 0, 90_000, **inputs([1000], [1000])),
        call("cudaGraphLaunch", 1_000, 2_000, 1),
        kernel("a", 5_000, 6_000, 1),
        kernel("b", 7_000, 9_000, 1),
    ]
    found = facts_of(trace_of(events))
    assert (found["a"].moved, found["b"].moved) == (None, None)


def sized(name: str, start: int, end: int, correlation: int, moved: int) -> Event:
    event = copy(name, start, end, correlation)
    event["args"]["bytes"] = moved
    return event


def test_copies_count_their_recorded_bytes() -> None:
    inside, host = "Memcpy DtoD (Device -> Device)", "Memcpy HtoD (Pageable -> Device)"
    events = [
        sized(inside, 0, 1_000, 1, 2_000_000),
        sized(inside, 2_000, 3_000, 2, 1_000_000),
        sized(host, 4_000, 9_000, 3, 5_000),
    ]
    trace = trace_of(events, deviceProperties=[H200])
    found = facts_of(trace, roofs(trace))
    assert found[inside].moved == 2 * 3_000_000
    assert found[inside].bound.kind == "memory"
    # The bus to the host bounds this one, and no roof is known for it.
    assert (found[host].moved, found[host].bound.gbps) == (5_000, 1.0)
    assert (found[host].bound.kind, found[host].bound.share) == (None, None)


def test_occupancy_is_weighted_by_time_and_zero_is_not_measured() -> None:
    events = [
        configured(kernel("k", 0, 1_000), 240, 0, 256, 0),
        configured(kernel("k", 2_000, 5_000), 32, 0, 256, 80),
    ]
    fact = facts_of(trace_of(events, deviceProperties=[H200]))["k"]
    # 240 registers x 256 threads: one block of 8 warps of 64; the other fills the SM.
    assert fact.occupancy_pct == (12.5 * 1_000 + 100 * 3_000) / 4_000
    assert fact.limited_by == ("warps", "registers")
    assert fact.profiler_occupancy_pct == 80


def test_more_than_all_is_no_estimate_of_the_profiler() -> None:
    events = [
        configured(kernel("k", 0, 1_000), 32, 0, 256, 400),
        configured(kernel("k", 2_000, 3_000), 32, 0, 256, 40),
    ]
    assert facts_of(trace_of(events))["k"].profiler_occupancy_pct == 40


def test_no_limits_no_occupancy() -> None:
    events = [configured(kernel("k", 0, 1_000), 240, 0, 256, 30)]
    fact = facts_of(trace_of(events))["k"]
    assert (fact.occupancy_pct, fact.profiler_occupancy_pct) == (None, 30)


def test_facts_keep_to_the_rows_of_the_table() -> None:
    trace = trace_of([*added(1, [1000], 1_000), *added(2, [3000], 2_000)])
    rows = trace.gpu_ops[:1]
    (fact,) = kernel_facts(gpu_work(trace), kernel_table(trace, rows), None)
    assert (fact.moved, fact.gpu_ns) == (12_000, 1_000)


def test_traffic_of_some_rows_and_how_much_of_their_time_it_covers() -> None:
    trace = trace_of([*added(1, [1000], 1_000), *added(2, None, 3_000)])
    work = gpu_work(trace)
    whole = traffic(work, trace.gpu_ops)
    assert (whole.moved, whole.known_ns, whole.gpu_ns, whole.coverage) == (
        12_000,
        1_000,
        4_000,
        0.25,
    )
    assert traffic(work, trace.gpu_ops[1:]).moved is None
    nothing = traffic(work, trace.gpu_ops[:0])
    assert (nothing.moved, nothing.coverage) == (None, None)


CEILINGS = {
    "copy_gbps": 4290.0,
    "bf16_tflops": 792.0,
    "fp16_tflops": 770.0,
    "fp32_tflops": 50.0,
}


def test_measured_ceilings_win_over_the_table_and_what_was_asked_over_both() -> None:
    events = [kernel("k", 0, 1_000)]
    known = trace_of(events, deviceProperties=[H200])
    table = roofs(known)
    assert table is not None
    assert (table.hbm, table.bf16) == (4800e9, 989e12)
    trace = trace_of(events, deviceProperties=[H200], attntui={"ceilings": CEILINGS})
    measured = roofs(trace)
    assert measured is not None
    assert (measured.hbm, measured.bf16, measured.fp16) == (4290e9, 792e12, 770e12)
    assert (measured.fp32, measured.tf32) == (50e12, 495e12)
    assert measured.source.startswith("measured by the capture")
    asked = roofs(trace, bandwidth=2e12, flops=1e14)
    assert asked is not None
    assert (asked.hbm, asked.bf16, asked.fp16) == (2e12, 1e14, 1e14)


def test_a_device_that_is_not_in_the_table_has_no_roof_but_the_one_asked_for() -> None:
    events = [kernel("k", 0, 1_000)]
    trace = trace_of(events, deviceProperties=[{"id": 0, "name": "Some GPU"}])
    assert roofs(trace) is None
    asked = roofs(trace, bandwidth=1e12)
    assert asked is not None
    assert (asked.hbm, asked.bf16) == (1e12, None)
    ceilings = trace_of(events, attntui={"ceilings": CEILINGS})
    measured = roofs(ceilings)
    assert measured is not None
    assert (measured.hbm, measured.bf16, measured.fp32) == (4290e9, 792e12, 50e12)


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        [],
        {"ceilings": None},
        {"ceilings": {"copy_gbps": "fast"}},
        {"ceilings": {"copy_gbps": -1, "bf16_tflops": True}},
    ],
)
def test_nonsense_for_ceilings_is_no_ceiling(value: object) -> None:
    trace = trace_of([kernel("k", 0, 1_000)], deviceProperties=[H200], attntui=value)
    found = roofs(trace)
    assert found is not None
    assert (found.hbm, found.bf16) == (4800e9, 989e12)


def test_devices_of_two_kinds_share_no_roof() -> None:
    other = H200 | {"id": 1, "name": "NVIDIA A100-SXM4-80GB"}
    events = [kernel("k", 0, 1_000), kernel("k", 0, 1_000, device=1, stream=8)]
    assert roofs(trace_of(events, deviceProperties=[H200, other])) is None
    assert roofs(trace_of(events[:1], deviceProperties=[H200, other])) is not None


@pytest.mark.parametrize(
    ("names", "used", "known"),
    [
        (("NVIDIA H200", "NVIDIA H200"), (0, 1), True),
        (("NVIDIA H200", "NVIDIA A100-SXM4-80GB"), (0, 1), False),
        # Only the devices that ran something count.
        (("NVIDIA H200", "NVIDIA A100-SXM4-80GB"), (0,), True),
        (("NVIDIA A100-SXM4-80GB", "NVIDIA H200"), (1,), True),
        # None of those described ran anything: the file numbers them otherwise.
        (("NVIDIA H200", "NVIDIA H200"), (5,), True),
        (("NVIDIA H200", "NVIDIA A100-SXM4-80GB"), (5,), False),
    ],
)
def test_roofs_are_of_the_one_name_of_the_devices_that_ran_something(
    names: tuple[str, ...], used: tuple[int, ...], *, known: bool
) -> None:
    described = [H200 | {"id": number, "name": name} for number, name in enumerate(names)]
    events = [kernel("k", 0, 1_000, device=number, stream=7 + number) for number in used]
    found = roofs(trace_of(events, deviceProperties=described))
    assert (found.hbm if found else None) == (4800e9 if known else None)


def products(count: int, size: int) -> list[Event]:
    """`count` products of two square matrices of `size`."""
    events = []
    for number in range(1, count + 1):
        begin = 100_000 * number
        events += [
            op("aten::mm", begin, begin + 9_000, **inputs([size, size], [size, size])),
            call("cudaLaunchKernel", begin + 1_000, begin + 2_000, number),
            kernel(GEMM, begin + 5_000, begin + 6_000, number),
        ]
    return events


def test_the_largest_works_sum_without_wrapping() -> None:
    fact = facts_of(trace_of(products(100, 700_000)))[GEMM]
    assert fact.flops == 100 * 2 * 700_000**3 > 2**63


def test_work_that_no_device_could_do_is_not_told() -> None:
    fact = facts_of(trace_of(products(1, 10**200)))[GEMM]
    assert (fact.flops, fact.moved, fact.bound.tflops) == (None, None, None)


VARIANTS = {
    "naive": ("naive", "naive"),
    "inplace": ("naive-inplace", "inplace"),
    "math": ("math", "sdpa_math"),
    "flash": ("flash", "sdpa_flash"),
    "efficient": ("efficient", "sdpa_efficient"),
    "cudnn": ("cudnn", "sdpa_cudnn"),
}


@pytest.mark.parametrize(
    ("variant", "path"),
    [
        pytest.param(variant, path, id=name_of(path))
        for variant, (sample, beside) in VARIANTS.items()
        for path in where_real([f"{sample}_b8_h16_s1024_d64_bf16_h200"], [f"h200/blog_{beside}"])
    ],
)
def test_occupancy_of_real_traces_is_the_measured_theoretical_one(variant: str, path: Path) -> None:
    with MEASURED.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["variant"] == variant]
    assert rows
    trace = load(path)
    found = {fact.occupancy_pct for fact in facts_of(trace).values()} - {None}
    assert found == {float(row["theoretical_occupancy_pct"]) for row in rows}


@pytest.mark.parametrize(
    "path", where_real(["naive_b8_h16_s1024_d64_bf16_h200"], ["h200/blog_naive"]), ids=name_of
)
def test_rates_of_the_real_softmax_and_products(path: Path) -> None:
    trace = load(path)
    found = {fact.decoded.operation: fact for fact in facts_of(trace, roofs(trace)).values()}
    softmax = found["softmax"]
    assert softmax.bound.kind == "memory"
    assert softmax.moved is not None
    # [8, 16, 1024, 1024] of bf16 read and written, three times.
    assert softmax.moved == 3 * 2 * 2 * 8 * 16 * 1024 * 1024
    assert softmax.bound.gbps is not None
    assert 1_500 < softmax.bound.gbps < 2_500
    product = found["gemm"]
    assert product.bound.tflops is not None
    assert product.decoded.tensor_cores


@every_real_trace
def test_no_kernel_of_a_real_trace_is_told_above_its_roof(path: Path) -> None:
    seen = observed(path)
    for fact in seen.kernel_facts:
        assert (fact.bound.share or 0) <= BEYOND
        assert fact.known_ns + fact.beyond_ns <= fact.gpu_ns
    if seen.analysed.peaks:
        # It takes little from what is told.
        known = sum(fact.known_ns for fact in seen.kernel_facts)
        assert 10 * sum(fact.beyond_ns for fact in seen.kernel_facts) <= known


def far_facts(grid: int, threads: int, kinds: tuple[str, str]) -> KernelFact:
    """A copy of 8 MB that takes 100 us on a device of 132 multiprocessors."""
    name = (
        "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(int)"
        "::{lambda(float)#1}, std::array<char*, 2ul> >(int)"
    )
    args = {"Input Dims": [[1000, 1000]] * 2, "Input type": list(kinds)}
    events = [
        op("aten::copy_", 0, 100, **args),
        call("cudaLaunchKernel", 10, 20, 1),
        configured(kernel(name, 1000, 101_000, 1), 16, 0, threads, 0),
    ]
    events[-1]["args"]["grid"] = [grid, 1, 1]
    trace = trace_of(events, deviceProperties=[H200 | {"numSms": 132}])
    (found,) = facts_of(trace, roofs(trace)).values()
    return found


@pytest.mark.parametrize(
    ("grid", "threads", "kinds", "reasons"),
    [
        (131, 1024, ("float", "float"), ("few blocks",)),
        (132, 1024, ("float", "float"), ()),
        (132, 1024, ("float", "c10::BFloat16"), ("converts types",)),
        (8, 1024, ("float", "c10::BFloat16"), ("few blocks", "converts types")),
    ],
)
def test_why_a_kernel_stays_far_from_its_roof(
    grid: int, threads: int, kinds: tuple[str, str], reasons: tuple[str, ...]
) -> None:
    found = far_facts(grid, threads, kinds)
    assert found.bound.far is True
    assert found.far_reasons == reasons
    assert found.unmeasured is True
