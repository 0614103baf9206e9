"""A table as CSV: every column that programs get, lists and dicts as JSON in a cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from attntui.safe import Safe, safe
from attntui.view.reports.json_text import dumps
from attntui.view.tables.model import Table, records


def csv_lines(table: Table, rows: Sequence[int] | None = None) -> Iterator[Safe]:
    """A line of keys, then a line a row; figures in ns, bytes and FLOPs, absent ones empty."""
    yield _line([column.key for column in table.columns if column.key])
    for record in records(table, rows):
        yield _line([_cell(value) for value in record.values()])


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return dumps(value) if isinstance(value, list | dict) else value


def _line(cells: Sequence[Any]) -> Safe:
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(cells)
    return safe(written.getvalue())
