"""Opens a trace file of whatever packing and reads its text, forwards and at will."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from typing import Protocol

from attntui.errors import InputError
from attntui.trace.model import ArgsReader
from attntui.trace.packed import GZIP, ZSTD, GzipSource, ZstdSource
from attntui.trace.raw_file import BLOCK, File, RegularFile
from attntui.trace.spool import Spool


class Source(Protocol):
    """The text of one file, read once from start to end.

    `position` counts the bytes of the file taken so far, out of `size` (None for a pipe whose
    end is not seen). `damage` says what stopped the reading early.
    """

    @property
    def position(self) -> int: ...

    @property
    def size(self) -> int | None: ...

    @property
    def damage(self) -> str | None: ...

    @property
    def text_size(self) -> int:
        """About the bytes of text in all; 0 where that is not known."""
        ...

    @property
    def descriptor(self) -> int | None:
        """Of an open file whose bytes are the text; None where there is none such."""
        ...

    def seek(self, position: int) -> None:
        """Reads on from this place, where there is a `descriptor`."""
        ...

    def read(self) -> bytes:
        """The next bytes of text, at most `BLOCK`; empty at the end or at damage."""
        ...

    def again(self) -> Source:
        """The same file from its start."""
        ...

    def reader(self) -> ArgsReader:
        """Reads parts of the text again; call it when all is read."""
        ...

    def finish(self) -> None:
        """Lets be what was not read yet; what was can be read again."""
        ...


def open_source(path: str, waiting: Callable[[int], None]) -> Source:
    """Opens `path`, or standard input for `-`, and looks at its first bytes.

    What cannot be read twice (standard input, a pipe) is copied to a temporary file without
    a name while it is read; `waiting` is told the bytes copied so far, and may raise.

    Raises:
        InputError: there is no such file, or it is none that could hold a trace.
    """
    file = _opened(path, waiting)
    magic = file.at(0, len(ZSTD))
    if not magic:
        raise InputError(f"{path}: is empty; the profiler writes the file when it is stopped")
    if magic.startswith(GZIP):
        return GzipSource(file)
    if magic.startswith(ZSTD):
        return ZstdSource(file, path)
    return PlainSource(file)


def _opened(path: str, waiting: Callable[[int], None]) -> File:
    try:
        # A pipe that nobody writes to yet must not hold up whoever may cancel.
        descriptor = os.dup(0) if path == "-" else os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        mode = os.fstat(descriptor).st_mode
    except OSError as error:
        raise InputError(f"{path}: {_reason(error)}") from None
    except ValueError:
        raise InputError(f"{path!r}: is no path") from None
    if stat.S_ISREG(mode) and path != "-":
        return RegularFile(descriptor)
    if stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return Spool(path, descriptor, waiting)
    is_terminal = os.isatty(descriptor)
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a directory; name a trace file in it")
    kind = "a terminal" if is_terminal else "a device"
    raise InputError(f"{path}: is {kind}, not a file; name a trace file, or pipe one in with -")


def _reason(error: OSError) -> str:
    if error.errno == errno.EBADF:
        return "standard input is closed"
    if error.errno == errno.ENOENT:
        return "no such file"
    if error.errno == errno.EACCES:
        return "may not be read (permission denied)"
    return (error.strerror or str(error)).lower()


class PlainSource:
    """Text as it lies in the file."""

    def __init__(self, file: File) -> None:
        self._file = file
        self.position = 0
        self.damage: str | None = None

    @property
    def text_size(self) -> int:
        return self._file.size or 0

    @property
    def descriptor(self) -> int | None:
        return self._file.descriptor if isinstance(self._file, RegularFile) else None

    def seek(self, position: int) -> None:
        self.position = position

    @property
    def size(self) -> int | None:
        return self._file.size

    def read(self) -> bytes:
        try:
            block = self._file.at(self.position, BLOCK)
        except OSError as error:
            self.damage = _reason(error)
            return b""
        self.position += len(block)
        return block

    def again(self) -> PlainSource:
        return PlainSource(self._file)

    def finish(self) -> None:
        self._file.finish()

    def reader(self) -> ArgsReader:
        return _PlainReader(self._file)


class _PlainReader:
    def __init__(self, file: File) -> None:
        self._file = file

    def read(self, offset: int, length: int) -> bytes:
        return self._file.at(offset, length)
