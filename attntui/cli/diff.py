"""`attntui diff A B [C ...]`: traces side by side, as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from attntui.cli.output import flush, put_all, put_notices, put_sections
from attntui.cli.parsing import Parser, add_extent, add_no_cache, extent_of, whole_number
from attntui.errors import AttntuiError
from attntui.extent import WHOLE, Extent

DEFAULT_TOP = 20

_EPILOG = """\
unit: what is compared, one real unit of each trace. Units are paired by order among those that
work on like shapes, and the pair of the median span is shown; without a pair the whole windows
are compared. Chosen by itself in this order, or by --unit:
  LABEL      an annotation that all traces have, such as attn_fwd
  step       the profiler's step
  attention  one attention call
  window     everything that was launched

sort: of two traces the rows, by delta, a, b, name or order (of time); of more the traces,
by given, name, gpu, cpu, ops, hbm, backend or occupancy.
"""


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments, print the comparison, give the exit code."""
    import argparse

    parser = Parser(
        prog="attntui diff",
        description="Compare traces: what each did, and what answers to what.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("traces", metavar="TRACE", nargs="+", help="two or more; the first is A")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON, times in nanoseconds")
    form.add_argument("--markdown", action="store_true", help="print Markdown tables")
    parser.add_argument("--unit", metavar="UNIT", help="what to compare; see below")
    parser.add_argument("--sort", metavar="KEY", help="the order of rows or traces; see below")
    parser.add_argument(
        "--top",
        type=whole_number,
        default=DEFAULT_TOP,
        metavar="N",
        help=f"kinds of rows to show (default {DEFAULT_TOP}; JSON holds every row)",
    )
    add_extent(parser)
    add_no_cache(parser)
    options = parser.parse_args(arguments)
    form_name = "json" if options.json else "markdown" if options.markdown else "text"
    extent = extent_of(options)
    print_diff(
        options.traces,
        options.unit,
        options.sort,
        options.top,
        form_name,
        extent,
        cache=options.cache,
    )
    return 0


def print_diff(
    paths: Sequence[str],
    unit: str | None = None,
    sort: str | None = None,
    top: int = DEFAULT_TOP,
    form: str = "text",
    extent: Extent = WHOLE,
    *,
    cache: bool = True,
) -> None:
    """Load traces, or a part of each, and print how they compare; `form` is text, markdown or
    json.

    Raises AttntuiError where a file is no trace, or has no such unit.
    """
    from attntui.analysis.compare import available, compare, compare_all
    from attntui.analysis.kept.opening import Opened, open_trace
    from attntui.view.reports import diff
    from attntui.view.reports.json_text import json_lines
    from attntui.view.tables import changes, traces
    from attntui.view.words.comparison import named_unit

    if len(paths) < 2:
        raise AttntuiError("diff compares two traces or more (see attntui diff --help)")
    many = len(paths) > 2
    sort = _checked_sort(sort, traces.SORTS if many else changes.SORTS)
    opened: list[Opened] = []
    for path in paths:
        opened.append(open_trace(path, extent=extent, cache=cache))
        put_notices(opened[-1].trace)
    found = [one.analysed() for one in opened]
    choice = None if unit is None else named_unit(unit, available(found))
    compared = compare_all(found, choice) if many else [compare(found[0], found[1], choice)]
    if form == "json":
        data = diff.overview_document(compared, sort) if many else diff.document(compared[0])
        put_all(json_lines(data))
    else:
        parts = diff.overview(compared, sort) if many else diff.sections(compared[0], top, sort)
        put_sections(parts, markdown=form == "markdown")
    flush()
    for one, analysed in zip(opened, found, strict=True):
        one.keep(analysed)


def _checked_sort(sort: str | None, known: Sequence[str]) -> str:
    if sort is None:
        return known[0]
    if sort not in known:
        raise AttntuiError(f"--sort {sort}: sort by one of {', '.join(known)}")
    return sort
