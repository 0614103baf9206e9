"""What a hand on the keyboard, or on the mouse, has a terminal send, at random."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

Maker = Callable[[random.Random, tuple[int, int]], str]

HELD = ["", *(f"1;{modifier}" for modifier in (2, 3, 5, 6))]
"""No modifier, Shift, Alt, Ctrl, Ctrl and Shift."""

PASTED = ("aten", "[bold]", "(", "\x1b]0;pasted\x07", "\x9b2J", "\u202e", "a\nb", "x" * 300, "")


def _moves(chance: random.Random, _: tuple[int, int]) -> str:
    """An arrow, Home or End, held with what there may be."""
    return f"\x1b[{chance.choice(HELD)}{chance.choice('ABCDHF')}"


def _numbered(chance: random.Random, _: tuple[int, int]) -> str:
    """Insert, Delete, a page, or a function key."""
    return f"\x1b[{chance.choice([2, 3, 5, 5, 6, 6, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21])}~"


def _ends(chance: random.Random, _: tuple[int, int]) -> str:
    """Enter, Tab, Shift+Tab, Backspace or Escape."""
    return chance.choice(["\r", "\r", "\t", "\x1b[Z", "\x7f", "\x1b[27u", "\x1b[27u"])


def _controlled(chance: random.Random, _: tuple[int, int]) -> str:
    """Ctrl and a letter but Z, which would stop this process."""
    return chr(ord(chance.choice(string.ascii_lowercase[:-1])) - ord("a") + 1)


def _spot(chance: random.Random, size: tuple[int, int]) -> str:
    return f"{chance.randint(1, size[0])};{chance.randint(1, size[1])}"


def _click(chance: random.Random, size: tuple[int, int]) -> str:
    """Once or twice, with any button."""
    at, button = _spot(chance, size), chance.choice([0, 0, 0, 1, 2])
    return f"\x1b[<{button};{at}M\x1b[<{button};{at}m" * chance.choice([1, 1, 2])


def _drag(chance: random.Random, size: tuple[int, int]) -> str:
    begin, end = _spot(chance, size), _spot(chance, size)
    return f"\x1b[<0;{begin}M\x1b[<32;{end}M\x1b[<0;{end}m"


def _wheel(chance: random.Random, size: tuple[int, int]) -> str:
    return f"\x1b[<{chance.choice([64, 65])};{_spot(chance, size)}M"


def _paste(chance: random.Random, _: tuple[int, int]) -> str:
    return f"\x1b[200~{chance.choice(PASTED)}\x1b[201~"


def _typed(chance: random.Random, _: tuple[int, int]) -> str:
    return chance.choice(string.ascii_letters + string.digits + string.punctuation + " ")


MAKERS: dict[Maker, int] = {
    _typed: 60,
    _moves: 12,
    _numbered: 5,
    _ends: 12,
    _controlled: 2,
    _click: 4,
    _drag: 2,
    _wheel: 2,
    _paste: 1,
}
"""How often of a hundred each is pressed."""


def press(chance: random.Random, size: tuple[int, int]) -> str:
    """One press on a terminal of some size, as the terminal sends it."""
    (maker,) = chance.choices([*MAKERS], [*MAKERS.values()])
    return maker(chance, size)
