"""Goes through the top level of a trace's text: its fields, and the list of events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attntui.errors import InputError
from attntui.trace.batch import Batch
from attntui.trace.chunks import Ends, EventList, Strange
from attntui.trace.event_json import loads_lenient
from attntui.trace.kinds import HEAD, other_kind
from attntui.trace.notices import Notices
from attntui.trace.raw_file import BLOCK
from attntui.trace.scan import Window, find_end, take_value

if TYPE_CHECKING:
    from attntui.trace.crew import Crew
    from attntui.trace.crew_member import Part

LARGEST_FIELD = 16 * 1024 * 1024
"""Bytes of one top-level field's text; a longer one is left out."""

MOST_FIELDS = 64 * 1024 * 1024
"""Bytes of all top-level fields' text; what comes later is left out."""

_LONGEST_KEY = 64 * 1024
_EVENTS_KEY = re.compile(rb'"traceEvents"\s*:\s*(?=\[\s*\{)')
_EVENT_KEY = re.compile(rb'"ph"\s*:')
_DEEPEST = 4
"""Objects that a trace may lie in, one in another."""

_KEY_REACH = 200
"""Bytes that a match of `_EVENTS_KEY` may take, blanks and all."""


class Lost(Exception):
    """The top-level fields are so damaged that the events were passed over."""


@dataclass(frozen=True, slots=True)
class Restart:
    """A second `traceEvents` begins, and the last one counts: forget the first."""


class TraceText:
    """Parses the text that `window` shows. `fields` fills up with the top-level values,
    and `more` counts the traces that follow the one which is read.

    A `crew` decodes what it can. With `search` the events are looked for by their key alone,
    whatever precedes.
    """

    def __init__(
        self,
        path: str,
        window: Window,
        notices: Notices,
        crew: Crew | None = None,
        *,
        search: bool,
    ) -> None:
        self.fields: dict[str, Any] = {}
        self.whole = False
        self.more = 0
        self._path = path
        self._window = window
        self._notices = notices
        self._search = search
        self._crew = crew
        self._events = EventList(window, notices, crew)
        self._found_events = False
        self._fields_length = 0

    @property
    def left_out(self) -> int:
        """Entries of the list that were no events, or too damaged."""
        return self._events.left_out

    @property
    def cut_short(self) -> bool:
        """Whether the text ended too early."""
        return self._events.cut_short

    @property
    def offset(self) -> int:
        """Where in the text the trace ends."""
        return self._window.offset

    def batches(self) -> Iterator[Batch | Part | Restart]:
        """The events in runs, as the text goes by.

        Raises:
            InputError: the text is no trace.
            Lost: start again with `search`.
        """
        window = self._window
        window.fill_to(HEAD)
        if said := other_kind(window.buffer[:HEAD], self._path):
            raise InputError(f"{self._path}: {said}")
        if window.buffer.startswith(b"\xef\xbb\xbf"):
            window.at = 3
        first = window.peek()
        if self._search:
            yield from self._search_events()
        elif first == b"[" and self._trace_ahead() is not None:
            window.at += 1
            window.peek()
            window.at += 1
            yield from self._object()
            self._count_more()
        elif first == b"[":
            window.at += 1
            self._events = EventList(window, self._notices, self._crew, ends=Ends.TEXT)
            yield from self._list()
            self.whole = not self.cut_short
            self._count_more()
        elif first == b"{" and self._begins_event():
            window.read_as(lambda text: text.replace(b"\n", b","))
            self._events = EventList(window, self._notices, ends=Ends.NEVER)
            yield from self._list()
            self.whole = True
        elif first == b"{":
            window.at += 1
            yield from self._object()
            self._count_more()
        else:
            raise InputError(f"{self._path}: {self._stranger(first)}")

    def rest(self) -> bytes:
        """What was read beyond the trace's end."""
        return self._window.buffer[self._window.at :]

    def _stranger(self, first: bytes) -> str:
        head = self._window.buffer[:4096]
        if not first:
            return "holds nothing; the profiler writes the file when it is stopped"
        kind = "binary data" if b"\x00" in head else "not JSON"
        return f"is {kind}, not a profiler trace (export_chrome_trace writes one)"

    def _trace_ahead(self) -> int | None:
        """Where in the buffer a trace's events begin, if they come before any event."""
        self._window.fill_to(BLOCK)
        buffer, at = self._window.buffer, self._window.at
        trace, event = _EVENTS_KEY.search(buffer, at), _EVENT_KEY.search(buffer, at)
        if trace is None or (event is not None and event.start() < trace.start()):
            return None
        return trace.start()

    def _begins_event(self) -> bool:
        """Whether the object at hand is an event, of a text that is no list of them."""
        self._window.fill_to(BLOCK)
        buffer, at = self._window.buffer, self._window.at
        end = find_end(buffer, at)
        value = loads_lenient(buffer[at:end]) if end > 0 else None
        return isinstance(value, dict) and "ph" in value and "traceEvents" not in value

    def _lies_in(self, depth: int) -> bool:
        """Whether the trace's events lie in the object at hand, which is a field."""
        window = self._window
        if depth >= _DEEPEST or window.peek() != b"{":
            return False
        at = self._trace_ahead()
        end = find_end(window.buffer, window.at)
        return at is not None and (end < 0 or at < end)

    def _count_more(self) -> None:
        """Passes over the traces that follow this one in the list or in the text."""
        window = self._window
        while self.whole and window.peek(commas=True) in (b"{", b"["):
            window.fill_to(BLOCK)
            if not any(key.search(window.buffer, window.at) for key in (_EVENTS_KEY, _EVENT_KEY)):
                break
            try:
                take_value(window, 0)
            except EOFError:
                break
            self.more += 1
        if window.peek(commas=True) == b"]":
            window.at += 1

    def _object(self, depth: int = 0) -> Iterator[Batch | Part | Restart]:
        window = self._window
        while True:
            first = window.peek(commas=True)
            if first == b"}":
                window.at += 1
                self.whole = depth == 0
                break
            try:
                key = self._key(first)
            except EOFError:
                self._events.cut("the top-level fields")
                break
            except ValueError:
                if not self._found_events:
                    raise Lost from None
                offset = window.offset
                if self._events.find_again():
                    yield from self._list()
                    continue
                self._notices.add("bad_metadata", f"unreadable after byte {offset:,}")
                break
            if key == "traceEvents" and window.peek() == b"[":
                window.at += 1
                if self._found_events:
                    self._events = EventList(window, self._notices, self._crew)
                    yield Restart()
                yield from self._list()
                if self.cut_short:
                    break
            elif not self._found_events and self._lies_in(depth):
                window.at += 1
                yield from self._object(depth + 1)
                if self.cut_short:
                    break
            elif not self._field(key):
                break
        if not self._found_events and depth == 0:
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
            self._events.cut(f"the field {key!r}")
            return False
        self._fields_length += len(key) + len(text or b"")
        if text is None or self._fields_length > MOST_FIELDS:
            self._notices.add("large_field", f"{key}: too long, left out")
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
        if "nodes" in keys or {"schema", "start_ts"} <= keys.keys():
            return (
                "is an execution trace (nodes), not a profiler trace (traceEvents): "
                "export_chrome_trace writes one"
            )
        if not keys:
            return "is an empty JSON object; a profiler trace has `traceEvents`"
        shown = ", ".join(list(keys)[:4])
        return f"is JSON without `traceEvents` ({shown}); not a profiler trace"

    def _search_events(self) -> Iterator[Batch | Part | Restart]:
        """Looks for the events by their key, since the fields before it are damaged."""
        window = self._window
        while True:
            found = _EVENTS_KEY.search(window.buffer, window.at)
            if found:
                break
            window.at = max(window.at, len(window.buffer) - _KEY_REACH)
            if not window.fill():
                raise InputError(
                    f"{self._path}: is damaged or cut off; no `traceEvents` list was found in it"
                )
        self._notices.add("bad_metadata", f"unreadable before byte {window.base + found.start():,}")
        window.at = found.end() + 1
        yield from self._list()
        if not self.cut_short:
            yield from self._object()

    def _list(self) -> Iterator[Batch | Part]:
        self._found_events = True
        try:
            yield from self._events.batches()
        except Strange:
            raise InputError(
                f"{self._path}: is a JSON list whose entries are no trace events"
            ) from None
