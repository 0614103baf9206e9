"""Collects what was odd in a file: how often, and one example of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from attntui.trace.model import I64, Bool, Notice

EXAMPLE_LENGTH = 200
"""Characters of an example that are kept: a broken event may hold megabytes."""


class Named(Protocol):
    """An event that has a name."""

    name: Any


class Notices:
    """Counts oddities by kind, in the order in which they are first met."""

    def __init__(self) -> None:
        self._found: dict[str, Notice] = {}

    def add(self, kind: str, example: str, count: int = 1, *, at: int | None = None) -> None:
        """Counts `count` more of `kind`; the first example given is the one kept, with the
        offset in the text `at` which it stands.
        """
        if count <= 0:
            return
        known = self._found.get(kind)
        if known is None:
            self._found[kind] = Notice(kind, count, _shortened(example), at)
        else:
            self._found[kind] = replace(known, count=known.count + count)

    def add_events(self, kind: str, events: Sequence[Named], odd: Bool, offsets: I64) -> None:
        """Counts the `odd` ones of some events; the first of them is the example."""
        if odd.any():
            first = int(odd.argmax())
            self.add(kind, events[first].name, int(odd.sum()), at=int(offsets[first]))

    def freeze(self) -> tuple[Notice, ...]:
        return tuple(self._found.values())


def _shortened(text: str) -> str:
    return text if len(text) <= EXAMPLE_LENGTH else text[: EXAMPLE_LENGTH - 1] + "…"
