"""Pens: how characters look, as terminals are told, and the shortest way from one to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace


class UnreadableError(ValueError):
    """Text for the terminal that is no frame of characters, styles and moves."""


_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29"}
"""Attributes and the code that takes each away; one code takes away bold and dim."""

_COLOUR_WORDS = {"5": 3, "2": 5}
"""How many words a colour of a palette and one of three parts have."""

_VISIBLE_BLANK = frozenset({"4", "5", "7", "8", "9"})
"""Attributes that show, or may show, where nothing is written."""


@dataclass(frozen=True, slots=True)
class Pen:
    """Attributes and two colours, each by the words that ask for it; "" is the terminal's own."""

    attributes: frozenset[str] = frozenset()
    colour: str = ""
    ground: str = ""

    @property
    def order(self) -> tuple[str, str, list[str]]:
        """Pens beside each other in this order have more in common than others."""
        return self.ground, self.colour, sorted(self.attributes)

    @property
    def erases(self) -> bool:
        """Whether an erased cell looks as a blank of this pen, where erasing keeps colours."""
        return self.attributes.isdisjoint(_VISIBLE_BLANK)

    def told(self, words: str) -> Pen:
        """The pen after the parameters of one `CSI … m`.

        Raises:
            UnreadableError: a parameter is not known here.
        """
        pen = self
        rest = iter(words.split(";"))
        for word in rest:
            if word in {"", "0"}:
                pen = Pen()
            elif word in _OFF:
                pen = replace(pen, attributes=pen.attributes | {word})
            elif word in _OFF.values():
                left = frozenset(on for on in pen.attributes if _OFF[on] != word)
                pen = replace(pen, attributes=left)
            elif word == "39":
                pen = replace(pen, colour="")
            elif word == "49":
                pen = replace(pen, ground="")
            elif _is_one_of_sixteen(word):
                of_ground = word.startswith(("4", "10"))
                pen = replace(pen, ground=word) if of_ground else replace(pen, colour=word)
            elif word == "38":
                pen = replace(pen, colour=_colour(word, rest))
            elif word == "48":
                pen = replace(pen, ground=_colour(word, rest))
            else:
                raise UnreadableError(f"SGR {word}")
        return pen


def _is_one_of_sixteen(word: str) -> bool:
    number = int(word) if word.isdecimal() else 0
    return 30 <= number <= 37 or 40 <= number <= 47 or 90 <= number <= 97 or 100 <= number <= 107


def _colour(word: str, rest: Iterator[str]) -> str:
    kind = next(rest, "")
    if kind not in _COLOUR_WORDS:
        raise UnreadableError(f"SGR {word};{kind}")
    words = [word, kind, *(next(rest, "") for _ in range(_COLOUR_WORDS[kind] - 2))]
    if not all(word.isdecimal() for word in words):
        raise UnreadableError(f"SGR {';'.join(words)}")
    return ";".join(words)


def change(before: Pen | None, after: Pen) -> str:
    """The shortest text that makes a terminal with the one pen, or any, write with the other."""
    if before == after:
        return ""
    if before is None:
        return _sgr(_anew(after))
    return min(_sgr(_anew(after)), _sgr(_turned(before, after)), key=len)


def _sgr(words: Iterable[str]) -> str:
    return f"\x1b[{';'.join(words)}m"


def _anew(pen: Pen) -> list[str]:
    """From the terminal's own pen, which no parameter at all asks for."""
    words = [*sorted(pen.attributes), *filter(None, (pen.colour, pen.ground))]
    return ["0", *words] if words else []


def _turned(before: Pen, after: Pen) -> list[str]:
    off = dict.fromkeys(_OFF[word] for word in sorted(before.attributes - after.attributes))
    kept = {word for word in before.attributes if _OFF[word] not in off}
    words = [*off, *sorted(after.attributes - kept)]
    if before.colour != after.colour:
        words.append(after.colour or "39")
    if before.ground != after.ground:
        words.append(after.ground or "49")
    return words
