"""The steps: their time on the host and the GPU, and the bytes that they moved, by shapes."""

from __future__ import annotations

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.gpu_work import traffic
from attntui.analysis.scope import Step
from attntui.safe import Safe
from attntui.view.session.selection import Selection, event_of
from attntui.view.tables.model import (
    Column,
    Place,
    Table,
    data,
    every_row,
    figures,
    shares,
    sizes,
    texts,
    times,
)

REPORTED = ("start_ns", "host_ns", "gpu_ns", "gpu_ops", "hbm_bytes", "coverage", "outlier", "label")


def steps_table(analysed: AnalysedTrace) -> Table:
    """One row a step; `coverage` is the share of its GPU time whose bytes are known."""
    trace, steps = analysed.trace, analysed.steps
    owned = [steps.owned(i) for i in range(len(steps))]
    moved = [traffic(analysed.work, rows) for rows in owned]
    names = [trace.name_of(int(row)) for row in steps.rows]

    def row_of(selected: Selection) -> int | None:
        if isinstance(selected, Step):
            return selected.index
        event = event_of(analysed, selected)
        return None if event is None else steps.of_event(trace, event)

    columns = (
        times("start_ns", "start", steps.start, Place(10), digits=6),
        times("host_ns", "host", steps.duration, Place(9)),
        times("gpu_ns", "GPU", [int(trace.dur[rows].sum()) for rows in owned], Place(9)),
        figures("gpu_ops", "GPU ops", [len(rows) for rows in owned], Place(8, priority=2)),
        sizes("hbm_bytes", "HBM est.", [found.moved for found in moved], Place(8, priority=3)),
        Column(
            "outlier",
            Safe(""),
            lambda row: bool(steps.outlier[row]),
            lambda row: Safe("outlier" if steps.outlier[row] else ""),
            steps.outlier.astype(np.int64),
            left=True,
            place=Place(8, priority=1),
        ),
        texts(
            "label",
            "step",
            [analysed.labels.event(int(row)) for row in steps.rows],
            Place(None, least=16),
        ),
        data("name", names),
        shares("coverage", "known", [found.coverage for found in moved]),
    )
    return Table(
        columns,
        names,
        every_row(names),
        sort="start_ns",
        descending=False,
        target=Step,
        row_of=row_of,
        empty=Safe("no steps: call prof.step() after each, or mark them by record_function"),
    )
