"""Figures of a comparison in words: what was measured, and how B stands to A."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attntui.analysis.compare.metrics import Metric, Unit, Value, idle_metric
from attntui.analysis.gap_causes import Cause
from attntui.view.words.formats import ABSENT, count, duration, percent, rate, size

METRIC_WORDS: Mapping[str, str] = {
    "gpu_ns": "GPU time",
    "cpu_ns": "CPU time",
    "gpu_ops": "GPU operations",
    "memsets": "  of which memsets",
    "launches": "launches",
    "gpu_span_ns": "GPU span",
    "idle_ns": "GPU idle",
    **{idle_metric(cause): f"  {cause.name.lower().replace('_', ' ')}" for cause in Cause},
    "hbm_bytes": "HBM bytes (by shapes)",
    "flops": "FLOPs (by shapes)",
    "hbm_bytes_per_s": "HBM rate",
    "flops_per_s": "FLOP rate",
    "occupancy_pct": "occupancy",
    "peak_memory_bytes": "peak memory",
}
"""What each metric is called on screen; indented where it is part of the one above."""

_MORE_AND_LESS: Mapping[Unit, tuple[str, str]] = {
    Unit.TIME: ("longer", "shorter"),
    Unit.COUNT: ("more", "fewer"),
    Unit.BYTES: ("more", "less"),
    Unit.FLOPS: ("more", "less"),
    Unit.BYTE_RATE: ("higher", "lower"),
    Unit.FLOP_RATE: ("higher", "lower"),
    Unit.PERCENT: ("higher", "lower"),
}
_SPEEDS = ("gpu_ns", "cpu_ns", "gpu_span_ns")


def _counted(value: Value) -> str:
    return ABSENT if value is None else count(int(value))


_WRITE: Mapping[Unit, Callable[[Value], str]] = {
    Unit.TIME: duration,
    Unit.COUNT: _counted,
    Unit.BYTES: size,
    Unit.FLOPS: lambda value: rate(value, "FLOP"),
    Unit.BYTE_RATE: lambda value: rate(value, "B/s"),
    Unit.FLOP_RATE: lambda value: rate(value, "FLOP/s"),
    Unit.PERCENT: lambda value: percent(None if value is None else value / 100),
}


def figure(value: Value, unit: Unit) -> str:
    """A figure in the unit that fits; `-` where it is absent."""
    return _WRITE[unit](value)


def difference(value: Value, unit: Unit) -> str:
    """A difference, its sign always told: `+4.5 us`."""
    if value is not None and unit is Unit.PERCENT:
        return f"{value:+.1f} points"
    text = figure(value, unit)
    return f"+{text}" if value is not None and value > 0 else text


def verdict(metric: Metric) -> str:
    """How B stands to A in words: `11.2x faster`, `6.0x fewer`, `same`."""
    higher, lower = _MORE_AND_LESS[metric.unit]
    if metric.name in _SPEEDS:
        higher, lower = "slower", "faster"
    return standing(metric.a, metric.b, higher, lower)


def standing(a: Value, b: Value, higher: str = "slower", lower: str = "faster") -> str:
    """How `b` stands to `a`, with the words for more and for less of it."""
    if a is None or b is None:
        return ABSENT
    if a == b:
        return "same"
    if not a or not b:
        return "none in B" if a else "none in A"
    factor = max(a / b, b / a)
    digits = 2 if factor < 1.995 else 1 if factor < 99.95 else 0
    shown = f"{factor:,.{digits}f}"
    return "about the same" if shown == "1.00" else f"{shown}x {higher if b > a else lower}"
