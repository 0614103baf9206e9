"""What things are called is alike on the screen, in text and in JSON, and JSON holds it all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from builders import kernel, launched, write_trace
from msgspec.structs import fields

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import compare
from attntui.trace import load
from attntui.trace.model import ABSENT
from attntui.view.detail import detail_of
from attntui.view.reports import diff, schema, summary
from attntui.view.reports.sections import Section
from attntui.view.reports.text import plain
from attntui.view.session.selection import EventAt, GapAt
from attntui.view.tables.changes import changes_table
from attntui.view.tables.gaps import gaps_table
from attntui.view.tables.kernels import instances_table, kernels_table
from attntui.view.tables.model import Table
from attntui.view.tables.order import TableView, drawn_columns, layout, line
from attntui.view.tables.scoreboard import scoreboard_table
from attntui.view.words.comparison import verdict_text

ALL = 10**9


def cells(table: Table, key: str) -> list[str]:
    return [str(table.column(key).text(row)) for row in range(len(table))]


def values(entries: Iterable[dict[str, object]], key: str) -> list[object]:
    return [entry[key] for entry in entries]


def told(parts: Sequence[Section], title: str) -> Section:
    return next(part for part in parts if part.title.startswith(title))


def shown(section: Section, key: str) -> list[str]:
    """A column's cells, of the table's rows alone."""
    return [str(section.table.column(key).text(row)) for row in section.rows]


def test_names_are_alike_everywhere(real: AnalysedTrace) -> None:
    part = real.whole
    data, parts = summary.document(real), summary.sections(real, top=ALL)
    text = list(plain(parts))
    if not part.devices:
        assert data["devices"] == data["kernels"] == data["gaps"] == []
        return

    labels = values(data["devices"], "label")
    assert len(set(labels)) == len(labels)
    assert shown(told(parts, "Devices"), "label") == labels
    assert [s.title.removeprefix("Idle time of ") for s in parts if s.title.startswith("Idle")] == [
        device["label"] for device in data["devices"] if device["idle_ns"]
    ]

    kernels = values(data["kernels"], "label")
    assert len(set(kernels)) == len(kernels)
    assert cells(kernels_table(part), "label") == kernels
    names = dict(zip(values(data["kernels"], "name"), kernels, strict=True))
    for title in ("GPU operations by name", "What bounds", "How they fill"):
        section = told(parts, title)
        assert sorted(shown(section, "label")) == sorted(map(str, kernels))
    for label in kernels:
        assert any(line.endswith(f" {label}") for line in text)
    single = instances_table(part)
    full = [real.trace.name_of(row) for row in part.gpu_ops.tolist()]
    assert cells(single, "label") == [names[name] for name in full]

    gaps = gaps_table(part, part.gaps)
    for key in ("device_label", "cause_label", "before", "after"):
        assert cells(gaps, key) == values(data["gaps"], key)
    assert set(values(data["gaps"], "device_label")) <= set(labels)
    assert {*values(data["gaps"], "before"), *values(data["gaps"], "after")} <= set(kernels)
    listed = [s for s in parts if s.title.startswith("Longest gaps of ")]
    of = {re.sub(r": [\d,]+$", "", s.title.removeprefix("Longest gaps of ")): s for s in listed}
    assert set(of) == set(values(data["gaps"], "device_label"))
    for label, section in of.items():
        own = [gap for gap in data["gaps"] if gap["device_label"] == label]
        assert sorted(shown(section, "cause_label")) == sorted(map(str, values(own, "cause_label")))
    assert not any(f"{word} after {word}" in str(c) for word in ("sync", "copy", "wait event")
                   for c in values(data["gaps"], "cause_label"))  # fmt: skip


def test_the_detail_and_the_screen_say_the_same_names(real: AnalysedTrace) -> None:
    part = real.whole
    for gaps in (part.gaps, part.stream_gaps):
        table = gaps_table(part, gaps)
        view = TableView.of(table)
        for place, row in enumerate(view.order[:5].tolist()):
            target = table.target(row)
            assert isinstance(target, GapAt)
            label = table.column("device_label").text(row)
            assert label == part.analysed.labels.device(target.device) + (
                "" if target.stream == ABSENT else f" s{target.stream}"
            )
            items = detail_of(part, target)
            assert items[0].text.endswith(f" on {label}")
            said = {item.label: item.text for item in items}
            assert said["cause"] == table.column("cause_label").text(row)
            for key in ("before", "after"):
                assert said[key] == table.column(key).text(row)
            screen = line(view, place, layout(view.columns, 1000))
            assert f" {label} " in screen
            # A narrow column cuts the longest causes.
            assert f" {said['cause'][:20]}" in screen
    kernels = kernels_table(part)
    for row in range(min(len(kernels), 5)):
        assert detail_of(part, kernels.target(row))[0].text == kernels.column("label").text(row)


def test_merged_ranks_are_told_apart_everywhere(tmp_path: Path) -> None:
    """Two ranks whose files were put into one, each with a device 0 of its own."""
    events = []
    for rank in ("rank0", "rank1"):
        events += [
            {**event, "pid": rank if event["cat"] == "kernel" else f"{rank} host"}
            for n in (1, 2)
            for event in launched(n + 10 * (rank == "rank1"), 5 * n, 40 * n, 10, stream=7)
        ]
    analysed = AnalysedTrace(load(write_trace(tmp_path, events)))
    data = summary.document(analysed)
    labels = values(data["devices"], "label")
    assert labels == ["GPU 0 rank0", "GPU 0 rank1"]
    assert values(data["devices"], "device") == values(data["gaps"], "device") == [0, 0]
    assert values(data["gaps"], "device_label") == labels
    text = "\n".join(plain(summary.sections(analysed)))
    for label in labels:
        assert f"Longest gaps of {label}: 1" in text
    streams = gaps_table(analysed.whole, analysed.whole.stream_gaps)
    assert cells(streams, "device_label") == [f"{label} s7" for label in labels]
    assert streams.column("device_label").place is not None


def test_kernels_with_one_short_name_are_numbered_everywhere(tmp_path: Path) -> None:
    events = [
        kernel(f"void at::native::vectorized_elementwise_kernel<4, at::native::{name}>(int)", at, 5)
        for at, name in ((0, "FillFunctor<int>"), (10, "FillFunctor<float>"))
    ]
    analysed = AnalysedTrace(load(write_trace(tmp_path, events)))
    labels = cells(kernels_table(analysed.whole), "label")
    if len({label.rpartition(" #")[0] or label for label in labels}) == 1:
        assert sorted(label.rpartition(" ")[2] for label in labels) == ["#1", "#2"]
    assert values(summary.document(analysed)["kernels"], "label") == labels
    assert sorted(cells(instances_table(analysed.whole), "label")) == sorted(labels)
    for row in (0, 1):
        assert detail_of(analysed.whole, EventAt(row))[0].text in labels


# JSON holds what people see

DRAWN_ALONE = {
    "share": "a bar of `share`",
    "spent on": "a bar of `split_ns`",
}
"""Columns that are only drawn, and the data that they draw."""

SHAPES: dict[str, type[schema.Part]] = {
    "devices": schema.summary.Device,
    "findings": schema.summary.Finding,
    "time": schema.summary.TimeLeaf,
    "kernels": schema.summary.Kernel,
    "gaps": schema.summary.Gap,
    "attention": schema.summary.AttentionCall,
    "ops": schema.summary.Op,
    "steps": schema.summary.StepRow,
    "annotations": schema.summary.AnnotationLabel,
    "regions": schema.summary.RegionLine,
}
"""Of each table of the summary what its rows are in JSON."""

SECTIONS: dict[str, type[schema.Part]] = {
    "Findings": schema.summary.Finding,
    "Devices": schema.summary.Device,
    "Where the time": schema.summary.TimeLeaf,
    "GPU operations by name": schema.summary.Kernel,
    "What bounds the GPU": schema.summary.Kernel,
    "How they fill": schema.summary.Kernel,
    "Longest gaps": schema.summary.Gap,
    "Attention calls by kind": schema.summary.AttentionKind,
    "Roles of attention": schema.summary.AttentionRole,
    "Compiled regions": schema.summary.RegionLine,
    "CPU ops and annotations": schema.summary.Op,
    "Steps": schema.summary.StepRow,
    "Annotations by CPU": schema.summary.AnnotationLabel,
    "Scoreboard": schema.comparison.Metric,
    "What changed": schema.comparison.DiffRow,
}
"""Of each section what its rows are in JSON."""

IN_ANOTHER_SHAPE = {
    "Trace": "`trace`, a key for each line",
    "Idle time": "`idle_by_cause_ns` and `idle_by_trigger_ns` of the device; shares follow",
    "Caution": "`cautions`, each as one text",
    "Compared by": "`a` and `b`, or `traces`, with their units as numbers",
}
"""Sections whose lines are no rows of a table in JSON, and where they are."""


def keys_of(shape: type[schema.Part]) -> set[str]:
    return {field.name for field in fields(shape)}


def test_every_column_on_the_screen_is_in_json(samples: Path) -> None:
    analysed = AnalysedTrace(load(samples / "compile_b8_h16_s1024_d64_bf16_h200.json.gz"))
    tables = summary.tables(analysed.whole)
    # A row an operation: these two are for CSV alone, or the JSON would be the trace again.
    alone = {"operations", "stream_gaps"}
    assert set(tables) - alone == set(SHAPES)
    for name, make in tables.items():
        if name in alone:
            continue
        table = make()
        for column in drawn_columns(table):
            assert column.key in keys_of(SHAPES[name]) or column.title in DRAWN_ALONE
        keys = {column.key for column in table.columns if column.key}
        assert keys == keys_of(SHAPES[name])
    comparison = compare(analysed, analysed)
    pairs = ((scoreboard_table(comparison), schema.comparison.Metric),
             (changes_table(comparison).table, schema.comparison.DiffRow))  # fmt: skip
    for table, shape in pairs:
        for column in drawn_columns(table):
            assert column.key in keys_of(shape) or column.title in DRAWN_ALONE


def test_every_column_of_a_report_is_in_json(real: AnalysedTrace) -> None:
    parts = summary.sections(real)
    if real.whole.devices:
        found = compare(real, real)
        parts += [*diff.sections(found, 10), *diff.overview([found, found])]
    for section in parts:
        if any(section.title.startswith(title) for title in IN_ANOTHER_SHAPE):
            continue
        if real.whole.devices and section.title == verdict_text(found):
            # `verdict` and `pairing`, each with its text.
            continue
        shape = next(s for title, s in SECTIONS.items() if section.title.startswith(title))
        assert set(section.keys) <= keys_of(shape), section.title


def test_the_sides_of_a_comparison_are_in_json(samples: Path) -> None:
    a, b = (
        AnalysedTrace(load(samples / f"{name}_b8_h16_s1024_d64_bf16_h200.json.gz"))
        for name in ("naive", "flash")
    )
    found = compare(a, b)
    data, parts = diff.document(found), diff.sections(found, 10)
    sides = told(parts, "Compared by")
    assert shown(sides, "label") == [data["a"]["label"], data["b"]["label"]]
    whole = diff.overview_document([compare(a, a), found])
    (section,) = (s for s in diff.overview([compare(a, a), found]) if "Compared" in s.title)
    assert set(section.keys) <= keys_of(schema.comparison.OverviewTrace)
    for key in ("label", "backend", "verdict"):
        assert shown(section, key) == values(whole["traces"], key)


@pytest.mark.parametrize("words", [("%", "share"), ("self", "self_ns"), ("total", "total_ns")])
def test_a_column_has_one_title_on_the_screen_and_in_text(
    samples: Path, words: tuple[str, str]
) -> None:
    title, key = words
    analysed = AnalysedTrace(load(samples / "naive_b8_h16_s1024_d64_bf16_h200.json.gz"))
    sections = [s for s in summary.sections(analysed) if key in s.keys]
    assert sections
    assert {s.table.column(key).title for s in sections} == {title}
    headings = [line.split() for line in plain(sections)]
    assert any(title in heading for heading in headings)
