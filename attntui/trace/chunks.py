"""Goes through a trace's text in chunks: the top-level fields, and runs of events.

Chunks are cut by guess and verified by decoding: at the last place that looks like the
border of two events the text is cut, and if what lies before is whole JSON then the cut
was between two events, for a cut inside anything leaves it unclosed. Only where that
fails are the events told apart one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from attntui.errors import InputError
from attntui.trace.decode import Decoded, Decoder, LooseEvent, loads_lenient
from attntui.trace.model import I64
from attntui.trace.notices import Notices
from attntui.trace.scan import ValueEnd, Window, find_end, take_value
from attntui.trace.source import BLOCK

LARGEST_EVENT = 64 * 1024 * 1024
"""Bytes of one event's text; a longer one is left out."""

LARGEST_FIELD = 16 * 1024 * 1024
"""Bytes of one top-level field's text; a longer one is left out."""

_LONGEST_KEY = 64 * 1024
_ENOUGH_TO_LEARN = 8
_ALL = 2**62
_BORDER = re.compile(rb'\}\s*,\s*(?=\{\s*")')
_AFTER_EVENT = re.compile(rb'\s*(?:,\s*\{\s*"|\])')
_EVENTS_END = re.compile(rb'\}\s*\](?=\s*(?:,\s*"[^"]*"\s*:|\}\s*\Z))')
_EVENTS_KEY = re.compile(rb'"traceEvents"\s*:\s*(?=\[\s*\{)')


class Lost(Exception):
    """The top-level fields are so damaged that the events were passed over."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A run of whole events, with each one's place in the text."""

    decoded: Decoded
    offsets: I64
    lengths: I64


@dataclass(frozen=True, slots=True)
class Restart:
    """A second `traceEvents` begins, and the last one counts: forget the first."""


class TraceText:
    """Parses the text that `window` shows. `fields` fills up with the top-level values.

    With `search` the events are looked for by their key alone, whatever precedes.
    """

    def __init__(self, path: str, window: Window, notices: Notices, *, search: bool) -> None:
        self.fields: dict[str, Any] = {}
        self.left_out = 0
        self.ended_at: int | None = None
        self.cut_short = False
        self._path = path
        self._window = window
        self._notices = notices
        self._search = search
        self._decoder = Decoder()
        self._separator: bytes | None = None
        self._found_events = False

    def batches(self) -> Iterator[Batch | Restart]:
        """The events in runs, as the text goes by.

        Raises:
            InputError: the text is no trace.
            Lost: start again with `search`.
        """
        window = self._window
        window.fill()
        if window.buffer.startswith(b"\xef\xbb\xbf"):
            window.at = 3
        first = window.peek()
        if self._search:
            yield from self._search_events()
        elif first == b"[":
            window.at += 1
            self._found_events = True
            yield from self._events()
        elif first == b"{":
            window.at += 1
            yield from self._object()
        else:
            raise InputError(f"{self._path}: {self._stranger(first)}")
        if self.ended_at is None:
            self.ended_at = window.offset

    def rest(self) -> bytes:
        """What was read beyond the trace's end."""
        return self._window.buffer[self._window.at :]

    def _stranger(self, first: bytes) -> str:
        head = self._window.buffer[:4096]
        if not first:
            return "holds nothing; the profiler writes the file when it is stopped"
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return "is UTF-16 text; a trace is UTF-8 JSON"
        kind = "binary data" if b"\x00" in head else "not JSON"
        return f"is {kind}, not a profiler trace (export_chrome_trace writes one)"

    def _object(self) -> Iterator[Batch | Restart]:
        window = self._window
        while True:
            first = window.peek(commas=True)
            if first == b"}":
                window.at += 1
                self.ended_at = window.offset
                break
            try:
                key = self._key(first)
            except EOFError:
                self._cut("the top-level fields")
                break
            except ValueError:
                if not self._found_events:
                    raise Lost from None
                self._notices.add("bad_metadata", f"unreadable after byte {window.offset:,}")
                break
            if key == "traceEvents" and window.peek() == b"[":
                window.at += 1
                if self._found_events:
                    self.left_out = 0
                    yield Restart()
                self._found_events = True
                yield from self._events()
                if self.ended_at is not None:
                    break
            elif not self._field(key):
                break
        if not self._found_events:
            raise InputError(f"{self._path}: {self._what_it_is()}")

    def _key(self, first: bytes) -> str:
        """Takes a key and its colon. Raises EOFError, or ValueError if there is none."""
        if not first:
            raise EOFError
        if first != b'"':
            raise ValueError
        text = take_value(self._window, _LONGEST_KEY)
        if text is None:
            raise ValueError
        colon = self._window.peek()
        if not colon:
            raise EOFError
        key = loads_lenient(text)
        if colon != b":" or not isinstance(key, str):
            raise ValueError
        self._window.at += 1
        self._window.peek()
        return key

    def _field(self, key: str) -> bool:
        """Takes a top-level value; False where the text ends in it."""
        try:
            text = take_value(self._window, LARGEST_FIELD)
        except EOFError:
            if not self._found_events:
                raise Lost from None
            self._cut(f"the field {key!r}")
            return False
        if text is None:
            self._notices.add("large_field", f"{key}: over {LARGEST_FIELD >> 20} MB, left out")
        else:
            value = loads_lenient(text)
            if value is None and text != b"null":
                self._notices.add("bad_metadata", f"{key}: {text[:80].decode('utf-8', 'replace')}")
            else:
                self.fields[key] = value
        return True

    def _what_it_is(self) -> str:
        keys = self.fields
        if self.cut_short:
            return "is cut off before its `traceEvents`; nothing of it can be shown"
        if "traceEvents" in keys:
            return "`traceEvents` is no list; this is no profiler trace"
        if "nodes" in keys and "schema" in keys:
            return "is an execution trace (nodes), not a profiler trace (traceEvents)"
        if not keys:
            return "is an empty JSON object; a profiler trace has `traceEvents`"
        shown = ", ".join(list(keys)[:4])
        return f"is JSON without `traceEvents` ({shown}); not a profiler trace"

    def _search_events(self) -> Iterator[Batch | Restart]:
        """Looks for the events by their key, since the fields before it are damaged."""
        window = self._window
        while True:
            found = _EVENTS_KEY.search(window.buffer, window.at)
            if found:
                break
            window.at = max(window.at, len(window.buffer) - 200)
            if not window.fill():
                raise InputError(
                    f"{self._path}: is damaged JSON, and no `traceEvents` list was found in it"
                )
        self._notices.add("bad_metadata", f"unreadable before byte {window.base + found.start():,}")
        window.at = found.end() + 1
        self._found_events = True
        yield from self._events()
        yield from self._object()

    def _events(self) -> Iterator[Batch]:
        """The events of the list whose `[` was taken, and takes its `]`."""
        window = self._window
        while True:
            window.fill_to(BLOCK)
            first = window.peek(commas=True)
            if first == b"]":
                window.at += 1
                return
            if not first:
                self._cut("the list of events")
                return
            batch = self._guessed() or self._told_apart()
            if batch is not None:
                yield batch
            if self.cut_short:
                return

    def _guessed(self) -> Batch | None:
        """The buffer's events up to the last border, if that is one."""
        window, separator = self._window, self._separator
        if separator is None:
            return None
        cut = window.buffer.rfind(separator, window.at)
        if cut < 0:
            return None
        text = window.buffer[window.at : cut + 1]
        decoded = self._decoder.many(b"[" + text + b"]")
        if decoded is None:
            return None
        batch = self._placed(decoded, text, separator)
        window.at = cut + len(separator) - 1
        return batch

    def _placed(self, decoded: Decoded, text: bytes, separator: bytes) -> Batch:
        base = self._window.offset
        borders = _places(text, separator)
        if len(borders) + 1 != len(decoded.events):
            return _batch(decoded, _whole_values(text, 0)[0], base)
        # A separator holds the closing brace of one event and the opening one of the next.
        starts = np.concatenate(([0], borders + len(separator) - 1))
        ends = np.concatenate((borders + 1, [len(text)]))
        return Batch(decoded, base + starts, ends - starts)

    def _told_apart(self) -> Batch | None:
        """The buffer's whole events, found one by one; None if the first was no event."""
        window = self._window
        most = _ENOUGH_TO_LEARN if self._separator is None else _ALL
        spans, end = _whole_values(window.buffer, window.at, most)
        if not spans:
            self._difficult()
            return None
        self._learn_separator(spans)
        base = window.base
        text = window.buffer[spans[0][0] : spans[-1][1]]
        decoded = self._decoder.many(b"[" + text + b"]")
        if decoded is not None and len(decoded.events) == len(spans):
            window.at = end
            return _batch(decoded, spans, base)
        events: list[LooseEvent] = []
        kept: list[tuple[int, int]] = []
        for start, stop in spans:
            event = self._decoder.one(window.buffer[start:stop])
            if event is None:
                window.at = start
                self._pass_over(stop)
                break
            events.append(event)
            kept.append((start, stop))
            window.at = stop
        return _batch(Decoded(events, None), kept, base) if events else None

    def _learn_separator(self, spans: list[tuple[int, int]]) -> None:
        if len(spans) > 1:
            between = self._window.buffer[spans[0][1] - 1 : spans[1][0] + 1]
            if between[:1] == b"}" and between[-1:] == b"{":
                self._separator = between

    def _pass_over(self, stop: int) -> None:
        """Leaves out the event at hand, which ends at `stop` unless its quotes mislead."""
        window = self._window
        if _AFTER_EVENT.match(window.buffer, stop):
            self._leave_out(window.buffer[window.at : stop])
            window.at = stop
        else:
            self._salvage(None)

    def _leave_out(self, text: bytes, kind: str = "bad_event") -> None:
        self.left_out += 1
        self._notices.add(kind, text[:200].decode("utf-8", "replace"))

    def _difficult(self) -> None:
        """Gets past what stands first in the buffer and is no whole event there."""
        window = self._window
        start = window.at
        if window.buffer[start : start + 1] == b"{":
            self._salvage(ValueEnd())
            return
        try:
            text = take_value(window, LARGEST_EVENT)
        except EOFError:
            self._cut("the list of events")
        else:
            self._leave_out(text or b"a very long value")

    def _salvage(self, ending: ValueEnd | None) -> None:
        """Reads on until the event at hand is whole, or leaves it out for the next one.

        Without `ending` its end is not to be trusted.
        """
        window = self._window
        head = window.buffer[window.at : window.at + 200]
        tried = 1
        while ending is None or ending.find(window.buffer, window.at) < 0:
            found, untried = self._next_event(window.at + tried)
            tried = untried - window.at
            if found is not None:
                self._leave_out(head)
                window.at = found
                return
            if window.left > LARGEST_EVENT:
                self._drop_rest(ending or ValueEnd(), head)
                return
            if not window.fill():
                self._last_event()
                return

    def _next_event(self, at: int) -> tuple[int | None, int]:
        """Where the next text lies that is an event on its own, and where to look later."""
        buffer = self._window.buffer
        borders = list(_BORDER.finditer(buffer, at))
        for index, border in enumerate(borders):
            start = border.end()
            if index + 1 < len(borders):
                stop = borders[index + 1].start() + 1
            else:
                stop = find_end(buffer, start)
            event = self._decoder.one(buffer[start:stop]) if stop > 0 else None
            if event is not None and event.ph:
                return start, start
        if borders:
            return None, borders[-1].start()
        brace = buffer.rfind(b"}", at)
        return None, brace if brace >= 0 else len(buffer)

    def _drop_rest(self, ending: ValueEnd, head: bytes) -> None:
        """Passes over an event too long to keep."""
        window = self._window
        while (end := ending.find(window.buffer, window.at)) < 0:
            window.at += ending.forget()
            if not window.fill():
                self._cut("a very large event")
                return
        window.at = end
        self._leave_out(head, "large_event")

    def _last_event(self) -> None:
        """The text ends in an event: cut off there, or its quotes hid the list's end."""
        window = self._window
        found = _EVENTS_END.search(window.buffer, window.at)
        if found:
            self._leave_out(window.buffer[window.at : found.start() + 1])
            window.at = found.end() - 1
            return
        window.at = len(window.buffer)
        self._cut("an event")

    def _cut(self, where: str) -> None:
        window = self._window
        window.at = len(window.buffer)
        self.ended_at = window.offset
        self.cut_short = True
        self._notices.add("truncated", f"the text ends in {where}, at byte {window.offset:,}")


def _whole_values(buffer: bytes, at: int, most: int = _ALL) -> tuple[list[tuple[int, int]], int]:
    """Bounds of the objects that follow one another from `at`, and where they end."""
    spans: list[tuple[int, int]] = []
    end = at
    while len(spans) < most:
        start = end
        while start < len(buffer) and buffer[start] in b" \t\r\n,":
            start += 1
        if start >= len(buffer) or buffer[start] != ord("{"):
            return spans, end
        stop = find_end(buffer, start)
        if stop < 0:
            return spans, end
        spans.append((start, stop))
        end = stop
    return spans, end


def _places(text: bytes, part: bytes) -> I64:
    """Where `part` stands in `text`; it ends with a byte that is rare after its first."""
    array = np.frombuffer(text, dtype=np.uint8)
    found = np.flatnonzero(array[: max(0, len(text) - len(part) + 1)] == part[0])
    for at in range(len(part) - 1, 0, -1):
        found = found[array[found + at] == part[at]]
    return found


def _batch(decoded: Decoded, spans: list[tuple[int, int]], base: int) -> Batch:
    bounds = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return Batch(decoded, base + bounds[:, 0], bounds[:, 1] - bounds[:, 0])
