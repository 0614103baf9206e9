"""Made-up trace events for the tests of the analyses. All times in ns.

They are written to a file and loaded, so that the analyses meet what loading makes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import builders

from attntui.trace import Trace, load

Event = builders.Event


def complete(
    category: str, name: str, start: int, end: int, *, pid: Any = 1, tid: Any = 1, **args: Any
) -> Event:
    """A complete event from `start` to `end`."""
    span = (start / 1000, (end - start) / 1000)
    return builders.complete(category, name, *span, pid=pid, tid=tid, args=args)


def op(name: str, start: int, end: int, **other: Any) -> Event:
    return complete("cpu_op", name, start, end, **other)


def annotation(name: str, start: int, end: int, **other: Any) -> Event:
    return complete("user_annotation", name, start, end, **other)


def frame(name: str, start: int, end: int, **other: Any) -> Event:
    return complete("python_function", name, start, end, **other)


def call(name: str, start: int, end: int, correlation: int = 0, **other: Any) -> Event:
    return complete("cuda_runtime", name, start, end, correlation=correlation, **other)


def kernel(
    name: str,
    start: int,
    end: int,
    correlation: int = 0,
    *,
    stream: int = 7,
    device: int = 0,
    category: str = "kernel",
) -> Event:
    return complete(
        category,
        name,
        start,
        end,
        pid=device,
        tid=stream,
        device=device,
        stream=stream,
        correlation=correlation,
    )


def copy(name: str, start: int, end: int, correlation: int = 0, **other: Any) -> Event:
    return kernel(name, start, end, correlation, category="gpu_memcpy", **other)


def trace_of(events: Iterable[Event], **top: Any) -> Trace:
    """The events as a loaded trace."""
    with tempfile.TemporaryDirectory() as folder:
        return load(builders.write_trace(Path(folder), list(events), **top))


def row(trace: Trace, name: str) -> int:
    """The row of the first event with a name."""
    index = trace.names.index(name)
    return int((trace.name == index).nonzero()[0][0])
