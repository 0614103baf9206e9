"""Kernels of a made-up trace: times, rates by shapes, occupancy, streams, launch delays."""

from __future__ import annotations

import made
import pytest
from builders import Event, annotation, complete, cpu_op, kernel, launch, launched, memcpy, runtime

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Step
from attntui.view.tables.kernels import BOUNDS, OCCUPANCIES, TOTALS, instances_table, kernels_table
from attntui.view.tables.model import Table, records

PRODUCT = "nvjet_tst_128x128_64x4_1x2_h_bz_coopA_NNT"
COPY = "Memcpy DtoD (Device -> Device)"
FLOPS = 2 * 1024 * 512 * 2048
MOVED = 2 * (1024 * 512 + 512 * 2048 + 1024 * 2048)

H200 = {
    "id": 0,
    "name": "NVIDIA H200",
    "computeMajor": 9,
    "computeMinor": 0,
    "maxThreadsPerBlock": 1024,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerMultiprocessor": 65536,
    "warpSize": 32,
    "sharedMemPerMultiprocessor": 233472,
    "sharedMemPerBlockOptin": 232448,
    "numSms": 132,
}


def events() -> list[Event]:
    """A product of known shapes and one without, a copy, and a kernel without a launch."""
    shapes = {"Input Dims": [[1024, 512], [512, 2048]], "Input type": ["c10::BFloat16"] * 2}
    config = {
        "grid": [4, 2, 1],
        "block": [32, 4, 2],
        "registers per thread": 64,
        "shared memory": 49152,
        "est. achieved occupancy %": 37,
    }
    return [
        cpu_op("aten::mm", 0, 50, args=shapes),
        launch(1, 10),
        kernel(PRODUCT, 100, 20, 1, args=config),
        cpu_op("aten::mm", 60, 20),
        launch(2, 65),
        kernel(PRODUCT, 130, 60, 2, stream=9),
        launch(3, 85),
        memcpy(COPY, 200, 10, 3, args={"bytes": 4_000_000}),
        kernel("mystery", 5, 10),
    ]


@pytest.fixture(scope="module")
def analysed() -> AnalysedTrace:
    return AnalysedTrace(made.trace_of(events(), deviceProperties=[H200]))


def cells(table: Table, row: int, keys: tuple[str, ...]) -> list[str]:
    return [str(table.column(key).text(row)) for key in keys]


def test_a_name_tells_its_time_and_what_its_known_work_comes_to(analysed: AnalysedTrace) -> None:
    product, copy, mystery = records(kernels_table(analysed.whole))
    assert product == {
        "share": 0.8,
        "total_ns": 80_000,
        "count": 2,
        "mean_ns": 40_000.0,
        "min_ns": 20_000,
        "max_ns": 60_000,
        "bound": "compute",
        "roof_share": pytest.approx(FLOPS / 20e-6 / 989e12, rel=1e-3),
        "occupancy_pct": 50.0,
        "tflops": pytest.approx(FLOPS / 20e-6 / 1e12),
        "gbps": pytest.approx(MOVED / 20e-6 / 1e9),
        "coverage": 0.25,
        "beyond_roof_ns": 0,
        "intensity": pytest.approx(FLOPS / MOVED),
        "flops": FLOPS,
        "hbm_bytes": MOVED,
        "profiler_occupancy_pct": 37.0,
        "far_from_roof": True,
        "far_reasons": [],
        "tensor_cores": True,
        "library": "cuBLASLt",
        "limited_by": "registers and shared memory",
        "streams": [7, 9],
        "label": "nvjet bf16 128x128x64 NNT",
        "name": PRODUCT,
    }
    assert (copy["name"], copy["bound"], copy["hbm_bytes"]) == (COPY, "memory", 8_000_000)
    assert copy["gbps"] == pytest.approx(800)
    assert (mystery["share"], mystery["coverage"], mystery["bound"]) == (0.1, 0.0, None)
    assert mystery["limited_by"] is None


def test_a_name_as_people_read_it(analysed: AnalysedTrace) -> None:
    table = kernels_table(analysed.whole)
    label = "nvjet bf16 128x128x64 NNT"
    times = ("80.0 %", "80.00 us", "2", "40.00 us", "20.00 us", "60.00 us", "7,9", label)
    assert cells(table, 0, TOTALS) == [*times]
    assert cells(table, 0, BOUNDS) == [
        *("80.0 %", "compute, far", "107 TFLOP/s", "367 GB/s", "10.9 %", "25.0 %", label)
    ]
    assert cells(table, 0, OCCUPANCIES) == [
        *("80.0 %", "50.0 %", "37.0 %", "yes", "cuBLASLt", "registers and shared memory", label)
    ]
    assert cells(table, 0, ("flops", "hbm_bytes")) == ["2.15 GFLOP", "7.34 MB"]
    assert cells(table, 2, ("bound", "tflops", "gbps", "occupancy_pct", "library")) == ["-"] * 5
    # The bar is of eight cells: 80 % of them is six and three eighths, and a bit.
    assert str(table.columns[0].text(0)) == "██████▍ "


def test_more_streams_than_three_are_cut_for_people_alone() -> None:
    def on(streams: tuple[int, ...]) -> Table:
        made_up = [kernel("k", 20 * n, 10, stream=s) for n, s in enumerate(streams)]
        return kernels_table(AnalysedTrace(made.trace_of(made_up)).whole)

    four, three = on((11, 9, 7, 8)), on((9, 7, 8))
    assert four.column("streams").value(0) == [7, 8, 9, 11]
    assert str(four.column("streams").text(0)) == "7,8,9…"
    assert str(three.column("streams").text(0)) == "7,8,9"
    assert four.column("streams").order.tolist() == [7]


def test_each_operation_tells_how_late_it_began(analysed: AnalysedTrace) -> None:
    table = instances_table(analysed.whole)
    label = "nvjet bf16 128x128x64 NNT"
    keys = ("start_ns", "duration_ns", "delay_ns", "stream", "label")
    assert [tuple(row[key] for key in keys) for row in records(table)] == [
        (5_000, 10_000, None, 7, "mystery"),
        (100_000, 20_000, 90_000, 7, label),
        (130_000, 60_000, 65_000, 9, label),
        (200_000, 10_000, 115_000, 7, COPY),
    ]
    assert isinstance(table.column("delay_ns").value(1), int)
    assert cells(table, 0, keys) == ["5.000000 us", "10.00 us", "-", "7", "mystery"]
    assert cells(table, 1, keys[:3]) == ["100.0000 us", "20.00 us", "90.00 us"]


def test_a_delay_below_zero_is_skew_and_none_is_no_skew() -> None:
    events = [*launched(1, 50, 40, 5), *launched(2, 60, 60, 5)]
    table = instances_table(AnalysedTrace(made.trace_of(events)).whole)
    delay = table.column("delay_ns")
    assert [delay.value(row) for row in range(2)] == [-10_000, 0]
    assert [str(delay.text(row)) for row in range(2)] == ["skew", "0 ns"]


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        ([], "the CPU alone"),
        ([runtime("cudaDeviceSynchronize", 10, 5)], "the CPU alone"),
        ([launch(1, 10)], "records are lost"),
        ([launch(1, 10), complete("cuda_profiler_range", "r", 20, 5)], "range profile"),
        ([launch(1, 10), complete("mtia_ccp_events", "r", 20, 5)], "another accelerator"),
    ],
)
def test_no_gpu_operation_is_told_by_why(beside: list[Event], said: str) -> None:
    bare = AnalysedTrace(made.trace_of([cpu_op("aten::mm", 0, 5), *beside]))
    assert said in kernels_table(bare.whole).empty
    assert said in instances_table(bare.whole).empty


def test_no_gpu_operation_of_a_scope_says_so() -> None:
    steps = [annotation(f"ProfilerStep#{n}", 100 * n, 50) for n in (1, 2)]
    part = AnalysedTrace(made.trace_of([*steps, *launched(1, 110, 120, 5)])).slice(Step(1))
    assert kernels_table(part).empty == "no GPU operation in this scope: S widens it"
