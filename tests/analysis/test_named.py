"""Rows by name, against a test of every row."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from made import annotation, op, trace_of

from attntui.analysis.named import (
    holding,
    is_named,
    names_of,
    names_passing,
    ops_named,
    rows_named,
)

TRACE = trace_of(
    [
        annotation("aten::mm", 0, 9_000),
        op("aten::mm", 1_000, 1_100),
        op("aten::add", 2_000, 2_100),
        op("Memcpy HtoD", 3_000, 3_100),
        op("aten::mm", 4_000, 4_100),
    ]
)
ROWS = st.lists(st.integers(0, len(TRACE) - 1))
WORDS = st.lists(st.sampled_from(["mm", "aten::", "HtoD", "none"]))


@given(ROWS, WORDS)
def test_rows_are_kept_by_their_names(rows: list[int], words: list[str]) -> None:
    found = [any(word in TRACE.name_of(row) for word in words) for row in rows]
    at, test = np.array(rows, np.int64), holding(*words)
    assert is_named(TRACE, at, test).tolist() == found
    kept = [row for row, passed in zip(rows, found, strict=True) if passed]
    assert rows_named(TRACE, at, test).tolist() == kept


def test_each_name_of_the_rows_is_tested_once() -> None:
    met: Counter[str] = Counter()

    def test(name: str) -> bool:
        met[name] += 1
        return name == "aten::mm"

    rows = np.array([0, 1, 2, 4])
    passed = names_passing(TRACE, test, names_of(TRACE, rows))
    assert met == {"aten::mm": 1, "aten::add": 1}
    assert [TRACE.names[i] for i in np.flatnonzero(passed)] == ["aten::mm"]


def test_ops_of_a_name_are_no_annotations_of_that_name() -> None:
    assert [int(TRACE.start[row]) for row in ops_named(TRACE, "aten::mm")] == [1_000, 4_000]
    assert not len(ops_named(TRACE, "aten::bmm"))
