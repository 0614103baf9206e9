"""The gaps of devices, or of single streams: how long, why, and what stood on either side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.gap_list import GapList
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT, I64
from attntui.view.session.selection import GapAt, Selection
from attntui.view.tables.kernels import no_gpu
from attntui.view.tables.model import Column, Place, Table, computed, first_row, names, times
from attntui.view.words.formats import duration

PLACE_CELLS = 20
_PLACE_TITLE, _CAUSE_TITLE = Safe("device"), Safe("cause")
REPORTED = ("start_ns", "length_ns", "cause_label", "launched_by", "before", "after")


def gaps_table(part: Slice, gaps: GapList, threshold: int = 0) -> Table:
    """The gaps of at least `threshold` ns; `gaps` are the slice's, of devices or of streams."""
    trace, labels = part.trace, part.analysed.labels
    chosen = gaps.over(threshold)
    length, start, end = gaps.length[chosen], gaps.start[chosen], gaps.end[chosen]
    before, after, device = gaps.before[chosen], gaps.after[chosen], gaps.device[chosen]
    stream, ops = gaps.stream[chosen], gaps.launching_ops[chosen]
    split, trigger = gaps.causes.split, gaps.causes.trigger

    def number_of(one: int) -> int | None:
        number = trace.number_of_device(one)
        return None if number == ABSENT else number

    def causes(row: int) -> dict[str, int]:
        own = zip(Cause, split[chosen[row]].tolist(), strict=True)
        return {cause.name.lower(): ns for cause, ns in own if ns}

    def row_of(selected: Selection) -> int | None:
        if not isinstance(selected, GapAt):
            return None
        same = (device == selected.device) & (stream == selected.stream)
        return first_row(same & (start == selected.start) & (end == selected.end))

    columns = (
        times("length_ns", "length", length, Place(9)),
        times("start_ns", "start", start, Place(10, priority=1), digits=6),
        _places(gaps, chosen),
        Column(
            "cause_label",
            _CAUSE_TITLE,
            lambda row: gaps.label(int(chosen[row])),
            lambda row: gaps.label(int(chosen[row])),
            gaps.main[chosen],
            left=True,
            place=Place(max(map(cell_len, (_CAUSE_TITLE + " ", *_causes(gaps, chosen))))),
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
        computed("device", lambda row: number_of(int(device[row]))),
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
        empty=_no_gap(part, gaps, threshold),
    )


def _no_gap(part: Slice, gaps: GapList, threshold: int) -> Safe:
    """Why there is no gap to show, and what shows some where there are."""
    if not len(part.gpu_ops):
        return no_gpu(part)
    if len(gaps):
        return safe(f"no gap of {duration(threshold)} or more: ( lowers the threshold")
    return Safe("no gap: the GPU never paused in this scope")


def _causes(gaps: GapList, chosen: I64) -> list[Safe]:
    """The distinct causes of gaps in words."""
    first, _ = _distinct(gaps.main[chosen], gaps.causes.trigger[chosen])
    return [gaps.label(number) for number in chosen[first].tolist()]


def _places(gaps: GapList, chosen: I64) -> Column:
    """Where each gap is: its device, and its stream where it is of one."""
    first, of = _distinct(gaps.device[chosen], stream := gaps.stream[chosen])
    shown = [gaps.place(number) for number in chosen[first].tolist()]
    width = max([*map(cell_len, shown), cell_len(_PLACE_TITLE) + 1])
    alone = bool((stream == ABSENT).all())
    return Column(
        "device_label",
        _PLACE_TITLE,
        lambda row: shown[of[row]],
        lambda row: shown[of[row]],
        of,
        left=True,
        place=Place(min(width, PLACE_CELLS), priority=6 if alone else 0),
    )


def _distinct(one: NDArray[Any], other: NDArray[Any]) -> tuple[I64, I64]:
    """Of pairs of small numbers where each distinct one stands first, in order, and for every
    pair the number of it among these.
    """
    if not len(one):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    low, high = int(other.min()), int(other.max())
    # One number a pair: pairs themselves take ten times as long to sort.
    key = one.astype(np.int64) * (high - low + 1) + (other.astype(np.int64) - low)
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    return first.astype(np.int64), of.astype(np.int64)
