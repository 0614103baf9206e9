"""A file as bytes that can be read from anywhere."""

from __future__ import annotations

import os
import weakref
from typing import Protocol

BLOCK = 256 * 1024
"""Bytes of text a read yields at most: a chunk that stays in the cache."""


class File(Protocol):
    """A file whose bytes can be read from anywhere."""

    @property
    def size(self) -> int | None: ...

    def at(self, offset: int, length: int) -> bytes: ...

    def finish(self) -> None:
        """Nothing more of it is wanted than what was read already."""


class RegularFile:
    """An open file, closed when the last user of it goes.

    It keeps reading what was opened, even when another file takes its path.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.size = os.fstat(descriptor).st_size
        weakref.finalize(self, os.close, descriptor)

    def at(self, offset: int, length: int) -> bytes:
        return os.pread(self.descriptor, length, offset)

    def finish(self) -> None:
        """All of it stays there to be read."""
