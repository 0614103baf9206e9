"""`attntui summary TRACE`: the facts of a trace as text, Markdown, JSON or CSV."""

from __future__ import annotations

from collections.abc import Sequence

from attntui.cli.output import flush, put_all, put_notices, put_sections
from attntui.cli.parsing import (
    Parser,
    add_extent,
    add_no_cache,
    add_peaks,
    extent_of,
    peaks_of,
    whole_number,
)
from attntui.view.options import TABLE_NAMES, Options

DEFAULT_TOP = 10


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments, print the summary, give the exit code."""
    parser = Parser(
        prog="attntui summary",
        description="Print what a trace holds: devices, GPU operations, gaps, annotations.",
    )
    parser.add_argument("trace", metavar="TRACE", help="a trace file, or - for standard input")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON, times in nanoseconds")
    form.add_argument("--markdown", action="store_true", help="print Markdown tables")
    form.add_argument(
        "--csv",
        choices=TABLE_NAMES,
        metavar="TABLE",
        help=f"print one table as CSV: {', '.join(TABLE_NAMES)}",
    )
    parser.add_argument(
        "--top",
        type=whole_number,
        default=DEFAULT_TOP,
        metavar="N",
        help=f"rows of each ranked table (default {DEFAULT_TOP}; JSON and CSV hold all)",
    )
    add_peaks(parser)
    add_extent(parser)
    add_no_cache(parser)
    parsed = parser.parse_args(arguments)
    bandwidth, flops = peaks_of(parsed)
    options = Options(
        peak_bandwidth=bandwidth,
        peak_flops=flops,
        extent=extent_of(parsed),
        cache=parsed.cache,
    )
    form_name = "json" if parsed.json else "markdown" if parsed.markdown else parsed.csv or "text"
    print_summary(parsed.trace, parsed.top, form_name, options)
    return 0


def print_summary(
    path: str, top: int = DEFAULT_TOP, form: str = "text", options: Options | None = None
) -> None:
    """Open a trace, print its summary and keep it for the next time; what was odd in the file
    goes to stderr. `form` is text, markdown, json, or the name of a table to print as CSV.

    Raises InputError where the file is no trace.
    """
    from attntui.analysis.kept.opening import open_trace
    from attntui.view.reports import summary
    from attntui.view.reports.csv_text import csv_lines
    from attntui.view.reports.json_text import json_lines

    options = options or Options()
    opened = open_trace(path, extent=options.extent, cache=options.cache)
    put_notices(opened.trace)
    analysed = opened.analysed(options.peak_bandwidth, options.peak_flops)
    if form == "json":
        put_all(json_lines(summary.document(analysed)))
    elif form in TABLE_NAMES:
        put_all(csv_lines(*summary.table_rows(analysed, form)))
    else:
        put_sections(summary.sections(analysed, top), markdown=form == "markdown")
    # Whoever reads the summary has it before anything is kept.
    flush()
    opened.keep(analysed)
