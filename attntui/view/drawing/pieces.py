"""Pieces of a line of the timeline, and how what is selected is marked in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from rich.cells import cell_len, set_cell_size

from attntui.safe import Safe
from attntui.view.drawing.paint import Paint
from attntui.view.drawing.raster import Shape

SELECTED_MARK = "▸"
LINKED_MARK = "◆"


class Mark(Enum):
    """What a piece of a line is to the selection."""

    NONE = 0
    SELECTED = 1
    LINKED = 2
    """The other end of a link, or a part of the selected attention call."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Cells side by side that are drawn alike; without a `paint` in the colour of the track."""

    text: Safe
    shape: Shape
    paint: Paint | None = None
    odd: bool = False
    mark: Mark = Mark.NONE


def cut(pieces: list[Piece], first: int, last: int) -> Iterator[tuple[Piece, bool]]:
    """Pieces cut where [first, last] begins and ends, and whether each lies in it. Bars stay
    whole: their text may have wide characters, and they bear marks of their own.
    """
    at = 0
    for piece in pieces:
        width = cell_len(piece.text)
        cuts = [0, width]
        if piece.shape is not Shape.BAR:
            cuts = sorted({0, width, *(c - at for c in (first, last + 1) if 0 < c - at < width)})
        for low, high in pairwise(cuts):
            whole = (low, high) == (0, width)
            part = piece if whole else replace(piece, text=Safe(piece.text[low:high]))
            yield part, first <= at + low and at + high - 1 <= last
        at += width


def selected(pieces: list[Piece], first: int, last: int) -> Iterator[Piece]:
    """The pieces with what is selected in the cells from `first` to `last` marked, whatever they
    show: a bar, a part of a cell, one of several things in it.
    """
    if any(piece.mark is Mark.SELECTED and SELECTED_MARK in piece.text for piece in pieces):
        yield from pieces
        return
    at = 0
    for piece, inside in cut(pieces, first, last):
        starts = at == first
        at += cell_len(piece.text)
        own = inside and (piece.shape is not Shape.BAR or piece.mark is Mark.SELECTED)
        if not own and not starts:
            yield piece
            continue
        marked = replace(piece, mark=Mark.SELECTED)
        if not starts:
            yield marked
            continue
        yield replace(marked, text=Safe(SELECTED_MARK), shape=Shape.BAR)
        if cell_len(piece.text) > 1:
            rest = set_cell_size(piece.text[1:], cell_len(piece.text) - 1)
            yield replace(marked if own else piece, text=Safe(rest))
