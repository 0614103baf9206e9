"""The text of a file packed with gzip or zstd, forwards and at will."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from typing import Any

from attntui.errors import InputError
from attntui.trace.model import ArgsReader
from attntui.trace.raw_file import BLOCK, File

_COMPRESSED_BLOCK = 64 * 1024
_TIMES_PACKED = 8
"""A trace is packed to a tenth, give or take."""

_CHECKPOINT_EVERY = 4 * 1024 * 1024
_MOST_CHECKPOINTS = 1024
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP_WBITS = 16 + zlib.MAX_WBITS


class _Inflater:
    """Inflates a gzip file forwards from a place where a decompressor's state is known."""

    def __init__(self, file: File, position: int = 0, state: Any = None) -> None:
        self._file = file
        self._state = zlib.decompressobj(_GZIP_WBITS) if state is None else state.copy()
        self._position = position
        self._pending = b""
        self.damage: str | None = None

    @property
    def position(self) -> int:
        """Bytes of the file that the decompressor has taken."""
        return self._position - len(self._pending)

    def checkpoint(self) -> tuple[int, Any]:
        return self.position, self._state.copy()

    def read(self) -> bytes:
        """The next bytes of text; empty at the end or at damage."""
        while self.damage is None:
            if self._state.eof:
                self._pending = self._state.unused_data + self._pending
                if not self._next_member():
                    return b""
            if not self._pending:
                self._pending = self._file.at(self._position, _COMPRESSED_BLOCK)
                self._position += len(self._pending)
                if not self._pending:
                    self.damage = "the gzip stream is cut short"
                    break
            before = self._state.copy()
            try:
                text: bytes = self._state.decompress(self._pending, BLOCK)
            except zlib.error as error:
                self.damage = f"the gzip stream is corrupt ({error})"
                return _before_error(before, self._pending)
            self._pending = b"" if self._state.eof else self._state.unconsumed_tail
            if text:
                return text
        return b""

    def _next_member(self) -> bool:
        """Goes to the member that follows; what is no gzip any more is let be."""
        ahead = self._pending if len(self._pending) >= 2 else self._file.at(self.position, 2)
        if not ahead.startswith(GZIP):
            return False
        self._state = zlib.decompressobj(_GZIP_WBITS)
        return True


def _before_error(state: Any, packed: bytes) -> bytes:
    """The text that comes out before the decompressor meets what it cannot take."""
    text = bytearray()
    try:
        for at in range(len(packed)):
            text += state.decompress(packed[at : at + 1])
    except zlib.error:
        pass
    return bytes(text)


class _Packed:
    """What the text of a packed file lacks."""

    descriptor: int | None = None

    def __init__(self, file: File) -> None:
        self._file = file

    @property
    def text_size(self) -> int:
        return (self._file.size or 0) * _TIMES_PACKED

    def seek(self, position: int) -> None:
        raise AssertionError("a packed file is read from start to end")


class GzipSource(_Packed):
    """Inflates, and keeps a copy of the decompressor every few megabytes of text."""

    def __init__(self, file: File) -> None:
        super().__init__(file)
        self._inflater = _Inflater(file)
        self._text_position = 0
        self._every = _CHECKPOINT_EVERY
        self._checkpoints: list[tuple[int, int, Any]] = [(0, 0, None)]

    @property
    def size(self) -> int | None:
        return self._file.size

    @property
    def position(self) -> int:
        return self._inflater.position

    @property
    def damage(self) -> str | None:
        return self._inflater.damage

    def read(self) -> bytes:
        if self._text_position - self._checkpoints[-1][0] >= self._every:
            self._keep_checkpoint()
        text = self._inflater.read()
        self._text_position += len(text)
        return text

    def _keep_checkpoint(self) -> None:
        if len(self._checkpoints) >= _MOST_CHECKPOINTS:
            del self._checkpoints[1::2]
            self._every *= 2
        self._checkpoints.append((self._text_position, *self._inflater.checkpoint()))

    def again(self) -> GzipSource:
        return GzipSource(self._file)

    def finish(self) -> None:
        self._file.finish()

    def reader(self) -> ArgsReader:
        return _GzipReader(self._file, self._checkpoints)


class _GzipReader:
    def __init__(self, file: File, checkpoints: list[tuple[int, int, Any]]) -> None:
        self._file = file
        self._checkpoints = checkpoints
        self._offsets = [offset for offset, _, _ in checkpoints]

    def read(self, offset: int, length: int) -> bytes:
        index = bisect_right(self._offsets, offset) - 1
        start, position, state = self._checkpoints[index]
        inflater = _Inflater(self._file, position, state)
        return _part(_blocks(inflater.read), offset - start, length)


class ZstdSource(_Packed):
    """Text packed with zstd; needs the `zstandard` package."""

    def __init__(self, file: File, path: str) -> None:
        try:
            import zstandard
        except ImportError:
            raise InputError(
                f"{path}: is packed with zstd, which needs one more package: "
                "pip install 'attntui[zstd]'"
            ) from None
        self._errors = (zstandard.ZstdError, OSError)
        self._unpacked: Callable[[_RawReader], Any] = lambda raw: (
            zstandard.ZstdDecompressor().stream_reader(
                BufferedReader(raw, _COMPRESSED_BLOCK), read_across_frames=True
            )
        )
        super().__init__(file)
        self._path = path
        self._raw = _RawReader(file)
        self._stream = self._unpacked(self._raw)
        self.damage: str | None = None

    @property
    def size(self) -> int | None:
        return self._file.size

    @property
    def position(self) -> int:
        return self._raw.position

    def read(self) -> bytes:
        if self.damage is not None:
            return b""
        try:
            text: bytes = self._stream.read(BLOCK)
        except self._errors as error:
            self.damage = f"the zstd stream is corrupt ({error})"
            return b""
        return text

    def again(self) -> ZstdSource:
        return ZstdSource(self._file, self._path)

    def finish(self) -> None:
        self._file.finish()

    def reader(self) -> ArgsReader:
        return _ZstdReader(lambda: self._unpacked(_RawReader(self._file)))


class _RawReader(RawIOBase):
    """The plain bytes of a file as a stream of its own."""

    def __init__(self, file: File) -> None:
        self._file = file
        self.position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._file.at(self.position, len(buffer))
        buffer[: len(block)] = block
        self.position += len(block)
        return len(block)


class _ZstdReader:
    """Unpacks from the start each time: zstd's state cannot be copied."""

    def __init__(self, opened: Callable[[], Any]) -> None:
        self._opened = opened

    def read(self, offset: int, length: int) -> bytes:
        stream = self._opened()
        return _part(_blocks(lambda: stream.read(BLOCK)), offset, length)


def _blocks(read: Callable[[], bytes]) -> Iterator[bytes]:
    while block := read():
        yield block


def _part(blocks: Iterator[bytes], offset: int, length: int) -> bytes:
    """`length` bytes after the first `offset` of all blocks put together."""
    found = b""
    for block in blocks:
        if offset < len(block):
            found += block[offset : offset + length - len(found)]
            if len(found) >= length:
                break
        offset = max(0, offset - len(block))
    return found
