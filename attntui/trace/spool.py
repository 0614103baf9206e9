"""Input that can be read once alone (a pipe, standard input) as a file that can be read at will."""

from __future__ import annotations

import errno
import os
import select
import tempfile
import weakref
from collections.abc import Callable

from attntui.errors import InputError
from attntui.trace.memory import available_memory, lies_in_memory

_BLOCK = 256 * 1024
_LOOK_EVERY_MS = 100
"""How long to wait for the writer before it is asked whether the load was cancelled."""

_LARGEST_RESERVE = 1024**3
_RESERVE_SHARE = 20
"""One part in so many of a file system stays free, though never more than the reserve."""

_MEASURE_EVERY = 16 * 1024**2
"""Bytes that are written before the room that is left is measured again."""


class Spool:
    """Copies `descriptor` to a temporary file without a name, as far as it is asked for.

    The copy takes part of the room of its file system alone, and goes with the process.
    `waiting` is told the bytes copied so far, now and then; what it raises ends the wait.
    """

    def __init__(self, path: str, descriptor: int, waiting: Callable[[int], None]) -> None:
        self._path = path
        self._taken = 0
        self._descriptor = descriptor
        self._close = weakref.finalize(self, os.close, descriptor)
        self._waiting: Callable[[int], None] | None = waiting
        try:
            self._copy = tempfile.TemporaryFile()  # noqa: SIM115, it lives as long as the spool
        except OSError as error:
            raise InputError(f"{path}: cannot be copied to a file: {error.strerror}") from None
        self._in_memory = lies_in_memory(self._copy.fileno())
        self._room = 0

    @property
    def size(self) -> int | None:
        """Bytes of the input; None while its end is not seen."""
        return self._taken if self._waiting is None else None

    def at(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset` on, fewer at the end.

        Raises:
            InputError: the input does not fit.
        """
        while self._waiting is not None and self._taken < offset + length:
            self._take(self._waiting)
        return os.pread(self._copy.fileno(), length, offset)

    def finish(self) -> None:
        """Lets the rest of the input be."""
        self._waiting = None
        self._close()

    def _take(self, waiting: Callable[[int], None]) -> None:
        waiting(self._taken)
        ready = select.poll()
        ready.register(self._descriptor, select.POLLIN)
        if not ready.poll(_LOOK_EVERY_MS):
            return
        try:
            block = os.read(self._descriptor, _BLOCK)
        except BlockingIOError:
            return
        except OSError as error:
            raise InputError(f"{self._path}: cannot be read: {error.strerror}") from None
        if block:
            self._write(block)
        else:
            self.finish()

    def _write(self, block: bytes) -> None:
        if self._room < len(block):
            self._room = min(self._measured(), max(_MEASURE_EVERY, len(block)))
        if self._room < len(block):
            raise self._too_small()
        try:
            self._copy.write(block)
            self._copy.flush()
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise self._too_small() from None
            raise InputError(f"{self._path}: cannot be copied: {error.strerror}") from None
        self._room -= len(block)
        self._taken += len(block)

    def _measured(self) -> int:
        """Bytes that may still be written."""
        system = os.fstatvfs(self._copy.fileno())
        share = system.f_blocks * system.f_frsize // _RESERVE_SHARE
        room = system.f_bavail * system.f_frsize - min(share, _LARGEST_RESERVE)
        return min(room, available_memory() // 2) if self._in_memory else room

    def _too_small(self) -> InputError:
        return InputError(
            f"{self._path}: does not fit in {tempfile.gettempdir()}, where it is copied to "
            f"({self._taken / 1e6:,.0f} MB so far); name a larger directory in TMPDIR"
        )
