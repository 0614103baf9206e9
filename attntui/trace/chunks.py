"""Goes through a list of events in chunks.

Chunks are cut by guess and verified by decoding: at the last place that looks like the
border of two events the text is cut, and if what lies before is whole JSON then the cut
was between two events, for a cut inside anything leaves it unclosed. Only where that
fails are the events told apart one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np

from attntui.trace.batch import FOLLOWING, Batch, batch_of, places, whole_values
from attntui.trace.event_json import Decoded, Decoder, LooseEvent
from attntui.trace.notices import Notices
from attntui.trace.raw_file import BLOCK
from attntui.trace.scan import ValueEnd, Window, find_end, take_value

if TYPE_CHECKING:
    from attntui.trace.crew import Crew
    from attntui.trace.crew_member import Part

LARGEST_EVENT = 64 * 1024 * 1024
"""Bytes of one event's text; a longer one is left out."""

_ENOUGH_TO_LEARN = 8
"""Events told apart to learn what stands between two."""

_CAREFUL_RUN = 64
"""Events told apart at once where a guess failed."""

_STRANGE_ENTRIES = 1000
"""So many entries that are no events, and no event, make a list none of events."""

_PROBE = 16 * 1024
"""Bytes within which an event must end to be known again after a broken one."""

_BORDER_REACH = 200
"""Bytes that a match of `_EVENT_BORDER` may take, blanks and all."""

_EVENT_BORDER = re.compile(rb'\}\s*,\s*(?=\{\s*"ph"\s*:)')
_BORDER = re.compile(rb'\}\s*,\s*(?=\{\s*")')
_LIST_END = re.compile(rb'\}\s*\](?=\s*(?:,\s*"[^"]*"\s*:|\}\s*\Z))')
_BARE_LIST_END = re.compile(rb"\}\s*\](?=\s*\Z)")


class Strange(Exception):
    """The list holds anything but events."""


class Unclear(Exception):
    """A part of the text is not what it was taken for."""


class Ends(Enum):
    """How a list of events ends: with its bracket, behind which the object goes on or the
    text ends; or with the text alone.
    """

    FIELD = auto()
    TEXT = auto()
    NEVER = auto()


class EventList:
    """Takes the events of a list off `window`, once its `[` was taken."""

    def __init__(
        self,
        window: Window,
        notices: Notices,
        crew: Crew | None = None,
        *,
        ends: Ends = Ends.FIELD,
    ) -> None:
        self.left_out = 0
        self.cut_short = False
        self._window = window
        self._notices = notices
        self._crew = crew
        self._ends = ends
        self._list_end = _LIST_END if ends is Ends.FIELD else _BARE_LIST_END
        self._decoder = Decoder()
        self._separator: bytes | None = None
        self._any_event = False
        self._careful_until = 0
        self._alone_until = 0

    def batches(self) -> Iterator[Batch | Part]:
        """The events in runs, or in parts where a crew decodes; takes the list's `]` at last.

        Raises:
            Strange: the list holds no events but much else.
        """
        window = self._window
        while True:
            window.fill_to(BLOCK)
            first = window.peek(commas=True)
            if first == b"]":
                window.at += 1
                return
            if not first and self._ends is Ends.NEVER:
                return
            if not first:
                self.cut("the list of events")
                return
            at = window.offset
            for part in self._by_crew():
                self._any_event = True
                yield part
            if window.offset != at or not window.left:
                continue
            batch = self._guessed() or self._told_apart()
            if batch is not None:
                self._any_event = True
                yield batch
            elif self.left_out >= _STRANGE_ENTRIES and not self._any_event:
                raise Strange
            if self.cut_short:
                return

    def _by_crew(self) -> Iterator[Part]:
        """The parts that a crew decodes of what follows."""
        crew, separator = self._crew, self._separator
        if crew is None or separator is None or not self._may_guess:
            return
        if self._window.offset >= self._alone_until:
            self._alone_until = yield from crew.parts(self._window, separator)

    @property
    def _may_guess(self) -> bool:
        return self._window.offset >= self._careful_until

    def _guessed(self) -> Batch | None:
        """The buffer's events up to the last border, if that is one."""
        window, separator = self._window, self._separator
        if separator is None or not self._may_guess:
            return None
        cut = window.buffer.rfind(separator, window.at)
        if cut < 0:
            return None
        batch = self._run(window.buffer[window.at : cut + 1], separator)
        if batch is None:
            self._careful_until = window.base + cut
            return None
        window.at = cut + len(separator) - 1
        return batch

    def _run(self, text: bytes, separator: bytes) -> Batch | None:
        """The events of the text at hand, unless it is none."""
        decoded = self._decoder.many(b"[" + text + b"]")
        if decoded is None:
            return None
        base = self._window.offset
        borders = places(text, separator)
        if len(borders) + 1 != len(decoded.events):
            return batch_of(decoded, whole_values(text, 0)[0], base)
        # A separator holds the closing brace of one event and the opening one of the next.
        starts = np.concatenate(([0], borders + len(separator) - 1))
        ends = np.concatenate((borders + 1, [len(text)]))
        return Batch(decoded, base + starts, ends - starts)

    def whole(self, separator: bytes) -> Iterator[Batch]:
        """The events where the text is whole events from end to end, with this between two.

        Raises:
            Unclear: it is not, or something of it takes a closer look.
        """
        window, self._separator = self._window, separator
        window.fill_to(BLOCK)
        while window.left:
            if window.ended:
                batch = self._run(window.buffer[window.at :], separator)
                window.at = len(window.buffer)
            else:
                batch = self._guessed()
            if batch is None:
                raise Unclear
            yield batch
            window.fill_to(BLOCK)

    def _told_apart(self) -> Batch | None:
        """The buffer's next whole events, found one by one; None if the first was none."""
        window = self._window
        most = _ENOUGH_TO_LEARN if self._separator is None else _CAREFUL_RUN
        spans, end = whole_values(window.buffer, window.at, most)
        if not spans:
            return self._difficult()
        self._learn_separator(spans)
        base = window.base
        text = window.buffer[spans[0][0] : spans[-1][1]]
        decoded = self._decoder.many(b"[" + text + b"]")
        if decoded is not None and len(decoded.events) == len(spans):
            window.at = end
            return batch_of(decoded, spans, base)
        events: list[LooseEvent] = []
        kept: list[tuple[int, int]] = []
        for start, stop in spans:
            window.at = stop
            event = self._decoder.one(window.buffer[start:stop])
            if event is not None:
                events.append(event)
                kept.append((start, stop))
            else:
                window.at = start
                self._pass_over(stop)
                # Where more was read, the bounds found so far no longer fit the buffer.
                if window.at != stop or window.base != base:
                    break
        return batch_of(Decoded(events, None), kept, base) if events else None

    def _learn_separator(self, spans: list[tuple[int, int]]) -> None:
        if len(spans) > 1:
            between = self._window.buffer[spans[0][1] - 1 : spans[1][0] + 1]
            if between[:1] == b"}" and between[-1:] == b"{":
                self._separator = between

    def _leave_out(self, text: bytes, at: int, kind: str = "bad_event") -> None:
        self.left_out += 1
        self._notices.add(kind, text[:200].decode("utf-8", "replace"), at=at)

    def _difficult(self) -> Batch | None:
        """Takes what stands first in the buffer and is no short, whole event there."""
        window = self._window
        begin = window.offset
        if window.buffer[window.at : window.at + 1] == b"{":
            return self._salvage(trusted=True)
        try:
            text = take_value(window, LARGEST_EVENT)
        except EOFError:
            self.cut("the list of events")
        else:
            self._leave_out(text or b"a very long value", begin)
        return None

    def _salvage(self, *, trusted: bool) -> Batch | None:
        """Takes the event at hand, reading on to its end, or leaves it out for the next.

        Unless it is `trusted`, its quotes are known to be wrong.
        """
        window = self._window
        begin, head = window.offset, window.buffer[window.at : window.at + 200]
        ending = ValueEnd()
        tried = 1
        while True:
            left = window.left
            border = _EVENT_BORDER.search(window.buffer, window.at + tried)
            stop = border.start() + 1 if border else len(window.buffer)
            following = border.end() - window.at if border else None
            end = ending.find(window.buffer, window.at, stop) if trusted else -1
            if end >= 0 and end - window.at > LARGEST_EVENT:
                window.at = end
                self._leave_out(head, begin, "large_event")
                return None
            if end >= 0:
                return self._single(end)
            found, tried = self._next_event(tried, stop - window.at)
            if found is None:
                found = following
            if found is not None:
                self._leave_out(head, begin)
                window.at += found
                return None
            if window.left > LARGEST_EVENT:
                self._drop_rest(ending, begin, head)
                return None
            if window.left == left and not window.fill():
                self._last_event()
                return None

    def _single(self, end: int) -> Batch | None:
        """The event at hand, which ends at `end`, or None if it is none after all."""
        window = self._window
        start = window.at
        event = self._decoder.one(window.buffer[start:end])
        if event is None or not FOLLOWING.match(window.buffer, end):
            self._pass_over(end)
            return None
        window.at = end
        return batch_of(Decoded([event], None), [(start, end)], window.base)

    def _pass_over(self, end: int) -> None:
        """Leaves out the event at hand, which ends at `end` unless its quotes mislead."""
        window = self._window
        length = end - window.at
        inside, _ = self._next_event(1, length)
        last = window.at + length - 1
        if inside is not None:
            self._leave_out(window.buffer[window.at : window.at + inside], window.offset)
            window.at += inside
        elif _EVENT_BORDER.match(window.buffer, last) or self._list_end.match(window.buffer, last):
            self._leave_out(window.buffer[window.at : last + 1], window.offset)
            window.at = last + 1
        else:
            self._salvage(trusted=False)

    def _next_event(self, ahead: int, stop: int) -> tuple[int | None, int]:
        """Where the next text lies that is an event on its own, and where to look later.

        Looks from `ahead` to `stop`, and reads on until each event begun there is whole:
        of one cut off, an object inside could pass for the next. All places count from
        the event at hand, since reading moves the buffer.
        """
        window = self._window
        while border := _BORDER.search(window.buffer, window.at + ahead, window.at + stop):
            ahead = border.end() - window.at
            window.fill_to(ahead + _PROBE)
            start = window.at + ahead
            end = find_end(window.buffer, start, start + _PROBE)
            event = self._decoder.one(window.buffer[start:end]) if end > 0 else None
            if event is not None and event.ph:
                return ahead, ahead
        last = window.buffer.rfind(b"}", window.at + ahead, window.at + stop)
        return None, last - window.at if last >= 0 else stop

    def _drop_rest(self, ending: ValueEnd, begin: int, head: bytes) -> None:
        """Passes over an event too long to keep."""
        window = self._window
        while (end := ending.find(window.buffer, window.at)) < 0:
            window.at += ending.forget()
            if not window.fill():
                self.cut("a very large event")
                return
        window.at = end
        self._leave_out(head, begin, "large_event")

    def _last_event(self) -> None:
        """The text ends in an event: cut off there, or its quotes hid the list's end."""
        window = self._window
        found = self._list_end.search(window.buffer, window.at)
        text = window.buffer[window.at : found.start() + 1] if found else b""
        # Text that was cut off lacks closing braces; a broken event does not.
        if found and text.count(b"{") <= text.count(b"}"):
            self._leave_out(text, window.offset)
            window.at = found.end() - 1
        else:
            self.cut("an event")

    def find_again(self) -> bool:
        """Goes to the next event, where the list seemed to end in a broken one."""
        window = self._window
        while True:
            border = _EVENT_BORDER.search(window.buffer, window.at)
            if border:
                window.at = border.end()
                first = max(0, border.start() - 100)
                text = window.buffer[first : border.start() + 1]
                self._leave_out(text, window.base + first)
                return True
            window.at = max(window.at, len(window.buffer) - _BORDER_REACH)
            if not window.fill():
                return False

    def cut(self, where: str) -> None:
        """Notes that the text ends too early, and takes what is left of it."""
        window = self._window
        window.at = len(window.buffer)
        self.cut_short = True
        end = window.offset
        self._notices.add("truncated", f"the text ends in {where}, at byte {end:,}", at=end)
