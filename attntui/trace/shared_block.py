"""Memory that two processes share: a file without a name that holds one value at a time."""

from __future__ import annotations

import mmap
import os
import pickle
import struct
import tempfile
from typing import Any

_SIZES = struct.Struct("<q")


class SharedBlock:
    """Holds one value, or some text, for whoever has its `descriptor`.

    Arrays in a value are not copied when it is taken out: they lie in the block, and are
    good until something else is put in.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @classmethod
    def new(cls) -> SharedBlock:
        """An empty block. Raises OSError."""
        if hasattr(os, "memfd_create"):
            return cls(os.memfd_create("attntui"))
        with tempfile.TemporaryFile() as file:
            return cls(os.dup(file.fileno()))

    def put_text(self, text: bytes) -> None:
        _write(self.descriptor, [text])

    def text(self, length: int) -> bytes:
        return os.pread(self.descriptor, length, 0)

    def put(self, value: Any) -> None:
        """Raises OSError where there is no more room, or MemoryError."""
        buffers: list[pickle.PickleBuffer] = []
        body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        parts = [body, *(buffer.raw() for buffer in buffers)]
        sizes = [len(parts), *map(len, parts)]
        _write(self.descriptor, [b"".join(map(_SIZES.pack, sizes)), *parts])

    def take(self) -> Any:
        mapped = memoryview(mmap.mmap(self.descriptor, 0, access=mmap.ACCESS_READ))
        count = _SIZES.unpack_from(mapped)[0]
        at = _SIZES.size * (count + 1)
        parts = []
        for number in range(count):
            size = _SIZES.unpack_from(mapped, _SIZES.size * (number + 1))[0]
            parts.append(mapped[at : at + size])
            at += size
        return pickle.loads(parts[0], buffers=parts[1:])


def _write(descriptor: int, parts: list[Any]) -> None:
    at = 0
    for part in parts:
        view = memoryview(part)
        while view:
            written = os.pwrite(descriptor, view, at)
            at, view = at + written, view[written:]
