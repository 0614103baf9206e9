"""The difference of frames makes the screen that the frames themselves make."""

from __future__ import annotations

import pytest
from emulated import Emulated, differing
from hypothesis import given
from hypothesis import strategies as st

from attntui.tui.line.abilities import Abilities
from attntui.tui.line.pens import UnreadableError
from attntui.tui.line.writer import LineWriter

WIDTH, HEIGHT = 24, 4
ABILITIES = (
    Abilities(),
    Abilities(erases=True),
    Abilities(erases=True, erases_in_colour=True),
)
STYLES = ("", "1", "4", "7", "38;5;9", "41", "1;38;2;1;2;3;48;2;4;5;6", "48;5;17", "3;91;44")
PAIRS = ("ab", "  ", "漢", "e\u0301x", "──", "█ ", "mH", "CC", "[X")
"""What stands in two cells: a sign that takes both is then never cut."""


def written(style: str, text: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if style else text


@st.composite
def strips(draw: st.DrawFn) -> str:
    """A move, and styled text that stays in the row."""
    y, x = draw(st.integers(0, HEIGHT - 1)), draw(st.integers(0, WIDTH // 2 - 1))
    text, room = f"\x1b[{y + 1};{2 * x + 1}H", WIDTH // 2 - x
    while room and draw(st.booleans()):
        pair, times = draw(st.sampled_from(PAIRS)), draw(st.integers(1, room))
        text += written(draw(st.sampled_from(STYLES)), pair * times)
        room -= times
    # At the foot a line feed would scroll: no frame has one there.
    return text + "\n" * (y < HEIGHT - 1 and draw(st.booleans()))


FRAME = st.lists(strips(), min_size=1, max_size=6).map(lambda found: "".join(found) + "\x1b[1;1H")
FRAMES = st.lists(FRAME, max_size=5)


def writer(abilities: Abilities = Abilities()) -> LineWriter:  # noqa: B008, frozen
    made = LineWriter(abilities)
    made.resize(WIDTH, HEIGHT)
    return made


def difference(line: LineWriter, frame: str) -> str:
    line.draw(frame)
    return line.difference()


@given(FRAMES, st.sampled_from(ABILITIES))
def test_the_same_screen_by_frames_and_by_their_differences(
    frames: list[str], abilities: Abilities
) -> None:
    plain, line, shown = Emulated(WIDTH, HEIGHT), writer(abilities), Emulated(WIDTH, HEIGHT)
    for frame in frames:
        plain.feed(frame)
        shown.feed(difference(line, frame))
        assert not differing(plain.cells(), shown.cells())
        assert not difference(line, frame)
    shown.feed(line.whole("x"))
    plain.feed("x")
    assert not differing(plain.cells(), shown.cells())


@given(st.lists(FRAMES, max_size=3), st.sampled_from(ABILITIES))
def test_frames_may_be_put_together(several: list[list[str]], abilities: Abilities) -> None:
    plain, line, shown = Emulated(WIDTH, HEIGHT), writer(abilities), Emulated(WIDTH, HEIGHT)
    for frames in several:
        for frame in frames:
            plain.feed(frame)
            line.draw(frame)
        shown.feed(line.difference())
        assert not differing(plain.cells(), shown.cells())


GARBAGE = "\x1b[2J\x1b[3;5H\x1b[1;33;44mwritten by others"


def screen(*lines: str) -> str:
    """A frame of whole lines."""
    return "\n".join(f"\x1b[{y};1H{line:<{WIDTH}}" for y, line in enumerate(lines, 1)) + "\x1b[1;1H"


ABC = screen("abcdefghijklmnopqrstuvwx", "second", "", "")


@given(FRAMES, FRAMES, st.sampled_from(ABILITIES))
def test_after_text_that_is_no_frame_all_that_comes_is_written(
    before: list[str], after: list[str], abilities: Abilities
) -> None:
    line, shown, plain = writer(abilities), Emulated(WIDTH, HEIGHT), Emulated(WIDTH, HEIGHT)
    for frame in before:
        shown.feed(difference(line, frame))
    shown.feed(line.whole(GARBAGE))
    plain.feed(f"{GARBAGE}\x1b[m")
    for frame in after:
        shown.feed(difference(line, frame))
        plain.feed(frame)
    assert not differing(plain.cells(), shown.cells())


@given(FRAMES, st.sampled_from(ABILITIES))
def test_forgotten_all_that_was_drawn_is_written_again(
    frames: list[str], abilities: Abilities
) -> None:
    plain, line, shown = Emulated(WIDTH, HEIGHT), writer(abilities), Emulated(WIDTH, HEIGHT)
    for frame in (ABC, *frames):
        plain.feed(frame)
        difference(line, frame)
    shown.feed(GARBAGE)
    line.forget()
    shown.feed(line.difference())
    assert not differing(plain.cells(), shown.cells())


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (ABC, ""),
        (screen("Abcdefghijklmnopqrstuvwx", "second", "", ""), "A\r"),
        (screen("abcdefghijklmnopqrstuvwX", "second", "", ""), "\x1b[24GX\r"),
        (screen("aBcdefGhijklmnopqrstuvwX", "second", "", ""), "\x1b[CBcdefG\x1b[24GX\r"),
        (screen("abcdefghijklmnopqrstuvwx", "", "", ""), "\x1b[B\x1b[K\x1b[H"),
        (screen("abcdefghijklmnopqrstuvwx", "second", "3", "44"),
         "\x1b[3H3\x1b[4H44\x1b[H"),
        (screen("a                      x", "second", "", ""),
         "\x1b[C\x1b[22X\r"),
    ],
)  # fmt: skip
def test_the_shortest_way(frame: str, text: str) -> None:
    line = writer(Abilities(erases=True))
    difference(line, ABC)
    assert difference(line, frame) == text


def test_a_blank_is_not_erased_where_that_would_lose_its_colour() -> None:
    frame = f"\x1b[1;1H{written('44', ' ' * WIDTH)}"
    for abilities, erased in ((ABILITIES[1], False), (ABILITIES[2], True)):
        line = writer(abilities)
        assert ("\x1b[K" in difference(line, frame)) is erased
    line = writer(ABILITIES[2])
    assert "\x1b[K" not in difference(line, f"\x1b[1;1H{written('4', ' ' * WIDTH)}")


def test_a_moved_cursor_is_moved() -> None:
    line = writer()
    difference(line, ABC)
    assert difference(line, "\x1b[3;7H") == "\x1b[3;7H"


def test_half_a_wide_sign_leaves_a_blank() -> None:
    line, shown = writer(), Emulated(WIDTH, HEIGHT)
    shown.feed(difference(line, "\x1b[1;1H漢字漢"))
    shown.feed(difference(line, "\x1b[1;2Hab"))
    assert shown.lines()[0].rstrip() == " ab 漢"


def test_after_signs_of_doubtful_width_the_column_is_named() -> None:
    line = writer()
    difference(line, ABC)
    assert difference(line, "\x1b[2;1H漢cond  +\x1b[1;1H") == "\x1b[B漢\x1b[9G+\x1b[H"


@pytest.mark.parametrize(
    "text",
    [
        *("text first", "\x1b[2J", "\x1b[1;1Ha\tb", "\x1b[1;1Ha\x1b]8;;x\x1b\\b"),
        *("\x1b[1;1H\x9b31m", "\x1b[5;1Hx", "\x1b[1;25Hx", "\x1b[1;24Hxy", "\x1b[1;;1Hx"),
        *("\x1b[mx", "\x1b[1;1H\x1b[4:3mx", "\x1b[1;1H\u0301", "\x1b[1;1Ha\nb"),
        "\x1b[1;1H👩\u200d🚀",
    ],
)
def test_what_is_no_frame_is_told(text: str) -> None:
    with pytest.raises(UnreadableError):
        writer().draw(text)
