from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from attntui.view.session.viewport import MIN_SPAN_NS, Viewport

bounds = st.tuples(st.integers(0, 10**12), st.integers(MIN_SPAN_NS, 10**14))


@st.composite
def viewports(draw: st.DrawFn) -> Viewport:
    low, length = draw(bounds)
    view = Viewport.whole(low, low + length)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(view.t0, view.t1 - 1))
        view = view.zoomed(draw(st.floats(0.01, 4.0)), at)
        view = view.panned(draw(st.integers(-length, length)))
    return view


@given(viewports())
def test_never_shows_time_outside_the_trace(view: Viewport) -> None:
    assert view.low <= view.t0 < view.t1 <= view.high
    assert view.span >= MIN_SPAN_NS


@given(viewports(), st.integers(1, 300), st.data())
def test_zoom_keeps_what_is_under_the_cursor(
    view: Viewport, width: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(view.t0, view.t1 - 1))
    zoomed = view.zoomed(0.5, at)
    assert zoomed.t0 <= at < zoomed.t1
    if zoomed.span > 1_000 * width:
        assert abs(zoomed.cell(at, width) - view.cell(at, width)) <= 1


@given(viewports(), st.integers(1, 300))
def test_edges_cover_the_view_without_holes(view: Viewport, width: int) -> None:
    edges = view.edges(width)
    assert edges[0] == view.t0
    assert edges[-1] == view.t1
    assert (edges[1:] >= edges[:-1]).all()


@given(viewports(), st.integers(1, 300), st.data())
def test_cell_and_time_agree(view: Viewport, width: int, data: st.DataObject) -> None:
    cell = data.draw(st.integers(0, width - 1))
    assert view.cell(view.time(cell, width), width) == cell


def test_reaching_moves_only_when_it_must() -> None:
    view = Viewport(1_000, 2_000, 0, 10_000)
    assert view.reaching(1_200, 1_800) is view
    panned = view.reaching(3_000, 3_200)
    assert panned.span == view.span
    assert panned.t0 <= 3_000
    assert panned.t1 >= 3_200
    zoomed = view.reaching(3_000, 8_000)
    assert zoomed.t0 <= 3_000
    assert zoomed.t1 >= 8_000


def test_following_scrolls_by_the_least() -> None:
    view = Viewport(1_000, 2_000, 0, 10_000)
    assert view.following(1_500) is view
    assert view.following(999) == Viewport(999, 1_999, 0, 10_000)
    assert view.following(2_000) == Viewport(1_001, 2_001, 0, 10_000)


def test_a_trace_of_no_length_still_has_a_view() -> None:
    view = Viewport.whole(5, 5)
    assert view.span == MIN_SPAN_NS
    assert view.fitted() == view


def test_showing_leaves_the_margin_on_both_sides() -> None:
    view = Viewport.whole(0, 100_000)
    assert view.showing(40_000, 50_000, margin=0.1) == Viewport(39_000, 51_000, 0, 100_000)
    assert view.showing(40_000, 40_000, margin=0.5).span == MIN_SPAN_NS


def test_what_just_fits_is_on_screen_already() -> None:
    view = Viewport(1_000, 2_000, 0, 10_000)
    assert view.reaching(1_000, 2_000) is view
    assert view.following(1_000) is view


def test_four_fifths_of_the_screen_are_panned_to_and_more_is_zoomed_to() -> None:
    view = Viewport(1_000, 2_000, 0, 10_000)
    assert view.reaching(3_000, 3_800) == Viewport(2_900, 3_900, 0, 10_000)
    assert view.reaching(3_000, 3_801).span > view.span
    wide = Viewport(0, 5_000, 0, 10_000)
    assert wide.reaching(6_000, 6_100).span == wide.span


def test_a_zoom_halves_what_is_shown() -> None:
    assert Viewport(0, 4_000, 0, 10_000).zoomed(0.5, 2_000) == Viewport(1_000, 3_000, 0, 10_000)
    assert Viewport(0, 4_000, 0, 10_000).zoomed(0.01, 2_000).span == MIN_SPAN_NS
