"""Pens: read from what asks for them, and changed by the fewest bytes."""

from __future__ import annotations

import pytest
from emulated import Emulated
from hypothesis import given
from hypothesis import strategies as st

from attntui.tui.line.pens import Pen, UnreadableError, change

COLOURS = ("", "3{}", "9{}", "8;5;{}", "8;2;{};0;255")


def colour(ground: bool) -> st.SearchStrategy[str]:
    def spelled(form: str, number: int) -> str:
        if form.startswith("8"):
            return f"{'4' if ground else '3'}{form.format(number)}"
        return str(int(form.format(number)) + 10 * ground) if form else ""

    return st.builds(spelled, st.sampled_from(COLOURS), st.integers(0, 7))


PENS = st.builds(
    Pen,
    # pyte knows no dim and no hidden text.
    attributes=st.frozensets(st.sampled_from(["1", "3", "4", "5", "7", "9"])),
    colour=colour(ground=False),
    ground=colour(ground=True),
)


def in_full(pen: Pen) -> str:
    words = ["0", *sorted(pen.attributes), *filter(None, (pen.colour, pen.ground))]
    return f"\x1b[{';'.join(words)}m"


@given(PENS, PENS, st.booleans())
def test_a_change_writes_as_the_pen_in_full_does(before: Pen, after: Pen, known: bool) -> None:
    changed, anew = Emulated(1, 1), Emulated(1, 1)
    changed.feed(f"{in_full(before)}{change(before if known else None, after)}x")
    anew.feed(f"{in_full(after)}x")
    assert changed.cells() == anew.cells()
    assert len(change(before, after)) <= len(in_full(after))


@given(PENS, PENS)
def test_a_pen_is_read_back_from_its_change(before: Pen, after: Pen) -> None:
    text = change(before, after)
    assert before.told(text[2:-1]) == after if text else before == after


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (Pen(), Pen(), ""),
        (Pen(colour="31"), Pen(), "\x1b[m"),
        (Pen(), Pen(frozenset({"1"}), "31"), "\x1b[1;31m"),
        (Pen(frozenset({"1"}), "38;5;200", "48;5;2"), Pen(frozenset(), "38;5;200", "48;5;2"),
         "\x1b[22m"),
        (Pen(frozenset({"1", "2"}), "38;5;200"), Pen(frozenset({"2"}), "38;5;200"), "\x1b[22;2m"),
        (Pen(colour="38;5;200", ground="48;5;2"), Pen(colour="38;5;201", ground="48;5;2"),
         "\x1b[38;5;201m"),
    ],
)  # fmt: skip
def test_only_what_differs_is_asked_for(before: Pen, after: Pen, text: str) -> None:
    assert change(before, after) == text


@pytest.mark.parametrize("words", ["51", "38", "38;5", "38;9;1", "48;2;1;2", "38;5;x", "4:3", "-1"])
def test_what_is_not_known_is_not_guessed(words: str) -> None:
    with pytest.raises(UnreadableError):
        Pen().told(words)
