"""The cells of a screen, and the frames that are drawn on it."""

from __future__ import annotations

import re
from functools import lru_cache

from rich.cells import get_character_cell_size

from attntui.tui.line.pens import Pen, UnreadableError

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_JOINER = "\u200d\ufe0f"
"""What makes one sign of several, so wide as the terminal thinks."""

UNKNOWN = "\x00"
"""Stands in cells of which nothing is known; no frame has it."""

_SEQUENCE = re.compile(r"([\d;]*)([mH])")


class Pens:
    """All pens that were seen, each by a number; 0 is the terminal's own."""

    def __init__(self) -> None:
        self._known = [Pen()]
        self._numbers = {Pen(): 0}
        self.by_words: dict[tuple[int, str], int] = {}

    def __getitem__(self, number: int) -> Pen:
        return self._known[number]

    def told(self, number: int, words: str) -> int:
        """The pen after `CSI … m` with these parameters."""
        key = number, words
        found = self.by_words.get(key)
        if found is None:
            pen = self._known[number].told(words)
            found = self._numbers.setdefault(pen, len(self._known))
            if found == len(self._known):
                self._known.append(pen)
            self.by_words[key] = found
        return found


@lru_cache(4096)
def cells_of(text: str) -> tuple[str, ...]:
    """The text cell by cell: what stands in a cell, and "" after what takes two.

    Raises:
        UnreadableError: it acts on the terminal, or its width is not sure.
    """
    if _CONTROL.search(text) or any(sign in text for sign in _JOINER):
        raise UnreadableError(repr(text))
    cells: list[str] = []
    for character in text:
        width = get_character_cell_size(character)
        if width:
            cells += (character, "")[:width]
        elif cells:
            cells[-1 if cells[-1] else -2] += character
        else:
            raise UnreadableError(repr(text))
    return tuple(cells)


class Cells:
    """What stands in each cell of a screen: `signs[y][x]`, `UNKNOWN` at first and "" after
    a sign of two cells, and with which of `pens`: `inks[y][x]`.

    `touched` are the rows that were drawn on; `cursor` is (row, column) as last asked.
    """

    def __init__(self, width: int, height: int, pens: Pens) -> None:
        self.width, self.height, self.pens = width, height, pens
        self.signs: list[list[str]] = [[UNKNOWN] * width for _ in range(height)]
        self.inks = [[0] * width for _ in range(height)]
        self.touched: set[int] = set()
        self.cursor = (0, 0)

    def draw(self, frame: str) -> None:
        """Draws text of moves (`CSI row ; column H`), styles (`CSI … m`) and characters. A line
        feed counts for nothing: a move follows it.

        Raises:
            UnreadableError: there is more in it, or it leaves the screen; part of it may be drawn.
        """
        told, signs = self.pens.told, self.signs
        known = self.pens.by_words
        first, *pieces = frame.split("\x1b[")
        if first:
            raise UnreadableError(repr(first))
        ink, y, x = 0, -1, 0
        for piece in pieces:
            words, style, text = piece.partition("m")
            found = known.get((ink, words)) if style else None
            if found is None:
                sequence = _SEQUENCE.match(piece)
                if sequence is None:
                    raise UnreadableError(repr(piece[:20]))
                text = piece[sequence.end() :]
                if sequence[2] == "m":
                    found = told(ink, sequence[1])
                else:
                    y, x = self._place(sequence[1])
                    found = ink
            ink = found
            if text:
                if text[-1] == "\n":
                    text = text[:-1]
                cells = text if text.isascii() and text.isprintable() else cells_of(text)
                end = x + len(cells)
                if y < 0 or end > self.width:
                    raise UnreadableError(f"{end} cells")
                row = signs[y]
                if row[x : x + 1] == [""]:
                    row[x - 1] = " "
                if row[end : end + 1] == [""]:
                    row[end] = " "
                row[x:end] = cells
                self.inks[y][x:end] = [ink] * (end - x)
                self.touched.add(y)
                x = end
        if y >= 0:
            self.cursor = y, min(x, self.width - 1)

    def _place(self, words: str) -> tuple[int, int]:
        row, _, column = words.partition(";")
        try:
            y, x = int(row or 1) - 1, int(column or 1) - 1
        except ValueError:
            raise UnreadableError(words) from None
        if not (0 <= y < self.height and 0 <= x < self.width):
            raise UnreadableError(words)
        return y, x
