"""A terminal without a window: text goes in, cells come out."""

from __future__ import annotations

from typing import Any

import pyte
from pyte.screens import Char


class Emulated:
    """A terminal of so many cells. Lines do not wrap, as Textual asks for."""

    def __init__(self, width: int, height: int) -> None:
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self.screen)
        self.feed("\x1b[?7l")

    def feed(self, text: str) -> None:
        # What sets up keys would be taken for attributes and letters.
        for word in ("\x1b[>25u", "\x1b[<u"):
            text = text.replace(word, "")
        self._stream.feed(text)

    def cells(self, width: int | None = None, height: int | None = None) -> list[list[Char]]:
        """The cells of the screen, or of its upper left part."""
        rows = range(height or self.screen.lines)
        columns = range(width or self.screen.columns)
        return [[self.screen.buffer[y][x] for x in columns] for y in rows]

    def lines(self) -> list[str]:
        """The text of each line."""
        return ["".join(cell.data for cell in row) for row in self.cells()]


def differing(one: list[list[Any]], other: list[list[Any]]) -> list[tuple[int, int, Any, Any]]:
    """The cells that are not equal: row, column and both."""
    return [
        (y, x, a, b)
        for y, (row, beside) in enumerate(zip(one, other, strict=True))
        for x, (a, b) in enumerate(zip(row, beside, strict=True))
        if a != b
    ]
