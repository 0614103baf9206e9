"""The form of a file that is kept: a checked header, then arrays as they lie in memory.

    8 bytes   magic
    8 bytes   length of the header, little endian
    16 bytes  digest of that length and the header
    header    JSON: the key, what the writer told, where each array lies, the whole length
    arrays    each from a multiple of `_ALIGNED` bytes on

An array is given out only where the file is the user's own, as long as its header says, and its
bytes are those that were written: the header has digests of itself and of every array. So no
figure stands on a damaged one, and none that is mapped reaches beyond the end.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from attntui.trace.kept.key import Key, digest

Array = npt.NDArray[Any]

_MAGIC = b"attntui\x01"
_LENGTH_BYTES = 8
_DIGEST_BYTES = 16
_START = len(_MAGIC) + _LENGTH_BYTES + _DIGEST_BYTES
_ALIGNED = 64
_WORDS = 8192
"""Words of eight bytes in a block that has one sum."""

_LARGEST_HEADER = 256 * 1024 * 1024
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
"""Whatever lies there, a pipe without a writer too, nothing waits for it."""

_KINDS = frozenset("bifu")
"""The kinds of numbers that arrays may hold: never objects."""


class Damaged(Exception):
    """A file is no such file, or not whole."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an array lies, in bytes from the first array on. `alike` is one whose numbers are
    all the same: only one lies there. `mark` is what `_array_mark` made of its bytes.
    """

    kind: str
    shape: tuple[int, ...]
    at: int
    alike: bool
    mark: str

    @property
    def bytes(self) -> int:
        return np.dtype(self.kind).itemsize * (1 if self.alike else prod(self.shape))


@dataclass(frozen=True, slots=True)
class _Header:
    key: Key
    told: msgspec.Raw
    places: tuple[_Place, ...]
    bytes: int


@dataclass(frozen=True, eq=False, slots=True)
class Contents:
    """What a file holds: the JSON that its writer told, and arrays that cannot be written to."""

    key: Key
    told: bytes
    arrays: tuple[Array, ...]


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(_Header)


def packed(key: Key, told: bytes, arrays: Iterable[Array] = ()) -> list[memoryview]:
    """A file's bytes in parts. The arrays are not copied."""
    places, body, at = [], [], 0
    for array in arrays:
        if array.dtype.kind not in _KINDS:
            raise TypeError(f"no array of numbers: {array.dtype}")
        alike = array.ndim == 1 and array.size > 1 and bool((array == array[0]).all())
        flat = np.ascontiguousarray(array[:1] if alike else array).reshape(-1)
        raw = memoryview(flat.view(np.uint8).data)
        places.append(_Place(array.dtype.str, array.shape, at, alike, _array_mark(raw)))
        padding = -len(raw) % _ALIGNED
        body += [raw, memoryview(bytes(padding))]
        at += len(raw) + padding
    header = _ENCODER.encode(_Header(key, msgspec.Raw(told), tuple(places), at))
    header += b" " * (-(_START + len(header)) % _ALIGNED)
    length = len(header).to_bytes(_LENGTH_BYTES, "little")
    return [memoryview(b"".join((_MAGIC, length, _header_mark(length, header), header))), *body]


def _header_mark(length: bytes, header: bytes) -> bytes:
    found = hashlib.blake2b(length, digest_size=_DIGEST_BYTES)
    found.update(header)
    return found.digest()


def _array_mark(raw: memoryview) -> str:
    """A digest of the sums of an array's blocks: it finds damage as fast as memory can be read,
    where a digest of all bytes would take longer than the rest of opening a trace.
    """
    whole = len(raw) // 8 * 8
    words = np.frombuffer(raw[:whole], np.uint64)
    firsts = np.arange(0, len(words), _WORDS)
    sums = np.add.reduceat(words, firsts) if len(words) else words
    return digest(sums.tobytes(), raw[whole:])


def unpacked(path: Path) -> Contents:
    """The contents of a file, its arrays mapped.

    Raises:
        Damaged: it is not whole, or not what was written.
        OSError: it is not there, or cannot be read.
    """
    descriptor = os.open(path, _OPEN)
    try:
        status = os.fstat(descriptor)
        size = status.st_size
        if status.st_uid != os.geteuid():
            raise Damaged("of another user")
        header, first = _header(descriptor, size)
        if not header.bytes:
            return Contents(header.key, bytes(header.told), _arrays(header.places, memoryview(b"")))
        mapped = memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ))
    except ValueError as error:
        raise Damaged(str(error)) from None
    finally:
        os.close(descriptor)
    return Contents(header.key, bytes(header.told), _arrays(header.places, mapped[first:]))


def header_key(path: Path) -> Key | None:
    """What a file was kept of; None where that cannot be told."""
    try:
        descriptor = os.open(path, _OPEN)
    except OSError:
        return None
    try:
        return _header(descriptor, os.fstat(descriptor).st_size)[0].key
    except (Damaged, OSError):
        return None
    finally:
        os.close(descriptor)


def _header(descriptor: int, size: int) -> tuple[_Header, int]:
    """The header of an open file of so many bytes, and where the arrays begin."""
    start = os.pread(descriptor, _START, 0)
    if len(start) < _START or not start.startswith(_MAGIC):
        raise Damaged("no file of this form")
    length = start[len(_MAGIC) : len(_MAGIC) + _LENGTH_BYTES]
    told = int.from_bytes(length, "little")
    if told > min(size, _LARGEST_HEADER):
        raise Damaged("cut short")
    text = os.pread(descriptor, told, _START)
    if start[-_DIGEST_BYTES:] != _header_mark(length, text):
        raise Damaged("another header than was written")
    try:
        header = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise Damaged("another form of header") from None
    if size != _START + told + header.bytes:
        raise Damaged("not as long as it was")
    return header, _START + told


def _arrays(places: Sequence[_Place], body: memoryview) -> tuple[Array, ...]:
    return tuple(_array(place, body) for place in places)


def _array(place: _Place, body: memoryview) -> Array:
    end = place.at + place.bytes
    if np.dtype(place.kind).kind not in _KINDS or not 0 <= place.at <= end <= len(body):
        raise Damaged("an array beyond the end")
    raw = body[place.at : end]
    if _array_mark(raw) != place.mark:
        raise Damaged("other bytes than were written")
    flat = np.frombuffer(raw, np.dtype(place.kind))
    if place.alike:
        return np.broadcast_to(flat, place.shape)
    return flat.reshape(place.shape)
