"""Reads the text of a trace whose columns were kept: the file was not gone through."""

from __future__ import annotations

import threading
from collections.abc import Callable

from attntui.trace.model import ArgsReader, Trace
from attntui.trace.packed import GzipSource
from attntui.trace.source import Source, open_source


def reader_of(path: str) -> ArgsReader:
    """A reader of a file as it is now. Raises InputError where it cannot be opened."""
    source = open_source(path, lambda _: None)
    return LateReader(source) if isinstance(source, GzipSource) else source.reader()


class LateReader:
    """Inflates a file as far as it is asked for, once: on the way it keeps the places from which
    it can be inflated again.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._inflating = threading.Lock()
        self.reached = 0
        """Bytes of text that can be read without inflating all before them."""
        self.at_end = False

    def read(self, offset: int, length: int) -> bytes:
        while not self.is_at_hand(offset, length):
            self._inflate()
        # Its places are added to while others are read from: they are copied with the lock held.
        with self._inflating:
            reader = self._source.reader()
        return reader.read(offset, length)

    def is_at_hand(self, offset: int, length: int) -> bool:
        return self.at_end or self.reached >= offset + length

    def go_through(self, cancelled: Callable[[], bool]) -> None:
        """Inflates all that was not yet."""
        while not self.at_end and not cancelled():
            self._inflate()

    def _inflate(self) -> None:
        with self._inflating:
            block = b"" if self.at_end else self._source.read()
            self.reached += len(block)
            self.at_end = not block


def late_reader(trace: Trace) -> LateReader | None:
    """A trace's reader, where it may have to inflate much first."""
    reader = trace.reader
    return reader if isinstance(reader, LateReader) and not reader.at_end else None


def is_at_hand(trace: Trace, row: int) -> bool:
    """Whether an event's JSON can be read without inflating the file up to it."""
    reader = late_reader(trace)
    columns = trace.columns
    return reader is None or reader.is_at_hand(int(columns.offset[row]), int(columns.length[row]))
