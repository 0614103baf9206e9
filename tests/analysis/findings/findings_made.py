"""Made-up traces for the tests of findings. All times in ns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from builders import Event
from made import call, kernel, op, trace_of

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.findings import Finding

H200 = {"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0}
SHAPED = {"Input Dims": [[1024], [1024]], "Input type": ["float", "float"]}
LONG = 100_000


def found(events: Iterable[Event], **top: Any) -> dict[str, Finding]:
    """The findings of some events on a known device, by id."""
    trace = trace_of(events, **({"deviceProperties": [H200]} | top))
    return {finding.id: finding for finding in AnalysedTrace(trace).whole.findings}


def launched(
    number: int, at: int, begin: int, end: int, name: str = "k", kind: str = "aten::add"
) -> list[Event]:
    """An op from `at` that launches a kernel running from `begin` to `end`."""
    return [
        op(kind, at, at + 4_000, **SHAPED),
        call("cudaLaunchKernel", at + 1_000, at + 2_000, number),
        kernel(name, begin, end, number),
    ]


def quiet(number: int = 20) -> list[Event]:
    """Kernels launched well ahead, one right after the other, with shapes."""
    events = []
    for i in range(number):
        begin = 1_000_000 + i * LONG
        events += launched(i + 1, 5_000 * i, begin, begin + LONG)
    return events
