"""Each kind of finding on a trace made for it, and none where nothing is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Event
from findings_made import LONG, SHAPED, found, launched, quiet
from made import annotation, call, copy, kernel, op

from attntui.analysis.findings import Severity, thresholds
from attntui.analysis.queue_depth import LEAST_LAUNCH_BOUND
from attntui.analysis.scope import Range
from attntui.view.words.findings import title_text

SGEMM = "volta_sgemm_128x64_nn"


def test_a_quiet_trace_has_no_finding() -> None:
    assert found(quiet()) == {}


def test_a_trace_of_the_cpu_tells_only_that_no_gpu_was_recorded() -> None:
    assert {i: f.severity for i, f in found([op("aten::add", 0, 10)]).items()} == {
        "no-gpu": Severity.INFO
    }


@pytest.mark.parametrize(
    ("share", "severity"),
    [(0.02, None), (0.05, Severity.LOW), (0.15, Severity.MEDIUM), (0.30, Severity.HIGH)],
)
def test_severity_goes_by_the_share_of_the_span(share: float, severity: Severity | None) -> None:
    events = quiet(20)
    idle = round(20 * LONG * share / (1 - share))
    end = 1_000_000 + 20 * LONG
    # The host was in one op all the while, and launched at its end.
    events += [
        op("aten::mul", end, end + idle + 3_000, **SHAPED),
        call("cudaLaunchKernel", end + idle - 10, end + idle, 99),
        kernel("late", end + idle, end + idle + 10, 99),
    ]
    idle_finding = found(events).get("gpu-idle")
    assert (idle_finding and idle_finding.severity) == severity
    if idle_finding:
        assert idle_finding.cost_ns == idle
        assert idle_finding.evidence == (Range(end, end + idle),)
        assert "dispatched CPU ops" in title_text(idle_finding)


def test_a_host_that_cannot_keep_up_is_launch_bound() -> None:
    events = []
    for i in range(12):
        at = 20_000 * i
        events += launched(i + 1, at, at + 3_000, at + 9_000)
    finding = found(events)["launch-bound"]
    # All but the first found the device drained; 14 us of each 20 idle.
    assert finding.figures["operations"] == 11
    assert finding.figures["stretches"] == 1
    assert finding.cost_ns == 10 * 14_000
    assert finding.figures["mean_operation_ns"] == 6_000
    assert finding.evidence == (Range(23_000, 229_000),)
    # One fewer than makes a pattern.
    assert "launch-bound" not in found(events[: 3 * LEAST_LAUNCH_BOUND])


def opaque(own: int) -> list[Event]:
    """A quiet trace, then an op that takes `own` before it launches, with nothing inside."""
    end = 1_000_000 + 20 * LONG
    return [
        *quiet(),
        op("aten::_convolution", end, end + own, **SHAPED),
        op("aten::cudnn_convolution", end + 1_000, end + own - 1_000, **SHAPED),
        call("cudaLaunchKernel", end + own - 3_000, end + own - 2_000, 99),
        kernel("conv", end + own - 1_500, end + own + 100_000, 99),
    ]


def test_a_cpu_bar_that_nothing_explains() -> None:
    finding = found(opaque(900_000))["opaque-cpu"]
    assert finding.figures["cpu_ops"] == 1
    # From its start to its end less the launch call.
    assert finding.figures["unexplained_ns"] == 898_000 - 1_000
    # The gap ends where the kernel begins, 500 ns before the op's end.
    assert finding.cost_ns == 897_000
    assert "aten::cudnn_convolution" in title_text(finding)


def test_a_cpu_bar_beside_a_busy_gpu_costs_nothing() -> None:
    events = [*quiet(), op("aten::planning", 200_000, 900_000, **SHAPED)]
    events += launched(50, 901_000, 1_000_000 + 20 * LONG, 1_000_000 + 21 * LONG)
    assert "opaque-cpu" not in found(events)


def stalled(pieces: list[Event], *, idle: int = 400_000, kind: str = "aten::mul") -> list[Event]:
    """A quiet trace, blocking calls at its end, then idle time and one more kernel."""
    end = 1_000_000 + 20 * LONG
    return [*quiet(), *pieces, *launched(99, end + idle, end + idle + 3_000, end + idle + 9_000)]


END = 1_000_000 + 20 * LONG


def test_synchronisation_that_stalls() -> None:
    item = [
        op("aten::item", 900_000, END + 6_000),
        op("aten::_local_scalar_dense", 900_500, END + 5_500),
        call("cudaStreamSynchronize", 901_000, END + 5_000),
    ]
    finding = found(stalled(item))["sync-stalls"]
    assert finding.cost_ns == 403_000
    assert dict(finding.figures) == {"waits": 1, "idle_afterwards_ns": 403_000}
    assert "aten::_local_scalar_dense" in title_text(finding)
    (row,) = finding.evidence
    assert isinstance(row, int)


def test_synchronisation_of_each_step() -> None:
    item = [call("cudaDeviceSynchronize", 901_000, END + 5_000)]
    steps = [annotation(f"ProfilerStep#{i}", i * 2_000_000, (i + 1) * 2_000_000) for i in range(3)]
    finding = found(stalled([*item, *steps]))["sync-stalls"]
    assert (finding.figures["steps_with_waits"], finding.figures["steps"]) == (1, 3)
    # No op stands around the call: it is named itself.
    assert "cudaDeviceSynchronize" in title_text(finding)


def test_synchronisation_that_does_not_stall_is_no_finding() -> None:
    item = [call("cudaStreamSynchronize", 500_000, 600_000)]
    assert "sync-stalls" not in found([*quiet(), *item])
    # After the last operation it drains nothing that would run.
    assert "sync-stalls" not in found([*quiet(), call("cudaDeviceSynchronize", 0, END + 9_000)])


def pageable(size: int) -> list[Event]:
    """A copy from pageable memory, which waits in a synchronise call of its own."""
    event = copy("Memcpy HtoD (Pageable -> Device)", END + 10_000, END + 90_000, 98)
    event["args"]["bytes"] = size
    return [
        op("aten::copy_", END, END + 100_000),
        call("cudaMemcpyAsync", END + 5_000, END + 8_000, 98),
        call("cudaStreamSynchronize", END + 9_000, END + 95_000),
        event,
    ]


def test_copies_from_pageable_memory() -> None:
    seen = found(stalled(pageable(1 << 20)))
    finding = seen["pageable-copies"]
    # From the copy's end to the next kernel; the 10 us before the copy are not its doing.
    assert dict(finding.figures) == {
        "copies": 1,
        "moved_bytes": 1 << 20,
        "copying_ns": 80_000,
        "idle_afterwards_ns": 313_000,
    }
    assert finding.cost_ns == 393_000
    assert "sync-stalls" not in seen


def test_a_small_copy_is_staged_at_once_and_counts_as_a_wait() -> None:
    seen = found(stalled(pageable(64 * 1024)))
    assert "pageable-copies" not in seen
    assert seen["sync-stalls"].cost_ns == 313_000


def test_a_wait_outside_every_op_is_no_copy_s_though_the_copy_has_no_op_either() -> None:
    bare = [event for event in pageable(1 << 20) if event["cat"] != "cpu_op"]
    waits = [event for event in bare if event["name"] == "cudaStreamSynchronize"]
    waits[0]["name"] = "cudaDeviceSynchronize"
    seen = found(stalled(bare))
    assert seen["sync-stalls"].cost_ns == 313_000
    assert seen["pageable-copies"].figures["idle_afterwards_ns"] == 0


def allocating(since: int) -> list[Event]:
    """Two steps, and after `since` ns an op that allocates before it launches."""
    return [
        annotation("ProfilerStep#1", 0, 600_000),
        annotation("ProfilerStep#2", 600_000, END + 500_000),
        *quiet(),
        op("aten::empty", since, since + 300_000),
        call("cudaMalloc", since + 1_000, since + 299_000),
        *launched(99, since + 301_000, since + 305_000, since + 400_000),
    ]


def test_allocation_after_the_first_step() -> None:
    finding = found(allocating(END))["steady-allocation"]
    assert dict(finding.figures) == {"calls": 1, "in_calls_ns": 298_000, "idle_ns": 305_000}
    assert finding.cost_ns == 305_000


def test_allocation_in_the_first_step_is_warming_up() -> None:
    one_step = [e for e in allocating(END) if e["name"] != "ProfilerStep#2"]
    assert "steady-allocation" not in found(one_step)
    during = [e for e in allocating(END) if "ProfilerStep" not in e["name"]]
    late = [
        annotation("ProfilerStep#1", 0, END + 400_000),
        annotation("ProfilerStep#2", END + 401_000, END + 900_000),
        *launched(100, END + 402_000, END + 405_000, END + 800_000),
    ]
    assert "steady-allocation" not in found([*during, *late])


def test_the_data_loader_is_a_finding_of_its_own() -> None:
    waiting = [annotation("enumerate(DataLoader)#Iter.__next__", END, END + 390_000)]
    finding = found(stalled(waiting))["idle-data-loading"]
    assert finding.cost_ns == 390_000
    assert finding.evidence == (Range(END, END + 403_000),)


def test_products_in_fp32_off_the_tensor_cores() -> None:
    events = quiet(5)
    for i in range(5):
        begin = 1_000_000 + (5 + i) * LONG
        events += launched(50 + i, 50_000 + 5_000 * i, begin, begin + LONG, SGEMM, "my::product")
    finding = found(events)["fp32-products"]
    assert dict(finding.figures) == {
        "kernels": 5,
        "gpu_time_ns": 5 * LONG,
        "of_gpu_time_share": 0.5,
    }
    assert finding.severity is Severity.HIGH


def test_many_tiny_kernels() -> None:
    def tiny(number: int, length: int) -> list[Event]:
        events = []
        for i in range(number):
            begin = 2_000_000 + i * 5_000
            events += launched(i + 1, 5_000 * i, begin, begin + length)
        return events

    finding = found(tiny(200, 4_000))["tiny-kernels"]
    # Each kernel but the first follows a microsecond in the queue.
    assert finding.figures["running_ns"] == 200 * 4_000
    assert finding.figures["launching_ns"] == 199 * 1_000
    assert finding.cost_ns == 999_000
    assert "tiny-kernels" not in found(tiny(thresholds.TINY_LEAST - 1, 4_000))
    assert "tiny-kernels" not in found(tiny(200, thresholds.TINY_NS))


def test_low_occupancy_of_a_kernel_on_tensor_cores_is_a_note() -> None:
    name = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"
    events = quiet(5) + launched(50, 50_000, END, END + LONG, name)
    events[-1]["args"] |= {
        "registers per thread": 240,
        "shared memory": 0,
        "block": [256, 1, 1],
        "grid": [1, 1, 1],
    }
    finding = found(events)["low-occupancy-fine"]
    assert finding.severity is Severity.INFO
    assert dict(finding.figures) == {"kernel_names": 1, "occupancy_pct": 12.5}
    assert "limited by registers" in title_text(finding)


def test_collectives_beside_compute_are_a_note() -> None:
    name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    # Half of it beside the last kernel, half alone, on a stream of its own.
    end = 1_000_000 + 10 * LONG
    beside = launched(50, 120_000, end - LONG // 2, end + LONG // 2, name)
    beside[-1]["args"]["stream"] = 9
    finding = found([*quiet(10), *beside])["collectives"]
    assert finding.severity is Severity.INFO
    assert dict(finding.figures) == {
        "collectives": 1,
        "running_ns": LONG,
        "beside_compute_ns": LONG // 2,
        "overlap_share": 0.5,
    }
    assert title_text(finding) == (
        "1 collective ran for 100.0 us on the GPU, 50.00 us (50.0 %) of it beside other kernels"
    )
    # On another device nothing runs beside it.
    beside[-1]["args"]["device"] = 1
    assert found([*quiet(10), *beside])["collectives"].figures["beside_compute_ns"] == 0
    # Too short to matter.
    assert "collectives" not in found([*quiet(10), *launched(50, 120_000, end, end + 9, name)])


def without_inputs(events: list[Event]) -> list[Event]:
    return [
        event | {"args": {k: v for k, v in event["args"].items() if not k.startswith("Input")}}
        for event in events
    ]


@pytest.mark.parametrize(
    ("events", "top", "expected"),
    [
        (without_inputs(quiet()), {}, {"no-shapes"}),
        (quiet(), {"deviceProperties": []}, {"unknown-roofs"}),
        ([e for e in quiet() if e["cat"] == "kernel"], {}, {"no-cpu-side", "no-launches"}),
        ([e for e in quiet() if e["cat"] != "cpu_op"], {}, {"no-cpu-side"}),
        ([*quiet(), kernel("stray", END, END + 1_000)], {}, {"no-launches"}),
    ],
)
def test_what_was_not_recorded_is_noted(
    events: list[Event], top: dict[str, Any], expected: set[str]
) -> None:
    seen = found(events, **top)
    assert set(seen) == expected
    assert all(finding.severity is Severity.INFO for finding in seen.values())
    assert all(finding.cost_ns is None for finding in seen.values())


def test_the_worst_comes_first() -> None:
    wait = call("cudaStreamSynchronize", 901_000, END + 5_000)
    stray = kernel("stray", END + 2_000_000, END + 2_001_000)
    events = [*stalled([wait], idle=300_000), stray]
    seen = list(found(events).values())
    assert [(f.id, f.severity) for f in seen] == [
        ("gpu-idle", Severity.HIGH),
        ("sync-stalls", Severity.LOW),
        ("no-launches", Severity.INFO),
    ]
