"""Comparisons in words, text, Markdown and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders import Event, annotation, cpu_op, kernel, launched, write_trace
from rich.console import Console

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import Comparison, Metric, Row, compare, mirrored
from attntui.analysis.quantity import Quantity
from attntui.trace import load
from attntui.view.reports.diff import document, overview, overview_document, sections
from attntui.view.reports.json_text import dumps
from attntui.view.reports.markdown import markdown
from attntui.view.reports.text import plain, rich_tables
from attntui.view.tables.changes import SORTS, changes_table
from attntui.view.tables.traces import SORTS as TRACE_SORTS
from attntui.view.tables.traces import in_order
from attntui.view.words.comparison import (
    METRIC_WORDS,
    difference,
    row_title,
    standing,
    verdict,
)

HOSTILE = "x\x1b]0;gone\x07[bold]|<b>*`"


def ops(*figures: tuple[str, float], repeat: int = 1) -> list[Event]:
    """Steps of one op a figure (name, us of its kernel), one after another."""
    events: list[Event] = [kernel("leaked", 0, 5, 10**6)]
    now = 10.0
    correlation = 0
    for step in range(repeat):
        begun = now
        for name, dur in figures:
            correlation += 1
            events += [
                cpu_op(name, now, 8, args={"Input Dims": [[4, 4]], "Input type": ["float"]}),
                *launched(correlation, now + 1, now + 2 + 1000, dur, f"k_{name}"),
            ]
            now += 100
        events.append(annotation(f"ProfilerStep#{step}", begun, now - begun - 1))
    return events


@pytest.fixture
def comparison(tmp_path: Path) -> Comparison:
    a = write_trace(tmp_path, ops(("aten::mm", 40), ("aten::add", 10), repeat=3), "a.json")
    b = write_trace(tmp_path, ops(("aten::mm", 10), ("aten::mul", 30), repeat=2), "b.json")
    return compare(AnalysedTrace(load(a)), AnalysedTrace(load(b)))


@pytest.fixture
def hostile(tmp_path: Path) -> Comparison:
    top = {"deviceProperties": [{"id": 0, "name": HOSTILE}], "torch_version": HOSTILE}
    a = write_trace(tmp_path, ops((f"aten::{HOSTILE}", 4), (HOSTILE, 2)), "a.json", **top)
    b = write_trace(tmp_path, ops((HOSTILE, 4)), "b.json", torch_version="2")
    return compare(AnalysedTrace(load(a)), AnalysedTrace(load(b)))


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (100, 370, "3.7x slower"),
        (1_063_163, 95_135, "11.2x faster"),
        (100, 120, "1.20x slower"),
        (1000, 1001, "about the same"),
        (100, 100, "same"),
        (0, 0, "same"),
        (0, 5, "none in A"),
        (5, 0, "none in B"),
        (None, 5, "-"),
        (5, None, "-"),
        (1, 1234, "1,234x slower"),
    ],
)
def test_how_b_stands_to_a(a: int | None, b: int | None, words: str) -> None:
    assert standing(a, b) == words


def test_each_kind_of_figure_has_its_words() -> None:
    def words(name: str, unit: Quantity) -> str:
        return verdict(Metric(name, unit, 10, 20))

    assert words("gpu_ns", Quantity.TIME) == "2.0x slower"
    assert words("idle_ns", Quantity.TIME) == "2.0x longer"
    assert words("gpu_ops", Quantity.COUNT) == "2.0x more"
    assert words("flops_per_s", Quantity.FLOP_RATE) == "2.0x higher"
    assert verdict(Metric("gpu_ops", Quantity.COUNT, 7, 1)) == "7.0x fewer"


def test_a_difference_tells_its_sign() -> None:
    assert difference(4500, Quantity.TIME) == "+4.500 us"
    assert difference(-4500, Quantity.TIME) == "-4.500 us"
    assert difference(0, Quantity.TIME) == "0 ns"
    assert difference(None, Quantity.BYTES) == "-"
    assert difference(-61.54, Quantity.PERCENT) == "-61.5 points"


def test_every_metric_has_a_name_on_screen(comparison: Comparison) -> None:
    assert {metric.name for metric in comparison.metrics} <= set(METRIC_WORDS)


def test_the_text_says_what_was_compared_and_adds_up(comparison: Comparison) -> None:
    text = "\n".join(plain(sections(comparison, top=10)))
    assert "Compared by step ProfilerStep#*" in text
    assert "2 of 3, GPU time 50.00 us to 50.00 us" in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "GPU time 50.00 us 40.00 us -10.00 us 1.25x faster" in lines
    assert "attention - -" in lines
    assert "-30.00 us 1 40.00 us 1 10.00 us both aten::mm [4, 4]" in lines
    assert "+30.00 us 1 30.00 us only B aten::mul [4, 4]" in lines
    assert row_title(comparison, comparison.rows[0]) == "aten::mm [4, 4]"
    assert lines[-1] == "-10.00 us 2 50.00 us 2 40.00 us total"


def test_what_is_not_shown_is_summed(comparison: Comparison) -> None:
    rows = list(sections(comparison, top=1)[-1].lines())
    assert [row[-1] for row in rows] == ["aten::mm [4, 4]", "2 more", "total"]
    assert rows[1][:5] == ("+20.00 us", "1", "10.00 us", "1", "30.00 us")


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("delta", ["aten::mm", "aten::mul", "aten::add"]),
        ("a", ["aten::mm", "aten::add", "aten::mul"]),
        ("b", ["aten::mul", "aten::mm", "aten::add"]),
        ("name", ["aten::add", "aten::mm", "aten::mul"]),
    ],
)
def test_rows_in_every_order(comparison: Comparison, sort: str, names: list[str]) -> None:
    assert sort in SORTS
    assert [group.name for group in changes_table(comparison, sort=sort).groups] == names


def test_rows_in_the_order_of_time(comparison: Comparison) -> None:
    names = [group.name for group in changes_table(comparison, sort="order").groups]
    assert names == list(dict.fromkeys(row.name for row in comparison.rows))


def test_json_holds_every_row_and_its_keys(comparison: Comparison) -> None:
    data = json.loads(dumps(document(comparison)))
    assert data["unit"] == {
        "kind": "step",
        "label": "ProfilerStep#*",
        "a_count": 3,
        "b_count": 2,
    }
    metrics = {metric["name"]: metric for metric in data["metrics"]}
    names = {"gpu_ns", "cpu_ns", "gpu_ops", "idle_ns", "hbm_bytes", "flops"}
    assert names <= set(metrics)
    assert metrics["gpu_ns"] == {
        "name": "gpu_ns",
        "label": "GPU time",
        "a": 50_000,
        "b": 40_000,
        "delta": -10_000,
        "ratio": 0.8,
        "verdict": "1.25x faster",
        "covers": None,
        "a_gpu_time_covered": None,
        "b_gpu_time_covered": None,
    }
    assert sum(row["a_gpu_ns"] for row in data["rows"]) == 50_000
    assert sum(row["b_ops"] for row in data["rows"]) == metrics["gpu_ops"]["b"]
    row = next(row for row in data["rows"] if row["name"] == "aten::mul")
    assert row == {
        "key": "aten::mul #1",
        "name": "aten::mul",
        "label": "aten::mul [4, 4]",
        "role": None,
        "a_ops": 0,
        "b_ops": 1,
        "a_gpu_ns": 0,
        "b_gpu_ns": 30_000,
        "delta_gpu_ns": 30_000,
        "match": "only_b",
        "a_parts": None,
        "b_parts": None,
    }
    assert data["cautions"] == []
    absent = [metric for metric in data["metrics"] if metric["delta"] is None]
    assert absent
    assert all(metric["verdict"] is None for metric in absent)


def test_more_than_two_against_the_first(comparison: Comparison) -> None:
    base = comparison.a.analysed
    found = [compare(base, base), comparison]
    (section,) = overview(found)
    rows = list(section.lines())
    # By the wall time on the device, which is the same: less work, with pauses.
    assert [row[4] for row in rows] == ["same", "same"]
    assert [row[0] for row in rows] == ["a", "b"]
    # A product of which one factor is recorded has no bytes; the other op has.
    assert [row[7] for row in rows] == ["128 B of 20.0 %", "128 B of 75.0 %"]
    data = overview_document(found)
    assert [trace["path"][-6:] for trace in data["traces"]] == ["a.json", "b.json"]
    deltas = {metric["name"]: metric["delta"] for metric in data["traces"][1]["metrics"]}
    assert (deltas["span_ns"], deltas["gpu_ns"]) == (0, -10_000)
    assert [trace["label"] for trace in data["traces"]] == ["a", "b"]
    assert [trace["verdict"] for trace in data["traces"]] == ["same", "same"]
    sorted_by_time = overview_document(found, "gpu")
    assert [trace["label"] for trace in sorted_by_time["traces"]] == ["b", "a"]
    assert [trace["metrics"][1]["delta"] for trace in sorted_by_time["traces"]] == [-10_000, 0]


@pytest.mark.parametrize("sort", TRACE_SORTS)
def test_every_order_has_every_trace(comparison: Comparison, sort: str) -> None:
    found = [comparison, mirrored(comparison)]
    ordered = in_order(found, sort)
    assert sorted(map(id, ordered)) == sorted(map(id, found))


def test_absent_figures_stand_last(comparison: Comparison) -> None:
    def against(percent: float | None) -> Comparison:
        figures = replace(comparison.b.figures, occupancy_pct=percent)
        return replace(comparison, b=replace(comparison.b, figures=figures))

    ordered = in_order([against(None), against(50), against(0.0), against(None)], "occupancy")
    assert [one.b.figures.occupancy_pct for one in ordered] == [0.0, 50, None, None]


def test_a_title_names_the_role_then_the_thing_then_how_often(comparison: Comparison) -> None:
    row = comparison.rows[0]
    memset = Row("k", row.name, "memset", row.a, None)

    def label(*rows: Row) -> str:
        table = changes_table(replace(comparison, rows=rows)).table
        return str(table.column("label").value(0))

    assert row_title(comparison, row) == "aten::mm [4, 4]"
    assert row_title(comparison, memset) == "memset: aten::mm [4, 4]"
    assert label(row) == "aten::mm [4, 4]"
    assert label(*[row] * 12) == "aten::mm [4, 4], 12 times"
    assert label(*[memset] * 1_200) == "memset: aten::mm [4, 4], 1,200 times"


def test_a_match_is_told_in_words_and_as_a_word_for_programs(comparison: Comparison) -> None:
    table = changes_table(comparison, sort="delta").table
    match = table.column("match")
    told = [(match.value(row), match.text(row)) for row in range(len(table))]
    assert told == [("both", "both"), ("only_b", "only B"), ("only_a", "only A")]
    time = [(table.column(f"{side}_gpu_ns").text(2)) for side in ("a", "b")]
    assert time == ["10.00 us", ""]


def test_roles_of_attention_read_alike_in_text_markdown_and_on_the_screen(corpus: Path) -> None:
    files = ("gpt_prefill_stack_naive.json.gz", "gpt_prefill_stack_sdpa.json.gz")
    a, b = (AnalysedTrace(load(corpus / "h200" / name)) for name in files)
    found = compare(a, b)
    parts = sections(found, 10)
    name = "fused: attention forward 4x12x1024x64"
    table = changes_table(found).table
    labels = [table.column("label").text(row) for row in range(len(table))]
    assert f"{name}, 12 times" in labels
    for text in (plain(parts), markdown(parts)):
        assert any(name in line and "12" in line for line in text)


def test_hostile_text_reaches_no_terminal(hostile: Comparison) -> None:
    parts = [*sections(hostile, 10), *overview([hostile, hostile])]
    text = "\n".join(
        [*plain(parts), *markdown(parts), *(row_title(hostile, row) for row in hostile.rows)]
    )
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(rich_tables(parts))
    for shown in (text, console.export_text(styles=False), dumps(document(hostile))):
        assert "\x1b" not in shown
        assert "\x07" not in shown
    assert "\\x1b]0;gone" in text
    assert hostile.cautions
