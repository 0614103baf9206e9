"""Whose device it is, where ranks merged into one file number theirs alike."""

from __future__ import annotations

from builders import cpu_op, kernel, launch, memory

from attntui.trace import ABSENT


def of_rank(rank: int, start: float, *, kernels: bool = True) -> list[dict]:
    """A rank as mergers write it: pids renamed, the device in `args` as it was."""
    host = f"[TP0{rank}] 900"
    launched_kernel = [
        launch(rank + 1, start, pid=host),
        kernel("k", start + 9, 1, rank + 1, pid=f"[TP0{rank}] 0"),
    ]
    events = launched_kernel if kernels else [cpu_op("a", start, 1, pid=host)]
    return [*events, memory(start + 1, 8, 8 + rank, 64, pid=host)]


def test_the_memory_of_a_device_goes_by_the_number_of_its_kernels(make_trace) -> None:
    trace = make_trace([*of_rank(1, 0), *of_rank(0, 20), *of_rank(2, 40)])
    by_rank = {trace.lane_of(row).pid: int(trace.device[row]) for row in trace.gpu_ops}
    by_memory = dict(
        zip(trace.memory.allocated.tolist(), trace.memory.device.tolist(), strict=True)
    )
    assert by_memory == {8 + rank: by_rank[f"[TP0{rank}] 0"] for rank in range(3)}
    assert sorted(by_memory.values()) == [0, 1, 2]


def test_host_memory_of_merged_ranks_is_of_no_device(make_trace) -> None:
    host = memory(0.5, 64, 64, 64, pid="[TP01] 900")
    host["args"].update({"Device Type": 0, "Device Id": -1})
    trace = make_trace([*of_rank(0, 0), *of_rank(1, 20), host])
    assert trace.memory.device.tolist() == [ABSENT, 0, 1]


def test_memory_of_ranks_without_kernels_is_kept_apart(make_trace) -> None:
    trace = make_trace([*of_rank(0, 0, kernels=False), *of_rank(1, 20, kernels=False)])
    assert trace.memory.device.tolist() == [0, 1]
    assert [trace.number_of_device(device) for device in (0, 1)] == [0, 0]
    trace = make_trace([*of_rank(1, 0, kernels=False), *of_rank(0, 20)])
    assert trace.device[trace.gpu_ops].tolist() == [0]
    assert trace.memory.device.tolist() == [1, 0]
    assert trace.number_of_device(1) == 0


def test_memory_of_one_rank_keeps_its_device(make_trace) -> None:
    trace = make_trace([*of_rank(0, 0), memory(9, 8, 8, 64, tid=7, pid="[TP00] 900")])
    assert trace.memory.device.tolist() == [0, 0]
    assert not trace.renumbered_devices
