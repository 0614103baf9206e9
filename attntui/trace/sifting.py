"""Rows that are left out before any figure stands on them: without a time, or doubled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from attntui.trace.categories import GPU_CATEGORIES
from attntui.trace.interned import Interner
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64
from attntui.trace.notices import Notices
from attntui.trace.span import far_off, too_long

Arrays = dict[str, npt.NDArray[Any]]
Pause = Callable[[], None]
"""Called now and then; what it raises ends the work."""

_IDS = ("correlation", "external_id", "python_id", "sequence")
"""What tells apart two events of one name at one time."""


def without_timeless(
    arrays: Arrays, names: Interner[str], notices: Notices, pause: Pause
) -> Arrays:
    """The rows whose place and length can be (`span`); says which are left out."""
    start = arrays["start"]
    far = far_off(start, start + arrays["dur"])
    if far.any():
        row, rest = int(far.argmax()), start[~far]
        early = rest[0] - start[row]
        where = "after" if early < 0 else "before"
        why = f"{_seconds(abs(early))} {where} the first of the other events"
        _say(notices, "outlier", arrays, row, names, why, int(far.sum()))
        arrays = rows_of(arrays, np.flatnonzero(~far), pause)
    on_stream = np.isin(arrays["category"], GPU_CATEGORIES)
    long = too_long(arrays["start"], arrays["dur"], np.where(on_stream, arrays["lane"], ABSENT))
    if long.any():
        row = int(long.argmax())
        why = f"{_seconds(arrays['dur'][row])}, and all else took less by orders"
        _say(notices, "impossible_duration", arrays, row, names, why, int(long.sum()))
        arrays = rows_of(arrays, np.flatnonzero(~long), pause)
    return arrays


def _say(
    notices: Notices,
    kind: str,
    arrays: Arrays,
    row: int,
    names: Interner[str],
    why: str,
    count: int,
) -> None:
    name = names.values_seen[int(arrays["name"][row])]
    notices.add(kind, f"{name}: {why}", count, at=int(arrays["offset"][row]))


def _seconds(ns: int) -> str:
    return f"{ns / 1e9:,.0f} s" if ns >= 10**9 else f"{ns / 1e9:.3g} s"


def rows_of(arrays: Arrays, rows: I64, pause: Pause) -> Arrays:
    """These rows of every column, in this order."""
    for field in arrays:
        pause()
        arrays[field] = arrays[field][rows]
    return arrays


def without_doubles(arrays: Arrays, names: Interner[str], notices: Notices, pause: Pause) -> Arrays:
    """Each event once: some exporters write them twice.

    A stream cannot run two operations of one name at one time; on the host two events
    are one where they have the same ids.
    """
    same = (np.diff(arrays["start"]) == 0) & (np.diff(arrays["dur"]) == 0)
    rows = np.flatnonzero(np.append(same, False) | np.append(False, same))
    told = np.isin(arrays["category"][rows], GPU_CATEGORIES) & (arrays["dur"][rows] > 0)
    for field in _IDS:
        told |= arrays[field][rows] != ABSENT
    rows = rows[told]
    if not len(rows):
        return arrays
    fields = ("start", "dur", "name", "category", "lane", *_IDS)
    order = np.lexsort([arrays[field][rows] for field in fields])
    rows = rows[order]
    again = np.ones(len(rows) - 1, np.bool_)
    for field in fields:
        again &= np.diff(arrays[field][rows]) == 0
    doubles = rows[1:][again]
    if not len(doubles):
        return arrays
    why = "written more than once, counted once"
    _say(notices, "duplicate", arrays, int(doubles.min()), names, why, len(doubles))
    return rows_of(arrays, np.flatnonzero(~mask_of(len(arrays["start"]), doubles)), pause)
