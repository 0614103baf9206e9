"""The strip of what the other unit has too, and the tie between two timelines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from attntui.analysis.compare.compare import Answered
from attntui.analysis.intervals import union
from attntui.safe import safe
from attntui.view.drawing.compared import ComparedUnit, tie


def unit(both: list[tuple[int, int]], alone: list[tuple[int, int]], side: int) -> ComparedUnit:
    spans = [
        union(np.array([a for a, _ in own], np.int64), np.array([b for _, b in own], np.int64))
        for own in (both, alone)
    ]
    return ComparedUnit(0, Answered(*spans), side)


@pytest.mark.parametrize(
    ("side", "drawn", "heading"), [(0, "==~- =", "against B"), (1, "==~+ =", "against A")]
)
def test_each_cell_tells_whether_the_other_has_its_work(
    side: int, drawn: str, heading: str
) -> None:
    made = unit([(0, 25), (59, 60)], [(25, 40)], side)
    assert made.strip(np.arange(0, 61, 10)) == drawn
    assert made.heading == heading


def test_nothing_on_the_gpu_leaves_the_strip_blank() -> None:
    assert unit([], [], 0).strip(np.arange(0, 31, 10)) == "   "


@pytest.mark.parametrize(
    ("a", "b", "drawn"),
    [
        (2, 2, "  │ words           "),
        (2, 6, "  ╰───╮ words       "),
        (6, 2, "  ╭───╯ words       "),
        (2, None, "  ╵ words           "),
        (None, 2, "  ╷ words           "),
        (-1, 3, "◀──╮ words          "),
        (3, -1, "◀──╯ words          "),
        (17, 20, "words            ╰─▶"),
        (20, 17, "words            ╭─▶"),
        (-1, -1, "◀ words             "),
        (None, None, "words               "),
    ],
)
def test_the_tie_leads_from_above_to_below(a: int | None, b: int | None, drawn: str) -> None:
    assert tie(20, a, b, safe("words")).ljust(20) == drawn.ljust(20)


cells = st.none() | st.integers(-1, 31)


@given(st.integers(1, 30), cells, cells, st.text(max_size=40))
def test_a_tie_is_as_wide_as_the_timelines(
    width: int, a: int | None, b: int | None, words: str
) -> None:
    drawn = tie(width, a, b, safe(words))
    assert cell_len(drawn) == width
    for cell in (a, b):
        if cell is not None and 0 <= cell < width and (words == "" or width > 2):
            assert drawn.strip()
