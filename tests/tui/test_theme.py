"""The colours: text on them can be read, and no class is without one."""

from __future__ import annotations

import pytest
from textual.color import Color

from attntui.tui.theme import SHADES, TRACK_PAINT
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


@pytest.mark.parametrize("paint", Paint)
def test_names_can_be_read_on_both_shades(paint: Paint) -> None:
    first, second, text = SHADES[paint]
    assert contrast(first, text) >= LEAST_CONTRAST
    assert contrast(second, text) >= LEAST_CONTRAST


def test_every_track_has_a_colour_for_dense_cells() -> None:
    assert set(TRACK_PAINT) == set(TrackKind)
