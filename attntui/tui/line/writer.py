"""Writes the difference between the screen that is there and the one wanted."""

from __future__ import annotations

import re
from itertools import compress
from operator import ne, or_
from typing import NamedTuple

from attntui.tui.line.abilities import Abilities
from attntui.tui.line.cells import UNKNOWN, Cells, Pens
from attntui.tui.line.pens import change

_NEAR = 4
"""Bytes of a short move, or of cells that cost no more than one."""

_LEAST_ERASED = re.compile(r" {10,}")
"""Blanks that are more than the sequences that erase and pass them."""


class _Run(NamedTuple):
    """Cells of a row and a pen, `start` to before `end`; `erases`: those after are blank."""

    ink: int
    y: int
    start: int
    end: int
    erases: bool = False


class LineWriter:
    """Keeps what the terminal shows, takes frames, and says what has to be written.

    `draw` frames, then write what `difference` returns. The terminal must keep its lines from
    wrapping, and nobody else may write to it; else `forget`.
    """

    def __init__(self, abilities: Abilities = Abilities()) -> None:  # noqa: B008, frozen
        self.abilities = abilities
        self._pens = Pens()
        self._changes: dict[tuple[int | None, int], str] = {}
        self._there = self._wanted = Cells(0, 0, self._pens)
        self._ink: int | None = None
        self._at: tuple[int, int | None] | None = None
        """The terminal's pen, and where its cursor is: None where that is not known, the column
        alone too.
        """

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._wanted.width, self._wanted.height

    def resize(self, width: int, height: int) -> None:
        """A screen of so many cells, of which nothing is known."""
        self._wanted = Cells(width, height, self._pens)
        self.forget()

    def forget(self) -> None:
        """The terminal may show anything: all that was drawn is to be written again."""
        self._there = Cells(*self.size, self._pens)
        self._wanted.touched |= set(range(self._wanted.height))
        self._ink = self._at = None

    def draw(self, frame: str) -> None:
        """Takes a frame, or a part of one.

        Raises:
            UnreadableError: it has to be written as it is; see `whole`.
        """
        self._wanted.draw(frame)

    def finish(self) -> str:
        """The difference, and what brings back the pen that others expect."""
        return self.difference() + self._pen(0)

    def whole(self, text: str) -> str:
        """What was drawn, then text as it is, after which nothing is known."""
        before = self.finish()
        self.resize(*self.size)
        return before + text

    def difference(self) -> str:
        """What makes the terminal show what was drawn; "" where it does."""
        wanted, there = self._wanted, self._there
        runs: list[_Run] = []
        for y in sorted(wanted.touched):
            signs, inks = wanted.signs[y], wanted.inks[y]
            if signs != there.signs[y] or inks != there.inks[y]:
                runs += self._runs(y)
                there.signs[y][:], there.inks[y][:] = signs, inks
        wanted.touched.clear()
        if not runs and there.cursor == wanted.cursor:
            return ""
        there.cursor = wanted.cursor
        # A move takes fewer bytes than a change of colours: all of one pen come together, first
        # those of the pen that is there, and of two pens alike the one after the other.
        order = {ink: (ink != self._ink, self._pens[ink].order) for ink in {r.ink for r in runs}}
        runs.sort(key=lambda run: order[run.ink])
        parts: list[str] = []
        for run in runs:
            self._write(parts, run)
        parts.append(self._move(*wanted.cursor))
        return "".join(parts)

    def _runs(self, y: int) -> list[_Run]:
        """The changed cells of a row, each with those of its pen that are near."""
        signs, inks = self._wanted.signs[y], self._wanted.inks[y]
        there, width = self._there, self._wanted.width
        changed = map(or_, map(ne, signs, there.signs[y]), map(ne, inks, there.inks[y]))
        runs: list[_Run] = []
        start = end = ink = -1
        for x in compress(range(width), changed):
            if x < end:
                # The second cell of a sign.
                continue
            if inks[x] != ink or (x != end and not self._joins(y, end, x)):
                if ink >= 0:
                    runs.append(_Run(ink, y, start, end))
                start, ink = x - (signs[x] == ""), inks[x]
            end = x + 1
            while end < width and signs[end] == "":
                end += 1
        runs.append(_Run(ink, y, start, end))
        return self._erased(runs, signs, inks)

    def _joins(self, y: int, start: int, end: int) -> bool:
        """Whether cells between two changed ones of a pen take no more bytes than a move."""
        signs, inks = self._wanted.signs[y][start:end], self._wanted.inks[y]
        near = end - start <= _NEAR and UNKNOWN not in signs
        alike = near and inks[start:end].count(inks[end]) == end - start
        return alike and len("".join(signs).encode()) <= _NEAR

    def _erased(self, runs: list[_Run], signs: list[str], inks: list[int]) -> list[_Run]:
        """The runs of a row, with one that erases to the end where that is shorter."""
        last, blank = runs[-1], len(signs)
        if signs[-1] != " " or not self._erases(inks[-1]):
            return runs
        while blank and signs[blank - 1] == " " and inks[blank - 1] == inks[-1]:
            blank -= 1
        reached = [run for run in runs if run.end > blank]
        if not reached or last.end - max(blank, reached[0].start) <= _NEAR:
            return runs
        first = reached[0]
        return [
            *(run for run in runs if run.end <= blank),
            first._replace(end=max(blank, first.start), erases=True),
        ]

    def _write(self, parts: list[str], run: _Run) -> None:
        """Writes a run from wherever the cursor is."""
        parts += (self._move(run.y, run.start), self._pen(run.ink))
        if run.end > run.start:
            self._characters(parts, run)
        if run.erases:
            # The cursor is there, but for signs of which that is not sure.
            parts += (self._move(run.y, run.end), "\x1b[K")

    def _characters(self, parts: list[str], run: _Run) -> None:
        cells = self._wanted.signs[run.y][run.start : run.end]
        text = "".join(cells)
        at: int | None = run.end if run.end < self._wanted.width else None
        if len(text) != len(cells) or "" in cells:
            # How wide such signs are, terminals do not agree.
            at = None
        elif len(text) > _NEAR and self._erases(run.ink):
            begun = text.rstrip(" ")
            blank = len(text) - len(begun)
            if blank > _NEAR:
                # Whatever comes next moves the cursor from there.
                at = run.start + len(begun)
                text = f"{_LEAST_ERASED.sub(_passed, begun)}{_sequence('X', blank)}"
            else:
                text = _LEAST_ERASED.sub(_passed, text)
        parts.append(text)
        self._at = run.y, at

    def _erases(self, ink: int) -> bool:
        """Whether erasing leaves blanks of this pen."""
        pen = self._pens[ink]
        coloured = self.abilities.erases_in_colour or not pen.ground
        return self.abilities.erases and coloured and pen.erases

    def _pen(self, ink: int) -> str:
        if ink == self._ink:
            return ""
        key = self._ink, ink
        text = self._changes.get(key)
        if text is None:
            before = None if self._ink is None else self._pens[self._ink]
            text = self._changes[key] = change(before, self._pens[ink])
        self._ink = ink
        return text

    def _move(self, y: int, x: int) -> str:
        """The shortest way for the cursor."""
        ways = [_sequence("H", y + 1, x + 1) if x else _sequence("H", y + 1)]
        if self._at is not None:
            ways += _ways(*self._at, y, x)
        self._at = y, x
        return min(ways, key=len)


def _ways(from_y: int, from_x: int | None, y: int, x: int) -> list[str]:
    """Ways for the cursor that begin where it is."""
    ways = []
    if y == from_y:
        ways.append(_sequence("G", x + 1) if x else "\r")
        if from_x is not None:
            if x == from_x:
                return [""]
            ways.append(_sequence("C", x - from_x) if x > from_x else _sequence("D", from_x - x))
    elif y > from_y and x in {0, from_x}:
        ways.append(("" if x == from_x else "\r") + _sequence("B", y - from_y))
    return ways


def _sequence(letter: str, *numbers: int) -> str:
    """A control sequence; a last parameter of 1 goes without saying."""
    words = ";".join(map(str, numbers))
    return f"\x1b[{'' if words == '1' else words}{letter}"


def _passed(found: re.Match[str]) -> str:
    return f"{_sequence('X', len(found[0]))}{_sequence('C', len(found[0]))}"
