"""The scoreboard: each figure of A and of B, with difference and ratio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attntui.analysis.compare.figures import Figures
from attntui.analysis.gap_causes import Cause
from attntui.analysis.quantity import Quantity

Value = int | float | None

COVERED = 0.5
"""An estimate tells of a unit where it is known of this share of its GPU time."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of both sides; None where a side does not tell it.

    `delta` is b - a and `ratio` b / a: None where a figure is absent, the ratio also where
    a is 0. `a_share` and `b_share` say how much of the GPU time an estimate covers.
    """

    name: str
    quantity: Quantity
    a: Value
    b: Value
    a_share: float | None = None
    b_share: float | None = None

    @property
    def told(self) -> tuple[Value, Value]:
        """Both figures, None where an estimate covers too little to tell of the unit."""
        sides = ((self.a, self.a_share), (self.b, self.b_share))
        a, b = (value if share is None or share >= COVERED else None for value, share in sides)
        return a, b

    @property
    def delta(self) -> Value:
        return None if self.a is None or self.b is None else self.b - self.a

    @property
    def ratio(self) -> float | None:
        return None if self.a is None or self.b is None or not self.a else self.b / self.a


_FIGURES: tuple[tuple[str, Quantity, Callable[[Figures], Value]], ...] = (
    ("span_ns", Quantity.TIME, lambda f: f.span_ns),
    ("gpu_ns", Quantity.TIME, lambda f: f.gpu_ns),
    ("cpu_ns", Quantity.TIME, lambda f: f.cpu_ns),
    ("gpu_ops", Quantity.COUNT, lambda f: f.gpu_ops),
    ("memsets", Quantity.COUNT, lambda f: f.memsets),
    ("launches", Quantity.COUNT, lambda f: f.launches),
    ("gpu_span_ns", Quantity.TIME, lambda f: f.gpu_span_ns),
    ("idle_ns", Quantity.TIME, lambda f: f.idle_ns),
)

_AFTER_WORK: tuple[tuple[str, Quantity, Callable[[Figures], Value]], ...] = (
    ("hbm_bytes_per_s", Quantity.BYTE_RATE, lambda f: f.hbm_bytes.per_second()),
    ("flops_per_s", Quantity.FLOP_RATE, lambda f: f.flops.per_second()),
    ("occupancy_pct", Quantity.PERCENT, lambda f: f.occupancy_pct),
    ("peak_memory_bytes", Quantity.BYTES, lambda f: f.peak_memory),
)


def scoreboard(a: Figures, b: Figures) -> tuple[Metric, ...]:
    """All metrics in order; idle by cause only for causes that either side has."""
    causes = [c for c in Cause if a.idle_by_cause[c] or b.idle_by_cause[c]]
    return (
        *(Metric(name, unit, get(a), get(b)) for name, unit, get in _FIGURES),
        *(
            Metric(idle_metric(c), Quantity.TIME, a.idle_by_cause[c], b.idle_by_cause[c])
            for c in causes
        ),
        Metric(
            "hbm_bytes",
            Quantity.BYTES,
            a.hbm_bytes.total,
            b.hbm_bytes.total,
            a.hbm_bytes.share(a.gpu_ns),
            b.hbm_bytes.share(b.gpu_ns),
        ),
        Metric(
            "flops",
            Quantity.FLOPS,
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
