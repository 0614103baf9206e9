"""What an event is, whose it is, what it belongs to, and what it is called."""

from __future__ import annotations

from typing import Any

from builders import (
    PID,
    Event,
    annotation,
    complete,
    cpu_op,
    driver_launch,
    gpu_annotation,
    instant,
    kernel,
    launch,
    launched,
    memcpy,
    memory,
    memset,
    runtime,
    thread_name,
)

from .case import BASE, GEMM, Case, and_more, changed, each, opens

ONE_MORE = {"events": 6, "rows": 6}


def _on_host(event: Event, **fields: Any) -> Event:
    return {**event, **fields} if event["pid"] == PID else event


def _called(cat: str, name: str) -> list[Event]:
    """`BASE` with its launches by another call."""
    return each(lambda e: {**e, "cat": cat, "name": name} if "Launch" in e["name"] else e)


def _on_stream(stream: int) -> list[Event]:
    def moved(event: Event) -> Event:
        if event["cat"] != "kernel":
            return event
        return {**event, "tid": stream, "args": {**event["args"], "stream": stream}}

    return each(moved)


def _name(what: str, pid: int, tid: int = 0, name: str = "unused") -> Event:
    return {**thread_name(name, pid, tid), "name": what}


XPU = {"cuda_runtime": "xpu_runtime", "kernel": "xpu_kernel"}


def _half(ph: str, ts: float, **fields: Any) -> Event:
    return {"ph": ph, "cat": "net", "name": "transfer", "pid": 7, "tid": 7, "ts": ts} | fields


def _old(event: Event) -> Event:
    words = {"kernel": "Kernel", "cuda_runtime": "Runtime", "cpu_op": "Operator"}
    return {**event, "cat": words[event["cat"]]}


THREADS = {
    "as text": opens(each(lambda e: {**e, "pid": str(e["pid"]), "tid": str(e["tid"])})),
    "below zero": opens(each(lambda e: _on_host(e, pid=-1, tid=-549_452_224))),
    "empty": opens(each(lambda e: _on_host(e, pid="", tid=""))),
    "of 64 bits": opens(each(lambda e: _on_host(e, pid=2**64 - 1, tid=2**63))),
    "as number and text": opens(changed(0, tid=str(BASE[0]["tid"]))),
    "names for devices without events": opens(
        [*(_name("process_name", n) for n in range(16)), *BASE], untold=("unused",), events=21
    ),
}

STREAMS = {
    "0": opens(_on_stream(0)),
    "a handle of 64 bits": opens(_on_stream(140_234_234_560_128)),
    "of a CPU op": opens(changed(0, args={"stream": 7, "device": 0})),
    "of a synchronisation": opens(
        and_more(complete("cuda_sync", "Stream Sync", 105, 5, pid=0, tid=1_000_007,
                          args={"stream": 7, "device": 0})),
        lanes=3,
        **ONE_MORE,
    ),
    "of an annotation over some of its kernels": opens(
        and_more(gpu_annotation("attn_fwd", 90, 45)), lanes=3, **ONE_MORE
    ),
}  # fmt: skip

CALLS = {
    name: opens(_called(cat, name), told)
    for cat, name, told in (
        ("cuda_driver", "cuLaunchKernel", "queued"),
        ("cuda_driver", "cuLaunchKernelEx", "queued"),
        ("cuda_runtime", "cudaLaunchKernelExC", "queued"),
        ("hip", "hipLaunchKernel", "queued"),
        ("hip", "hipExtModuleLaunchKernel", "queued"),
    )
} | {
    "a graph's": opens(
        [BASE[0], runtime("cudaGraphLaunch", 10, 5, 1), BASE[2], kernel("k2", 150, 30, 1)],
        "ran in 1 replay of a graph",
        events=4,
        rows=4,
    ),
    "runtime's and driver's": opens(and_more(driver_launch(1, 11, 2)), **ONE_MORE),
    "none": opens(
        and_more(*(kernel("lost", 185 + 5 * n, 5, n) for n in (0, -1))),
        notices={"no_launch": 2},
        events=7, rows=7, gpu_ops=4, span_ns=190_000, busy_ns=70_000, idle_ns=20_000,
    ),
    "copies of one id": opens(
        [BASE[0], *(launch(7, 10 * n, 2) for n in range(4)),
         *(kernel("copied", 100 + 20 * n, 20, 7) for n in range(4))],
        untold=("of a graph",),
        events=9, rows=9, gpu_ops=4, linked=4, busy_ns=80_000, idle_ns=0,
    ),
    "of fewer kernels than copies": opens(
        [BASE[0], *(launch(7, 10 * n, 2) for n in range(4)),
         *(kernel("copied", 100 + 20 * n, 20, 7) for n in range(3))],
        notices={"ambiguous_launch": 3},
        events=8, rows=8, gpu_ops=3, linked=0, span_ns=160_000, idle_ns=0,
    ),
    "without a kernel": opens(
        and_more(launch(3, 30), launch(4, 36)),
        "2 of 4 launches have no operation on the GPU in the trace: cudaLaunchKernel 2",
        events=7, rows=7,
    ),
    "halves of flows": opens(
        and_more(*({"ph": ph, "id": 1, "cat": "ac2g", "name": "ac2g", "pid": PID, "tid": PID,
                    "ts": 12} for ph in "stf"),
                 {"ph": "s", "cat": "async", "name": "launch"}),
        events=9,
    ),
    "external ids of both spellings": opens(
        each(lambda e: {**e, "args": {**e["args"], "external id": 4}}
             if e["cat"] == "kernel" else {**e, "args": {**e["args"], "External id": 4}})
    ),
}  # fmt: skip

KINDS = {
    "of old files": opens(
        [*map(_old, BASE), complete("Memcpy", "Memcpy HtoD", 140, 2, pid=0, tid=7),
         complete("Memset", "Memset", 145, 1, pid=0, tid=7)],
        notices={"no_launch": 2},
        events=7, rows=7, gpu_ops=4, busy_ns=63_000, idle_ns=17_000,
    ),
    "copies and sets": opens(
        and_more(memcpy("Memcpy HtoD (Pinned -> Device)", 135, 5, 8), memset(142, 3, 9),
                 runtime("cudaMemcpyAsync", 60, 2, 8), runtime("cudaMemsetAsync", 64, 2, 9)),
        events=9, rows=9, gpu_ops=4, linked=4, busy_ns=68_000, idle_ns=12_000,
    ),
    **{
        f"of an accelerator: {cat}": opens(
            and_more(complete(cat, "work", 60, 10, pid="dev", tid=1)),
            f"1 event of another accelerator ({cat})", lanes=3, **ONE_MORE,
        )
        for cat in ("hpu_op", "privateuse1_event", "mtia_kernel")
    },
    "kernels of xpu": opens(
        each(lambda e: {**e, "cat": XPU.get(e["cat"], e["cat"])})
    ),
    "begins and ends": opens(
        and_more(
            {"ph": "B", "cat": "cpu_op", "name": "pair", "pid": 9, "tid": 9, "ts": 60},
            {"ph": "E", "pid": 9, "tid": 9, "ts": 70},
            {"ph": "B", "cat": "cpu_op", "name": "open", "pid": 9, "tid": 9, "ts": 80},
            {"ph": "E", "name": "nobody", "pid": 9, "tid": 9, "ts": 90},
        ),
        "pair",
        notices={"unmatched_begin": 1, "unmatched_end": 1, "unfinished": 1},
        events=9, rows=7, lanes=3,
    ),
    "asynchronous events": opens(
        and_more(_half("b", 60, id=1), _half("b", 65, id=2), _half("n", 66, id=1),
                 _half("e", 70, id=1), _half("e", 80, id=2),
                 _half("b", 90, id2={"local": "0x3"}), _half("e", 95, id2={"local": "0x3"})),
        events=12, rows=8, lanes=4,
    ),
    "counters and marks": opens(
        and_more({"ph": "C", "name": "counter", "ts": 60, "pid": 1, "args": {"v": 3}},
                 instant("mark", 70)),
        notices={"not_shown": 1}, events=7,
    ),
    "memory that is given back": opens(
        and_more(memory(60, 4096, 8192, 16_384), memory(70, -4096, 4096, 16_384)),
        events=7,
    ),
}  # fmt: skip

LACKING = {
    "of a CPU": opens(
        [cpu_op("aten::mm", 0, 50)], "No GPU operation was recorded",
        notices={"no_gpu_ops": 1},
        events=1, rows=1, gpu_ops=0, linked=0, lanes=1, devices=0,
        span_ns=50_000, busy_ns=0, idle_ns=0,
    ),
    "of a GPU": opens(
        [BASE[2], BASE[4]], "No CPU op was recorded",
        notices={"no_cpu_ops": 1, "no_launch": 2},
        events=2, rows=2, linked=0, lanes=1, span_ns=80_000,
    ),
    "of launches": opens(
        [cpu_op("aten::mm", 0, 600), *(launch(n, 10 * n) for n in range(1, 51))],
        "though 50 calls launched some",
        notices={"no_gpu_ops": 1},
        events=51, rows=51, gpu_ops=0, linked=0, lanes=1, devices=0,
        span_ns=600_000, busy_ns=0, idle_ns=0,
    ),
    "of ranks merged into one": opens(
        [{**event, "pid": f"[TP0{rank}] {event['pid']}"} for rank in range(2) for event in BASE],
        events=10, rows=10, gpu_ops=4, linked=4, lanes=4, devices=2, busy_ns=120_000,
        idle_ns=40_000,
    ),
    "of another tool": opens(
        [thread_name("XLA Ops", 1, 21), *({"ph": "X", "name": "fusion", "pid": 1, "tid": 21,
                                           "ts": 10 * n, "dur": 5} for n in range(3))],
        "Recorded by XLA's profiler",
        untold=("ProfilerActivity",),
        notices={"no_gpu_ops": 1},
        events=4, rows=3, gpu_ops=0, linked=0, lanes=1, devices=0,
        span_ns=25_000, busy_ns=0, idle_ns=0,
    ),
}  # fmt: skip

STEPS = {
    label: opens(
        and_more(*(annotation(f"{label}{n if '#' in label or '_' in label else ''}", 300 * n, 290)
                   for n in range(5)),
                 *(event for n in range(1, 5)
                   for event in launched(20 + n, 300 * n + 10, 300 * n + 100, 30, GEMM))),
        events=18, rows=18, gpu_ops=6, linked=6, steps=5, span_ns=1_490_000, busy_ns=180_000,
        idle_ns=1_050_000,
    )
    for label in ("ProfilerStep#", "execute_context_", "my train step")
}  # fmt: skip

ODD_NUMBERS = {
    "of shapes": opens(
        changed(0, args={"Input Dims": [[8, 2**61 - 1], []], "Input type": ["float", ""]})
    ),
    "of a device": opens(
        changed(2, args={"device": 2**31 - 1, "stream": 7, "correlation": 1}),
    ),
    "of a launch": opens(
        changed(2, args={**BASE[2]["args"], "grid": [2**40, 0], "block": [-1],
                         "shared memory": 2**63})
    ),
}  # fmt: skip

MARKUP = ("[/foo]", "[memory]", "[with T = float]", "[bold]red[/]", "[@click=app.quit]x[/]")
ACTING = {
    "a title": ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
    "a clear screen": ("\x1b[2Jowned", r"\x1b[2Jowned"),
    "a link": ("\x1b]8;;http://x\x07owned", r"\x1b]8;;http://x\x07owned"),
    "a clipboard": ("\x1b]52;c;b3duZWQ=\x07", r"\x1b]52;c;b3duZWQ=\x07"),
    "a control of one character": ("\x9b2Jowned", r"\x9b2Jowned"),
    "another direction": ("\u202eowned\u202c", r"\u202eowned\u202c"),
    "no width": ("ow\u200bned", r"ow\u200bned"),
}

TEXTS = {
    name: opens([cpu_op(name, 0, 50), *BASE[1:4], {**BASE[4], "name": f"{name} k"}], f"{name} k")
    for name in MARKUP
} | {
    what: opens(and_more(cpu_op(name, 60, 10)), shown, **ONE_MORE)
    for what, (name, shown) in ACTING.items()
} | {
    "double width": opens(and_more(cpu_op("日本語" * 9, 60, 10)), "日本語" * 9, **ONE_MORE),
    "100 kB": opens(and_more(cpu_op("x" * 100_000, 60, 10)), "x" * 60, **ONE_MORE),
}  # fmt: skip

CASES: dict[str, Case] = {
    f"{what}: {name}": case
    for what, cases in (
        ("thread", THREADS),
        ("stream", STREAMS),
        ("launch", CALLS),
        ("kind", KINDS),
        ("trace", LACKING),
        ("steps", STEPS),
        ("number", ODD_NUMBERS),
        ("name", TEXTS),
    )
    for name, case in cases.items()
}
