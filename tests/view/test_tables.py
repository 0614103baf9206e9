from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from attntui.view.tables.order import (
    BadPattern,
    Column,
    Table,
    TableView,
    fit,
    header,
    layout,
    line,
    name_keys,
    share_bar,
)

NAMES = ("softmax", "Memcpy", "gemm", "mul")


def make(values: list[float], words: list[int]) -> Table:
    ids = np.array(words, np.int64)
    columns = (
        Column("value", lambda r: f"{values[r]:g}", np.array(values, np.float64), 8),
        Column("name", lambda r: NAMES[words[r]], name_keys(NAMES, ids), None, right=False),
        Column("extra", lambda r: "x", np.zeros(len(values)), 6, priority=3),
    )
    return Table(columns, NAMES, ids, lambda _: None)


def test_sorts_by_value_and_by_name() -> None:
    table = make([3, 1, 2], [0, 1, 2])
    view = TableView.of(table, 0, True)
    assert view.order.tolist() == [0, 2, 1]
    assert view.inverted().order.tolist() == [1, 2, 0]
    assert view.sorted_by(1).order.tolist() == [1, 2, 0]


@given(st.lists(st.one_of(st.just(float("nan")), st.floats(0, 10)), max_size=20), st.booleans())
def test_absent_figures_stand_last_either_way(values: list[float], descending: bool) -> None:
    view = TableView.of(make(values, [0] * len(values)), 0, descending)
    shown = [values[i] for i in view.order.tolist()]
    told = [v for v in shown if not math.isnan(v)]
    assert told == sorted(told, reverse=descending)
    assert all(math.isnan(v) for v in shown[len(told) :])


def test_filter_ignores_case_unless_asked() -> None:
    table = make([1, 2, 3, 4], [0, 1, 2, 3])
    view = TableView.of(table, 0, False)
    assert view.filtered("memcpy").order.tolist() == [1]
    assert view.filtered("Mem|mul").order.tolist() == [1, 3]
    assert len(view.filtered("M").order) == 1
    with pytest.raises(BadPattern, match="not a regular expression"):
        view.filtered("(")


def test_position_follows_a_row_through_a_sort() -> None:
    view = TableView.of(make([3, 1, 2], [0, 1, 2]), 0, True)
    assert view.position_of(1) == 2
    assert view.filtered("gemm").position_of(1) is None


@given(st.integers(5, 60))
def test_lines_are_as_wide_as_asked(width: int) -> None:
    view = TableView.of(make([1.5], [0]), 0, True)
    plan = layout(view.table.columns, width)
    assert sum(plan.widths) + len(plan.widths) - 1 <= max(width, 8)
    assert cell_len(line(view, 0, plan)) == cell_len(header(view, plan))


def test_lesser_columns_go_first() -> None:
    columns = make([1], [0]).columns
    assert layout(columns, 42).columns == (0, 1, 2)
    assert layout(columns, 41).columns == (0, 1)


def test_fit_cuts_and_pads() -> None:
    assert fit("abc", 5, right=True) == "  abc"
    assert fit("abcdef", 4, right=False) == "abc…"
    assert fit("日本語", 4, right=False) == "日 …"


def test_any_share_shows() -> None:
    assert share_bar(0, 4) == "    "
    assert share_bar(0.0001, 4) == "▏   "
    assert share_bar(1, 4) == "████"
