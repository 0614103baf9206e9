from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attntui.view.drawing.axis import axis, minimap, tick_step, tick_text
from attntui.view.session.viewport import Viewport


@given(st.floats(0.05, 1e12))
def test_steps_are_round_and_leave_room(ns_per_cell: float) -> None:
    step = tick_step(ns_per_cell)
    assert str(step).rstrip("0") in {"1", "2", "5"}
    assert step >= ns_per_cell * 16


@pytest.mark.parametrize(
    ("at", "step", "text"),
    [
        (0, 1_000, "0 ns"),
        (400_000, 200_000, "400 us"),
        (1_000_000, 200_000, "1.0 ms"),
        (1_200_000, 200_000, "1.2 ms"),
        (5_000_412_600, 100, "5.0004126 s"),
        (12_000_000_000, 1_000_000_000, "12 s"),
    ],
)
def test_precision_follows_the_zoom(at: int, step: int, text: str) -> None:
    assert tick_text(at, step) == text


@given(st.integers(1, 10**9), st.integers(0, 10**12), st.integers(20, 250))
def test_neighbouring_ticks_differ(step_ns: int, t0: int, width: int) -> None:
    view = Viewport(t0, t0 + step_ns * width, 0, 10**14)
    line = axis(view, width)
    assert len(line) == width
    words = [word for word in line.split("╷")[1:] if word.strip()]
    assert len(words) == len(set(words))


def test_the_minimap_brackets_the_view() -> None:
    whole = Viewport.whole(0, 10_000)
    assert minimap("▁" * 10, whole, 10) == "[" + "▁" * 8 + "]"
    part = whole.showing(3_000, 5_000, margin=0.0)
    assert minimap("▁" * 10, part, 10) == "▁▁▁[]▁▁▁▁▁"
