"""`attntui [TRACE ...]`: the screens, or the summary where there is no screen."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from attntui import __version__
from attntui.cli.parsing import Parser, add_peaks, peaks_of, time_argument, whole_number
from attntui.errors import AttntuiError
from attntui.view.options import PANE_NAMES, STANDARD_INPUT, TABLE_PANES, Options

_PIPED = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
"""Names of standard input."""

_COMMANDS_HELP = """\
commands:
  attntui [TRACE ...]          open a trace; two open side by side; none: choose one
  attntui summary TRACE        print the facts as text, --markdown, --json or --csv
  attntui diff A B [C ...]     print how traces compare, as text, --markdown or --json
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

        print_diff(paths)
    return 0


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
        step=parsed.step,
        at=parsed.at,
        span=parsed.span,
        pane=parsed.pane,
        start=parsed.start,
        scope=parsed.scope,
        select=parsed.select,
        tables=tuple(parsed.tables),
        sorts=tuple(parsed.sort),
        filters=tuple(parsed.filter),
        instances=tuple(parsed.instances),
        tops=tuple(parsed.top),
        threshold=parsed.threshold,
        ascii=parsed.ascii,
        peak_bandwidth=bandwidth,
        peak_flops=flops,
    )


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
    options.add_argument("--at", type=time_argument, metavar="TIME", help="open at 1.5ms, 300us")
    options.add_argument(
        "--span", type=time_argument, metavar="TIME", help="how much to show round --at"
    )
    options.add_argument(
        "--pane",
        choices=PANE_NAMES,
        metavar="NAME",
        help=f"open in this pane: {', '.join(PANE_NAMES)}",
    )
    _add_view(options)
    options.add_argument("--ascii", action="store_true", help="draw with ASCII alone")
    add_peaks(options)
    return options


def _add_view(options: Parser) -> None:
    """The options that the copied command has, to open the same view."""
    view = options.add_argument_group("the view, as the command copied from the palette has it")
    view.add_argument("--from", dest="start", type=time_argument, metavar="TIME", help="left edge")
    view.add_argument("--scope", metavar="WORD", help="step:1, call:0, range:START:END (ns)")
    view.add_argument("--select", metavar="WORD", help="event:12, call:0, step:1, finding:NAME")
    view.add_argument(
        "--tables", type=_panes, default=(), metavar="PANE,…", help="tables, the last used first"
    )
    for name, what in (("sort", "COLUMN"), ("filter", "REGEX")):
        view.add_argument(
            f"--{name}", type=_of_pane, action="append", default=[], metavar=f"PANE:{what}"
        )
    view.add_argument("--instances", type=_panes, default=(), metavar="PANE,…")
    view.add_argument(
        "--top", type=_top, action="append", default=[], metavar="PANE:N", help="N rows scrolled by"
    )
    view.add_argument("--threshold", type=time_argument, metavar="TIME", help="the least gap")


def _panes(text: str) -> tuple[str, ...]:
    """Names of table panes between commas."""
    names = tuple(text.split(","))
    if unknown := set(names) - set(TABLE_PANES):
        raise argparse.ArgumentTypeError(f"no table: {', '.join(sorted(unknown))}")
    return names


def _of_pane(text: str) -> tuple[str, str]:
    """A table pane and what is asked of it."""
    pane, colon, rest = text.partition(":")
    if not colon or pane not in TABLE_PANES:
        raise argparse.ArgumentTypeError(f"not PANE:…: {text!r}")
    return pane, rest


def _top(text: str) -> tuple[str, int]:
    """A table pane and how many rows it is scrolled by."""
    pane, rows = _of_pane(text)
    return pane, whole_number(rows)
