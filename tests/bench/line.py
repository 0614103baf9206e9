"""Bytes that a key writes to the terminal, and how far behind held keys a thin line is."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from emulated import Emulated
from pyte.screens import Char
from terminal import Terminal

from .table import Figure

SIZES = {(80, 24): 0.95, (120, 40): 0.65, (200, 60): 0.65}
"""Columns and rows, and the most that may be written of what is needed."""

COLOURS: Mapping[str, Mapping[str, str]] = {
    "16 colours": {"TERM": "xterm", "COLORTERM": ""},
    "256 colours": {"TERM": "xterm-256color", "COLORTERM": ""},
    "true colour": {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
}

DOWN, RIGHT = b"\x1b[B", b"\x1b[C"
KEYS = (
    *((b"3", 1), (RIGHT, 5), (b"l", 5), (b"w", 5), (b".", 4), (b"2", 1), (DOWN, 5), (b"4", 1)),
    *((DOWN, 4), (b"l", 1)),
)
"""Ten kinds of key, and how often each is pressed."""

QUIET_S = 0.35
"""After so long nothing more comes of a key."""

RUN, STYLE, NEAR = 7, 19, 4
"""Bytes of a move and of a style; cells from one change to the next in one run."""

RATE, DELAY_S = 125_000, 0.15
"""Bytes a second and the delay each way of a thin line."""

HELD = {"zoom": (b"3", b"w", b"w", b"s", b"s"), "row": (b"4", DOWN), "pane": (b"2", b"3", b"4")}
"""A key to begin with, and those that come again and again."""

TIMES, APART_S = 60, 1 / 30
"""How often a held key comes, and how fast."""

BEHIND_S = 1.0
"""The round trip, a frame that is under way, and the last one."""


def measured(path: Path) -> Iterator[Figure]:
    for (width, height), target in SIZES.items():
        for name, env in COLOURS.items():
            written, need = _written(path, (width, height), env)
            label = f"line at {width}x{height}, {name}"
            yield Figure(f"{label}: ten keys", "kB", written / 1000)
            yield Figure(f"{label}: needed", "kB", need / 1000)
            yield Figure(f"{label}: written of needed", "", written / need, target)
    for name, (begin, *keys) in HELD.items():
        behind = _behind(path, begin, keys)
        yield Figure(f"1 Mbit/s, held {name}: behind by", "s", behind, BEHIND_S)


def _written(path: Path, size: tuple[int, int], env: Mapping[str, str]) -> tuple[float, float]:
    """Bytes over all kinds of key, the median of each, and what they need."""
    terminal, screen = Terminal(str(path), size=size, env=env), Emulated(*size)
    terminal.wait_for(b"Overview")
    seen = _quiet(terminal)
    screen.feed(terminal.seen[:seen].decode())
    written = need = 0.0
    for key, times in KEYS:
        found = []
        for _ in range(times):
            before, begin = screen.cells(), seen
            terminal.type(key)
            seen = _quiet(terminal)
            screen.feed(terminal.seen[begin:seen].decode())
            found.append((seen - begin, needed(before, screen.cells())))
        written += median(w for w, _ in found)
        need += median(n for _, n in found)
    terminal.process.kill()
    return written, need


def _quiet(terminal: Terminal) -> int:
    """Waits until nothing more comes; returns how many bytes came."""
    seen = -1
    while seen != len(terminal.seen):
        seen = len(terminal.seen)
        time.sleep(QUIET_S)
    return seen


def needed(before: list[list[Char]], after: list[list[Char]]) -> int:
    """Bytes of a plain writer of differences: a move for each run of changed cells, a style
    where it is another one, and the characters.
    """
    total = 0
    for row, wanted in zip(before, after, strict=True):
        left, style = 0, None
        for old, new in zip(row, wanted, strict=True):
            if old != new:
                if not left:
                    total, style = total + RUN, None
                left = NEAR
            if left:
                left -= 1
                if new[1:] != style:
                    total, style = total + STYLE, new[1:]
                total += len(new.data.encode())
    return total


class ThinLine(Terminal):
    """A terminal at the end of a thin line. It answers when all before has arrived."""

    def _read(self) -> None:
        under_way: deque[tuple[float, bytes]] = deque()
        arrived = threading.Thread(target=self._arrive, args=(under_way,), daemon=True)
        arrived.start()
        free = time.monotonic()
        while True:
            try:
                got = os.read(self._near, RATE // 100)
            except OSError:
                return
            free = max(free, time.monotonic()) + len(got) / RATE
            time.sleep(max(0.0, free - time.monotonic()))
            under_way.append((free + DELAY_S, got))

    def _arrive(self, under_way: deque[tuple[float, bytes]]) -> None:
        while True:
            while under_way and under_way[0][0] <= time.monotonic():
                got = under_way.popleft()[1]
                with self._changed:
                    self.seen += got
                    self._changed.notify_all()
                for _ in range(got.count(b"\x1b[6n")):
                    self.later(b"\x1b[2;2R")
            time.sleep(0.002)

    def later(self, keys: bytes) -> None:
        """Types at the far end of the line."""
        timer = threading.Timer(DELAY_S, self.type, (keys,))
        timer.daemon = True
        timer.start()


def _behind(path: Path, begin: bytes, keys: Sequence[bytes]) -> float:
    """Seconds from the last of many keys to the end of what they write."""
    line = ThinLine(str(path), size=(120, 40))
    line.wait_for(b"Overview")
    line.later(begin)
    before = seen = _quiet(line)
    for key in islice(cycle(keys), TIMES):
        line.later(key)
        time.sleep(APART_S)
    last = latest = time.monotonic()
    while time.monotonic() < latest + 1:
        if len(line.seen) != seen:
            seen, latest = len(line.seen), time.monotonic()
        time.sleep(0.01)
    line.process.kill()
    assert seen > before
    return latest - last
