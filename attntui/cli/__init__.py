"""The command line: `attntui [TRACE ...]` opens the screens, other commands print.

Imports are made where they are used, so that `--version` and the reports start fast and
import no Textual.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from attntui.errors import AttntuiError

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


def _summary(arguments: Sequence[str]) -> int:
    from attntui.cli import summary

    return summary.run(arguments)


def _diff(arguments: Sequence[str]) -> int:
    from attntui.cli import diff

    return diff.run(arguments)


def _capture(arguments: Sequence[str]) -> int:
    from attntui.cli import capture

    return capture.run(arguments)


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "summary": _summary,
    "diff": _diff,
    "capture": _capture,
}
"""Each takes the arguments after its name and gives an exit code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code: 0, 2 for an error, 130 for Ctrl+C."""
    arguments = sys.argv[1:] if arguments is None else arguments
    _never_fail_on_encoding()
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except AttntuiError as error:
        from attntui.cli.output import put_error
        from attntui.safe import safe

        put_error(safe(f"attntui: {error}"))
        return EXIT_ERROR
    except BrokenPipeError:
        # The reader has what it wanted (`| head`); nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _dispatch(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        return COMMANDS[arguments[0]](arguments[1:])
    from attntui.cli import view

    return view.run(arguments)


def _never_fail_on_encoding() -> None:
    """A terminal that is not UTF-8 gets escapes, never a UnicodeEncodeError."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
