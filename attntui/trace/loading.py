"""Loads a trace file: wires the parts together."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from attntui.errors import InputError, LoadCancelled
from attntui.extent import WHOLE, Extent
from attntui.trace.assemble import assemble
from attntui.trace.columns import Store
from attntui.trace.crew import Crew, MemberLost, members_for
from attntui.trace.crew_member import Part
from attntui.trace.event_json import loads_lenient
from attntui.trace.memory import available_memory
from attntui.trace.model import Trace
from attntui.trace.notices import Notices
from attntui.trace.scan import Window
from attntui.trace.source import Source, open_source
from attntui.trace.stretch import Stretch
from attntui.trace.survey import Survey
from attntui.trace.trace_text import Lost, Restart, TraceText

_REPORT_EVERY_S = 0.05
_GROWTH = 10
"""Finishing a load and analysing it takes about this many times what its columns hold."""

LONGEST_BARREN = 1024**3
"""Bytes of text without one more event after which what follows is let be: it may be endless."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load has come. Bytes are those of the file; the total may be unknown."""

    bytes_done: int
    bytes_total: int | None
    events: int
    seconds: float


class _Watch:
    """Reports progress now and then, and raises when the load is cancelled."""

    def __init__(
        self,
        progress: Callable[[Progress], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._progress = progress
        self._cancelled = cancelled
        self._began = time.monotonic()
        self._next = self._began
        self.done = 0
        self.events = 0

    def again(self) -> None:
        """Looks while nothing new is known."""
        if self._cancelled is not None and self._cancelled():
            raise LoadCancelled

    def look(self, done: int, total: int | None, events: int, *, always: bool = False) -> None:
        self.done, self.events = done, events
        self.again()
        now = time.monotonic()
        if self._progress is not None and (always or now >= self._next):
            self._next = now + _REPORT_EVERY_S
            self._progress(Progress(done, total, events, now - self._began))


def load(
    path: str | os.PathLike[str],
    *,
    extent: Extent = WHOLE,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Trace:
    """Reads a Kineto or Chrome trace: JSON, plain, gzip or zstd, whatever its name.

    `-` reads standard input. `extent` says which part is read. `progress` is called at most
    twenty times a second, and once when all is read and once at the end; `cancelled` is asked
    at every block and between the steps of the work that follows.

    Raises:
        InputError: the file cannot be read, holds no trace, or one too large for the memory.
        LoadCancelled: `cancelled` returned True.
    """
    shown = os.fspath(path)
    watch = _Watch(progress, cancelled)
    try:
        return _load(shown, watch, extent)
    except MemoryError:
        pass
    # Raised out here, where the tables of the failed load are free again.
    raise InputError(
        f"{shown}: is too large for the memory that is free (it ran out after "
        f"{watch.events:,} events, {watch.done / 1e6:,.0f} MB into the file); "
        "free some memory, or read a part of it: --last-steps, --window"
    )


def _load(shown: str, watch: _Watch, extent: Extent) -> Trace:
    source = open_source(shown, lambda done: watch.look(done, None, 0))
    stretch = None
    if extent.takes_a_look:
        survey, _, source, _ = _gone_through(shown, source, watch, extent, lambda _: Survey())
        stretch, source = survey.stretch(extent, shown), source.again()
    store, text, source, notices = _gone_through(
        shown, source, watch, extent, lambda notices: Store(notices, stretch), stretch
    )
    try:

        def pause(*, always: bool = False) -> None:
            events = store.events + text.left_out
            watch.look(source.position, source.size, events, always=always)

        pause(always=True)
        trace = assemble(shown, store, text, source.reader(), notices, pause)
    except InputError as error:
        raise _by_damage(error, shown, source) from None
    watch.look(source.position, source.size, trace.events, always=True)
    return trace


S = TypeVar("S", Store, Survey)


def _gone_through(
    shown: str,
    source: Source,
    watch: _Watch,
    extent: Extent,
    store: Callable[[Notices], S],
    stretch: Stretch | None = None,
) -> tuple[S, TraceText, Source, Notices]:
    """All events of the text in a store, by a crew where that pays."""
    notices = Notices()
    crew = _crew(source, watch, stretch)
    try:
        found, text = _read(shown, source, notices, watch, extent, store, crew)
    except Lost:
        source, notices = source.again(), Notices()
        found, text = _read(shown, source, notices, watch, extent, store, None, search=True)
    except MemberLost as lost:
        raise InputError(f"{shown}: {lost}; it may be that memory ran out") from None
    except InputError as error:
        raise _by_damage(error, shown, source) from None
    finally:
        source.finish()
        if crew is not None:
            crew.end()
    return found, text, source, notices


def _by_damage(error: InputError, shown: str, source: Source) -> InputError:
    """What is wrong with the file: its damage, if that is why nothing was found."""
    if source.damage is None:
        return error
    return InputError(f"{shown}: {source.damage}, before the first whole event")


def _crew(source: Source, watch: _Watch, stretch: Stretch | None) -> Crew | None:
    """Who helps to decode, where there is so much that it pays."""
    count = members_for(source.text_size)
    try:
        return Crew(count, source.descriptor, watch.again, stretch) if count else None
    except OSError:
        # No more processes or descriptors may be had: it goes without.
        return None


def _read(
    path: str,
    source: Source,
    notices: Notices,
    watch: _Watch,
    extent: Extent,
    new_store: Callable[[Notices], S],
    crew: Crew | None,
    *,
    search: bool = False,
) -> tuple[S, TraceText]:
    store = new_store(notices)
    barren, progress = 0, (0, 0)

    def read() -> bytes:
        nonlocal barren, progress
        watch.look(source.position, source.size, store.events)
        before, progress = progress, (store.events, text.more)
        barren = barren if progress == before else 0
        if barren >= LONGEST_BARREN:
            notices.add(
                "endless", f"no event in {barren >> 20:,} MB of text: what follows is let be"
            )
            return b""
        block = source.read()
        barren += len(block)
        return block

    text: TraceText = TraceText(path, Window(read, source.seek), notices, crew, search=search)
    free = available_memory()
    budget = min(free, extent.memory or free)
    for batch in text.batches():
        if isinstance(batch, Restart):
            store = new_store(notices)
            notices.add("duplicate_key", "`traceEvents` stands twice; the last one counts")
            continue
        if isinstance(batch, Part):
            store.absorb(batch.store)
            notices.absorb(batch.notices)
            watch.look(source.position, source.size, store.events)
        else:
            store.add(batch)
        if store.memory * _GROWTH > budget:
            notices.add(
                "memory",
                f"stopped after {store.events:,} events: the rest needs more than the "
                f"{budget >> 20:,} MB of memory that may be used; --last-steps or --window "
                "read a part",
            )
            break
    else:
        _look_behind(text, notices, read)
    if source.damage is not None:
        notices.add("damaged", source.damage)
    return store, text


def _look_behind(text: TraceText, notices: Notices, read: Callable[[], bytes]) -> None:
    """Says what follows the trace's end."""
    if text.more:
        notices.add("more_traces", f"{text.more} more traces follow in this file", text.more)
    if not text.whole:
        return
    end, rest = text.offset, text.rest().strip(b" \t\r\n\x00,")
    while block := read():
        rest = rest or block.strip(b" \t\r\n\x00,")[:200]
    if rest:
        shown = rest[:80].decode("utf-8", "replace")
        notices.add("trailing_text", f"after byte {end:,}: {shown}")


def read_event(trace: Trace, row: int) -> dict[str, Any]:
    """The JSON of one event as the file has it, `args` and all.

    Empty where the file no longer holds it (it was overwritten in place).
    """
    value = loads_lenient(
        text_at(trace, int(trace.columns.offset[row]), int(trace.columns.length[row]))
    )
    if not isinstance(value, dict) or "ph" not in value:
        return {}
    return value


def text_at(trace: Trace, offset: int, length: int) -> bytes:
    """A part of the (unpacked) text, as far as the file still holds it."""
    if trace.reader is None:
        return b""
    try:
        return trace.reader.read(offset, length)
    except (OSError, EOFError, zlib.error):
        return b""
