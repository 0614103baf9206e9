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
    """A column's heading; text is set left, figures right."""

    heading: str
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table. Every cell is safe text already; a text column takes what is left."""

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
        lines = (headings, *section.rows)
        widths = [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]
        for line in lines:
            yield "  ".join(
                _aligned(cell, width, column)
                for cell, width, column in zip(line, widths, section.columns, strict=True)
            ).rstrip()


def _aligned(cell: str, width: int, column: Column) -> str:
    padding = " " * (width - cell_len(cell))
    return cell + padding if column.is_text else padding + cell


def rich_tables(sections: Sequence[Section]) -> RenderableType:
    """The same sections as rich tables. Figures keep their width; text gives way."""
    drawn: list[RenderableType] = []
    for section in sections:
        table = Table(
            title=Text(section.title, style="bold"),
            title_justify="left",
            box=SIMPLE_HEAD,
            expand=True,
            pad_edge=False,
        )
        for column in section.columns:
            table.add_column(
                Text(column.heading),
                justify="left" if column.is_text else "right",
                no_wrap=True,
                ratio=1 if column.is_text else None,
            )
        for row in section.rows:
            table.add_row(*(Text(cell) for cell in row))
        drawn.append(table)
    return Group(*drawn)
