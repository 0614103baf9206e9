"""Sections as text: aligned lines for pipes and files, rich tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from attntui.safe import Safe
from attntui.view.reports.sections import Section


def plain(sections: Sequence[Section]) -> Iterator[Safe]:
    """Lines of aligned text without colour or rules."""
    for number, section in enumerate(sections):
        if number:
            yield Safe("")
        yield section.title
        headings = tuple(column.title for column in section.columns)
        lines = list(section.lines())
        lines = [headings, *lines] if any(headings) else lines
        widths = [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]
        for line in lines:
            cells = [
                _aligned(cell, width, column.left)
                for cell, width, column in zip(line, widths, section.columns, strict=True)
            ]
            yield Safe("  ".join(cells).rstrip())


def _aligned(cell: Safe, width: int, left: bool) -> str:
    padding = " " * (width - cell_len(cell))
    return cell + padding if left else padding + cell


def rich_tables(sections: Sequence[Section]) -> RenderableType:
    """The same sections as rich tables. Figures keep their width; names give way."""
    drawn: list[RenderableType] = []
    for section in sections:
        table = Table(
            title=Text(section.title, style="bold"),
            title_justify="left",
            box=SIMPLE_HEAD,
            expand=True,
            padding=(0, 1, 0, 0),
            show_edge=False,
            show_header=any(column.title for column in section.columns),
        )
        for column in section.columns:
            wraps = column.key in section.wraps
            table.add_column(
                Text(column.title),
                justify="left" if column.left else "right",
                no_wrap=not wraps,
                ratio=1 if wraps or column.key in section.gives_way else None,
            )
        for line in section.lines():
            table.add_row(*(Text(cell) for cell in line))
        drawn += [table, Text()]
    return Group(*drawn[:-1])
