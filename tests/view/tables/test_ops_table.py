"""CPU ops of a made-up trace: self and total time, its parts, GPU time, fat bars."""

from __future__ import annotations

import made
from builders import Event, annotation, cpu_op, launched, runtime

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.self_time import SelfPart
from attntui.view.tables.model import records
from attntui.view.tables.ops import REPORTED, ops_table


def events() -> list[Event]:
    """An op of 1 ms that waits for half of it, around two calls of another op."""
    return [
        cpu_op("aten::item", 0, 1_000),
        cpu_op("aten::mul", 100, 200),
        *launched(1, 150, 170, 20),
        cpu_op("aten::mul", 310, 30),
        runtime("cudaDeviceSynchronize", 400, 500),
        annotation("note", 1_000, 40),
    ]


def split(**parts: int) -> dict[str, int]:
    return {**dict.fromkeys((part.name.lower() for part in SelfPart), 0), **parts}


def test_an_op_tells_its_own_time_and_what_it_went_into() -> None:
    table = ops_table(AnalysedTrace(made.trace_of(events())).whole)
    item, mul, note = records(table)
    assert item == {
        "self_ns": 770_000,
        "awaited_ns": 0,
        "fat_bar": "waiting",
        "total_ns": 1_000_000,
        "count": 1,
        "gpu_ns": 20_000,
        "gpu_ops": 1,
        "label": "aten::item",
        "name": "aten::item",
        "split_ns": split(sync=500_000, dispatch=270_000),
    }
    assert mul == {
        "self_ns": 230_000,
        "awaited_ns": 0,
        "fat_bar": "opaque",
        "total_ns": 230_000,
        "count": 2,
        "gpu_ns": 20_000,
        "gpu_ops": 1,
        "label": "aten::mul",
        "name": "aten::mul",
        "split_ns": split(launch=5_000, dispatch=225_000),
    }
    assert (note["self_ns"], note["fat_bar"], note["gpu_ops"]) == (40_000, None, 0)


def test_an_op_as_people_read_it() -> None:
    table = ops_table(AnalysedTrace(made.trace_of(events())).whole)
    keys = tuple(key for key in REPORTED if key != "label")
    assert [[str(table.column(key).text(row)) for key in keys] for row in range(3)] == [
        ["770.0 us", "waiting", "1.000 ms", "1", "20.00 us", "1"],
        ["230.0 us", "opaque", "230.0 us", "2", "20.00 us", "1"],
        ["40.00 us", "", "40.00 us", "1", "0 ns", "0"],
    ]
    bar = next(column for column in table.columns if column.title == "spent on")
    # 500 of 770 us of waiting is 6.49 cells, 270 us of dispatch 3.51: the latter gets the rest.
    assert [str(bar.text(row)) for row in (0, 2)] == ["SSSSSSdddd", "dddddddddd"]
    assert bar.order.tolist() == [0, 5 / 230, 0]


def test_a_fat_bars_words_stand_apart() -> None:
    op = [cpu_op("aten::empty", 0, 150), runtime("cudaLaunchKernel", 10, 130)]
    table = ops_table(AnalysedTrace(made.trace_of(op)).whole)
    assert table.column("fat_bar").value(0) == "launch_overhead"
    assert table.column("fat_bar").text(0) == "launch overhead"


def test_the_bar_sorts_by_the_share_of_launches_in_the_self_time() -> None:
    inner = cpu_op("aten::view", 50, 40)
    op = [cpu_op("aten::add", 0, 100), runtime("cudaLaunchKernel", 10, 15), inner]
    table = ops_table(AnalysedTrace(made.trace_of(op)).whole)
    bar = next(column for column in table.columns if column.title == "spent on")
    assert [(row["label"], row["self_ns"]) for row in records(table)] == [
        ("aten::add", 60_000),
        ("aten::view", 40_000),
    ]
    assert bar.order.tolist() == [0.25, 0]
