"""Large traces for the benchmark: a real one again and again, later each time, with ids of
its own.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import IO

_FIRST = re.compile(rb'"traceEvents"\s*:\s*\[\s*(?=\{)')
_LAST = re.compile(rb"\}\s*\](?=\s*(?:,\s*\"[^\"]*\"\s*:|\}\s*\Z))")
_NUMBER = re.compile(
    rb'"(ts|correlation|External id|Python id|Python parent id|Sequence number|Ev Idx)"'
    rb"(\s*:\s*)(\d+)"
)
"""The times and ids of an event; decimals of a time stay as they are."""

_SPAN = re.compile(rb'"ts"\s*:\s*(\d+)[\d.]*\s*,\s*"dur"\s*:\s*(\d+)')


def grown(source: Path, target: Path, size: int) -> Path:
    """Writes a trace of about `size` bytes of text made of copies of the .gz file `source`;
    packed where the name of `target` ends so.
    """
    text = gzip.decompress(source.read_bytes())
    first = _FIRST.search(text)
    assert first is not None
    last = _LAST.search(text, first.end())
    assert last is not None
    head, tail = text[: first.end()], text[last.end() :]
    events = text[first.end() : last.start() + 1]
    if target.suffix == ".gz":
        with gzip.open(target, "wb", compresslevel=6) as out:
            _write(out, head, events, tail, size)
    else:
        with target.open("wb") as out:
            _write(out, head, events, tail, size)
    return target


def _write(out: IO[bytes], head: bytes, events: bytes, tail: bytes, size: int) -> None:
    out.write(head)
    written = len(head)
    for copy in _copies(events):
        out.write(copy)
        written += len(copy)
        if written >= size:
            break
        out.write(b",\n  ")
    out.write(b"\n  ]" + tail)


def _copies(events: bytes) -> Iterator[bytes]:
    spans = [(int(start), int(start) + int(length)) for start, length in _SPAN.findall(events)]
    length = max(end for _, end in spans) - min(start for start, _ in spans)
    most = max(int(found[3]) for found in _NUMBER.finditer(events) if found[1] != b"ts")
    moved = {b"ts": length + 1000}
    yield events
    for number in count(1):

        def later(found: re.Match[bytes], number: int = number) -> bytes:
            value = int(found[3]) + number * moved.get(found[1], most + 1)
            return b'"%s"%s%d' % (found[1], found[2], value)

        yield _NUMBER.sub(later, events)
