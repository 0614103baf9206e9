"""Each kind of finding on a trace made for it, and none where nothing is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Event
from findings_made import H200, LONG, SHAPED, found, launched, quiet
from made import annotation, call, copy, kernel, op

from attntui.analysis.findings import Evidence, Severity, thresholds
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
    told = found(events).get("opaque-cpu")
    assert (told and told.severity) == severity
    if told:
        # But for the launch call, and what the op does after it.
        assert told.cost_ns == told.gain_ns == idle - 10


def test_a_host_that_cannot_keep_up_is_launch_bound() -> None:
    events = []
    for i in range(12):
        at = 20_000 * i
        events += launched(i + 1, at, at + 3_000, at + 9_000)
    finding = found(events)["launch-bound"]
    # 14 us before each but the first; nothing else keeps the device from working on.
    assert finding.figures["operations"] == 11
    assert finding.figures["idle_before_each_ns"] == 14_000
    assert finding.cost_ns == finding.gain_ns == 11 * 14_000
    assert finding.figures["mean_operation_ns"] == 6_000
    assert finding.evidence[0] == Evidence(Range(9_000, 23_000), 14_000)
    parts = [finding.figures[f"{part}_ns"] for part in ("dispatch", "unrecorded", "launch_call")]
    assert sum(parts) + finding.figures["queued_ns"] == finding.cost_ns
    # It takes no run of such operations to count.
    assert found(events[:12])["launch-bound"].cost_ns == 3 * 14_000


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
    # Until its launch call began.
    assert finding.cost_ns == 896_000
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
    # Without the wait the host would have launched two milliseconds earlier: no gap at all.
    assert finding.cost_ns == 403_000
    assert dict(finding.figures) == {
        "idle_ns": 403_000,
        "waits": 1,
        "waiting_ns": 5_000,
        "gain_ns": 403_000,
    }
    assert "aten::_local_scalar_dense" in title_text(finding)
    (piece,) = finding.evidence
    assert isinstance(piece.place, int)


def test_waits_of_a_host_that_is_behind_anyway_gain_nothing() -> None:
    events = []
    for i in range(12):
        at = 20_000 * i
        events += launched(i + 1, at, at + 3_000, at + 9_000)
        if i % 3 == 2:
            # It waits from here for what was launched: a microsecond.
            events.append(call("cudaStreamSynchronize", at + 8_000, at + 10_000))
    seen = found(events)
    assert next(iter(seen)) == "launch-bound"
    assert seen["launch-bound"].cost_ns == 11 * 14_000
    stalls = seen["sync-stalls"]
    assert stalls.under == "launch-bound"
    assert stalls.gain_ns is not None
    assert stalls.gain_ns <= 4_000
    assert "behind all the same" in title_text(stalls)


def test_synchronisation_of_each_step() -> None:
    item = [call("cudaDeviceSynchronize", 901_000, END + 5_000)]
    steps = [annotation(f"ProfilerStep#{i}", i * 2_000_000, (i + 1) * 2_000_000) for i in range(3)]
    finding = found(stalled([*item, *steps]))["sync-stalls"]
    assert (finding.figures["steps_with_waits"], finding.figures["steps"]) == (1, 3)
    # No op stands around the call: it is named itself.
    assert "cudaDeviceSynchronize" in title_text(finding)


def waiting(device: int, thread: int, since: int) -> list[Event]:
    """A thread that waits once for its device, and gives out two more kernels after that."""
    number, events = 10 * thread, []
    for at, run in ((0, 97_000), (110_000, 5_000), (150_000, 5_000)):
        number += 1
        events += [
            call("cudaLaunchKernel", since + at, since + at + 1_000, number, tid=thread),
            kernel("k", since + at + 3_000, since + at + 3_000 + run, number, device=device),
        ]
    wait = call("cudaStreamSynchronize", since + 2_000, since + 101_000, tid=thread)
    return [*events, wait]


def test_waits_are_charged_with_the_idle_time_of_their_device() -> None:
    both = [H200, H200 | {"id": 1}]
    seen = found([*waiting(0, 1, 10_000), *waiting(1, 2, 0)], deviceProperties=both)["sync-stalls"]
    assert seen.figures["waits"] == 2
    # Two gaps of each device: right after its wait, and the next.
    assert [piece.ns for piece in seen.evidence] == [13_000 + 35_000] * 2


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
    # Before it what the host does in its call, after it up to the next launch.
    assert dict(finding.figures) == {
        "copies": 1,
        "moved_bytes": 1 << 20,
        "copying_ns": 80_000,
        "idle_afterwards_ns": 8_000 + 312_000,
        "pinned_ns": 26_214,
    }
    assert finding.cost_ns == 400_000
    # The host does the same after it: beside the kernels goes the copy alone.
    assert finding.gain_ns == 81_000
    assert "sync-stalls" not in seen


def test_a_small_copy_is_staged_at_once_and_counts_as_a_wait() -> None:
    seen = found(stalled(pageable(64 * 1024)))
    assert "pageable-copies" not in seen
    # Without the wait for the copy the host would be that much earlier, and no more.
    assert seen["sync-stalls"].cost_ns == seen["sync-stalls"].gain_ns == 81_000


def test_a_wait_outside_every_op_is_no_copy_s_though_the_copy_has_no_op_either() -> None:
    bare = [event for event in pageable(1 << 20) if event["cat"] != "cpu_op"]
    waits = [event for event in bare if event["name"] == "cudaStreamSynchronize"]
    waits[0]["name"] = "cudaDeviceSynchronize"
    seen = found(stalled(bare))
    assert seen["sync-stalls"].cost_ns == 81_000
    assert seen["pageable-copies"].figures["idle_afterwards_ns"] == 8_000


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
    assert finding.figures["gaps"] == 1
    assert finding.cost_ns == finding.gain_ns == 298_000


def test_allocation_in_the_first_step_is_warming_up() -> None:
    one_step = [e for e in allocating(END) if e["name"] != "ProfilerStep#2"]
    seen = found(one_step)
    assert "steady-allocation" not in seen
    assert seen["first-allocation"].cost_ns == 298_000
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
    # Fetching a batch that lies ready takes time too.
    assert finding.gain_ns == 390_000 - thresholds.READY_BATCH_NS
    assert finding.evidence == (Evidence(Range(END, END + 403_000), 390_000),)


def test_products_in_fp32_off_the_tensor_cores() -> None:
    events = quiet(5)
    for i in range(5):
        begin = 1_000_000 + (5 + i) * LONG
        events += launched(50 + i, 50_000 + 5_000 * i, begin, begin + LONG, SGEMM, "my::product")
    finding = found(events)["fp32-products"]
    assert dict(finding.figures) == {
        "kernels": 5,
        "gpu_time_ns": 5 * LONG,
        "of_busy_share": 0.5,
    }
    # What they would take is not known without their shapes; by its share it is no small thing.
    assert (finding.severity, finding.gain_ns) == (Severity.MEDIUM, 0)


def test_many_tiny_kernels() -> None:
    def tiny(number: int, length: int) -> list[Event]:
        events = []
        for i in range(number):
            begin = 2_000_000 + i * 5_000
            events += launched(i + 1, 5_000 * i, begin, begin + length)
        return events

    finding = found(tiny(200, 4_000))["tiny-kernels"]
    assert finding.cost_ns == finding.figures["running_ns"] == 200 * 4_000
    # Half as many save half of what each kernel costs at least.
    assert finding.gain_ns == 100 * thresholds.KERNEL_FLOOR_NS
    assert "tiny-kernels" not in found(tiny(thresholds.TINY_LEAST - 1, 4_000))
    assert "tiny-kernels" not in found(tiny(200, thresholds.TINY_NS))


def test_fewer_tiny_kernels_gain_nothing_while_the_host_is_behind() -> None:
    """Each is launched long after the one before has ended."""
    events = []
    for i in range(200):
        events += launched(i + 1, 20_000 * i, 20_000 * i + 3_000, 20_000 * i + 7_000)
    finding = found(events)["tiny-kernels"]
    assert finding.under == "launch-bound"
    # The last one alone is shorter.
    assert finding.gain_ns == thresholds.KERNEL_FLOOR_NS // 2
    assert "next bottleneck" in finding.assumes


def full_rate(length: int) -> list[Event]:
    """A kernel at low occupancy that adds at most of the memory's rate, among others."""
    shaped = {"Input Dims": [[length], [length]], "Input type": ["float", "float"]}
    name = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"
    events = [
        *quiet(5),
        op("aten::add", 50_000, 54_000, **shaped),
        call("cudaLaunchKernel", 51_000, 52_000, 50),
        kernel(name, END, END + LONG, 50),
    ]
    events[-1]["args"] |= {
        "registers per thread": 240,
        "shared memory": 0,
        "block": [256, 1, 1],
        "grid": [1024, 1, 1],
    }
    return events


def test_low_occupancy_near_the_roof_is_a_note() -> None:
    # Of 4.8 TB/s 100 us carry 480 MB; three tensors of 120 MB are three quarters of that.
    finding = found(full_rate(30_000_000))["low-occupancy-fine"]
    assert finding.severity is Severity.INFO
    assert dict(finding.figures) == {
        "kernel_names": 1,
        "occupancy_pct": 12.5,
        "of_roof_share": pytest.approx(0.75),
    }
    assert "limited by registers" in title_text(finding)


def test_low_occupancy_far_from_the_roof_is_not_called_fine() -> None:
    assert "low-occupancy-fine" not in found(full_rate(10_000_000))


def test_collectives_with_no_compute_beside() -> None:
    name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    # Half of it beside the last kernel, half alone, on a stream of its own.
    end = 1_000_000 + 10 * LONG
    beside = launched(50, 120_000, end - LONG // 2, end + LONG // 2, name)
    beside[-1]["args"]["stream"] = 9
    finding = found([*quiet(10), *beside])["exposed-communication"]
    assert dict(finding.figures) == {
        "collectives": 1,
        "running_ns": LONG,
        "exposed_ns": LONG // 2,
        # The op's largest input: 1,024 floats.
        "message_bytes": 4096,
    }
    assert finding.cost_ns == finding.gain_ns == LONG // 2
    # On another device nothing runs beside it, and nothing can.
    beside[-1]["args"]["device"] = 1
    alone = found([*quiet(10), *beside])["exposed-communication"]
    assert (alone.cost_ns, alone.gain_ns) == (LONG, 0)
    # What gains nothing is low, and says why; the host is not to blame.
    assert alone.severity is Severity.LOW
    assert "little else to run" in alone.assumes
    assert "next bottleneck" not in alone.assumes
    assert "little else" not in finding.assumes


def test_hidden_collectives_are_a_note() -> None:
    name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    beside = launched(50, 120_000, 1_000_000 + LONG, 1_000_000 + 3 * LONG, name)
    beside[-1]["args"]["stream"] = 9
    finding = found([*quiet(10), *beside])["collectives"]
    assert finding.severity is Severity.INFO
    assert finding.figures["exposed_ns"] == 0
    # Too short to matter.
    short = launched(50, 120_000, 1_000_000 + LONG, 1_000_009 + LONG, name)
    assert "collectives" not in found([*quiet(10), *short])


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


def test_the_best_gain_comes_first_and_notes_last() -> None:
    wait = call("cudaStreamSynchronize", 901_000, END + 5_000)
    stray = kernel("stray", END + 2_000_000, END + 2_001_000)
    events = [*stalled([wait], idle=300_000), stray]
    seen = list(found(events).values())
    assert [(f.id, f.severity, f.cost_ns) for f in seen] == [
        ("idle-unknown", Severity.HIGH, 1_691_000),
        ("sync-stalls", Severity.LOW, 303_000),
        ("no-launches", Severity.INFO, None),
    ]
