"""What a process does that decodes parts of a text for another: see `crew`."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from attntui.trace.chunks import EventList
from attntui.trace.columns import PackedStore, Store
from attntui.trace.model import Notice
from attntui.trace.notices import Notices
from attntui.trace.raw_file import BLOCK
from attntui.trace.scan import Window
from attntui.trace.shared_block import SharedBlock
from attntui.trace.stretch import Stretch

READY, DONE, UNCLEAR, NO_MEMORY = b"R", b"D", b"U", b"M"
"""What a member answers, one byte: once at first, then to each request in turn."""

REQUEST = struct.Struct("<hqqqq")
"""Block, offset of the part in the text, its length, where in the file it stands (-1: in the
block), and the length of what stands between two events; that follows.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """What a part of the text holds."""

    store: PackedStore
    notices: tuple[Notice, ...]


def decoded(text: bytes, offset: int, separator: bytes, stretch: Stretch | None = None) -> Part:
    """A part that is whole events from end to end: those of them that reach into `stretch`.

    Raises:
        Unclear: it is not.
    """
    at = 0

    def read() -> bytes:
        nonlocal at
        at += BLOCK
        return text[at - BLOCK : at]

    notices = Notices()
    store = Store(notices, stretch)
    window = Window(read)
    window.base = offset
    for batch in EventList(window, notices).whole(separator):
        store.add(batch)
    return Part(store.packed(), notices.freeze())


def work(
    requests: int,
    answers: int,
    file: int,
    blocks: Sequence[SharedBlock],
    stretch: Stretch | None,
) -> None:
    """Answers requests until there are no more: the other process ended, or wants no more."""
    os.write(answers, READY)
    while len(head := _read(requests, REQUEST.size)) == REQUEST.size:
        number, offset, length, place, between = REQUEST.unpack(head)
        separator = _read(requests, between)
        block = blocks[number]
        answer = DONE
        try:
            text = block.text(length) if place < 0 else os.pread(file, length, place)
            block.put(decoded(text, offset, separator, stretch))
        except MemoryError:
            answer = NO_MEMORY
        except Exception:
            # Whatever it is, the other process meets it too, and tells of it.
            answer = UNCLEAR
        os.write(answers, answer)


def _read(descriptor: int, size: int) -> bytes:
    found = b""
    while len(found) < size and (more := os.read(descriptor, size - len(found))):
        found += more
    return found


def main() -> None:
    """Arguments: the stretch of time, if there is one, as three numbers with commas; then the
    descriptors of the file and of each block.
    """
    file, *blocks = map(int, sys.argv[2:])
    times = [int(time) for time in sys.argv[1].split(",") if time]
    try:
        work(0, 1, file, list(map(SharedBlock, blocks)), Stretch(*times) if times else None)
    except BrokenPipeError:
        # The other process is gone.
        os._exit(1)
