"""`attntui cache`: lists what is kept of traces, and removes it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from attntui.cli.output import put, put_all
from attntui.cli.parsing import Parser
from attntui.errors import AttntuiError
from attntui.safe import safe

if TYPE_CHECKING:
    from attntui.trace.kept.shelf import Shelf

_EPILOG = """\
Of traces with 20,000 events and more the columns and what was found are kept, so that they open
at once; of each trace where it was left, with its bookmarks. A trace that changed is read again.
What was longest unused goes when there are more than 2000 MB (ATTNTUI_CACHE_MB), or a tenth of the
disk that is free. ATTNTUI_CACHE_DIR names another directory; ATTNTUI_NO_CACHE=1, or --no-cache for
one command, keeps nothing.

examples:
  attntui cache                 list what is kept: size, when it was last used, trace
  attntui cache --json          the same for programs, sizes in bytes
  attntui cache clear           remove all of it, bookmarks too
  attntui cache clear TRACE     remove what is kept of one trace
"""


def run(arguments: Sequence[str]) -> int:
    """Parse the arguments, list or remove, give the exit code."""
    parser = Parser(
        prog="attntui cache",
        description="List or remove what is kept of traces.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="?", choices=("list", "clear"), default="list")
    parser.add_argument("traces", metavar="TRACE", nargs="*", help="what to clear; none: all")
    parser.add_argument("--json", action="store_true", help="print JSON, sizes in bytes")
    parsed = parser.parse_args(arguments)
    if parsed.what == "clear":
        _clear(parsed.traces, as_json=parsed.json)
        return 0
    if parsed.traces:
        raise AttntuiError("cache list takes no trace (see attntui cache --help)")
    _list(as_json=parsed.json)
    return 0


def _list(*, as_json: bool) -> None:
    from attntui.trace.kept.holdings import holdings
    from attntui.view.reports.json_text import json_lines
    from attntui.view.words.formats import size

    shelves = _shelves()
    found = holdings(shelves)
    total, shelf = sum(one.size for one in found), shelves[0]
    if as_json:
        document = {
            "directory": str(shelf.place),
            "bytes": total,
            "most_bytes": shelf.room(),
            "traces": [
                {"path": one.path, "bytes": one.size, "used": _when(one.used)} for one in found
            ],
        }
        put_all(json_lines(document))
        return
    for one in found:
        path = "(of another version, or damaged)" if one.path is None else one.path
        put(safe(f"{size(one.size):>10}  {_age(time.time() - one.used):>8}  {safe(path)}"))
    number = f"{len(found)} {'trace' if len(found) == 1 else 'traces'}"
    put(safe(f"{size(total):>10}  {number} in {safe(str(shelf.place))}"))
    put(safe(f"{size(shelf.room()):>10}  may be kept"))


def _clear(traces: Sequence[str], *, as_json: bool) -> None:
    from attntui.trace.kept.holdings import clear
    from attntui.view.reports.json_text import json_lines
    from attntui.view.words.formats import size

    number, removed = clear(_shelves(), traces)
    if as_json:
        put_all(json_lines({"traces": number, "bytes": removed}))
    else:
        put(safe(f"removed {size(removed)} of {number} {'trace' if number == 1 else 'traces'}"))


def _shelves() -> list[Shelf]:
    """Where columns and facts are, and where notes are."""
    from attntui.trace.kept.notes import notes
    from attntui.trace.kept.shelf import Shelf, directory

    place = directory()
    if place is None:
        raise AttntuiError("there is no home directory to keep anything in: set ATTNTUI_CACHE_DIR")
    noted = notes()
    return [Shelf(place)] if noted is None else [Shelf(place), noted]


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def _age(seconds: float) -> str:
    """How long ago, in its largest unit: `3 h`."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(0, int(seconds))} s"
