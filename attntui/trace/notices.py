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
    """Counts oddities by kind."""

    def __init__(self) -> None:
        self._found: dict[str, Notice] = {}

    def add(self, kind: str, example: str, count: int = 1, *, at: int | None = None) -> None:
        """Counts `count` more of `kind`; the example kept is the first in the text, by the
        offset `at` which it stands, else the first given.
        """
        if count <= 0:
            return
        known = self._found.get(kind)
        if known is None:
            self._found[kind] = Notice(kind, count, _shortened(example), at)
            return
        count += known.count
        if at is not None and known.offset is not None and at < known.offset:
            self._found[kind] = Notice(kind, count, _shortened(example), at)
        else:
            self._found[kind] = replace(known, count=count)

    def add_events(self, kind: str, events: Sequence[Named], odd: Bool, offsets: I64) -> None:
        """Counts the `odd` ones of some events; the first of them is the example."""
        if odd.any():
            first = int(odd.argmax())
            self.add(kind, events[first].name, int(odd.sum()), at=int(offsets[first]))

    def freeze(self) -> tuple[Notice, ...]:
        """What stands at one place in the text, in its order; then the rest."""

        def place(notice: Notice) -> tuple[bool, int]:
            return notice.offset is None, notice.offset or 0

        return tuple(sorted(self._found.values(), key=place))

    def absorb(self, others: tuple[Notice, ...]) -> None:
        """Counts what was noticed elsewhere in the same text."""
        for other in others:
            self.add(other.kind, other.example, other.count, at=other.offset)


def _shortened(text: str) -> str:
    return text if len(text) <= EXAMPLE_LENGTH else text[: EXAMPLE_LENGTH - 1] + "…"
