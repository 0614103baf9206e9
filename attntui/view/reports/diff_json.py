"""A comparison as JSON, for scripts: integers in nanoseconds, absent facts null."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attntui.analysis.compare.compare import Comparison, Side
from attntui.analysis.compare.metrics import Metric
from attntui.analysis.compare.rows import Row, Share


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """Two traces compared, as plain dicts, lists, strings and numbers; keys are an interface."""
    a, b = comparison.a, comparison.b
    return {
        "unit": {
            "kind": comparison.choice.kind.value,
            "label": comparison.choice.label,
            "a_count": len(a.units),
            "b_count": len(b.units),
        },
        "a": _side(a),
        "b": _side(b),
        "metrics": [_metric(metric) for metric in comparison.metrics],
        "rows": [_row(row) for row in comparison.rows],
        "cautions": [caution.text for caution in comparison.cautions],
    }


def overview_dict(comparisons: Sequence[Comparison], sides: Sequence[Side]) -> dict[str, Any]:
    """All traces against the first; `sides` are those of `comparisons` in the order to give."""
    of_side = {id(comparison.b): comparison for comparison in comparisons}
    first = comparisons[0]
    return {
        "unit": {"kind": first.choice.kind.value, "label": first.choice.label},
        "base": _side(first.a),
        "traces": [
            {
                **_side(side),
                "metrics": [_metric(metric) for metric in of_side[id(side)].metrics],
                "cautions": [caution.text for caution in of_side[id(side)].cautions],
            }
            for side in sides
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "path": side.subject.trace.path,
        "unit_index": side.index,
        "unit_count": len(side.units),
        "start_ns": side.start,
        "end_ns": side.end,
        "gpu_ns_min": side.gpu_ns_min,
        "gpu_ns_max": side.gpu_ns_max,
        "gpu_ops_in_no_unit": side.left_out,
        "attention_backends": dict(side.figures.backends),
    }


def _metric(metric: Metric) -> dict[str, Any]:
    found = {
        "name": metric.name,
        "a": metric.a,
        "b": metric.b,
        "delta": metric.delta,
        "ratio": metric.ratio,
    }
    if metric.a_share is not None or metric.b_share is not None:
        found |= {"a_gpu_time_covered": metric.a_share, "b_gpu_time_covered": metric.b_share}
    return found


def _row(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {
        "key": row.key,
        "name": row.name,
        "role": row.role,
        "a_ops": row.a_ops,
        "b_ops": row.b_ops,
        "a_gpu_ns": row.a_gpu_ns,
        "b_gpu_ns": row.b_gpu_ns,
        "delta_gpu_ns": row.delta_gpu_ns,
        "match": row.match,
    }
    if any(share is not None and len(share.parts) > 1 for share in (row.a, row.b)):
        found |= {"a_parts": _parts(row.a), "b_parts": _parts(row.b)}
    return found


def _parts(share: Share | None) -> list[dict[str, Any]]:
    return [
        {"role": part.role, "ops": part.gpu_ops, "gpu_ns": part.gpu_ns}
        for part in (share.parts if share else ())
    ]
