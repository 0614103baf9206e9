"""Many texts as one array of bytes and where each ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np

from attntui.trace.kept.container import Array


def joined(texts: Iterable[bytes]) -> tuple[Array, Array]:
    """The bytes of all texts, and the offset of each and of the end."""
    parts = list(texts)
    ends = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=ends[1:])
    return np.frombuffer(b"".join(parts), np.uint8), ends


def split(blob: Array, ends: Array) -> Iterator[bytes]:
    whole = blob.tobytes()
    return (whole[low:high] for low, high in pairwise(ends.tolist()))


class Tuples(Sequence[tuple[bytes, ...]]):
    """Tuples of `width` texts each, put together when they are asked for."""

    def __init__(self, blob: Array, ends: Array, width: int) -> None:
        self._blob, self._ends, self._width = blob, ends, width

    def __len__(self) -> int:
        return (len(self._ends) - 1) // self._width

    @overload
    def __getitem__(self, index: int) -> tuple[bytes, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[bytes, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[bytes, ...] | list[tuple[bytes, ...]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        first = range(len(self))[index] * self._width
        ends = self._ends[first : first + self._width + 1].tolist()
        return tuple(self._blob[low:high].tobytes() for low, high in pairwise(ends))
