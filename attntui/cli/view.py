"""`attntui [TRACE ...]`: the screens, or the summary where there is no screen."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from attntui import __version__
from attntui.cli.opening import opening
from attntui.cli.parsing import (
    Parser,
    add_extent,
    add_no_cache,
    add_peaks,
    extent_of,
    peaks_of,
    time_argument,
    whole_number,
)
from attntui.errors import AttntuiError
from attntui.view.options import (
    COMPARE_PANES,
    COMPARE_TABLES,
    PANE_NAMES,
    STANDARD_INPUT,
    TABLE_PANES,
    Options,
    Spot,
)

_TABLES = (*TABLE_PANES, *COMPARE_TABLES)

_PIPED = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
"""Names of standard input."""

_COMMANDS_HELP = """\
commands:
  attntui [TRACE ...]          open a trace; two open side by side; none: choose one
  attntui summary TRACE        print the facts as text, --markdown, --json or --csv
  attntui diff A B [C ...]     print how traces compare, as text, --markdown or --json
  attntui cache [clear]        list or remove what is kept of traces, to open them at once
  attntui capture ...          profile attention workloads (needs torch)

Without a terminal (stdout is a pipe, or TERM=dumb) attntui TRACE prints the summary.
"""


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments and open the screens, or print the summary or the comparison."""
    parsed = parser().parse_args(arguments)
    paths: list[str] = parsed.traces
    if has_screen():
        if len(paths) > 2:
            raise AttntuiError("two traces fit side by side: attntui diff compares more")
        with opening(paths), _no_garbage():
            from attntui.tui.app import run as run_app

        run_app(_with_free_keyboard(paths), options_of(parsed))
        return 0
    if not paths:
        raise AttntuiError("no terminal to draw on: name a trace to print its summary")
    if len(paths) == 1:
        from attntui.cli.summary import print_summary

        print_summary(paths[0], options=options_of(parsed))
    else:
        from attntui.cli.diff import print_diff

        print_diff(paths, parsed.unit, extent=extent_of(parsed), cache=parsed.cache)
    return 0


@contextmanager
def _no_garbage() -> Iterator[None]:
    """For imports: what they make is no garbage, so none is looked for in it, then or later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def has_screen() -> bool:
    """Whether there is a terminal that can move its cursor. Screens are drawn on stderr."""
    drawn = all(stream is not None and stream.isatty() for stream in (sys.stdout, sys.stderr))
    return drawn and os.environ.get("TERM") != "dumb"


def _with_free_keyboard(paths: Sequence[str]) -> list[str]:
    """The paths, with standard input (`-`) moved to a descriptor of its own: keys are read
    from descriptor 0, which then is the terminal. Raises AttntuiError without a terminal.
    """
    if _PIPED.isdisjoint(paths) and sys.stdin is not None and sys.stdin.isatty():
        return list(paths)
    try:
        piped = os.dup(0)
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError as error:
        raise AttntuiError("no keyboard beside standard input: try attntui summary") from error
    os.dup2(terminal, 0)
    os.close(terminal)
    return [f"{STANDARD_INPUT}{piped}" if path in _PIPED else path for path in paths]


def options_of(parsed: argparse.Namespace) -> Options:
    """The parsed arguments as options, in SI units."""
    bandwidth, flops = peaks_of(parsed)
    return Options(
        **_of_spot(parsed, 0),
        other=Spot(**_of_spot(parsed, 1)),
        step=parsed.step,
        pane=parsed.pane,
        scope=parsed.scope,
        tables=tuple(parsed.tables),
        sorts=tuple(parsed.sort),
        filters=tuple(parsed.filter),
        instances=tuple(parsed.instances),
        tops=tuple(parsed.top),
        rows=tuple(parsed.row),
        unit=parsed.unit,
        pair=parsed.pair,
        untied=parsed.untied,
        full_width=parsed.full_width,
        maximised=parsed.maximised,
        ascii=parsed.ascii,
        slow=parsed.slow,
        peak_bandwidth=bandwidth,
        peak_flops=flops,
        extent=extent_of(parsed),
        cache=parsed.cache,
        fresh=parsed.fresh,
    )


def _of_spot(parsed: argparse.Namespace, side: int) -> dict[str, Any]:
    """What is asked of the timeline of a trace: what stands there once is of the first alone."""
    given = {field.name: getattr(parsed, field.name) for field in fields(Spot)}
    return {name: values[side] for name, values in given.items() if side < len(values)}


def parser() -> Parser:
    """The parser of the options of the screens."""
    options = Parser(
        prog="attntui",
        description="Explore PyTorch profiler traces in the terminal.",
        epilog=_COMMANDS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("traces", metavar="TRACE", nargs="*", help="a trace file, or - for stdin")
    options.add_argument("--version", action="version", version=f"attntui {__version__}")
    options.add_argument("--step", type=whole_number, metavar="N", help="open at step N")
    _add_of_each(options, "at", "TIME", "open at 1.5ms, 300us", time_argument)
    _add_of_each(options, "span", "TIME", "how much to show round --at", time_argument)
    options.add_argument(
        "--pane",
        choices=(*PANE_NAMES, *COMPARE_PANES),
        metavar="NAME",
        help=f"open in this pane: {', '.join(PANE_NAMES)}; "
        f"of two traces {', '.join(COMPARE_PANES)}",
    )
    _add_view(options)
    options.add_argument(
        "--fresh",
        action="store_true",
        help="open at the first finding, not where the trace was left",
    )
    options.add_argument("--ascii", action="store_true", help="draw with ASCII alone")
    options.add_argument(
        "--slow",
        action="store_true",
        help="fewer frames, no animation; by itself where the terminal answers slowly",
    )
    add_peaks(options)
    add_extent(options)
    add_no_cache(options)
    return options


def _add_of_each(
    group: argparse._ActionsContainer,
    name: str,
    metavar: str,
    help: str,
    type: Callable[[str], object] = str,
    dest: str | None = None,
) -> None:
    """An option that of two traces stands once for each, first for A."""
    group.add_argument(
        f"--{name}",
        dest=dest or name,
        type=type,
        action="append",
        default=[],
        metavar=metavar,
        help=help,
    )


def _add_view(options: Parser) -> None:
    """The options that the copied command has, to open the same view."""
    view = options.add_argument_group(
        "the view, as the command copied from the palette has it",
        "Of two traces --at, --from, --span, --select, --threshold and --lanes stand once for A, "
        "then for B; times count from the beginnings of the units.",
    )
    _add_of_each(view, "from", "TIME", "left edge", time_argument, dest="start")
    view.add_argument("--scope", metavar="WORD", help="step:1, call:0, range:START:END (ns)")
    _add_of_each(view, "select", "WORD", "event:12, call:0, step:1, finding:NAME")
    view.add_argument(
        "--tables", type=_panes, default=(), metavar="PANE,…", help="tables, the last used first"
    )
    for name, what in (("sort", "COLUMN"), ("filter", "REGEX")):
        view.add_argument(
            f"--{name}", type=_of_pane, action="append", default=[], metavar=f"PANE:{what}"
        )
    view.add_argument("--instances", type=_panes, default=(), metavar="PANE,…")
    for name, help in (("top", "N rows scrolled by"), ("row", "the cursor under N rows")):
        view.add_argument(
            f"--{name}", type=_rows, action="append", default=[], metavar="PANE:N", help=help
        )
    _add_of_each(view, "threshold", "TIME", "the least gap", time_argument)
    _add_of_each(view, "lanes", "WORD", "line:3,top:1,closed:4+5,hidden:6,order:1+0,empty")
    view.add_argument("--maximised", action="store_true", help="the pane alone")
    compared = options.add_argument_group("two traces side by side")
    compared.add_argument("--unit", metavar="UNIT", help="what to compare, as attntui diff has it")
    compared.add_argument("--pair", type=_pair, metavar="N:M", help="unit N of A with M of B")
    compared.add_argument("--untied", action="store_true", help="each timeline moves alone")
    compared.add_argument("--full-width", action="store_true", help="each unit fills the screen")


def _panes(text: str) -> tuple[str, ...]:
    """Names of table panes between commas."""
    names = tuple(text.split(","))
    if unknown := set(names) - set(_TABLES):
        raise argparse.ArgumentTypeError(f"no table: {', '.join(sorted(unknown))}")
    return names


def _of_pane(text: str) -> tuple[str, str]:
    """A table pane and what is asked of it."""
    pane, colon, rest = text.partition(":")
    if not colon or pane not in _TABLES:
        raise argparse.ArgumentTypeError(f"not PANE:…: {text!r}")
    return pane, rest


def _rows(text: str) -> tuple[str, int]:
    """A table pane and a number of its rows."""
    pane, rows = _of_pane(text)
    return pane, whole_number(rows)


def _pair(text: str) -> tuple[int, int]:
    """Units of A and of B by their numbers on screen, which count from 1: `3:4`; from 0."""
    numbers = [whole_number(number) - 1 for number in text.split(":")]
    if len(numbers) != 2 or min(numbers) < 0:
        raise argparse.ArgumentTypeError(f"not a pair of units such as 3:4: {text!r}")
    return numbers[0], numbers[1]
