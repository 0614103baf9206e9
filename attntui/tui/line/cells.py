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

_MOVE = re.compile(r"\x1b\[([\d;]*)H")

_KEPT = 1024
"""Texts of which the cells are kept: Textual draws lines again that did not change."""


class Pens:
    """All pens that were seen, each by a number; 0 is the terminal's own."""

    def __init__(self) -> None:
        self._known = [Pen()]
        self._numbers = {Pen(): 0}
        self._told: dict[tuple[int, str], int] = {}
        self._read: dict[tuple[int, str], tuple[list[str], list[int], int]] = {}

    def __getitem__(self, number: int) -> Pen:
        return self._known[number]

    def read(self, ink: int, text: str) -> tuple[list[str], list[int], int]:
        """What characters and styles (`CSI … m`), begun with a pen, write into cells; the pen of
        each; and the last one.

        Raises:
            UnreadableError: there is more in it.
        """
        key = ink, text
        found = self._read.get(key)
        if found is None:
            if len(self._read) == _KEPT:
                self._read.clear()
            found = self._read[key] = self._cells(ink, text)
        return found

    def _cells(self, ink: int, text: str) -> tuple[list[str], list[int], int]:
        signs: list[str] = []
        inks: list[int] = []
        for number, piece in enumerate(text.split("\x1b[")):
            plain = piece
            if number:
                words, style, plain = piece.partition("m")
                if not style:
                    raise UnreadableError(repr(piece[:20]))
                ink = self._after(ink, words)
            if plain:
                signs += plain if plain.isascii() and plain.isprintable() else cells_of(plain)
                inks += [ink] * (len(signs) - len(inks))
        return signs, inks, ink

    def _after(self, ink: int, words: str) -> int:
        """The pen after `CSI … m` with these parameters."""
        key = ink, words
        found = self._told.get(key)
        if found is None:
            pen = self._known[ink].told(words)
            found = self._numbers.setdefault(pen, len(self._known))
            if found == len(self._known):
                self._known.append(pen)
            self._told[key] = found
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
        first, *moved = _MOVE.split(frame)
        if first:
            raise UnreadableError(repr(first[:20]))
        ink = 0
        for words, text in zip(moved[::2], moved[1::2], strict=True):
            y, x = self._place(words)
            drawn, inks, ink = self.pens.read(ink, text.removesuffix("\n"))
            end = x + len(drawn)
            if end > self.width:
                raise UnreadableError(f"{end} cells")
            if drawn:
                row = self.signs[y]
                if row[x] == "":
                    row[x - 1] = " "
                if row[end : end + 1] == [""]:
                    row[end] = " "
                row[x:end] = drawn
                self.inks[y][x:end] = inks
                self.touched.add(y)
            self.cursor = y, min(end, self.width - 1)

    def _place(self, words: str) -> tuple[int, int]:
        row, _, column = words.partition(";")
        try:
            y, x = int(row or 1) - 1, int(column or 1) - 1
        except ValueError:
            raise UnreadableError(words) from None
        if not (0 <= y < self.height and 0 <= x < self.width):
            raise UnreadableError(words)
        return y, x
