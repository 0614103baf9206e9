"""Who did it: lanes of threads and streams, devices, categories."""

from __future__ import annotations

from typing import Any

import pytest
from builders import (
    annotation,
    complete,
    cpu_op,
    gpu_annotation,
    instant,
    kernel,
    launch,
    launched,
    memcpy,
    memset,
    thread_name,
)

from attntui.trace import Category, LaneKind, Trace
from attntui.trace.categories import category_of


def lanes(trace: Trace, kind: LaneKind) -> list[tuple[str, str]]:
    return [(lane.pid, lane.tid) for lane in trace.lanes if lane.kind is kind]


def named(what: str, value: Any, pid: Any, tid: Any = 0) -> dict[str, Any]:
    field = "sort_index" if what.endswith("sort_index") else "name"
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {field: value}}


@pytest.mark.parametrize(
    ("pid", "tid", "text"),
    [
        (323, 7, ("323", "7")),
        ("323", "7", ("323", "7")),
        (323.0, 7, ("323", "7")),
        (-1, -549452224, ("-1", "-549452224")),
        ("", "", ("", "")),
        (None, None, ("", "")),
        ("[TP00] 4", "main thread", ("[TP00] 4", "main thread")),
        (2**64 - 1, 2**63, (str(2**64 - 1), str(2**63))),
        (10**30, 0, (str(10**30), "0")),
        ([1], {"a": 2}, ("[1]", "{'a': 2}")),
    ],
)
def test_threads_of_every_spelling(make_trace, pid: Any, tid: Any, text: tuple[str, str]) -> None:
    trace = make_trace([cpu_op("a", 0, 1, pid=pid, tid=tid), cpu_op("b", 5, 1)])
    assert trace.lane_of(0).kind is LaneKind.CPU
    if text != (str(10**30), "0"):
        assert (trace.lane_of(0).pid, trace.lane_of(0).tid) == text
    assert trace.lane[0] != trace.lane[1]


def test_one_thread_written_as_number_and_text_is_one_lane(make_trace) -> None:
    ids = [323, "323", 323.0, " 323"]
    trace = make_trace([cpu_op("a", n, 1, pid=1, tid=tid) for n, tid in enumerate(ids)])
    assert lanes(trace, LaneKind.CPU) == [("1", "323")]


def test_a_thread_without_pid_or_tid_opens(make_trace) -> None:
    event = cpu_op("a", 0, 1)
    del event["pid"], event["tid"]
    assert lanes(make_trace([event]), LaneKind.CPU) == [("", "")]


def test_lanes_without_events_are_hidden(make_trace) -> None:
    unused = [named("process_name", f"GPU {n}", n) for n in range(16)]
    trace = make_trace(
        [*unused, thread_name("stream 9", 3, 9), cpu_op("a", 0, 1), kernel("k", 1, 1)]
    )
    assert [(lane.kind, lane.pid) for lane in trace.lanes] == [
        (LaneKind.CPU, "100"),
        (LaneKind.GPU, "0"),
    ]


def test_labels_come_from_the_recorded_names(make_trace) -> None:
    trace = make_trace(
        [
            thread_name("thread 5 (main)", 100, "5"),
            named("process_name", "python3", 100),
            thread_name("stream 7 ", 0, 7),
            cpu_op("a", 0, 1, tid=5),
            cpu_op("b", 0, 1, tid=6),
            kernel("k", 0, 1),
            gpu_annotation("g", 0, 1),
        ]
    )
    assert [lane.label for lane in trace.lanes] == [
        "thread 5 (main)",
        "python3",
        "stream 7",
        "stream 7",
    ]


def test_lanes_stand_in_the_order_of_the_file(make_trace) -> None:
    trace = make_trace(
        [
            named("process_sort_index", 2, 50),
            named("process_sort_index", 1, 60),
            named("thread_sort_index", 9, 60, 1),
            named("thread_sort_index", 4, 60, 2),
            *[cpu_op("a", 0, 1, pid=50, tid=tid) for tid in (10, 9)],
            *[cpu_op("a", 0, 1, pid=60, tid=tid) for tid in (1, 2)],
            *[kernel("k", 0, 1, stream=stream) for stream in (20, 7)],
            complete("Trace", "all", 0, 1, pid="Spans", tid="PyTorch Profiler"),
        ]
    )
    assert [(lane.pid, lane.tid) for lane in trace.lanes] == [
        ("60", "2"),
        ("60", "1"),
        ("50", "9"),
        ("50", "10"),
        ("0", "7"),
        ("0", "20"),
        ("Spans", "PyTorch Profiler"),
    ]
    assert trace.lanes[-1].kind is LaneKind.OTHER


@pytest.mark.parametrize("stream", [0, 7, 2**40, 140_234_234_560_128])
def test_streams_of_every_number(make_trace, stream: int) -> None:
    trace = make_trace([kernel("k", 0, 1, stream=stream), memset(2, 1, stream=stream)])
    assert trace.stream.tolist() == [stream, stream]
    (lane,) = trace.lanes
    assert (lane.kind, lane.device, lane.stream) == (LaneKind.GPU, 0, stream)


def test_device_and_stream_may_come_from_pid_and_tid(make_trace) -> None:
    event = complete("kernel", "k", 0, 1, pid=3, tid=9)
    trace = make_trace([event, gpu_annotation("g", 0, 1, pid=3, tid=9)])
    assert (trace.device.tolist(), trace.stream.tolist()) == ([3, 3], [9, 9])


def test_streams_without_a_number_go_by_their_name(make_trace) -> None:
    events = [
        complete("Kernel", "k", n, 1, pid=3, tid=tid)
        for n, tid in enumerate(["stream a", "stream b", "stream a"])
    ]
    trace = make_trace(events)
    assert trace.device.tolist() == [3, 3, 3]
    assert trace.stream.tolist() == [-1, -1, -1]
    assert lanes(trace, LaneKind.GPU) == [("3", "stream a"), ("3", "stream b")]


def test_ranks_merged_into_one_file_keep_lanes_of_their_own(make_trace) -> None:
    """Mergers rename pids and leave `args.device` as it was."""
    events = [kernel("k", 0, 1, pid=f"[TP0{rank}] 0", device=0) for rank in range(2)]
    trace = make_trace(events)
    assert lanes(trace, LaneKind.GPU) == [("[TP00] 0", "7"), ("[TP01] 0", "7")]


def test_a_device_of_one_rank_is_not_that_of_another(make_trace) -> None:
    def of_rank(rank: int, *devices: int) -> list[dict]:
        pids = {device: f"[TP0{rank}] {device}" for device in devices}
        sync = complete("cuda_sync", "Stream Sync", 5, 1, pid=pids[0], args={"device": 0})
        kernels = [kernel("k", d, 1, pid=pid, device=d) for d, pid in pids.items()]
        return [*kernels, gpu_annotation("g", 7, 1, pid=pids[0], args={"device": 0}), sync]

    trace = make_trace([*of_rank(0, 0, 1), *of_rank(1, 0)])
    # Rank 1's device 0 goes by a number that no device of the file has.
    assert trace.device.tolist() == [0, 2, 1, 0, 2, 0, 2]
    assert [trace.number_of_device(device) for device in (0, 1, 2)] == [0, 1, 0]
    by_kind = {(lane.kind, lane.pid): lane.device for lane in trace.lanes if lane.stream == 7}
    assert by_kind == {
        (LaneKind.GPU, "[TP00] 0"): 0,
        (LaneKind.GPU, "[TP00] 1"): 1,
        (LaneKind.GPU, "[TP01] 0"): 2,
        (LaneKind.GPU_ANNOTATION, "[TP00] 0"): 0,
        (LaneKind.GPU_ANNOTATION, "[TP01] 0"): 2,
    }


def test_one_rank_keeps_the_numbers_of_its_devices(make_trace) -> None:
    trace = make_trace([kernel("k", n, 1, pid=n, device=n) for n in (5, 2)])
    assert trace.device.tolist() == [2, 5]
    assert [trace.number_of_device(device) for device in (2, 5)] == [2, 5]
    assert not trace.renumbered_devices


def test_a_stream_in_the_args_makes_no_gpu_operation(make_trace) -> None:
    sync = complete("cuda_sync", "Stream Sync", 2, 1, pid=0, tid=1_000_007, args={"stream": 7})
    op = cpu_op("launcher", 0, 5, args={"stream": 0, "device": 0})
    trace = make_trace([op, sync, gpu_annotation("g", 0, 9), kernel("k", 3, 1), memcpy("c", 4, 1)])
    assert [trace.name_of(row) for row in trace.gpu_ops] == ["k", "c"]
    row = next(row for row in range(len(trace)) if trace.name_of(row) == "Stream Sync")
    assert (trace.stream[row], trace.category_of(row)) == (7, Category.SYNC)
    assert trace.lane_of(row).kind is LaneKind.OTHER
    assert trace.lane_of(row).label == "stream 1000007 sync"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("cpu_op", Category.CPU_OP),
        ("Operator", Category.CPU_OP),
        ("user_annotation", Category.USER_ANNOTATION),
        ("python_function", Category.PYTHON_FUNCTION),
        ("cuda_runtime", Category.RUNTIME),
        ("Runtime", Category.RUNTIME),
        ("hip", Category.RUNTIME),
        ("xpu_runtime", Category.RUNTIME),
        ("mtia_runtime", Category.RUNTIME),
        ("privateuse1_runtime", Category.RUNTIME),
        ("cuda_driver", Category.DRIVER),
        ("privateuse1_driver", Category.DRIVER),
        ("kernel", Category.KERNEL),
        ("Kernel", Category.KERNEL),
        ("xpu_kernel", Category.KERNEL),
        ("mtia_kernel", Category.OTHER),
        ("gpu_memcpy", Category.MEMCPY),
        ("Memcpy", Category.MEMCPY),
        ("gpu_memset", Category.MEMSET),
        ("Memset", Category.MEMSET),
        ("gpu_user_annotation", Category.GPU_USER_ANNOTATION),
        ("cuda_sync", Category.SYNC),
        ("overhead", Category.OVERHEAD),
        ("mtia_ccp_events", Category.OTHER),
        ("hpu_op", Category.OTHER),
        ("Trace", Category.OTHER),
        ("", Category.OTHER),
    ],
)
def test_categories_of_every_spelling(make_trace, text: str, category: Category) -> None:
    assert category_of(text) is category
    trace = make_trace([complete(text, "a", 0, 1)])
    assert trace.category_of(0) is category
    assert trace.raw_categories[trace.columns.raw_category[0]] == text
    assert trace.category_counts == {text: 1}


def test_events_of_other_makers_have_lanes_of_their_own(make_trace) -> None:
    device = complete("mtia_ccp_events", "dma", 0, 5, pid=17, tid=3536, args={"stream": 101})
    trace = make_trace([device, complete("mtia_runtime", "launch", 0, 5), cpu_op("a", 0, 9)])
    assert lanes(trace, LaneKind.OTHER) == [("17", "3536")]
    assert lanes(trace, LaneKind.CPU) == [("100", "100")]
    assert trace.category_of(int(trace.lane.tolist().index(1))) is Category.OTHER
    assert len(trace.gpu_ops) == 0


def test_everything_on_a_thread_nests_together(make_trace) -> None:
    trace = make_trace(
        [
            complete("overhead", "Lazy loading", 12, 2),
            launch(1, 11, 5),
            cpu_op("aten::mm", 10, 10),
            annotation("step", 0, 50),
            complete("python_function", "forward", 5, 30),
            complete("made_up", "mine", 30, 2),
            kernel("k", 10, 50, 1),
        ]
    )
    found = {trace.name_of(row): row for row in range(len(trace))}
    stack = []
    row = found["Lazy loading"]
    while row != -1:
        stack.append(trace.name_of(row))
        row = int(trace.parent[row])
    assert stack == ["Lazy loading", "cudaLaunchKernel", "aten::mm", "forward", "step"]
    assert trace.depth[found["Lazy loading"]] == 4
    assert trace.name_of(trace.parent[found["mine"]]) == "forward"
    assert trace.parent[found["k"]] == -1


def test_identical_spans_nest_by_their_place_in_the_file(make_trace) -> None:
    trace = make_trace([cpu_op("outer", 0, 5), launch(1, 1, 1), cpu_op("inner", 0, 5)])
    assert [trace.name_of(row) for row in range(3)] == ["outer", "inner", "cudaLaunchKernel"]
    assert trace.parent.tolist() == [-1, 0, 1]


def test_overlapping_kernels_of_a_stream_get_rows(make_trace) -> None:
    trace = make_trace([kernel("a", 0, 10), kernel("b", 8, 10), kernel("c", 18, 2)])
    assert trace.depth.tolist() == [0, 1, 0]
    assert len(trace.lanes) == 1


def test_a_gpu_annotation_is_a_lane_beside_its_stream(make_trace) -> None:
    trace = make_trace([kernel("k", 0, 10), gpu_annotation("step", 0, 5)])
    assert [lane.kind for lane in trace.lanes] == [LaneKind.GPU, LaneKind.GPU_ANNOTATION]
    assert trace.gpu_ops.tolist() == [0]


def test_instants_make_lanes(make_trace) -> None:
    trace = make_trace([cpu_op("a", 0, 1), instant("Record Window End", 5, pid="", tid="")])
    assert lanes(trace, LaneKind.OTHER) == [("", "")]
    assert trace.names[trace.instants.name[0]] == "Record Window End"
    assert trace.lanes[trace.instants.lane[0]].pid == ""


def test_what_was_not_recorded_is_said(make_trace) -> None:
    def kinds(trace: Trace) -> set[str]:
        return {notice.kind for notice in trace.notices}

    assert kinds(make_trace([cpu_op("a", 0, 1), launch(1, 0, 1)])) == {"no_gpu_ops"}
    assert kinds(make_trace([*launched(1, 0, 1, 1)])) == {"no_cpu_ops"}
    assert kinds(make_trace([cpu_op("a", 0, 1), *launched(1, 0, 1, 1)])) == set()
    assert kinds(make_trace([cpu_op("a", 0, 1), kernel("k", 1, 1, 9)])) == {"no_launch"}
