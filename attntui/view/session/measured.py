"""A measured range: what a stretch of time holds."""

from __future__ import annotations

from dataclasses import dataclass

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Range, scope_rows


@dataclass(frozen=True, slots=True)
class Measured:
    """A range, the busy share of it by device, and how many events overlap it."""

    range: Range
    busy: tuple[tuple[int, float], ...]
    gpu_ops: int
    cpu_events: int


def measure(analysed: AnalysedTrace, low: int, high: int) -> Measured:
    """What [low, high) holds; it is at least a nanosecond long."""
    found = Range(low, max(high, low + 1))
    rows = scope_rows(analysed.trace, found, analysed.steps)
    length = found.end - found.start
    busy = tuple(
        (device.device, device.busy.covered_between(found.start, found.end) / length)
        for device in analysed.whole.devices
    )
    return Measured(found, busy, len(rows.gpu), len(rows.cpu))
