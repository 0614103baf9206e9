"""What is kept, by trace: for a list, and to be removed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from attntui.trace.kept.container import header_key
from attntui.trace.kept.key import absolute, path_name
from attntui.trace.kept.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Holding:
    """What is kept of one trace: bytes, and when that was last used (seconds since the epoch).

    `path` is None where what lies there is not of this version, or damaged.
    """

    path: str | None
    size: int
    used: float
    names: tuple[str, ...]


def holdings(shelf: Shelf) -> list[Holding]:
    """What is kept, the last used first."""
    parts: dict[str, list[Holding]] = {}
    for held in shelf.held():
        key = header_key(held.path)
        name = held.path.name
        part = Holding(None if key is None else key.path, held.size, held.used, (name,))
        parts.setdefault(name.partition(".")[0], []).append(part)
    found = [
        Holding(
            next((part.path for part in own if part.path is not None), None),
            sum(part.size for part in own),
            max(part.used for part in own),
            tuple(name for part in own for name in part.names),
        )
        for own in parts.values()
    ]
    return sorted(found, key=lambda one: (-one.used, one.path or ""))


def clear(shelf: Shelf, paths: Collection[str] = ()) -> tuple[int, int]:
    """Removes what is kept of these traces, or of all: of how many, and how many bytes."""
    wanted = {path_name(absolute(path)) for path in paths}
    number = size = 0
    for holding in holdings(shelf):
        if not wanted or holding.names[0].partition(".")[0] in wanted:
            for name in holding.names:
                shelf.drop(name)
            number, size = number + 1, size + holding.size
    shelf.sweep()
    return number, size
