"""Times: every spelling, lengths and places that cannot be, overlaps."""

from __future__ import annotations

from typing import Any

from builders import (
    Event,
    annotation,
    cpu_op,
    kernel,
    launch,
    launched,
    memory,
    trace_text,
)

from .case import BASE, Case, and_more, changed, each, opens

EPOCH_US = 1_700_000_000_000_000


def _written(at: str, dur: str, **fields: Any) -> str:
    """`BASE` with each time written so: `{}` stands for whole microseconds."""
    numbered = [{**e, "ts": f"AT{e['ts']}", "dur": f"DUR{e['dur']}"} for e in BASE]
    text = trace_text(numbered, **fields)
    for event in BASE:
        text = text.replace(f'"AT{event["ts"]}"', at.format(event["ts"]))
        text = text.replace(f'"DUR{event["dur"]}"', dur.format(event["dur"]))
    return text


def _at_epoch(part: str) -> str:
    """`BASE` at a time of our days, each start so much after its microsecond."""
    shifted = [{**event, "ts": f"AT{event['ts']}"} for event in BASE]
    text = trace_text(shifted)
    for event in BASE:
        text = text.replace(f'"AT{event["ts"]}"', f"{EPOCH_US + int(event['ts'])}{part}")
    return text


def _later(by: float) -> list[Event]:
    return each(lambda event: {**event, "ts": event["ts"] + by})


def _stopped(event: Event, end: float) -> Event:
    """An event that the profiler closed when it stopped."""
    return {**event, "dur": end - event["ts"], "args": {**event["args"], "finished": "false"}}


ONE_MORE = {"events": 6, "rows": 6}
UNSET = [cpu_op(f"late{n}", 0, 0, args={"External id": n}) for n in range(8)]
YEARS = "2305843009213693.951"

SPELLED = {
    "integers": opens(_written("{}", "{}")),
    "text": opens(_written('"{}.000"', '"{}"')),
    "three decimals at 1.7e15 us": opens(_at_epoch(".047")),
    "text with three decimals": opens(_written('"{}.000"', '"{}.001"'), busy_ns=60_002,
                                      span_ns=180_001, idle_ns=19_999),
    "below zero": opens(_later(-5000)),
    "another base time": opens(trace_text(BASE, baseTimeNanoseconds=1_790_857_026 * 10**9)),
    "out of order": opens(BASE[::-1]),
}  # fmt: skip

LENGTHS = {
    "below zero": opens(changed(0, dur=-5), notices={"negative_duration": 1}),
    "zero": opens(changed(0, dur=0)),
    "missing": opens(changed(0, dur=None), notices={"missing_duration": 1}),
    "fifty closed at the stop": opens(
        and_more(*(_stopped(cpu_op(f"open{n}", 60 + n, 1), 180) for n in range(50))),
        notices={"unfinished": 50},
        events=55,
        rows=55,
    ),
    "finished of memory means nothing": opens(
        and_more({**memory(5, 8, 8, 8), "args": {"Bytes": 8, "finished": "false"}}), events=6
    ),
    "a kernel that swallows later ones": opens(
        and_more(*launched(3, 30, 90, 1000, "endless"), *launched(4, 40, 190, 5)),
        "endless",
        notices={"doubtful_duration": 1},
        events=9,
        rows=9,
        gpu_ops=4,
        linked=4,
        span_ns=1_090_000,
        busy_ns=1_000_000,
        idle_ns=0,
    ),
    "kernels of 73 years": opens(
        and_more(*(kernel("endless", 95, YEARS, args={"n": n}) for n in range(4))),
        notices={"impossible_duration": 4},
        untold=("endless",),
        events=9,
    ),
}

PLACES = {
    "one event at 0": opens(
        [*_later(6e12), cpu_op("stray", 0, 1)], "stray", notices={"outlier": 1}, events=6
    ),
    "one event years away": opens(
        and_more(cpu_op("stray", 6e14, 1)), "stray", notices={"outlier": 1}, events=6
    ),
    "more than the rest at 0": opens(
        [*_later(6e12), *UNSET], notices={"outlier": 8}, events=13
    ),
    "kernels that overlap on a stream": opens(
        changed(4, ts=120), busy_ns=50_000, idle_ns=0, span_ns=150_000
    ),
    "a child that outlives its parent": opens(
        and_more(cpu_op("aten::add", 40, 20)), "aten::add", **ONE_MORE
    ),
    "a kernel before its launch": opens(
        and_more(launch(3, 175, 5), kernel("early", 170, 5, 3)), "early",
        notices={"clock_skew": 1}, events=7, rows=7, gpu_ops=3, linked=3, busy_ns=60_000,
    ),
    "kernels written twice": opens(
        [*BASE, BASE[2], BASE[4]], notices={"duplicate": 2}, events=7
    ),
    "kernels of the warm-up": opens(
        and_more(
            *(annotation(f"ProfilerStep#{n}", 300 * n, 290) for n in range(3)),
            kernel("warm_up", 1, 10, 77),
        ),
        notices={"no_launch": 1},
        events=9, rows=9, gpu_ops=3, steps=3, span_ns=890_000, busy_ns=70_000, idle_ns=109_000,
    ),
}  # fmt: skip

CASES: dict[str, Case] = {
    f"{what}: {name}": case
    for what, cases in (("time", SPELLED), ("length", LENGTHS), ("place", PLACES))
    for name, case in cases.items()
}
