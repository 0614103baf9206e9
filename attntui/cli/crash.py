"""A failure that is no user's fault: its details in a private file, one line for the terminal."""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from attntui import __version__
from attntui.safe import Safe, safe

_CELLS = 200


def crashed(error: BaseException) -> Safe:
    """Keeps the details of a bug in a file; gives the line that tells of both."""
    what = safe(_said(error), _CELLS)
    kept = _kept(_details(error))
    where = "no file for the details could be written" if kept is None else f"details in {kept}"
    return safe(f"attntui: stopped by a bug ({what}); {where}")


def _said(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _details(error: BaseException) -> str:
    """What a report needs: versions and the traceback, without the values of variables."""
    head = f"attntui {__version__}, Python {platform.python_version()}, {platform.platform()}\n\n"
    return head + "".join(traceback.format_exception(type(error), error, error.__traceback__))


def _kept(details: str) -> Path | None:
    for directory in _places():
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(".txt", "attntui-crash-", directory)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(details)
        except OSError:
            continue
        return Path(name)
    return None


def _places() -> Iterator[Path]:
    """Where the file may lie, the best first."""
    state = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):
        yield Path(state) / "attntui"
    with suppress(RuntimeError):
        yield Path.home() / ".local/state/attntui"
    with suppress(OSError):
        yield Path(tempfile.gettempdir())
