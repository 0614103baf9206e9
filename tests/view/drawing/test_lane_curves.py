"""Whose queue and memory the lanes draw, the minimap of the busiest device, and colours."""

from __future__ import annotations

from typing import Any

import made
import pytest
from builders import (
    Event,
    annotation,
    cpu_op,
    kernel,
    launch,
    launched,
    memcpy,
    memory,
    memset,
    python_function,
)

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace.model import ABSENT
from attntui.view.drawing.lanes import Lanes
from attntui.view.drawing.paint import Paint
from attntui.view.drawing.tracks import Track, TrackKind


def of_device(at: float, allocated: int, reserved: int, device: int) -> Event:
    event = memory(at, 1, allocated, reserved)
    kind = 0 if device < 0 else 1
    return {**event, "args": {**event["args"], "Device Id": device, "Device Type": kind}}


def events() -> list[Event]:
    """GPU 0 runs 20 us of 100, GPU 1 30 us of 45; two wait at once for GPU 1, one for GPU 0."""
    return [
        *launched(1, 0, 20, 10, device=0),
        *launched(2, 40, 110, 10, device=0, stream=9),
        *launched(3, 10, 50, 10, device=1),
        *launched(4, 20, 60, 10, device=1),
        *launched(5, 30, 85, 10, device=1),
        of_device(5, 100, 400, 1),
        of_device(15, 300, 400, 1),
        of_device(25, 50, 0, 0),
        of_device(35, 70, 0, -1),
    ]


@pytest.fixture(scope="module")
def lanes() -> Lanes:
    return Lanes(AnalysedTrace(made.trace_of(events())))


def steps(track: Track) -> list[tuple[int, int]]:
    assert track.curve is not None
    return list(zip(track.curve.time.tolist(), track.curve.value.tolist(), strict=True))


def told(lanes: Lanes, kind: TrackKind) -> list[tuple[Any, ...]]:
    return [(str(t.label), t.device, steps(t)) for t in lanes.tracks if t.kind is kind]


def test_a_queue_counts_what_waits_for_its_own_device(lanes: Lanes) -> None:
    assert told(lanes, TrackKind.QUEUE) == [
        ("queue 0", 0, [(0, 1), (20_000, 0), (40_000, 1), (110_000, 0)]),
        (
            "queue 1",
            1,
            [(10_000, 1), (20_000, 2), (30_000, 3), (50_000, 2), (60_000, 1), (85_000, 0)],
        ),
    ]


def test_a_queue_stands_before_the_streams_of_its_device(lanes: Lanes) -> None:
    first = [(track.kind, track.device) for track in lanes.tracks[:5]]
    assert first == [
        (TrackKind.QUEUE, 0),
        (TrackKind.GPU, 0),
        (TrackKind.GPU, 0),
        (TrackKind.QUEUE, 1),
        (TrackKind.GPU, 1),
    ]


def test_memory_is_drawn_by_device_allocated_and_reserved(lanes: Lanes) -> None:
    # What was never above zero has no strip; the host's stands first, among those of GPU 0.
    assert told(lanes, TrackKind.MEMORY) == [
        ("host alloc", 0, [(35_000, 70)]),
        ("GPU 0 alloc", 0, [(25_000, 50)]),
        ("GPU 1 alloc", 1, [(5_000, 100), (15_000, 300)]),
        ("GPU 1 reserved", 1, [(5_000, 400), (15_000, 400)]),
    ]
    assert [track.kind for track in lanes.tracks[-4:]] == [TrackKind.MEMORY] * 4


def test_bytes_that_are_not_told_are_no_part_of_a_curve() -> None:
    untold = of_device(25, 0, 500, 0)
    del untold["args"]["Total Allocated"]
    made_up = [*launched(1, 0, 20, 10), of_device(5, 100, 400, 0), untold]
    found = told(Lanes(AnalysedTrace(made.trace_of(made_up))), TrackKind.MEMORY)
    assert found == [
        ("GPU 0 alloc", 0, [(5_000, 100)]),
        ("GPU 0 reserved", 0, [(5_000, 400), (25_000, 500)]),
    ]


def test_the_minimap_shows_the_device_that_was_busy_longest(lanes: Lanes) -> None:
    # Two operations that touch are one stretch. GPU 0 has the longer span, not the more work.
    shown = lanes.minimap
    assert shown.start.tolist() == [50_000, 85_000]
    assert shown.end.tolist() == [70_000, 95_000]
    assert shown.rows.tolist() == [0, 1]


def test_without_a_gpu_the_minimap_shows_the_first_lane() -> None:
    ops = [cpu_op("aten::mm", 10, 20), cpu_op("aten::mul", 40, 5)]
    host = Lanes(AnalysedTrace(made.trace_of(ops))).minimap
    assert (host.start.tolist(), host.end.tolist()) == ([0, 30_000], [20_000, 35_000])


def test_an_event_is_painted_by_its_work_or_its_category() -> None:
    shapes = [
        (kernel("ampere_bf16_s16816gemm_bf16_128x128_nn", 100, 5), Paint.PRODUCT),
        (kernel("softmax_warp_forward", 110, 5), Paint.REDUCTION),
        (kernel("mystery", 120, 5), Paint.OTHER),
        (memcpy("Memcpy DtoD (Device -> Device)", 130, 5), Paint.COPY),
        (memset(140, 5), Paint.SET),
        (cpu_op("aten::mm", 10, 5), Paint.CPU_OP),
        (annotation("note", 20, 5), Paint.ANNOTATION),
        (python_function("f", 30, 5), Paint.PYTHON),
        (launched(1, 40, 150, 5, "last")[0], Paint.CALL),
    ]
    trace = made.trace_of([event for event, _ in shapes])
    lanes = Lanes(AnalysedTrace(trace))
    found = {event["name"]: lanes.paint_of(made.row(trace, event["name"])) for event, _ in shapes}
    assert found == {event["name"]: paint for event, paint in shapes}


def test_operations_on_no_device_have_their_strips() -> None:
    nowhere = {"ph": "X", "cat": "kernel", "name": "k", "dur": 10, "tid": 7}
    launches = [launch(1, 0), launch(2, 30)]
    kernels = [{**nowhere, "ts": 30 * n, "args": {"correlation": n}} for n in (1, 2)]
    lanes = Lanes(AnalysedTrace(made.trace_of([*launches, *kernels])))
    kinds = [track.kind for track in lanes.at(0) if track.device == ABSENT]
    assert kinds == [TrackKind.QUEUE, TrackKind.IDLE, TrackKind.GPU]
