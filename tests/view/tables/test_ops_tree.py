"""What is inside an op stands below it, in any order of the rest."""

from __future__ import annotations

import made
from made import annotation, op

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.slice import Slice
from attntui.view.session.selection import EventAt
from attntui.view.tables.ops import ops_table, part_bar
from attntui.view.tables.order import TableView

NODE = "autograd::engine::evaluate_function: MmBackward0"


def part_of() -> Slice:
    events = [
        annotation("step", 0, 1000),
        op("linear", 100, 300),
        op("mm", 110, 250),
        op("view", 260, 270),
        op("linear", 400, 600),
        op("mm", 410, 500),
        op("mm", 700, 800),
    ]
    return AnalysedTrace(made.trace_of(events)).whole


def shown(view: TableView) -> list[str]:
    label = view.table.column("label")
    return [label.text(int(row)) for row in view.order]


def path(part: Slice, *names: str) -> tuple[int, ...]:
    return tuple(part.trace.names.index(name) for name in names)


def test_children_stand_below_their_op_however_it_is_sorted() -> None:
    part = part_of()
    closed = TableView.of(ops_table(part))
    assert shown(closed) == ["▸ step", "  mm", "▸ linear", "  view"]
    view = closed.over(ops_table(part, {path(part, "linear")}))
    assert shown(view) == ["▸ step", "  mm", "▾ linear", "    mm", "    view", "  view"]
    # By name from the end: children turn round among themselves.
    column = [c.key for c in view.columns].index("label")
    turned = view.sorted_by(column).inverted()
    assert shown(turned) == ["  view", "▸ step", "  mm", "▾ linear", "    view", "    mm"]


def test_a_child_counts_what_is_inside_its_parent_alone() -> None:
    part = part_of()
    table = ops_table(part, {path(part, "linear")})
    count, total = table.column("count").value, table.column("total_ns").value
    below = table.paths.index(path(part, "linear", "mm"))
    alone = table.paths.index(path(part, "mm"))
    assert (count(below), total(below)) == (2, 140 + 90)
    assert (count(alone), total(alone)) == (3, 140 + 90 + 100)
    assert table.target(below) == EventAt(made.row(part.trace, "mm"))


def test_a_filter_keeps_children_with_their_op() -> None:
    part = part_of()
    table = ops_table(part, {path(part, "linear")})
    assert shown(TableView.of(table).filtered("linear")) == ["▾ linear", "    mm", "    view"]


def test_an_op_that_awaits_autograd_says_so() -> None:
    events = [
        annotation("backward", 0, 1000),
        op(NODE, 100, 950, tid=2),
        op("mm", 100, 400, tid=2),
    ]
    table = ops_table(AnalysedTrace(made.trace_of(events)).whole)
    view = TableView.of(table)
    row = next(row for row in range(len(table)) if "backward" in table.column("label").text(row))
    assert table.column("fat_bar").text(row) == "awaits autograd"
    assert table.column("self_ns").value(row) == 150
    assert table.column("awaited_ns").value(row) == 850
    assert int(view.order[-1]) == row
    assert part_bar([0, 0, 0, 0, 0, 150], 850) == "d" * 2 + "A" * 8
