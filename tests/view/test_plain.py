from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from attntui.view.drawing.ascii_text import plain


@given(st.text(st.characters(categories=("L", "S", "P", "N"))))
def test_is_ascii_of_the_same_width(text: str) -> None:
    shown = plain(text)
    assert shown.isascii()
    assert cell_len(shown) == cell_len(text)


def test_marks_keep_their_likeness() -> None:
    assert plain("╭─ ▸█▁ ≥ 1 µs …╮") == "+- >## > 1 us ~+"
