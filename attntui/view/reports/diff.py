"""A comparison: its tables as sections for people, and as a document for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attntui.analysis.compare import Comparison, RowGroup, Side
from attntui.analysis.quantity import Quantity
from attntui.safe import Safe, safe
from attntui.view.reports.json_text import SCHEMA
from attntui.view.reports.sections import Cells, Section, whole
from attntui.view.tables import changes, scoreboard, traces
from attntui.view.tables.model import Table, every_row, figures, records, texts
from attntui.view.words.comparison import (
    LABEL_CELLS,
    difference,
    lead_metric,
    pair_words,
    place_words,
    trace_words,
    unit_argument,
    unit_words,
    verdict_text,
)
from attntui.view.words.formats import count, duration

# For people


def sections(comparison: Comparison, top: int, sort: str = "delta") -> list[Section]:
    """The comparison of two traces; of the rows the first `top` groups, and the rest summed."""
    return [
        _verdict(comparison),
        *_cautions(comparison, Safe("Caution: these differ")),
        _sides(comparison),
        _scoreboard(comparison),
        _changes(comparison, top, sort),
    ]


def _verdict(comparison: Comparison) -> Section:
    """The verdict, and under it which units it is about."""
    told = [pair_words(comparison)]
    table = Table((texts("label", "", told),), told, every_row(told), sort="label")
    return whole(verdict_text(comparison), table, ["label"])


def _cautions(comparison: Comparison, title: Safe) -> list[Section]:
    """A section with what keeps the two from being alike, or none."""
    found = comparison.cautions
    if not found:
        return []
    what = [safe(caution.what) for caution in found]
    columns = (
        texts("what", "", what),
        texts("label", "A", [safe(caution.a, LABEL_CELLS) for caution in found]),
        texts("b", "B", [safe(caution.b, LABEL_CELLS) for caution in found]),
    )
    table = Table(columns, what, every_row(what), sort="what")
    names = frozenset({"label", "b"})
    return [Section(title, table, ("what", "label", "b"), range(len(what)), gives_way=names)]


def _sides(comparison: Comparison) -> Section:
    sides = (comparison.a, comparison.b)
    labels = [trace_words(side) for side in sides]
    columns = (
        texts("side", "", [Safe("A"), Safe("B")]),
        texts("label", "trace", labels),
        texts("unit", "unit", [place_words(side) for side in sides]),
        figures("left_out", "ops in no unit", [side.left_out for side in sides]),
    )
    table = Table(columns, labels, every_row(labels), sort="side")
    title = safe(f"Compared by {unit_words(comparison.choice)}")
    return whole(title, table, [column.key for column in columns])


def _scoreboard(comparison: Comparison) -> Section:
    table = scoreboard.scoreboard_table(comparison)
    covers = table.column("covers")
    told = any(covers.text(row) for row in range(len(table)))
    keys = [key for key in scoreboard.REPORTED if told or key != "covers"]
    rows = range(len(table))
    return Section(Safe("Scoreboard"), table, keys, rows, gives_way=frozenset())


def _changes(comparison: Comparison, top: int, sort: str) -> Section:
    found = changes.changes_table(comparison, sort=sort)
    groups = found.groups
    footer = []
    if len(groups) > top:
        footer.append(_sum(f"{len(groups) - top:,} more", groups[top:]))
    footer.append(_sum("total", groups))
    title = Safe("What changed, by GPU time")
    rows = found.lines_of(range(min(top, len(groups))))
    return Section(title, found.table, changes.REPORTED, rows, footer=footer)


def _sum(name: str, groups: Sequence[RowGroup]) -> Cells:
    a_ns, b_ns = sum(group.a_gpu_ns for group in groups), sum(group.b_gpu_ns for group in groups)
    return {
        "delta_gpu_ns": difference(b_ns - a_ns, Quantity.TIME),
        "a_ops": count(sum(group.a_ops for group in groups)),
        "a_gpu_ns": duration(a_ns),
        "b_ops": count(sum(group.b_ops for group in groups)),
        "b_gpu_ns": duration(b_ns),
        "label": Safe(name),
    }


def overview(comparisons: Sequence[Comparison], sort: str = "given") -> list[Section]:
    """All traces against the first: `comparisons` are base against itself, then the others."""
    found = [
        section
        for comparison in comparisons
        for section in _cautions(
            comparison,
            safe(f"Caution: {trace_words(comparison.b)} (B) differs from the first (A)"),
        )
    ]
    ordered = traces.in_order(comparisons, sort)
    table = traces.traces_table(comparisons[0].a, ordered)
    head = f"Compared by {unit_words(comparisons[0].choice)}, one real unit of each"
    if any(traces.partly_known(comparison.b) for comparison in ordered):
        head += "; HBM bytes are of the share of GPU time that shapes tell"
    return [*found, whole(safe(head), table, [column.key for column in table.columns])]


# For programs


def document(comparison: Comparison) -> dict[str, Any]:
    """Two traces compared; `schema.Diff` is its shape."""
    a, b = comparison.a, comparison.b
    return {
        "schema": SCHEMA,
        "unit": {
            "kind": comparison.choice.kind.value,
            "label": comparison.choice.label,
            "a_count": len(a.units),
            "b_count": len(b.units),
        },
        "verdict": _verdict_document(comparison),
        "pairing": _pairing_document(comparison),
        "a": _side(a),
        "b": _side(b),
        "metrics": _metrics(comparison),
        "rows": _rows(comparison),
        "cautions": [caution.text for caution in comparison.cautions],
    }


def _verdict_document(comparison: Comparison) -> dict[str, Any]:
    lead = lead_metric(comparison)
    return {
        "text": verdict_text(comparison),
        "metric": None if lead is None else lead.name,
        "a": None if lead is None else lead.a,
        "b": None if lead is None else lead.b,
        "ratio": None if lead is None else lead.ratio,
        "alike": comparison.is_alike,
    }


def _pairing_document(comparison: Comparison) -> dict[str, Any]:
    over = comparison.passed_over
    return {
        "text": pair_words(comparison),
        "by": comparison.pairing.by.value,
        "pairs": len(comparison.pairing.pairs),
        "number": comparison.number,
        "passed_over": None if over is None else unit_argument(over.choice),
    }


def overview_document(comparisons: Sequence[Comparison], sort: str = "given") -> dict[str, Any]:
    """All traces against the first; `schema.Overview` is its shape."""
    first = comparisons[0]
    ordered = traces.in_order(comparisons, sort)
    lines = records(traces.traces_table(first.a, ordered))
    return {
        "schema": SCHEMA,
        "unit": {"kind": first.choice.kind.value, "label": first.choice.label},
        "base": _side(first.a),
        "traces": [
            {
                **_side(comparison.b),
                **line,
                "pairing": _pairing_document(comparison),
                "metrics": _metrics(comparison),
                "cautions": [caution.text for caution in comparison.cautions],
            }
            for comparison, line in zip(ordered, lines, strict=True)
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "path": side.slice.trace.path,
        "label": trace_words(side),
        "unit_index": side.index,
        "unit_count": len(side.units),
        "start_ns": side.start,
        "end_ns": side.end,
        "gpu_ns_min": side.gpu_ns_min,
        "gpu_ns_max": side.gpu_ns_max,
        "gpu_ops_in_no_unit": side.left_out,
        "attention_backends": dict(side.figures.backends),
    }


def _metrics(comparison: Comparison) -> list[dict[str, Any]]:
    """The scoreboard but for its last line, the backends: those stand with the sides."""
    return records(scoreboard.scoreboard_table(comparison), range(len(comparison.metrics)))


def _rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Every row on its own, in the joint order of both traces."""
    found = changes.changes_table(comparison, single=True)
    _, lines = np.unique(found.group_of, return_index=True)
    return records(found.table, lines.tolist())
