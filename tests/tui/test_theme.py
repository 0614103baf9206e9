"""The colours: text on them can be read, and no class is without one."""

from __future__ import annotations

import pytest
from rich.color import Color as Rich
from rich.color import ColorSystem
from textual.color import Color

from attntui.tui.theme import TRACK_PAINT, Colours, shades
from attntui.view.drawing.paint import Paint
from attntui.view.drawing.tracks import TrackKind

LEAST_CONTRAST = 4.5
"""What WCAG 2.1 asks of text of ordinary size (level AA)."""


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2.1 defines it."""

    def linear(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(value) for value in color.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    low, high = sorted(luminance(Color.parse(text)) for text in (first, second))
    return (high + 0.05) / (low + 0.05)


KERNELS = (
    *(Paint.OTHER, Paint.PRODUCT, Paint.ATTENTION, Paint.REDUCTION, Paint.POINTWISE),
    *(Paint.COPY, Paint.SET, Paint.COLLECTIVE),
)
SYSTEMS = {Colours.SIXTEEN: ColorSystem.STANDARD, Colours.MANY: ColorSystem.EIGHT_BIT}


def shown_as(color: str, colours: Colours) -> object:
    """What a terminal of so many colours shows for a colour."""
    system = SYSTEMS.get(colours)
    return color if system is None else Rich.parse(color).downgrade(system).number


@pytest.mark.parametrize("colours", [Colours.SIXTEEN, Colours.MANY, Colours.ALL])
def test_classes_keep_apart_and_neighbours_of_one_look_like_no_other(colours: Colours) -> None:
    of = {p: {shown_as(c, colours) for c in shades(p, colours)[:2]} for p in Paint}
    for paint in Paint:
        for other in set(Paint) - {paint}:
            assert not of[paint] & of[other], (paint, other)
    if colours is not Colours.ALL:
        assert all(len(seen) == 1 for seen in of.values())
    assert len({min(map(str, of[paint])) for paint in KERNELS}) == len(KERNELS)


@pytest.mark.parametrize("colours", [Colours.SIXTEEN, Colours.MANY, Colours.ALL])
@pytest.mark.parametrize("paint", Paint)
def test_names_can_be_read_on_both_shades(paint: Paint, colours: Colours) -> None:
    first, second, text = shades(paint, colours)
    assert contrast(first, text) >= LEAST_CONTRAST
    assert contrast(second, text) >= LEAST_CONTRAST


def test_every_track_has_a_colour_for_dense_cells() -> None:
    assert set(TRACK_PAINT) == set(TrackKind)
