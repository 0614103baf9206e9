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


class Texts(Sequence[bytes]):
    """Texts, each taken out when it is asked for."""

    def __init__(self, blob: Array, ends: Array) -> None:
        self._blob, self._ends = blob, ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        return bytes(self._blob[self._ends[at] : self._ends[at + 1]])
