"""Streams that are told by the names of their process and thread alone."""

from __future__ import annotations

from typing import Any

import pytest

from attntui.trace import Category, LaneKind, Trace


def named(process: str, threads: dict[int, str], *, pid: int = 1) -> list[dict[str, Any]]:
    """The metadata of a process and its threads."""
    return [
        {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": process}},
        *(
            {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}}
            for tid, name in threads.items()
        ),
    ]


def event(name: str, ts: float, tid: int, *, pid: int = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "pid": pid, "tid": tid, "ts": ts, "dur": 5, "name": name, **more}


def streams(trace: Trace) -> list[tuple[str, Category, int, int]]:
    return [
        (trace.name_of(row), trace.category_of(row), int(trace.device[row]), int(trace.stream[row]))
        for row in trace.gpu_ops.tolist()
    ]


def test_the_streams_of_xla_are_streams_and_their_sums_are_not(make_trace) -> None:
    lines = {20: "Stream #20(Compute)", 21: "Stream #21(MemcpyD2H)", 30: "XLA Ops", 31: "Steps"}
    events = [
        *named("/device:GPU:1", lines),
        *named("/host:CPU", {5: "python"}, pid=701),
        event("fusion", 0, 20),
        event("fusion.1", 0, 30),
        event("MemcpyD2H", 6, 21),
        event("Memset", 12, 20),
        event("0", 0, 31),
        event("PjitFunction(f)", 0, 5, pid=701),
        {},
    ]
    trace = make_trace(events)
    assert streams(trace) == [
        ("fusion", Category.KERNEL, 1, 20),
        ("MemcpyD2H", Category.MEMCPY, 1, 21),
        ("Memset", Category.MEMSET, 1, 20),
    ]
    assert {(lane.kind, lane.label) for lane in trace.lanes} == {
        (LaneKind.GPU, "Stream #20(Compute)"),
        (LaneKind.GPU, "Stream #21(MemcpyD2H)"),
        (LaneKind.OTHER, "XLA Ops"),
        (LaneKind.OTHER, "Steps"),
        (LaneKind.OTHER, "python"),
    }


@pytest.mark.parametrize("process", ["GPU0", "3 GPU0", "gpu 0"])
def test_the_queues_of_a_device_without_names_go_by_number(make_trace, process: str) -> None:
    trace = make_trace([*named(process, {}), event("k", 0, 2), event("hipMemcpyCopy", 9, 3)])
    assert streams(trace) == [
        ("k", Category.KERNEL, 0, 2),
        ("hipMemcpyCopy", Category.MEMCPY, 0, 3),
    ]


@pytest.mark.parametrize("process", ["GPU process", "/host:CPU", "GPU", "/device:GPU:99999999999"])
def test_other_processes_are_no_devices(make_trace, process: str) -> None:
    trace = make_trace([*named(process, {2: "Stream #2"}), event("k", 0, 2)])
    assert streams(trace) == []


def test_what_has_a_category_of_its_own_keeps_it(make_trace) -> None:
    """Kineto calls its devices `GPU 0`, and knows what runs on them."""
    events = [
        *named("GPU 0", {7: "stream 7"}),
        event("op", 0, 7, cat="cpu_op"),
        event("other", 9, 7, cat="whatever"),
    ]
    assert streams(make_trace(events)) == []
