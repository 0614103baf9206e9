"""Collects what was odd in a file: how often, and one example of each kind."""

from __future__ import annotations

from attntui.trace.model import Notice

EXAMPLE_LENGTH = 200
"""Characters of an example that are kept: a broken event may hold megabytes."""


class Notices:
    """Counts oddities by kind, in the order in which they are first met."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, kind: str, example: str, count: int = 1) -> None:
        """Counts `count` more of `kind`; the first example given is the one kept."""
        if count <= 0:
            return
        known = self._found.get(kind)
        if known is None:
            self._found[kind] = (count, _shortened(example))
        else:
            self._found[kind] = (known[0] + count, known[1])

    def freeze(self) -> tuple[Notice, ...]:
        return tuple(Notice(kind, count, text) for kind, (count, text) in self._found.items())


def _shortened(text: str) -> str:
    return text if len(text) <= EXAMPLE_LENGTH else text[: EXAMPLE_LENGTH - 1] + "…"
