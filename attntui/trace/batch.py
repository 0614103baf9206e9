"""Runs of whole events, and where each stands in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from attntui.trace.event_json import Decoded
from attntui.trace.model import I64
from attntui.trace.scan import find_end

FOLLOWING = re.compile(rb"\s*(?:[,\]{}]|\Z)")
"""What may stand behind an event."""

_ALL = 2**62
_SHORT = 4096
"""Bytes that an event is given at first; a longer one is looked at more closely."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A run of whole events, with each one's place in the text."""

    decoded: Decoded
    offsets: I64
    lengths: I64


def whole_values(buffer: bytes, at: int, most: int = _ALL) -> tuple[list[tuple[int, int]], int]:
    """Bounds of the objects that follow one another from `at`, and where they end."""
    spans: list[tuple[int, int]] = []
    end = at
    while len(spans) < most:
        start = end
        while start < len(buffer) and buffer[start] in b" \t\r\n,":
            start += 1
        if start >= len(buffer) or buffer[start] != ord("{"):
            return spans, end
        stop = find_end(buffer, start, start + _SHORT if most != _ALL else None)
        if stop < 0:
            return spans, end
        if not FOLLOWING.match(buffer, stop):
            return spans, end
        spans.append((start, stop))
        end = stop
    return spans, end


def places(text: bytes, part: bytes) -> I64:
    """Where `part` stands in `text`; it ends with a byte that is rare after its first."""
    array = np.frombuffer(text, dtype=np.uint8)
    found = np.flatnonzero(array[: max(0, len(text) - len(part) + 1)] == part[0])
    for at in range(len(part) - 1, 0, -1):
        found = found[array[found + at] == part[at]]
    return found


def batch_of(decoded: Decoded, spans: list[tuple[int, int]], base: int) -> Batch:
    """Events whose bounds count from `base` in the text."""
    bounds = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return Batch(decoded, base + bounds[:, 0], bounds[:, 1] - bounds[:, 0])
