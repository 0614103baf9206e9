"""Facts of a trace file by the standard library alone, event by event: no code shared with
what is tested. Times in ns, counted in decimals.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

Event = dict[str, Any]

GPU = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")


@dataclass(frozen=True)
class Span:
    """Part of a trace: its start and end, and the GPU operations launched in it."""

    start: int
    end: int
    ops: tuple[Event, ...]

    @property
    def gpu_ns(self) -> int:
        return sum(ns(op["dur"]) for op in self.ops)


def ns(microseconds: Any) -> int:
    return round(Decimal(microseconds) * 1000)


def read(path: Path) -> dict[str, Any]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        found: dict[str, Any] = json.load(stream, parse_float=Decimal)
    return found


def complete(trace: dict[str, Any], categories: Iterable[str] | None = None) -> list[Event]:
    """The events with a duration, of some categories or of all, in the order of the file."""
    wanted = None if categories is None else set(categories)
    return [
        event
        for event in trace["traceEvents"]
        if event.get("ph") == "X" and (wanted is None or event.get("cat") in wanted)
    ]


def launches(trace: dict[str, Any]) -> dict[int, Event]:
    """The earliest call with each correlation id."""
    found: dict[int, Event] = {}
    for call in sorted(complete(trace, CALLS), key=lambda call: ns(call["ts"])):
        found.setdefault(call["args"].get("correlation", 0), call)
    found.pop(0, None)
    return found


def spans(trace: dict[str, Any], label: str) -> list[Span]:
    """The annotations with a label, by start, with what their own thread launched in them."""
    calls = launches(trace)
    ops = [(op, calls.get(op["args"]["correlation"])) for op in complete(trace, GPU)]
    found = []
    for event in complete(trace, ["user_annotation"]):
        if event["name"] != label:
            continue
        start, end = ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])
        own = [
            op
            for op, call in ops
            if call is not None
            and (call["pid"], call["tid"]) == (event["pid"], event["tid"])
            and start <= ns(call["ts"]) <= end
        ]
        found.append(Span(start, end, tuple(own)))
    return sorted(found, key=lambda span: span.start)


def busy_ns(ops: Sequence[Event]) -> int:
    """For how long any of the operations ran."""
    busy = reached = 0
    for op in sorted(ops, key=lambda op: ns(op["ts"])):
        start, end = ns(op["ts"]), ns(op["ts"]) + ns(op["dur"])
        busy += max(0, end - max(start, reached))
        reached = max(reached, end)
    return busy


def record(path: Path) -> dict[str, Any]:
    """Counts and times of a file, under the keys of the truth of the corpus."""
    trace = read(path)
    ops, calls = complete(trace, GPU), launches(trace)
    devices: dict[str, Any] = {}
    for number in {op["args"]["device"] for op in ops}:
        own = [op for op in ops if op["args"]["device"] == number]
        start = min(ns(op["ts"]) for op in own)
        span = max(ns(op["ts"]) + ns(op["dur"]) for op in own) - start
        busy = busy_ns(own)
        devices[str(number)] = {
            "ops": len(own),
            "span_ns": span,
            "busy_ns": busy,
            "idle_ns": span - busy,
        }
    told = trace.get("deviceProperties") or [{}]
    every = complete(trace)
    return {
        "file": path.name,
        "events": len(trace["traceEvents"]),
        "complete_events": len(every),
        "categories": dict(Counter(event.get("cat", "") for event in every)),
        "gpu_ops": len(ops),
        "gpu_ops_with_launch": sum(op["args"]["correlation"] in calls for op in ops),
        "gpu_time_total_ns": sum(ns(op["dur"]) for op in ops),
        "streams": sorted({str(op["args"]["stream"]) for op in ops}),
        "device_name": told[0].get("name"),
        "devices": devices,
    }
