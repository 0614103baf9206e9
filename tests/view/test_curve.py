from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attntui.view.drawing.curve import Curve, draw_curve


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 9)), max_size=30),
    st.lists(st.integers(0, 600), min_size=2, max_size=20, unique=True).map(sorted),
)
def test_cell_peaks_are_the_highest_value_in_each_cell(
    steps: list[tuple[int, int]], times: list[int]
) -> None:
    steps = sorted(steps, key=lambda s: s[0])
    curve = Curve(
        np.array([t for t, _ in steps], np.int64), np.array([v for _, v in steps], np.int64)
    )
    got = curve.cell_peaks(np.array(times, np.int64)).tolist()
    for low, high, peak in zip(times, times[1:], got, strict=False):
        before = [v for t, v in steps if t <= low]
        inside = [v for t, v in steps if low < t < high]
        assert peak == max([*before[-1:], *inside], default=0)


def test_height_is_the_share_of_the_peak() -> None:
    curve = Curve(np.array([0, 10, 20]), np.array([1, 8, 4]))
    assert draw_curve(curve, np.array([0, 10, 20, 30])) == "▁█▄"


def test_a_curve_of_nothing_is_blank_and_its_peak_none() -> None:
    none = Curve(np.array([], np.int64), np.array([], np.int64))
    assert none.peak == 0
    assert draw_curve(none, np.array([0, 10, 20])) == "  "
    assert none.cell_peaks(np.array([0, 10, 20])).tolist() == [0, 0]


def test_before_its_first_value_a_curve_is_zero() -> None:
    curve = Curve(np.array([15, 20]), np.array([4, 0]))
    assert curve.cell_peaks(np.array([0, 10, 20, 30])).tolist() == [0, 4, 0]
    assert draw_curve(curve, np.array([0, 10, 20, 30])) == " █ "
    assert draw_curve(curve, np.array([0, 10, 20, 30]), ascii_only=True) == " @ "
