"""Every line of an event's detail in its order, for events of a made-up trace."""

from __future__ import annotations

from typing import Any

import made
import pytest
from builders import Event, cpu_op, kernel, launch

from attntui.analysis.analysed import AnalysedTrace
from attntui.view.detail.event import event_detail, op_detail

PRODUCT = "nvjet_tst_128x128_64x4_1x2_h_bz_coopA_NNT"
H200 = {
    "id": 0,
    "name": "NVIDIA H200",
    "maxThreadsPerBlock": 1024,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerMultiprocessor": 65536,
    "warpSize": 32,
    "sharedMemPerMultiprocessor": 233472,
    "computeMajor": 9,
    "computeMinor": 0,
}
CONFIG = {
    "grid": [4, 2, 1],
    "block": [32, 4, 2],
    "registers per thread": 64,
    "shared memory": 49152,
    "est. achieved occupancy %": 37,
}


def product(busy: int = 20) -> AnalysedTrace:
    shapes = {"Input Dims": [[1024, 512], [512, 2048]], "Input type": ["c10::BFloat16"] * 2}
    events = [
        cpu_op("aten::mm", 0, 50, args=shapes),
        launch(1, 10),
        kernel(PRODUCT, 100, busy, 1, args=CONFIG),
    ]
    return AnalysedTrace(made.trace_of(events, deviceProperties=[H200]))


def lines(analysed: AnalysedTrace, name: str) -> list[tuple[str, str]]:
    found = event_detail(analysed, made.row(analysed.trace, name))
    return [(str(item.label), str(item.text)) for item in found]


def test_a_kernel_tells_all_its_parts_in_their_order() -> None:
    assert lines(product(), PRODUCT) == [
        ("", "nvjet bf16 128x128x64 NNT"),
        ("kernel", "cuBLASLt · gemm · tensor cores"),
        ("types", "bf16"),
        ("tile", "128x128x64"),
        ("stages", "4"),
        ("layout", "NNT"),
        ("told by", "nvjet"),
        ("time", "20.00 us"),
        ("start", "100.000000 us"),
        ("lane", "GPU 0 stream 7"),
        ("category", "kernel"),
        ("", "all of this name"),
        ("FLOP rate", "107 TFLOP/s"),
        ("HBM rate", "367 GB/s by shapes"),
        ("intensity", "293 FLOP a byte"),
        ("bound by", "compute, far from the roof: 10.9 % of it"),
        ("launch", "cudaLaunchKernel"),
        ("delay", "90.00 us"),
        ("grid", "4 x 2 x 1"),
        ("block", "32 x 4 x 2"),
        ("registers", "64 a thread"),
        ("shared", "49,152 bytes a block"),
        ("occupancy", "50.0 % at most, limited by registers, shared memory"),
        ("", "37 % as the profiler estimates"),
        ("", "called from, innermost first"),
        ("·", "aten::mm"),
        ("", "args"),
        ("device", "0"),
        ("stream", "7"),
        ("correlation", "1"),
        ("grid", "[4, 2, 1]"),
        ("block", "[32, 4, 2]"),
        ("registers per thread", "64"),
        ("shared memory", "49152"),
        ("est. achieved occupancy %", "37"),
        ("", "full name"),
        ("", PRODUCT),
    ]


def test_a_kernel_that_would_be_faster_than_the_device_tells_no_rate() -> None:
    told = dict(lines(product(busy=1), PRODUCT))
    assert told["bound by"].startswith("not told: above the roof by its shapes")
    assert not {"FLOP rate", "HBM rate", "intensity"} & told.keys()


def test_an_op_tells_its_inputs_and_a_launch_what_it_launched() -> None:
    assert lines(product(), "aten::mm")[5:9] == [
        ("", "inputs"),
        ("0", "BFloat16 [1024, 512]"),
        ("1", "BFloat16 [512, 2048]"),
        ("", "args"),
    ]
    assert lines(product(), "cudaLaunchKernel")[5:8] == [
        ("launched", "nvjet bf16 128x128x64 NNT  20.00 us"),
        ("", "called from, innermost first"),
        ("·", "aten::mm"),
    ]
    analysed = product()
    row = made.row(analysed.trace, "aten::mm")
    # Without its name, which stands above: the rest is the same.
    assert op_detail(analysed, row) == event_detail(analysed, row)[1:]


def configured(**config: Any) -> list[tuple[str, str]]:
    """The lines on the launch of a kernel with some args, on a device that is not described."""
    args = {key.replace("_", " "): value for key, value in config.items()}
    events: list[Event] = [kernel("k", 10, 5, args=args)]
    found = lines(AnalysedTrace(made.trace_of(events)), "k")
    at = found.index(("launch", "no launch record")) + 1
    return found[at : found.index(("", "args"))]


@pytest.mark.parametrize(
    ("config", "shown"),
    [
        ({}, []),
        ({"grid": [65, 1, 3]}, [("grid", "65 x 1 x 3")]),
        ({"block": [1, 2, 1]}, [("block", "1 x 2 x 1")]),
        ({"registers_per_thread": 255}, [("registers", "255 a thread")]),
        ({"shared_memory": 0}, [("shared", "0 bytes a block")]),
    ],
)
def test_of_a_launch_what_is_told_is_shown(
    config: dict[str, Any], shown: list[tuple[str, str]]
) -> None:
    assert configured(**config) == shown


def test_the_profilers_zero_is_no_measurement() -> None:
    def estimated(percent: float) -> list[tuple[str, str]]:
        args = {**CONFIG, "est. achieved occupancy %": percent}
        found = lines(AnalysedTrace(made.trace_of([kernel("k", 10, 5, args=args)])), "k")
        return found[
            found.index(("shared", "49,152 bytes a block")) + 1 : found.index(("", "args"))
        ]

    # Nothing describes the device: its own limit is not told.
    assert estimated(0) == [
        ("", "not measured: the profiler wrote 0 %, as it does where it cannot tell")
    ]
    assert estimated(6) == [("", "6 % as the profiler estimates")]
