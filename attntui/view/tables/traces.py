"""More than two traces against the first: a line of figures each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from attntui.analysis.compare import Comparison, Side
from attntui.analysis.quantity import Quantity
from attntui.safe import Safe, safe
from attntui.view.tables.model import Table, every_row, figures, sizes, texts, times
from attntui.view.words.comparison import against_words, backend_words, trace_words
from attntui.view.words.formats import figure, percent

_KEYS: Mapping[str, Callable[[Side], Any]] = {
    "given": lambda side: 0,
    "span": lambda side: side.figures.span_ns,
    "name": lambda side: PurePath(side.slice.trace.path).name,
    "gpu": lambda side: side.figures.gpu_ns,
    "cpu": lambda side: side.figures.cpu_ns,
    "ops": lambda side: side.figures.gpu_ops,
    "hbm": lambda side: side.figures.hbm_bytes.total,
    "backend": backend_words,
    "occupancy": lambda side: side.figures.occupancy_pct,
}
SORTS = tuple(_KEYS)
"""What the traces can be sorted by."""


def in_order(comparisons: Sequence[Comparison], sort: str) -> list[Comparison]:
    """Comparisons by their B in the order of one of `SORTS`, small first; absent figures last."""
    key = _KEYS[sort]
    known = [found for found in comparisons if key(found.b) is not None]
    absent = [found for found in comparisons if key(found.b) is None]
    return [*sorted(known, key=lambda found: key(found.b)), *absent]


def partly_known(side: Side) -> bool:
    """Whether the HBM bytes are an estimate of a part of the GPU time alone."""
    moved = side.figures.hbm_bytes
    return moved.total is not None and moved.known_ns < side.figures.gpu_ns


def traces_table(base: Side, comparisons: Sequence[Comparison]) -> Table:
    """One row for the B of each comparison with `base`, in the order given."""
    sides = [comparison.b for comparison in comparisons]
    found = [side.figures for side in sides]
    labels = [trace_words(side) for side in sides]

    def bytes_text(row: int) -> Safe:
        moved = found[row].hbm_bytes
        text = figure(moved.total, Quantity.BYTES)
        if not partly_known(sides[row]):
            return text
        return safe(f"{text} of {percent(moved.share(found[row].gpu_ns))}")

    against = [Safe("the first") if c.b is base else against_words(c) for c in comparisons]
    columns = (
        texts("label", "trace", labels),
        texts(
            "backend",
            "backend",
            [backend_words(side) if side.figures.backends else None for side in sides],
        ),
        figures("gpu_ops", "ops", [f.gpu_ops for f in found]),
        times("span_ns", "span", [f.span_ns for f in found]),
        texts("verdict", "vs first", against),
        times("gpu_ns", "GPU time", [f.gpu_ns for f in found]),
        times("cpu_ns", "CPU time", [f.cpu_ns for f in found]),
        sizes("hbm_bytes", "HBM bytes", [f.hbm_bytes.total for f in found], text=bytes_text),
        figures(
            "occupancy_pct",
            "occupancy",
            [f.occupancy_pct for f in found],
            quantity=Quantity.PERCENT,
        ),
    )
    return Table(columns, labels, every_row(labels), sort="gpu_ns")
