"""What a command prints: safe lines, as text for a terminal or a pipe, or for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from attntui.errors import OutputError
from attntui.safe import Safe, safe

if TYPE_CHECKING:
    from attntui.trace.model import Trace
    from attntui.view.reports.sections import Section


def put(line: Safe) -> None:
    """One line on standard output.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: its reader has what it wanted.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed: nothing can be printed")
    try:
        print(line)
    except OSError as error:
        raise _unwritten(error) from None


def put_all(lines: Iterable[Safe]) -> None:
    for line in lines:
        put(line)


def put_error(line: Safe) -> None:
    """One line on standard error; nothing where that is closed."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr)


def put_passing(line: Safe) -> None:
    """A line on standard error, which is a terminal, in place of the one put there last."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def flush() -> None:
    """Has all written that was put; raises what `put` does."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        raise _unwritten(error) from None


def drop() -> None:
    """Lets go of what was not written yet: nothing may fail once more at exit."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _unwritten(error: OSError) -> OSError | OutputError:
    if isinstance(error, BrokenPipeError):
        return error
    return OutputError(f"standard output: {(error.strerror or str(error)).lower()}")


def put_notices(trace: Trace) -> None:
    """One line on standard error for each kind of thing that was odd in the file."""
    from attntui.view.tables.findings import notice_text

    for notice in trace.notices:
        put_error(safe(f"attntui: note: {notice_text(notice)}"))


def put_sections(sections: Sequence[Section], *, markdown: bool = False) -> None:
    """A report: Markdown where it is asked for, else tables on a terminal, plain in a pipe."""
    from attntui.view.reports.markdown import markdown as markdown_lines
    from attntui.view.reports.text import plain, rich_tables

    if markdown or sys.stdout is None or not sys.stdout.isatty():
        put_all(markdown_lines(sections) if markdown else plain(sections))
        return
    from rich.console import Console

    try:
        Console(highlight=False).print(rich_tables(sections))
    except OSError as error:
        raise _unwritten(error) from None
