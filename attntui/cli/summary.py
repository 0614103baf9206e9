"""`attntui summary TRACE`: the facts of a trace as text or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attntui.cli.parsing import Parser, add_peaks, peaks_of, whole_number
from attntui.view.options import Options

if TYPE_CHECKING:
    from attntui.trace.model import Trace
    from attntui.view.facts import Facts

DEFAULT_TOP = 10
NOTICE_CELLS = 300


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments, print the summary, give the exit code."""
    parser = Parser(
        prog="attntui summary",
        description="Print what a trace holds: devices, GPU operations, gaps, annotations.",
    )
    parser.add_argument("trace", metavar="TRACE", help="a trace file, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print JSON, times in nanoseconds")
    parser.add_argument(
        "--top",
        type=whole_number,
        default=DEFAULT_TOP,
        metavar="N",
        help=f"rows of each ranked table (default {DEFAULT_TOP}; JSON holds all)",
    )
    add_peaks(parser)
    parsed = parser.parse_args(arguments)
    bandwidth, flops = peaks_of(parsed)
    options = Options(peak_bandwidth=bandwidth, peak_flops=flops)
    print_summary(parsed.trace, top=parsed.top, as_json=parsed.json, options=options)
    return 0


def print_summary(
    path: str, top: int = DEFAULT_TOP, as_json: bool = False, options: Options | None = None
) -> None:
    """Load a trace and print its summary; what was odd in the file goes to stderr.

    Raises InputError where the file is no trace.
    """
    from attntui.trace import load
    from attntui.view.reports import summary_json
    from attntui.view.facts import gather

    trace = load(path)
    print_notices(trace)
    facts = gather(trace, options)
    if as_json:
        print(summary_json.dumps(summary_json.summary(facts)))
    else:
        _print_text(facts, top)


def print_notices(trace: Trace) -> None:
    """One line on stderr for each kind of thing that was odd in the file."""
    from attntui.safe import safe

    for notice in trace.notices:
        line = f"{notice.kind} ({notice.count:,}): {notice.example}"
        print(f"attntui: note: {safe(line, NOTICE_CELLS)}", file=sys.stderr)


def _print_text(facts: Facts, top: int) -> None:
    from attntui.view.reports.sections import plain, rich_tables
    from attntui.view.reports.summary import sections

    parts = sections(facts, top)
    if not sys.stdout.isatty():
        for line in plain(parts):
            print(line)
        return
    from rich.console import Console

    Console(highlight=False).print(rich_tables(parts))
