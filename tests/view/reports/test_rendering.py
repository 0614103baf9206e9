"""Sections as aligned text, rich tables, Markdown and CSV: nothing is lost, nothing acts."""

from __future__ import annotations

import csv
import json

import pytest
from rich.console import Console

from attntui.safe import Safe, safe
from attntui.view.reports.csv_text import csv_lines
from attntui.view.reports.markdown import markdown
from attntui.view.reports.sections import Section
from attntui.view.reports.text import plain, rich_tables
from attntui.view.tables.model import Table, data, every_row, figures, flags, texts, times

LONG = safe("[/foo] " + "x" * 60)
NAMES = [LONG, safe("注意")]
TABLE = Table(
    (
        times("total_ns", "total", [1000, 123_000_000], digits=2),
        texts("label", "name", NAMES),
        texts("cause", "cause", [Safe("sync"), Safe("copy after sync")]),
        flags("known", "known", [True, None]),
        data("parts", [[{"ns": 1}], []]),
    ),
    NAMES,
    every_row(NAMES),
    sort="total_ns",
)
SECTION = Section(
    Safe("Title [bold]"),
    TABLE,
    ("total_ns", "label", "cause"),
    (0, 1),
    below=lambda row: ({"cause": Safe("  below")},) if row == 0 else (),
    footer=({"total_ns": Safe("123 ms"), "label": Safe("total")},),
)


def test_plain_text_is_aligned_by_cells() -> None:
    assert list(plain([SECTION])) == [
        "Title [bold]",
        " total  name" + " " * 63 + "  cause",
        f"1.0 us  {LONG}  sync",
        " " * 8 + " " * 67 + "    below",
        "123 ms  注意" + " " * 63 + "  copy after sync",
        "123 ms  total",
    ]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_figures_stay_whole_where_names_give_way(width: int) -> None:
    console = Console(width=width, force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(rich_tables([SECTION]))
    text = capture.get()
    assert "Title [bold]" in text
    assert "[/foo]" in text
    assert "copy after sync" in text
    assert "1.0 us" in text
    assert all(len(line.rstrip()) <= width for line in text.splitlines())


def test_markdown_is_literal_and_keeps_its_columns() -> None:
    names = [Safe("  `<i>*_|")]
    table = Table(
        (texts("x", "x", names), figures("y", "y", [1], text=lambda _row: Safe("[1](u)"))),
        names,
        every_row(names),
        sort="y",
    )
    assert list(markdown([Section(Safe("a|b"), table, ("x", "y"), [0])])) == [
        "### a\\|b",
        "",
        "| x | y |",
        "|:--|--:|",
        "| \u2003\\`\\<i\\>\\*\\_\\| | \\[1\\](u) |",
    ]


def test_csv_has_every_key_and_nested_values_as_json() -> None:
    head, *rows = csv.reader(csv_lines(TABLE))
    assert head == ["total_ns", "label", "cause", "known", "parts"]
    assert rows[0] == ["1000", LONG, "sync", "true", json.dumps([{"ns": 1}])]
    assert rows[1] == ["123000000", "注意", "copy after sync", "", "[]"]
    assert list(csv.reader(csv_lines(TABLE, [1])))[1] == rows[1]
