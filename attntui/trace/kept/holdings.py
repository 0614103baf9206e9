"""What is kept, by trace: for a list, and to be removed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from attntui.trace.kept.container import header_key
from attntui.trace.kept.key import absolute, path_name
from attntui.trace.kept.shelf import Held, Shelf


@dataclass(frozen=True, slots=True)
class Holding:
    """What is kept of one trace: bytes, and when that was last used (seconds since the epoch).

    `path` is None where what lies there is not of this version, or damaged.
    """

    path: str | None
    size: int
    used: float
    files: tuple[Held, ...]


def holdings(shelves: Sequence[Shelf]) -> list[Holding]:
    """What is kept, the last used first."""
    parts: dict[str, list[Held]] = {}
    for held in (held for shelf in shelves for held in shelf.held()):
        parts.setdefault(held.name, []).append(held)
    found = [
        Holding(
            path=next((key.path for held in own if (key := header_key(held.path))), None),
            size=sum(held.size for held in own),
            used=max(held.used for held in own),
            files=tuple(own),
        )
        for own in parts.values()
    ]
    return sorted(found, key=lambda one: (-one.used, one.path or ""))


def clear(shelves: Sequence[Shelf], paths: Collection[str] = ()) -> tuple[int, int]:
    """Removes what is kept of these traces, or of all: of how many, and how many bytes."""
    wanted = {path_name(absolute(path)) for path in paths}
    gone = [one for one in holdings(shelves) if not wanted or one.files[0].name in wanted]
    for shelf in shelves:
        for held in (held for one in gone for held in one.files):
            shelf.drop(held.path.name)
        shelf.sweep()
    return len(gone), sum(one.size for one in gone)
