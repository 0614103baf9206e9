"""Progress on stderr: a rich bar on a terminal that has rich, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from capture.errors import shown


def time_left(elapsed: float, done: int, total: int) -> str:
    """`about 1m20s left`, from the mean of the items done; empty while there is no mean."""
    if done == 0 or done >= total:
        return ""
    seconds = round(elapsed / done * (total - done))
    minutes, seconds = divmod(seconds, 60)
    return f"about {minutes}m{seconds:02d}s left" if minutes else f"about {seconds}s left"


class Progress:
    """Counts items: `start(name)` before each, `finish(line)` after it, as a context manager."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._begin = time.monotonic()
        self._bar = _rich_bar() if sys.stderr.isatty() else None
        self._task = self._bar.add_task("", total=total) if self._bar is not None else None

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def start(self, name: str) -> None:
        """Say what runs now."""
        if self._bar is not None:
            self._bar.update(self._task, description=name)
            return
        left = time_left(time.monotonic() - self._begin, self._done, self._total)
        suffix = f" ({left})" if left else ""
        print(f"[{self._done + 1}/{self._total}] {name}{suffix}", file=sys.stderr, flush=True)

    def finish(self, line: str) -> None:
        """Say what came of it."""
        line = shown(line)
        self._done += 1
        if self._bar is not None:
            self._bar.console.print(line, markup=False, highlight=False)
            self._bar.advance(self._task)
            return
        print(f"    {line}", file=sys.stderr, flush=True)


def _rich_bar() -> Any:
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bar
    except ImportError:
        return None
    return Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
