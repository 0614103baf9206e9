"""What a command prints: safe lines, as text for a terminal or a pipe, or for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attntui.safe import Safe, safe

if TYPE_CHECKING:
    from attntui.trace.model import Trace
    from attntui.view.reports.sections import Section

NOTICE_CELLS = 300


def put(line: Safe) -> None:
    """One line on standard output."""
    print(line)


def put_all(lines: Iterable[Safe]) -> None:
    for line in lines:
        put(line)


def put_error(line: Safe) -> None:
    """One line on standard error."""
    print(line, file=sys.stderr)


def put_notices(trace: Trace) -> None:
    """One line on standard error for each kind of thing that was odd in the file."""
    for notice in trace.notices:
        words = f"{notice.kind} ({notice.count:,}): {notice.example}"
        put_error(safe(f"attntui: note: {safe(words, NOTICE_CELLS)}"))


def put_sections(sections: Sequence[Section], *, markdown: bool = False) -> None:
    """A report: Markdown where it is asked for, else tables on a terminal, plain in a pipe."""
    from attntui.view.reports.markdown import markdown as markdown_lines
    from attntui.view.reports.text import plain, rich_tables

    if markdown or not sys.stdout.isatty():
        put_all(markdown_lines(sections) if markdown else plain(sections))
        return
    from rich.console import Console

    Console(highlight=False).print(rich_tables(sections))
