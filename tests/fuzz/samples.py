"""The traces that are damaged: parts of real ones, and made ones of each kind."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import builders
from builders import Event
from steps_trace import two_steps

REAL = {
    "attention": "auto_b8_h16_s1024_d64_bf16_h200",
    "backward": "naive_b8_h16_s1024_d64_bf16_bwd_h200",
    "gaps": "gaps_h200",
    "decode": "decode-naive_l4_b1_h12_s1024_d64_bf16_h200",
    "train": "train-sdpa_l2_b1_h4_s256_d64_bf16_h200",
    "compiled": "compile_b8_h16_s1024_d64_bf16_h200",
    "cpu": "naive_b1_h4_s256_d64_bf16_cpu",
}
REAL_EVENTS = 60
"""Events of a real trace that are kept: one mutant is checked in a few hundredths of a second."""

H100 = {
    "id": 0,
    "name": "NVIDIA H100 80GB HBM3",
    "totalGlobalMem": 85_000_000_000,
    "computeMajor": 9,
    "computeMinor": 0,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerMultiprocessor": 65536,
    "warpSize": 32,
    "numSms": 132,
    "sharedMemPerMultiprocessor": 233472,
}


def _part_of(name: str) -> dict[str, Any]:
    """A real trace's names and a stretch of its events, with the operations launched there."""
    with gzip.open(builders.SAMPLES / f"{name}.json.gz", "rb") as stream:
        trace: dict[str, Any] = json.load(stream)
    timed = sorted(
        (event for event in trace["traceEvents"] if "ts" in event), key=lambda event: event["ts"]
    )
    first = max(len(timed) // 2 - REAL_EVENTS // 2, 0)
    kept = timed[first : first + REAL_EVENTS]
    calls = {id_of(event) for event in kept} - {None}
    late = [event for event in timed[first + REAL_EVENTS :] if id_of(event) in calls]
    named = [event for event in trace["traceEvents"] if event.get("ph") == "M"][:20]
    return {**trace, "traceEvents": [*named, *kept, *late[:REAL_EVENTS]]}


def id_of(event: Event) -> Any:
    """What ties an operation to its launch."""
    args = event.get("args")
    return args.get("correlation") if isinstance(args, dict) else None


def _attention() -> list[Event]:
    """Three naive attention calls and a fused one, in steps, with launch configurations."""
    heads, scores = [2, 4, 64, 32], [2, 4, 64, 64]
    config = {"grid": [8, 8, 1], "block": [128, 1, 1], "registers per thread": 64}
    config |= {"shared memory": 16384, "est. achieved occupancy %": 40}
    events: list[Event] = []
    for step in range(4):
        at, c = 1_000 * step, 10 * step
        ops = [("aten::matmul", heads), ("aten::softmax", scores), ("aten::matmul", scores)]
        kernels = ["sm90_xmma_gemm_bf16", "softmax_warp_forward", "sm90_xmma_gemm_bf16"]
        if step == 3:
            ops = [("aten::_scaled_dot_product_flash_attention", heads)]
            kernels = ["flash_fwd_kernel"]
        events.append(builders.annotation(f"ProfilerStep#{step}", at, 900))
        for i, ((op, dims), name) in enumerate(zip(ops, kernels, strict=True)):
            told = {"Input Dims": [dims, heads, heads], "Input type": ["c10::BFloat16"] * 3}
            told |= {"Input Strides": [[8192, 2048, 32, 1]] * 3, "Concrete Inputs": ["", "", ""]}
            begin = at + 20 + 200 * i
            events += [
                builders.cpu_op(op, begin, 60, args=told),
                builders.launch(c + i + 1, begin + 20),
                builders.kernel(name, begin + 50, 90, c + i + 1, args=config),
            ]
    return events


def _graph() -> list[Event]:
    """Two replays of a graph of six kernels, and copies."""
    events: list[Event] = []
    for replay in range(2):
        at, c = 2_000 * replay, 5 + replay
        call = builders.complete("cuda_runtime", "cudaGraphLaunch", at, 20)
        events.append({**call, "args": {"correlation": c}})
        events += [builders.kernel(f"k{i}", at + 40 + 30 * i, 20, c) for i in range(6)]
        events.append(builders.runtime("cudaMemcpyAsync", at + 400, 30, 20 + replay))
        copied = {"bytes": 1 << 20}
        words = "Memcpy HtoD (Pageable -> Device)"
        events.append(builders.memcpy(words, at + 420, 50, 20 + replay, args=copied))
        events.append(builders.runtime("cudaDeviceSynchronize", at + 450, 100, 30 + replay))
    return events


def _memory() -> list[Event]:
    """The allocator's events on a GPU and on the host, between kernels."""
    changes = [(512, 512), (4096, 4608), (-512, 4096), (1 << 30, 4096 + (1 << 30))]
    events = [
        builders.memory(100 * i, change, total, 1 << 31)
        for i, (change, total) in enumerate(changes)
    ]
    host = {"Bytes": 64, "Total Allocated": 64, "Total Reserved": 64, "Device Id": -1}
    events.append(
        builders.instant("[memory]", 50, cat="cpu_instant_event", args={**host, "Device Type": 0})
    )
    return [*events, *_launches(8)]


def _launches(count: int, **more: Any) -> list[Event]:
    return [
        event
        for i in range(count)
        for event in builders.launched(i + 1, 50 * i, 50 * i + 20, 25, f"kernel_{i % 3}", **more)
    ]


def _pairs() -> list[Event]:
    """Begins and ends in place of complete events."""
    events: list[Event] = []
    for event in two_steps():
        if event.get("ph") != "X":
            events.append(event)
            continue
        end = {"ph": "E", "pid": event["pid"], "tid": event["tid"]}
        begin = {key: value for key, value in event.items() if key != "dur"}
        events += [{**begin, "ph": "B"}, {**end, "ts": event["ts"] + event["dur"]}]
    return events


def _ranks() -> list[Event]:
    """Three ranks merged into one file, their devices and correlations alike."""
    found: list[Event] = []
    for rank in range(3):
        for event in _launches(6):
            host = event["pid"] == builders.PID
            found.append({**event, "pid": 1000 + rank if host else event["pid"]})
    return found


def _async() -> list[Event]:
    """Begins and ends that an id ties, over a thread's lane, with flows."""
    events: list[Event] = []
    for i in range(12):
        tied = {"cat": "net", "id": i % 5, "pid": 7, "tid": 7, "name": f"transfer {i % 4}"}
        events += [{**tied, "ph": "b", "ts": 10 * i}, {**tied, "ph": "n", "ts": 10 * i + 4}]
        events.append({**tied, "ph": "e", "ts": 10 * i + 25})
        flow = {"cat": "ac2g", "id": i, "pid": 100, "tid": 100, "name": "ac2g"}
        events += [{**flow, "ph": "s", "ts": 10 * i}, {**flow, "ph": "f", "ts": 10 * i + 9}]
    return [*events, *_launches(4)]


def _collectives() -> list[Event]:
    """Collectives on a stream of their own beside kernels, waits between streams."""
    events = _launches(10)
    for i in range(5):
        name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
        args = {"Collective name": "allreduce", "In msg nelems": 1 << 20, "Group size": 8}
        events += builders.launched(100 + i, 100 * i, 100 * i + 30, 60, name, stream=20, args=args)
        events.append(builders.runtime("cudaStreamWaitEvent", 100 * i + 10, 3, 200 + i))
        waited = {"wait_on_stream": 20, "stream": 7, "device": 0}
        sync = builders.complete("cuda_sync", "Stream Wait Event", 100 * i + 40, 20, args=waited)
        events.append({**sync, "pid": 0, "tid": 7})
    return events


MADE = {
    "steps": two_steps,
    "naive": _attention,
    "graph": _graph,
    "memory": _memory,
    "pairs": _pairs,
    "ranks": _ranks,
    "async": _async,
    "collectives": _collectives,
}

NAMES = (*REAL, *MADE)


@cache
def sample_text(name: str) -> bytes:
    """A sample, undamaged, as JSON."""
    if name in REAL:
        return json.dumps(_part_of(REAL[name])).encode()
    extra = {"deviceProperties": [H100], "displayTimeUnit": "ms", "baseTimeNanoseconds": 10**18}
    return json.dumps({"schemaVersion": 1, **extra, "traceEvents": MADE[name]()}).encode()
