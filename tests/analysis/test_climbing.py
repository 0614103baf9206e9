"""Climbing to what lies around, against a loop for each place."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from made import annotation, op, row, trace_of

from attntui.analysis.climbing import furthest, innermost
from attntui.analysis.launches import outermost

SIZE = 12
# What lies around an event began before it, so its number is lower.
FORESTS = st.tuples(*(st.integers(-1, place - 1) for place in range(SIZE)))
PLACES = st.lists(st.integers(-1, SIZE - 1), max_size=8)


@given(FORESTS, PLACES, st.sets(st.integers(0, SIZE - 1)), st.integers(0, SIZE))
def test_innermost_is_the_first_wanted_on_the_way_up(
    parent: tuple[int, ...], places: list[int], wanted: set[int], floor: int
) -> None:
    def slowly(which: int, at: int) -> int:
        while at != -1 and not (at in wanted and at < floor + which):
            at = parent[at]
        return at

    mask = np.isin(np.arange(SIZE), list(wanted))
    start = np.array(places, np.int64)
    found = innermost(
        np.array(parent, np.int32), start, lambda which, at: mask[at] & (at < floor + which)
    )
    assert found.tolist() == [slowly(which, at) for which, at in enumerate(places)]
    assert start.tolist() == places


@given(FORESTS, PLACES)
def test_furthest_goes_on_as_long_as_it_leads_somewhere(
    parent: tuple[int, ...], places: list[int]
) -> None:
    def slowly(at: int) -> int:
        while at != -1 and parent[at] != -1:
            at = parent[at]
        return at

    above = np.array(parent, np.int64)
    found = furthest(lambda at: above[at], np.array(places, np.int64))
    assert found.tolist() == [slowly(at) for at in places]


def test_outermost_rows_lie_in_none_of_the_others() -> None:
    trace = trace_of(
        [
            op("around all", 0, 9_000),
            annotation("outer", 1_000, 5_000),
            annotation("inner", 2_000, 3_000),
            annotation("apart", 6_000, 7_000),
        ]
    )
    rows = np.array([row(trace, name) for name in ("outer", "inner", "apart")])
    assert outermost(trace, rows).tolist() == [rows[0], rows[2]]
