"""The scoreboard of a comparison: each figure of A and of B, and how B stands to A."""

from __future__ import annotations

import math

import numpy as np

from attntui.analysis.compare import Comparison
from attntui.safe import Safe, safe
from attntui.view.tables.model import Column, Place, Table, data, every_row, texts
from attntui.view.words.comparison import (
    METRIC_WORDS,
    backend_words,
    coverage_words,
    difference,
    verdict,
)
from attntui.view.words.formats import ABSENT, figure

REPORTED = ("label", "a", "b", "delta", "verdict", "covers")


def scoreboard_table(comparison: Comparison) -> Table:
    """One row a metric, in the scoreboard's order; last the attention backends."""
    metrics, backends = comparison.metrics, [backend_words(s) for s in (comparison.a, comparison.b)]
    labels = [*(Safe(METRIC_WORDS[metric.name]) for metric in metrics), Safe("attention")]
    same = Safe("same") if backends[0] == backends[1] != ABSENT else Safe("")
    ratios = [abs(math.log(m.ratio)) if m.ratio else math.nan for m in metrics]
    order = every_row(labels)

    def side(key: str, title: str, place: Place) -> Column:
        """The figures of one side, or their difference."""
        values = [*(getattr(metric, key) for metric in metrics), None]
        shown = [figure(getattr(metric, key), metric.quantity) for metric in metrics]
        if key == "delta":
            shown = [difference(metric.delta, metric.quantity) for metric in metrics]
        last = {"a": backends[0], "b": backends[1]}.get(key, Safe(""))
        written = [*shown, last]
        return Column(
            key, safe(title), lambda row: values[row], lambda row: written[row], order, place=place
        )

    verdicts = [*(verdict(metric, comparison.is_alike) for metric in metrics), same]
    columns = (
        Column(
            "label",
            Safe("figure"),
            lambda row: labels[row].strip(),
            lambda row: labels[row],
            order,
            left=True,
            place=Place(None, least=22),
        ),
        side("a", "A", Place(11, sortable=False)),
        side("b", "B", Place(11, sortable=False)),
        side("delta", "difference", Place(13, priority=2, sortable=False)),
        Column(
            "verdict",
            Safe("B is"),
            lambda row: None if verdicts[row] in ("", ABSENT) else verdicts[row],
            lambda row: verdicts[row],
            np.array([*ratios, math.nan], np.float64),
            left=True,
            place=Place(14, priority=1),
        ),
        texts("covers", "", [*map(coverage_words, metrics), Safe("")], absent=Safe("")),
        data("name", [*(metric.name for metric in metrics), "attention_backends"]),
        data("ratio", [*(metric.ratio for metric in metrics), None]),
        data("a_gpu_time_covered", [*(metric.a_share for metric in metrics), None]),
        data("b_gpu_time_covered", [*(metric.b_share for metric in metrics), None]),
    )
    return Table(columns, labels, order, sort="label", descending=False)
