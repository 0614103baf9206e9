"""Text from traces reaches the terminal literally, on one line, within its width."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from attntui.safe import inert, safe


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("aten::mm", "aten::mm"),
        ("[bold]x[/foo] [memory] [with T = float]", "[bold]x[/foo] [memory] [with T = float]"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b2J", "\\x9b2J"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x7f", "\\x7f"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),
        ("a\u200bb\ufeffc", "a\\u200bb\\ufeffc"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("heart\u2764\ufe0f", "heart\u2764\\ufe0f"),
        ("注意 naïve", "注意 naïve"),
    ],
)
def test_shows_what_could_act(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_cuts_at_cells_not_characters() -> None:
    assert safe("abcdef", 6) == "abcdef"
    assert safe("abcdef", 5) == "abcd…"
    assert safe("注意注意", 8) == "注意注意"
    assert cell_len(safe("注意注意", 6)) <= 6
    assert safe("abc", 0) == ""
    assert safe("abc", 1) == "…"
    assert safe("x" * 100_000, 10) == "x" * 9 + "…"


def test_cut_text_says_so_even_when_escapes_fill_it() -> None:
    assert safe("\x1b" * 10, 9) == "\\x1b\\x1b…"


@given(st.text(st.characters()), st.integers(0, 40))
def test_any_text_is_one_harmless_line(text: str, limit: int) -> None:
    shown = safe(text, limit)
    assert cell_len(shown) <= limit
    harmful = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not harmful & {unicodedata.category(character) for character in safe(text)}
    assert shown.encode("utf-8") or not shown


@given(st.text(st.characters()))
def test_inert_text_is_as_wide_and_harmless(text: str) -> None:
    shown = inert(text)
    assert safe(shown) == shown
    assert cell_len(shown) == sum(map(cell_len, text))
