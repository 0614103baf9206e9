"""What a terminal shows while the screens are on their way: the files, and how large they are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from attntui.cli.output import put_passing
from attntui.safe import Safe, safe


@contextmanager
def opening(paths: Sequence[str]) -> Iterator[None]:
    """Says what is opened for as long as the block takes."""
    put_passing(_line(paths))
    try:
        yield
    finally:
        put_passing(safe(""))


def _line(paths: Sequence[str]) -> Safe:
    """Which of the files there are, cut to the terminal."""
    from attntui.view.words.formats import size

    told = []
    for path in paths:
        with suppress(OSError):
            told.append(f"{os.path.basename(path)}, {size(os.stat(path).st_size)}")
    if not told:
        return safe("")
    # The last cell stays free: a terminal may go to the next line there.
    width = shutil.get_terminal_size().columns - 1
    return safe(f"opening {'; '.join(told)} …", width)
