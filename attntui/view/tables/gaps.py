"""The gaps of devices, or of single streams: how long, why, and what stood on either side."""

from __future__ import annotations

import numpy as np

from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.gap_list import GapList
from attntui.analysis.quantity import Quantity
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT
from attntui.view.session.selection import GapAt, Selection
from attntui.view.tables.model import (
    Column,
    Place,
    Table,
    computed,
    figures,
    first_row,
    names,
)

REPORTED = ("start_ns", "length_ns", "cause_label", "launched_by", "before", "after")


def gaps_table(part: Slice, gaps: GapList, threshold: int = 0) -> Table:
    """The gaps of at least `threshold` ns; `gaps` are the slice's, of devices or of streams."""
    trace, labels = part.trace, part.analysed.labels
    chosen = gaps.over(threshold)
    length, start, end = gaps.length[chosen], gaps.start[chosen], gaps.end[chosen]
    before, after, device = gaps.before[chosen], gaps.after[chosen], gaps.device[chosen]
    stream, ops = gaps.stream[chosen], gaps.launching_ops[chosen]
    split, trigger = gaps.causes.split, gaps.causes.trigger

    def place(row: int) -> Safe:
        shown = labels.place(int(device[row]))
        return shown if stream[row] == ABSENT else safe(f"{shown} s{stream[row]}")

    def causes(row: int) -> dict[str, int]:
        own = zip(Cause, split[chosen[row]].tolist(), strict=True)
        return {cause.name.lower(): ns for cause, ns in own if ns}

    def row_of(selected: Selection) -> int | None:
        if not isinstance(selected, GapAt):
            return None
        same = (device == selected.device) & (stream == selected.stream)
        return first_row(same & (start == selected.start) & (end == selected.end))

    columns = (
        figures("length_ns", "length", length, Quantity.TIME, Place(9)),
        figures("start_ns", "start", start, Quantity.TIME, Place(10, priority=1), digits=6),
        Column(
            "device",
            Safe("GPU"),
            lambda row: trace.number_of_device(int(device[row])),
            place,
            device,
            place=Place(7, priority=6 if (stream == ABSENT).all() else 0),
        ),
        Column(
            "cause_label",
            Safe("cause"),
            lambda row: gaps.label(int(chosen[row])),
            lambda row: gaps.label(int(chosen[row])),
            gaps.main[chosen],
            left=True,
            place=Place(21),
        ),
        names("before", "before", labels.names, trace.name[before], Place(22, priority=3)),
        names("after", "after", labels.names, trace.name[after], Place(None)),
        names(
            "launched_by",
            "launched by",
            labels.names,
            np.where(ops >= 0, trace.name[np.maximum(ops, 0)], ABSENT),
            Place(24, priority=2),
        ),
        computed("device_label", lambda row: gaps.place(int(chosen[row]))),
        computed("stream", lambda row: None if stream[row] == ABSENT else int(stream[row])),
        computed("cause", lambda row: Cause(int(gaps.main[chosen[row]])).name.lower()),
        computed("trigger", lambda row: Trigger(int(trigger[chosen[row]])).name.lower()),
        computed("by_cause_ns", causes),
    )
    return Table(
        columns,
        labels.words,
        trace.name[after].astype(np.int64),
        sort="length_ns",
        target=lambda row: GapAt(
            int(device[row]), int(stream[row]), int(start[row]), int(end[row])
        ),
        row_of=row_of,
        empty=Safe(
            "no gap over the threshold" if len(gaps) else "no gap: nothing ran, or without pause"
        ),
    )
