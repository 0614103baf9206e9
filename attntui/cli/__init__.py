"""The command line: `attntui [TRACE ...]` opens the screens, other commands print.

Imports are made where they are used, so that `--version` and the reports start fast and
import no Textual.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from attntui.errors import NO_MEMORY, AttntuiError, OutputError, out_of_memory

EXIT_ERROR = 2
EXIT_BUG = 70
EXIT_OUTPUT = 74
EXIT_INTERRUPTED = 130
"""As `sysexits.h` and shells number them."""


def _summary(arguments: Sequence[str]) -> int:
    from attntui.cli import summary

    return summary.run(arguments)


def _diff(arguments: Sequence[str]) -> int:
    from attntui.cli import diff

    return diff.run(arguments)


def _capture(arguments: Sequence[str]) -> int:
    from attntui.cli import capture

    return capture.run(arguments)


def _cache(arguments: Sequence[str]) -> int:
    from attntui.cli import cache

    return cache.run(arguments)


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "summary": _summary,
    "diff": _diff,
    "capture": _capture,
    "cache": _cache,
}
"""Each takes the arguments after its name and gives an exit code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code: 0, 2 for an error, 70 for a bug, 74 where
    the output cannot be written, 130 for Ctrl+C.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    _never_fail_on_encoding()
    try:
        code = _dispatch(arguments)
        _flush_output()
        return code
    except BrokenPipeError:
        # The reader has what it wanted (`| head`).
        _drop_output()
        return 0
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:
        return _ended_by(error)


def _ended_by(error: Exception) -> int:
    """Says in one line what ended the command; gives the exit code."""
    from attntui.cli.output import put_error
    from attntui.safe import safe

    if isinstance(error, OutputError):
        _drop_output()
        put_error(safe(f"attntui: {error}"))
        return EXIT_OUTPUT
    if isinstance(error, AttntuiError):
        put_error(safe(f"attntui: {error}"))
        return EXIT_ERROR
    if out_of_memory(error):
        put_error(safe(f"attntui: {NO_MEMORY}"))
        return EXIT_ERROR
    from attntui.cli.crash import crashed

    put_error(crashed(error))
    return EXIT_BUG


def _flush_output() -> None:
    from attntui.cli.output import flush

    flush()


def _drop_output() -> None:
    from attntui.cli.output import drop

    drop()


def _dispatch(arguments: Sequence[str]) -> int:
    command = arguments[0] if arguments else ""
    if command != "capture":
        from attntui.cli.limits import spare_memory

        spare_memory()
    if command in COMMANDS:
        return COMMANDS[command](arguments[1:])
    from attntui.cli import view

    return view.run(arguments)


def _never_fail_on_encoding() -> None:
    """A terminal that is not UTF-8 gets escapes, never a UnicodeEncodeError."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
