"""Groups of columns, against loops over every entry."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attntui.analysis.groups import apart, distinct, sums

PAIRS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)))
COLUMNS = PAIRS.map(lambda pairs: np.array(pairs, np.int64).reshape(-1, 2))


@given(COLUMNS)
def test_combinations_are_numbered_once_each(columns: np.ndarray) -> None:
    first, number = distinct(columns[:, 0], columns[:, 1].astype(np.int32))
    pairs = [tuple(pair) for pair in columns.tolist()]
    assert [pairs[index] for index in first.tolist()] == sorted(set(pairs))
    assert first.tolist() == [pairs.index(pair) for pair in sorted(set(pairs))]
    assert [pairs[first[n]] for n in number.tolist()] == pairs


WIDE = st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2) | st.integers(2**30, 2**31)
TRIPLES = st.lists(st.tuples(WIDE, WIDE, WIDE))


@given(TRIPLES.map(lambda rows: np.array(rows, np.int64).reshape(-1, 3)))
def test_values_of_any_size_are_told_apart(columns: np.ndarray) -> None:
    first, number = distinct(*columns.T)
    rows = [tuple(row) for row in columns.tolist()]
    assert [rows[index] for index in first.tolist()] == sorted(set(rows))
    assert [rows[first[n]] for n in number.tolist()] == rows


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-(2**60), 2**60)), max_size=4))
def test_sums_are_exact(entries: list[tuple[int, int]]) -> None:
    group = np.array([g for g, _ in entries], np.int64)
    values = np.array([value for _, value in entries], np.int64)
    assert sums(group, values, 4).tolist() == [
        sum(value for g, value in entries if g == number) for number in range(4)
    ]


@given(COLUMNS)
def test_members_of_groups_keep_their_order(columns: np.ndarray) -> None:
    groups, members = apart(columns[:, 1], columns[:, 0])
    assert groups.tolist() == sorted({group for group, _ in columns.tolist()})
    assert [own.tolist() for own in members] == [
        [value for g, value in columns.tolist() if g == group] for group in groups.tolist()
    ]
