"""Reports in text: sections of facts and tables, drawn by rich or plainly aligned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading and side. One that gives way is cut where the screen is narrow,
    one that wraps goes on below; the others keep their width.
    """

    heading: str
    left: bool = False
    gives_way: bool = False
    wraps: bool = False


def name_column(heading: str) -> Column:
    """A column of names: set left, and cut to what the figures leave."""
    return Column(heading, left=True, gives_way=True)


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table; every cell is safe text already."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def plain(sections: Sequence[Section]) -> Iterator[str]:
    """Lines of aligned text without colour or rules, for pipes and files."""
    for number, section in enumerate(sections):
        if number:
            yield ""
        yield section.title
        headings = tuple(column.heading for column in section.columns)
        lines = (headings, *section.rows) if any(headings) else section.rows
        widths = [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]
        for line in lines:
            yield "  ".join(
                _aligned(cell, width, column)
                for cell, width, column in zip(line, widths, section.columns, strict=True)
            ).rstrip()


def _aligned(cell: str, width: int, column: Column) -> str:
    padding = " " * (width - cell_len(cell))
    return cell + padding if column.left else padding + cell


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
            show_header=any(column.heading for column in section.columns),
        )
        for column in section.columns:
            table.add_column(
                Text(column.heading),
                justify="left" if column.left else "right",
                no_wrap=not column.wraps,
                ratio=1 if column.gives_way or column.wraps else None,
            )
        for row in section.rows:
            table.add_row(*(Text(cell) for cell in row))
        drawn += [table, Text()]
    return Group(*drawn[:-1])
