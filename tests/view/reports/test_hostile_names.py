"""Text of a trace that would act on a terminal is harmless wherever it is shown."""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import (
    Event,
    annotation,
    complete,
    cpu_op,
    kernel,
    launched,
    python_function,
    runtime,
    thread_name,
    write_trace,
)
from rich.console import Console

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import compare
from attntui.analysis.findings import Evidence, Finding, Severity
from attntui.analysis.scope import Range, Step
from attntui.trace import load
from attntui.trace.model import LaneKind, Notice
from attntui.view.detail import detail_of
from attntui.view.detail.items import heading, item
from attntui.view.detail.items import plain as plain_items
from attntui.view.reports import diff, summary
from attntui.view.reports.csv_text import csv_lines
from attntui.view.reports.json_text import dumps, json_lines
from attntui.view.reports.markdown import markdown
from attntui.view.reports.text import plain, rich_tables
from attntui.view.session.selection import CallAt, EventAt, FindingAt, Selection
from attntui.view.tables.changes import changes_table
from attntui.view.tables.findings import findings_table, notice_text, remarks
from attntui.view.tables.gaps import gaps_table
from attntui.view.tables.kernels import instances_table
from attntui.view.tables.model import Table
from attntui.view.tables.order import TableView, header, layout, line
from attntui.view.tables.scoreboard import scoreboard_table
from attntui.view.words.findings import advice_text, title_text

BAD = "\x1b]0;x\x07\n\r\x9b2J\u202e\u2066\u200b\x7f"
"""A title, a line end, a control of one character, bidi, no width, delete."""

ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def bad(word: str) -> str:
    return f"{word}{BAD}"


def harmless(text: str) -> bool:
    """Whether no character of a line acts."""
    return not any(unicodedata.category(character) in ACTING for character in text)


def events() -> list[Event]:
    """Hostile names of everything that a trace names, with gaps, steps and attention."""
    inputs = {
        "Input Dims": [[2, 4, 64, 64]] * 3,
        "Input type": [bad("c10::Half")] * 3,
        "Concrete Inputs": [bad("value")] * 3,
        bad("key"): bad("arg"),
    }
    found: list[Event] = [
        thread_name(bad("thread 100 (main")),
        {**thread_name(bad("process")), "name": "process_name"},
        python_function(bad("frame"), 0, 900),
        complete(bad("category"), bad("odd"), 20, 2, tid=bad("tid")),
        complete("cpu_op", bad("lost"), "never", 1),  # type: ignore[arg-type]
        {"ph": "Q", "name": bad("phase"), "pid": 1, "tid": 1, "ts": 3},
        kernel(bad("leaked"), 3, 4, 99),
    ]
    for step in range(3):
        at = 100 + 200 * step
        found += [
            annotation(f"ProfilerStep#{step}", at, 190),
            annotation(bad("range"), at + 1, 90),
            cpu_op(bad("aten::op"), at + 2, 60, args=inputs),
            cpu_op("aten::scaled_dot_product_attention", at + 70, 20, args=inputs),
            cpu_op(bad("Torch-Compiled Region: "), at + 100, 30, args=inputs),
            *launched(3 * step + 1, at + 5, at + 20, 10, bad("gemm")),
            runtime(bad("cudaDeviceSynchronize"), at + 35, 20),
            *launched(3 * step + 2, at + 72, at + 100, 10, bad("flash_fwd_kernel")),
            *launched(3 * step + 3, at + 105, at + 150, 5, bad("triton_poi_fused_add_0")),
        ]
    return found


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> AnalysedTrace:
    folder = tmp_path_factory.mktemp("hostile")
    top: dict[str, Any] = {
        "deviceProperties": [{"id": 0, "name": bad("NVIDIA")}],
        "torch_version": bad("2.0"),
    }
    return AnalysedTrace(load(write_trace(folder, events(), f"a{chr(0x202E)}b.json", **top)))


def tables(analysed: AnalysedTrace) -> dict[str, Table]:
    part, pair = analysed.whole, compare(analysed, analysed)
    return {
        **{name: make() for name, make in summary.tables(part).items()},
        "instances": instances_table(part),
        "stream gaps": gaps_table(part, part.stream_gaps),
        "changes": changes_table(pair).table,
        "scoreboard": scoreboard_table(pair),
    }


def test_the_trace_is_as_hostile_as_it_looks(hostile: AnalysedTrace) -> None:
    trace = hostile.trace
    assert not harmless("".join(trace.names))
    assert not harmless("".join(trace.raw_categories))
    assert not harmless("".join(lane.label for lane in trace.lanes))
    assert not harmless(hostile.labels.device_name or "")
    assert not harmless("".join(notice.example for notice in trace.notices))
    assert not harmless(trace.path)
    found = tables(hostile)
    for name in ("kernels", "gaps", "ops", "steps", "annotations", "findings", "devices"):
        assert len(found[name]), name


def test_no_cell_and_no_title_acts(hostile: AnalysedTrace) -> None:
    for name, table in tables(hostile).items():
        for column in table.columns:
            assert harmless(column.title)
            for row in range(len(table)):
                assert harmless(column.text(row)), (name, column.key)
                if column.key.endswith("label"):
                    assert harmless(column.value(row)), (name, column.key)
        assert harmless(table.empty)
        columns = [column for column in table.columns if column.place is not None]
        if columns:
            view = TableView.of(table)
            plan = layout(view.columns, 150)
            assert harmless(header(view, plan))
            assert all(harmless(line(view, place, plan)) for place in range(len(view)))


def test_no_label_acts(hostile: AnalysedTrace) -> None:
    labels, trace = hostile.labels, hostile.trace
    assert all(map(harmless, labels.names))
    assert harmless(labels.devices)
    for lane in trace.lanes:
        assert harmless(labels.lane(lane))
        assert harmless(labels.thread(lane, bad("thread")))
        assert harmless(labels.heading(lane, bad("other") if lane.kind is LaneKind.CPU else ""))


def selections(analysed: AnalysedTrace) -> Iterator[Selection]:
    part = analysed.whole
    yield from map(EventAt, range(len(analysed.trace)))
    for gaps in (part.gaps, part.stream_gaps):
        table = gaps_table(part, gaps)
        yield from map(table.target, range(len(table)))
    yield from (FindingAt(remark.key) for remark in remarks(part))
    yield from map(CallAt, range(len(analysed.attention)))
    yield from map(Step, range(len(analysed.steps)))
    yield Range(0, 1000)


def test_no_line_of_any_detail_acts(hostile: AnalysedTrace) -> None:
    seen = set()
    for selected in selections(hostile):
        items = detail_of(hostile.whole, selected)
        assert items
        seen.add(type(selected))
        for shown in items:
            assert harmless(shown.label), selected
            assert harmless(shown.text), (selected, shown.label)
        assert all(map(harmless, plain_items(items).split("\n")))
    assert len(seen) >= 5


def test_the_hostile_parts_are_told_escaped(hostile: AnalysedTrace) -> None:
    """What is dropped cannot act either: each is shown, in the form that is harmless."""
    rows = range(len(hostile.trace))
    told = "\n".join(plain_items(detail_of(hostile.whole, EventAt(row))) for row in rows)
    for word in ("category", "odd", "aten::op", "gemm", "key", "arg", "frame", "value", "range"):
        assert f"{word}\\x1b]0;x\\x07\\n\\r\\x9b2J\\u202e" in told, word
    text = "\n".join(plain(summary.sections(hostile, top=100)))
    for word in ("NVIDIA", "gemm", "aten::op", "range"):
        assert f"{word}\\x1b]0;x" in text, word


def test_no_line_of_any_report_acts(hostile: AnalysedTrace) -> None:
    pair = compare(hostile, hostile)
    parts = [*summary.sections(hostile, top=100), *diff.sections(pair, 100)]
    parts += diff.overview([pair, pair])
    lines = [*plain(parts), *markdown(parts)]
    for document in (
        summary.document(hostile),
        diff.document(pair),
        diff.overview_document([pair, pair]),
    ):
        written = list(json_lines(document))
        assert all(text.isascii() and text.isprintable() for text in written)
        assert json.loads("\n".join(written)) == json.loads(dumps(document))
        lines += written
    for name, table in tables(hostile).items():
        rows = summary.table_rows(hostile, name)[1] if name == "findings" else None
        written = list(csv_lines(table, rows))
        assert len(list(csv.reader(written))) == 1 + len(table if rows is None else rows)
        lines += written
    assert all(map(harmless, lines))
    console = Console(width=200, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(rich_tables(parts))
    assert all(map(harmless, capture.get().split("\n")))


def test_a_line_of_the_detail_is_cleaned_whoever_makes_it() -> None:
    for made in (heading(bad("x")), item(bad("label"), bad("text"))):
        assert harmless(made.label)
        assert harmless(made.text)


def test_names_in_a_finding_and_a_notice_are_cleaned() -> None:
    found = Finding("i", Severity.LOW, 1, "in {op}", {}, (), "see {op}", names={"op": bad("mm")})
    for text in (title_text(found), advice_text(found)):
        assert harmless(text)
        assert "mm\\x1b]0;x" in text
    notice = notice_text(Notice(bad("odd_kind"), 2, bad("example")))
    assert harmless(notice)
    assert "odd kind\\x1b]0;x" in notice
    assert "example\\x1b]0;x" in notice


def test_a_finding_that_names_the_trace_is_harmless_in_its_table(
    hostile: AnalysedTrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Finding("i", Severity.LOW, 1, "in {op}", {bad("key_ns"): 1}, (Evidence(0),), "see {op}",
                    names={"op": bad("mm")})  # fmt: skip
    analysed = AnalysedTrace(hostile.trace)
    monkeypatch.setitem(vars(analysed.whole), "findings", (found,))
    table = findings_table(analysed.whole)
    assert all(harmless(table.column("title").text(row)) for row in range(len(table)))
    items = detail_of(analysed.whole, FindingAt("i"))
    assert len(items) > 5
    for shown in items:
        assert harmless(shown.label)
        assert harmless(shown.text)


def test_a_path_that_acts_is_shown_by_its_escapes(hostile: AnalysedTrace, tmp_path: Path) -> None:
    (first, *_) = summary.sections(hostile)
    assert "\\u202e" in "\n".join(plain([first]))
