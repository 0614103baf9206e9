"""The scoreboard: each figure of A and of B, with difference and ratio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from attntui.analysis.compare.figures import Figures
from attntui.analysis.gap_causes import Cause

Value = int | float | None


class Unit(Enum):
    """What a figure counts, hence how it is written and which words compare it."""

    TIME = "ns"
    COUNT = "count"
    BYTES = "bytes"
    FLOPS = "flops"
    BYTE_RATE = "bytes/s"
    FLOP_RATE = "flops/s"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of both sides; None where a side does not tell it.

    `delta` is b - a and `ratio` b / a: None where a figure is absent, the ratio also where
    a is 0. `a_share` and `b_share` say how much of the GPU time an estimate covers.
    """

    name: str
    unit: Unit
    a: Value
    b: Value
    a_share: float | None = None
    b_share: float | None = None

    @property
    def delta(self) -> Value:
        return None if self.a is None or self.b is None else self.b - self.a

    @property
    def ratio(self) -> float | None:
        return None if self.a is None or self.b is None or not self.a else self.b / self.a


_FIGURES: tuple[tuple[str, Unit, Callable[[Figures], Value]], ...] = (
    ("gpu_ns", Unit.TIME, lambda f: f.gpu_ns),
    ("cpu_ns", Unit.TIME, lambda f: f.cpu_ns),
    ("gpu_ops", Unit.COUNT, lambda f: f.gpu_ops),
    ("memsets", Unit.COUNT, lambda f: f.memsets),
    ("launches", Unit.COUNT, lambda f: f.launches),
    ("gpu_span_ns", Unit.TIME, lambda f: f.gpu_span_ns),
    ("idle_ns", Unit.TIME, lambda f: f.idle_ns),
)

_AFTER_WORK: tuple[tuple[str, Unit, Callable[[Figures], Value]], ...] = (
    ("hbm_bytes_per_s", Unit.BYTE_RATE, lambda f: f.hbm_bytes.per_second()),
    ("flops_per_s", Unit.FLOP_RATE, lambda f: f.flops.per_second()),
    ("occupancy_pct", Unit.PERCENT, lambda f: f.occupancy_pct),
    ("peak_memory_bytes", Unit.BYTES, lambda f: f.peak_memory),
)


def scoreboard(a: Figures, b: Figures) -> tuple[Metric, ...]:
    """All metrics in order; idle by cause only for causes that either side has."""
    causes = [c for c in Cause if a.idle_by_cause[c] or b.idle_by_cause[c]]
    return (
        *(Metric(name, unit, get(a), get(b)) for name, unit, get in _FIGURES),
        *(
            Metric(idle_metric(c), Unit.TIME, a.idle_by_cause[c], b.idle_by_cause[c])
            for c in causes
        ),
        Metric(
            "hbm_bytes",
            Unit.BYTES,
            a.hbm_bytes.total,
            b.hbm_bytes.total,
            a.hbm_bytes.share(a.gpu_ns),
            b.hbm_bytes.share(b.gpu_ns),
        ),
        Metric(
            "flops",
            Unit.FLOPS,
            a.flops.total,
            b.flops.total,
            a.flops.share(a.gpu_ns),
            b.flops.share(b.gpu_ns),
        ),
        *(Metric(name, unit, get(a), get(b)) for name, unit, get in _AFTER_WORK),
    )


def idle_metric(cause: Cause) -> str:
    """The name of the metric of idle time with one cause."""
    return f"idle_{cause.name.lower()}_ns"
