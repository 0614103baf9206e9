from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from attntui.view.drawing.raster import RowIndex, Shape, density, draw_row
from attntui.view.session.viewport import Viewport


def row_index(pairs: list[tuple[int, int]]) -> RowIndex:
    """Gaps and lengths to a row of events that do not overlap."""
    starts, ends, at = [], [], 0
    for gap, length in pairs:
        starts.append(at + gap)
        ends.append(at + gap + length)
        at = ends[-1]
    return RowIndex(
        np.array(starts, np.int64), np.array(ends, np.int64), np.arange(len(starts)) + 100
    )


rows = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 80)), max_size=40).map(row_index)


def name(event: int, room: int) -> str:
    return f"k{event}"[:room]


@given(rows, st.integers(0, 500), st.integers(1, 1_000), st.integers(1, 120), st.booleans())
def test_a_row_always_fills_its_width(
    index: RowIndex, t0: int, span: int, width: int, ascii_only: bool
) -> None:
    edges = Viewport(t0, t0 + span, 0, 10_000).edges(width)
    spans = draw_row(index, edges, name, ascii_only=ascii_only)
    assert sum(cell_len(s.text) for s in spans) == width
    if ascii_only:
        assert "".join(s.text for s in spans).isascii()


@given(rows, st.lists(st.integers(0, 3_000), min_size=2, max_size=30).map(sorted))
def test_busy_time_is_the_overlap(index: RowIndex, times: list[int]) -> None:
    edges = np.array(times, np.int64)
    _, _, busy = index.cells(edges)
    for low, high, got in zip(times, times[1:], busy.tolist(), strict=False):
        overlap = sum(
            max(0, min(high, e) - max(low, s))
            for s, e in zip(index.start.tolist(), index.end.tolist(), strict=True)
        )
        assert got == overlap


@given(rows, st.integers(0, 500), st.integers(1, 1_000), st.integers(1, 120))
def test_a_cell_is_blank_only_where_nothing_happens(
    index: RowIndex, t0: int, span: int, width: int
) -> None:
    edges = Viewport(t0, t0 + span, 0, 10_000).edges(width)
    spans = draw_row(index, edges, name)
    at = 0
    for s in spans:
        for cell in range(at, at + cell_len(s.text)):
            low, high = edges[cell], edges[cell + 1]
            end = np.maximum(index.end, index.start + 1)
            touched = bool(((index.start < high) & (end > low)).any())
            assert (s.shape is not Shape.BLANK) == touched
        at += cell_len(s.text)


def test_three_percent_busy_is_never_a_solid_block() -> None:
    index = row_index([(97, 3)] * 1_000)
    edges = Viewport.whole(0, 100_000).edges(50)
    (only,) = draw_row(index, edges, name)
    assert only.shape is Shape.DENSE
    assert only.text == "▁" * 50


def test_full_load_is_full_height() -> None:
    index = row_index([(0, 10)] * 1_000)
    edges = Viewport.whole(0, 10_000).edges(50)
    assert draw_row(index, edges, name)[0].text == "█" * 50


def test_a_bar_shows_its_name_and_its_ragged_ends() -> None:
    index = row_index([(15, 60)])
    spans = draw_row(index, np.arange(0, 101, 10), name)
    assert [(s.shape, s.text) for s in spans] == [
        (Shape.BLANK, " "),
        (Shape.HEAD, "▌"),
        (Shape.BAR, "k100 "),
        (Shape.TAIL, "▌"),
        (Shape.BLANK, "  "),
    ]


def test_neighbours_alternate() -> None:
    index = row_index([(0, 50), (0, 50)])
    spans = draw_row(index, np.arange(0, 101, 10), name)
    assert [s.odd for s in spans] == [False, True]


def test_an_event_of_no_length_shows() -> None:
    index = row_index([(50, 0)])
    spans = draw_row(index, np.arange(0, 101, 10), name)
    assert [s.text for s in spans] == [" " * 5, "▏", " " * 4]


def test_density_steps() -> None:
    edges = np.arange(0, 90, 10)
    busy = np.array([0, 1, 2, 3, 5, 7, 9, 10])
    assert density(busy, edges) == " ▁▂▃▄▆██"
    assert density(busy, edges, ascii_only=True) == " .:-=*@@"
