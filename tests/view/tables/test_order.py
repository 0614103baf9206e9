"""Tables in an order, through a filter, and fitted to a width."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.safe import Safe, safe
from attntui.trace import Trace
from attntui.view.patterns import BadPattern
from attntui.view.tables.kernels import kernels_table
from attntui.view.tables.model import Place, Table, figures, names, ordered_rows, texts
from attntui.view.tables.order import TableView, fit, header, layout, line, share_bar

NAMES = tuple(map(Safe, ("softmax", "Memcpy", "gemm", "mul")))


def make(values: list[float | None], words: list[int]) -> Table:
    ids = np.array(words, np.int64)
    columns = (
        figures("value", "value", values, Place(8)),
        names("name", "name", NAMES, ids, Place(None)),
        texts("extra", "extra", [Safe("x")] * len(values), Place(6, priority=3)),
    )
    return Table(columns, NAMES, ids, sort="value")


def test_sorts_by_value_and_by_name() -> None:
    table = make([3, 1, 2], [0, 1, 2])
    view = TableView.of(table)
    assert view.order.tolist() == [0, 2, 1]
    assert view.inverted().order.tolist() == [1, 2, 0]
    assert view.sorted_by(1).order.tolist() == [1, 2, 0]


SOME = st.lists(st.one_of(st.none(), st.just(math.nan), st.floats(0, 10)), max_size=20)


@given(SOME, st.booleans())
def test_absent_figures_stand_last_either_way(values: list[float | None], descending: bool) -> None:
    view = TableView.of(make(values, [0] * len(values)))
    view = view if descending else view.inverted()
    shown = [view.table.column("value").value(row) for row in view.order.tolist()]
    told = [value for value in shown if value is not None]
    assert told == sorted(told, reverse=descending)
    assert shown[len(told) :] == [None] * (len(values) - len(told))


@given(st.lists(st.sampled_from([-1, 0, 1, 2, 3]), max_size=20))
def test_absent_words_stand_last_either_way(ids: list[int]) -> None:
    words = [None if i < 0 else NAMES[i] for i in ids]
    columns = (
        names("name", "name", NAMES, np.array(ids, np.int64), Place(None)),
        texts("text", "text", words, Place(8)),
    )
    table = Table(columns, NAMES, np.zeros(len(ids), np.int64), sort="name", descending=False)
    told = sorted(word for word in words if word is not None)
    for column in (0, 1):
        up = TableView.of(table).sorted_by(column)
        for view, expected in ((up, told), (up.inverted(), told[::-1])):
            shown = [columns[column].value(row) for row in view.order.tolist()]
            assert shown == [*expected, *[None] * (len(ids) - len(told))]


def test_absent_figures_are_last_in_reports() -> None:
    table = make([None, 2, 5, None, 0], [0] * 5)
    assert ordered_rows(table) == [2, 1, 4, 0, 3]
    assert ordered_rows(table, top=1) == [2]


def test_a_whole_figure_stays_whole_beside_absent_ones() -> None:
    column = make([None, 2**53 + 1, math.nan], [0, 0, 0]).column("value")
    assert [column.value(row) for row in range(3)] == [None, 2**53 + 1, None]
    assert isinstance(column.value(1), int)


def test_filter_ignores_case_unless_asked() -> None:
    table = make([1, 2, 3, 4], [0, 1, 2, 3])
    view = TableView.of(table).inverted()
    assert view.filtered("memcpy").order.tolist() == [1]
    assert view.filtered("Mem|mul").order.tolist() == [1, 3]
    assert len(view.filtered("M").order) == 1
    with pytest.raises(BadPattern, match="not a regular expression"):
        view.filtered("(")


def test_position_follows_a_row_through_a_sort() -> None:
    view = TableView.of(make([3, 1, 2], [0, 1, 2]))
    assert view.position_of(1) == 2
    assert view.filtered("gemm").position_of(1) is None


@given(st.integers(5, 60))
def test_lines_are_as_wide_as_asked(width: int) -> None:
    view = TableView.of(make([1.5], [0]))
    plan = layout(view.columns, width)
    assert sum(plan.widths) + len(plan.widths) - 1 <= max(width, 8)
    assert cell_len(line(view, 0, plan)) == cell_len(header(view, plan))


def test_lesser_columns_go_first() -> None:
    columns = TableView.of(make([1], [0])).columns
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


def test_the_header_marks_the_sorted_column_alone_with_its_direction(
    make_trace: Callable[..., Trace],
) -> None:
    view = TableView.of(kernels_table(AnalysedTrace(make_trace(two_steps())).whole))
    plan = layout(view.columns, 200)
    for shown, mark in ((view, "▼"), (view.inverted(), "▲")):
        text = header(shown, plan)
        assert text.count("▼") + text.count("▲") == 1
        assert f"{view.columns[view.sort].title}{mark}" in text


def test_sorting_goes_round_the_columns_both_ways(make_trace: Callable[..., Trace]) -> None:
    view = TableView.of(kernels_table(AnalysedTrace(make_trace(two_steps())).whole))
    for step in (1, -1):
        seen, at = [], view
        while at.sort not in seen:
            seen.append(at.sort)
            at = at.sorted_beside(step)
        assert at.sort == view.sort
        places = [column.place for column in view.columns]
        sortable = [i for i, place in enumerate(places) if place and place.sortable]
        start = sortable.index(view.sort)
        round_ = sortable[start:] + sortable[:start]
        assert seen == (round_ if step == 1 else round_[:1] + round_[:0:-1])


def test_text_is_cut_to_its_cells() -> None:
    assert [fit(safe("abcd"), width, False) for width in (5, 4, 3, 1, 0)] == [
        "abcd ",
        "abcd",
        "ab…",
        "…",
        "",
    ]
    assert fit(safe("abc"), 5, True) == "  abc"
