"""The legend: colours as this terminal shows them, signs, letters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from attntui.safe import Safe, safe
from attntui.tui.theme import COMPARED, LINKED, Colours, event_style
from attntui.tui.theme import SELECTED as SELECTED_STYLE
from attntui.tui.widgets.text import styled
from attntui.view.drawing.raster import Shape
from attntui.view.words import legend

SWATCH = "  name  "
HEADING = Style(bold=True)


def legend_text(colours: Colours, *, ascii_only: bool, compared: bool = False) -> Group:
    """All of the legend, one meaning a line; first that of two traces where they are `compared`."""
    parts: list[RenderableType] = [*_compared()] if compared else []
    parts.append(styled(_heading(colours), HEADING))
    parts.append(pairs(_swatches(colours)))
    parts.append(styled(safe("Signs"), HEADING))
    parts.append(
        pairs((styled(sign), words) for sign, words in legend.signs(ascii_only=ascii_only))
    )
    parts.append(styled(safe("Letters"), HEADING))
    parts.append(pairs((styled(where), words) for where, words in legend.letters()))
    return Group(*parts)


def _compared() -> Iterator[RenderableType]:
    """What is drawn between two timelines and under their axes."""
    yield styled(safe("Compared"), HEADING)
    signs = ((styled(sign, COMPARED[sign]), words) for sign, words in legend.compared_signs())
    ties = ((styled(sign), words) for sign, words in legend.ties())
    yield pairs(chain(signs, ties))


def _heading(colours: Colours) -> Safe:
    more = ": names and places tell the same" if colours is Colours.NONE else ""
    return safe(f"{colours.word}{more}")


def _swatches(colours: Colours) -> Iterator[tuple[Text, Safe]]:
    for paint, words in legend.PAINTS.items():
        style = event_style(paint, Shape.BAR, False, None, colours)
        yield styled(safe(SWATCH), style), safe(words)
    yield styled(safe(SWATCH), SELECTED_STYLE), safe(legend.SELECTED)
    yield styled(safe(SWATCH), LINKED), safe(legend.LINKED)


def pairs(lines: Iterator[tuple[Text, Safe]]) -> Table:
    """Short texts with longer ones beside them, these wrapped under themselves."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for short, words in lines:
        grid.add_row(short, styled(words))
    return grid
