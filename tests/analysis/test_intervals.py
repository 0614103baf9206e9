"""Unions of intervals and what they cover, against a count of every instant."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attntui.analysis import intervals

spans = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda pair: (pair[0], sum(pair))),
    max_size=12,
)


def instants(pairs: list[tuple[int, int]]) -> set[int]:
    return {t for start, end in pairs for t in range(start, end)}


def set_of(pairs: list[tuple[int, int]]) -> intervals.Intervals:
    ordered = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    return intervals.union(ordered[:, 0], ordered[:, 1])


@given(spans)
def test_union_is_the_instants_covered(pairs: list[tuple[int, int]]) -> None:
    found = set_of(pairs)
    covered = instants(pairs)
    assert found.length == len(covered)
    assert (found.start[1:] > found.end[:-1]).all()
    assert (found.end > found.start).all()
    times = np.arange(-1, 82)
    assert found.contains(times).tolist() == [t in covered for t in times.tolist()]


@given(spans, st.integers(-5, 90), st.integers(0, 90))
def test_covered_counts_the_window(pairs: list[tuple[int, int]], t0: int, length: int) -> None:
    covered = len(instants(pairs) & set(range(t0, t0 + length)))
    assert set_of(pairs).covered_between(t0, t0 + length) == covered


@given(spans, spans)
def test_intersection(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    both = intervals.intersection(set_of(a), set_of(b))
    assert both.length == len(instants(a) & instants(b))
    assert (both.start[1:] > both.end[:-1]).all()
