"""The base of enums whose members are words, shown and written as they are."""

from __future__ import annotations

from enum import Enum


class Word(str, Enum):
    """A word that code compares as a member; f-strings and JSON give its plain value."""

    # Python 3.10 to 3.12 differ in how such an enum prints; this is the same in all.
    __str__ = str.__str__

    def __format__(self, spec: str) -> str:
        return str.__format__(self, spec)
