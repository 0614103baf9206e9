"""Finds where JSON values end in text that arrives in blocks."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(")?|[{}\[\]]', re.DOTALL)
_STRING_REST = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*(")?', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}\[{\":]*")
_BLANK = re.compile(rb"[\s\x00]*")
_BLANK_OR_COMMA = re.compile(rb"[\s\x00,]*")
_QUOTE = ord('"')
_OPENING = b"{["


class Window:
    """The text of a file through a buffer that only moves forward.

    `buffer[at:]` is what is not yet taken; `base` is the offset of `buffer[0]` in the
    whole text. `seek` makes `read` go on from an offset, where the text lets one.
    """

    def __init__(
        self, read: Callable[[], bytes], seek: Callable[[int], None] | None = None
    ) -> None:
        self._read = read
        self._seek = seek
        self.buffer = b""
        self.base = 0
        self.at = 0
        self.ended = False

    def read_as(self, changed: Callable[[bytes], bytes]) -> None:
        """Changes the text that is not yet taken, and what is read from now on.

        `changed` keeps the length, and may be given any part of the text.
        """
        read = self._read
        self._read = lambda: changed(read())
        self.buffer = self.buffer[: self.at] + changed(self.buffer[self.at :])

    @property
    def offset(self) -> int:
        """Where in the whole text the next byte lies."""
        return self.base + self.at

    @property
    def left(self) -> int:
        """Bytes in the buffer that are not yet taken."""
        return len(self.buffer) - self.at

    def fill(self) -> bool:
        """Adds a block, or more where much is waiting; False at the end of the text."""
        blocks = [self.buffer[self.at :]]
        wanted = max(1, self.left // 2)
        self.base += self.at
        self.at = 0
        while wanted > 0 and not self.ended:
            block = self._read()
            self.ended = not block
            wanted -= len(block)
            blocks.append(block)
        self.buffer = b"".join(blocks)
        return len(self.buffer) > len(blocks[0])

    def go_to(self, offset: int) -> None:
        """Goes on from another place in the text; there must be a `seek`."""
        assert self._seek is not None
        self._seek(offset)
        self.buffer, self.base, self.at, self.ended = b"", offset, 0, False

    def put_back(self, text: bytes) -> None:
        """Puts back what was taken last."""
        self.base = self.offset - len(text)
        self.buffer, self.at = text + self.buffer[self.at :], 0

    def fill_to(self, size: int) -> None:
        while self.left < size and self.fill():
            pass

    def peek(self, *, commas: bool = False) -> bytes:
        """The next byte that is no blank (nor a comma), not taken; empty at the end."""
        blank = _BLANK_OR_COMMA if commas else _BLANK
        while True:
            match = blank.match(self.buffer, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.buffer):
                return self.buffer[self.at : self.at + 1]
            if not self.fill():
                return b""


class ValueEnd:
    """Looks for the end of one JSON value, and resumes where the buffer ended.

    Positions count from the value's first byte that is still in the buffer.
    """

    def __init__(self) -> None:
        self._at = 0
        self._depth = 0
        self._begun = False
        self._in_string = False
        self._in_scalar = False

    def find(self, buffer: bytes, start: int, stop: int | None = None) -> int:
        """The position after the value that starts at `start`, or -1: more is needed.

        Nothing from `stop` on is looked at.
        """
        at, stop = start + self._at, len(buffer) if stop is None else min(stop, len(buffer))
        if at >= stop:
            return -1
        if not self._begun:
            self._begun = True
            self._in_scalar = buffer[at] not in b'{["'
        if self._in_scalar:
            return self._scalar_end(buffer, start, at, stop)
        if self._in_string:
            rest = _STRING_REST.match(buffer, at, stop)
            if rest is None or rest[1] is None:
                return self._more(rest.end() if rest else at, start)
            self._in_string = False
            at = rest.end()
            if self._depth == 0:
                return at
        for token in _TOKEN.finditer(buffer, at, stop):
            first = buffer[token.start()]
            if first == _QUOTE:
                if token[1] is None:
                    self._in_string = True
                    return self._more(token.end(), start)
                if self._depth == 0:
                    return token.end()
            elif first in _OPENING:
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth <= 0:
                    return token.end()
        return self._more(stop, start)

    def _scalar_end(self, buffer: bytes, start: int, at: int, stop: int) -> int:
        scalar = _SCALAR.match(buffer, at, stop)
        end = scalar.end() if scalar else at
        return self._more(end, start) if end == stop else max(end, start + 1)

    def _more(self, at: int, start: int) -> int:
        self._at = at - start
        return -1

    def forget(self) -> int:
        """Gives up what has been looked at: how many bytes the buffer may drop."""
        count, self._at = self._at, 0
        return count


def find_end(buffer: bytes, start: int, stop: int | None = None) -> int:
    """The position after the value at `start`, or -1 if it does not end before `stop`."""
    return ValueEnd().find(buffer, start, stop)


def take_value(window: Window, limit: int) -> bytes | None:
    """Takes one value, reading on as needed: its text, or None where that is too long.

    Raises:
        EOFError: the text ends within the value; then nothing of it is left.
    """
    ending = ValueEnd()
    long = False
    while (end := ending.find(window.buffer, window.at)) < 0:
        if window.left > limit:
            long = True
            window.at += ending.forget()
        if not window.fill():
            raise EOFError
    start, window.at = window.at, end
    return None if long or end - start > limit else window.buffer[start:end]
