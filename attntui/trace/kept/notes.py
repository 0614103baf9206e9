"""A small note on each trace, in the user's state directory: it stays when the code changes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from attntui.trace.kept.container import Damaged, packed, unpacked
from attntui.trace.kept.key import Key
from attntui.trace.kept.shelf import Shelf, Unkept, users

ELSEWHERE = "ATTNTUI_STATE_DIR"
"""The environment variable that names another directory."""

_MOST_BYTES = 4 * 10**6
"""What all notes take at most: those on some thousand traces."""

_ENDING = ".left"


def notes() -> Shelf | None:
    """Where notes lie; None where the user has no such place."""
    place = users("user_state_dir", ELSEWHERE)
    return None if place is None else Shelf(place / "left", _MOST_BYTES)


def note(key: Key) -> bytes | None:
    """The note on a file of this content; None where there is none."""
    shelf, key = notes(), _of_content(key)
    if shelf is None:
        return None
    try:
        found = unpacked(shelf.path(key.name + _ENDING))
    except (OSError, Damaged):
        return None
    return found.told if found.key == key else None


def put_note(key: Key, told: bytes) -> None:
    """Puts a note in place of the one before, if that can be done. `told` is JSON."""
    shelf, key = notes(), _of_content(key)
    if shelf is not None:
        # A path that is no text has no place in JSON.
        with suppress(Unkept, ValueError):
            shelf.write(key.name + _ENDING, packed(key, told))


def _of_content(key: Key) -> Key:
    return replace(key, code="")
