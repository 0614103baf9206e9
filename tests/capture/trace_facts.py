"""Facts of a trace from the standard library alone, sharing no code with what is tested.

`python tests/capture/trace_facts.py sample_traces` writes `sample_traces/expected.json`.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

GPU_CATEGORIES = ("kernel", "gpu_memcpy", "gpu_memset")
LAUNCH_CATEGORIES = ("cuda_runtime", "cuda_driver")
WORK_LABELS = ("attn_fwd", "attn_bwd", "prefill", "decode_step", "train_step")


def load(path: Path) -> dict[str, Any]:
    """The trace as JSON, its numbers with a fraction as Decimal."""
    with gzip.open(path, "rt", encoding="utf-8") as source:
        return json.load(source, parse_float=Decimal)


def ns(microseconds: Any) -> int:
    """Microseconds of a trace in whole nanoseconds."""
    return round(Decimal(microseconds) * 1000)


def complete(trace: dict[str, Any], *categories: str) -> list[dict[str, Any]]:
    """Events with a duration of the given categories, in file order."""
    return [
        event
        for event in trace["traceEvents"]
        if event.get("ph") == "X" and event.get("cat") in categories
    ]


def annotations(trace: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Instances of an annotation on the CPU, in order of start."""
    found = [event for event in complete(trace, "user_annotation") if event["name"] == name]
    return sorted(found, key=lambda event: ns(event["ts"]))


def launches(trace: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The launch of each correlation id: of several calls, the one that starts earliest."""
    first: dict[int, dict[str, Any]] = {}
    for event in complete(trace, *LAUNCH_CATEGORIES):
        key = event.get("args", {}).get("correlation")
        if key is not None and (key not in first or ns(event["ts"]) < ns(first[key]["ts"])):
            first[key] = event
    return first


def is_tiny_memset(event: dict[str, Any]) -> bool:
    """A memset of 4 bytes at most, which cuDNN and cuBLAS issue before some kernels."""
    return event["cat"] == "gpu_memset" and int(event["args"].get("bytes", 0)) <= 4


def operations_in(
    trace: dict[str, Any], span: dict[str, Any], *, any_thread: bool = False
) -> list[dict[str, Any]]:
    """GPU operations launched in `span`, tiny memsets left out.

    On the span's own thread, or on any thread of its process: a backward has a thread of its own.
    """
    begin, end = ns(span["ts"]), ns(span["ts"]) + ns(span["dur"])
    calls = launches(trace)
    found = []
    for event in complete(trace, *GPU_CATEGORIES):
        call = calls.get(event["args"].get("correlation"))
        if call is None or call["pid"] != span["pid"]:
            continue
        if not any_thread and call["tid"] != span["tid"]:
            continue
        if begin <= ns(call["ts"]) < end and not is_tiny_memset(event):
            found.append(event)
    return found


def busy_ns(events: list[dict[str, Any]]) -> int:
    """Length of the union of the events."""
    total, reach = 0, None
    for event in sorted(events, key=lambda one: ns(one["ts"])):
        begin, end = ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])
        if reach is None or begin > reach:
            total, reach = total + end - begin, end
        elif end > reach:
            total, reach = total + end - reach, end
    return total


def facts(path: Path) -> dict[str, Any]:
    """What `expected.json` holds of one file."""
    trace = load(path)
    operations = complete(trace, *GPU_CATEGORIES)
    kernels: dict[str, list[int]] = {}
    for event in complete(trace, "kernel"):
        held = kernels.setdefault(event["name"], [0, 0])
        held[0] += 1
        held[1] += ns(event["dur"])
    begin = min((ns(event["ts"]) for event in operations), default=None)
    end = max((ns(event["ts"]) + ns(event["dur"]) for event in operations), default=None)
    span = end - begin if begin is not None and end is not None else None
    busy = busy_ns(operations) if operations else None
    labels = Counter(event["name"] for event in complete(trace, "user_annotation"))
    result: dict[str, Any] = {
        "gpu_operations": len(operations),
        "by_category": dict(sorted(Counter(event["cat"] for event in operations).items())),
        "tiny_memsets": sum(is_tiny_memset(event) for event in operations),
        "operations_per_label": {
            label: [len(operations_in(trace, span)) for span in annotations(trace, label)]
            for label in WORK_LABELS
            if labels[label]
        },
        "operations_per_label_any_thread": {
            label: [
                len(operations_in(trace, span, any_thread=True))
                for span in annotations(trace, label)
            ]
            for label in WORK_LABELS
            if labels[label]
        },
        "kernels": dict(sorted(kernels.items())),
        "span_ns": span,
        "busy_ns": busy,
        "idle_ns": span - busy if span is not None and busy is not None else None,
        "steps": sorted(
            (name for name in labels if name.startswith("ProfilerStep#")),
            key=lambda name: int(name.partition("#")[2]),
        ),
    }
    planted = [name for name in labels if name.startswith("gap:")]
    if planted:
        result["planted"] = {name: labels[name] for name in planted}
        result["operations_planted"] = {
            name: [len(operations_in(trace, span)) for span in annotations(trace, name)]
            for name in planted
        }
    return result


def main() -> None:
    """Write expected.json into the folder named on the command line."""
    folder = Path(sys.argv[1])
    expected = {path.name: facts(path) for path in sorted(folder.glob("*.json.gz"))}
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
