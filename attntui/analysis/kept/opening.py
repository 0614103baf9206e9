"""Opens a trace from what was kept of it, else from its file, and keeps it for the next time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.kept.fact import AllFacts, found, told_of
from attntui.errors import InputError
from attntui.extent import WHOLE, Extent
from attntui.trace.kept import traces
from attntui.trace.kept.container import Contents, Damaged, packed, unpacked
from attntui.trace.kept.key import Key, key_of
from attntui.trace.kept.reader import reader_of
from attntui.trace.kept.shelf import Shelf, Unkept, directory, is_on
from attntui.trace.loading import Progress, load
from attntui.trace.model import Trace

COLUMNS, FACTS = ".columns", ".facts"
"""How the names of the two files of a trace end."""

LEAST_EVENTS = 20_000
"""Events from which a trace is kept: that takes 0.03 s, and saves four times as much each time."""

_PASSING = frozenset({"memory", "damaged"})
"""Notices of what may be otherwise the next time."""


@dataclass(eq=False)
class Opened:
    """A trace, analysed or to be, and where it is to be kept.

    `key` is that of the file, None of a pipe, a part of a trace, or where nothing is to be kept
    at all; `shelf` is None too where the trace is not worth keeping. `reopened` says that the
    columns come from there, `kept` are the facts that do, `stored` their names.
    """

    trace: Trace
    shelf: Shelf | None = None
    key: Key | None = None
    kept: AllFacts | None = None
    reopened: bool = False
    stored: frozenset[str] = frozenset()

    @property
    def can_be_kept(self) -> bool:
        return self.shelf is not None and self.key is not None

    def analysed(
        self, peak_bandwidth: float | None = None, peak_flops: float | None = None
    ) -> AnalysedTrace:
        return AnalysedTrace(self.trace, peak_bandwidth, peak_flops, self.kept)

    def keep(
        self,
        analysed: AnalysedTrace,
        others: Mapping[str, object] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Keeps the columns, and the facts that were found of the whole trace and of `others`
        by their names; False where nothing was written.

        What the file has become meanwhile, a disk without room, a directory that cannot be
        written: nothing is kept then, and nothing said.
        """
        if self.shelf is None or self.key is None:
            return False
        facts: dict[str, object] = {}
        if analysed.peak_bandwidth is None and analysed.peak_flops is None:
            parts = {"analysed": analysed, "whole": analysed.whole, **(others or {})}
            parts["labels"] = analysed.labels
            for part, value in parts.items():
                facts.update(found(part, value))
        wanted = facts.keys() - self.stored
        if self.reopened and not wanted:
            return False
        if not self.key.settled or key_of(self.key.path) != self.key:
            return False
        try:
            if not self.reopened:
                self._keep_columns(cancelled)
            if wanted:
                self._keep_facts(analysed, facts, cancelled)
        except (Unkept, TypeError, ValueError, OverflowError, RecursionError, MemoryError):
            return False
        return True

    def _keep_columns(self, cancelled: Callable[[], bool]) -> None:
        assert self.shelf is not None
        assert self.key is not None
        told, arrays = traces.told_of(self.trace)
        parts = packed(self.key, told, arrays)
        self.shelf.write(self.key.name + COLUMNS, parts, cancelled)
        self.reopened = True

    def _keep_facts(
        self, analysed: AnalysedTrace, facts: dict[str, object], cancelled: Callable[[], bool]
    ) -> None:
        assert self.shelf is not None
        assert self.key is not None
        known = {"trace": self.trace, "labels": analysed.labels}
        if self.kept is not None:
            for name in self.stored - facts.keys():
                with suppress(Damaged, KeyError):
                    facts[name] = self.kept.take(name, known)
        told, arrays = told_of(facts, known)
        parts = packed(self.key, told, arrays)
        self.shelf.write(self.key.name + FACTS, parts, cancelled, spared=self.key.name)
        self.stored = frozenset(facts)


def open_trace(
    path: str,
    *,
    extent: Extent = WHOLE,
    cache: bool = True,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Opened:
    """A trace as `load` reads it, from what was kept where that is of the same content.

    Raises what `load` does.
    """
    shelf = _shelf() if cache and extent == WHOLE and path != "-" else None
    key = None if shelf is None else key_of(path)
    if shelf is not None and key is not None:
        began = time.monotonic()
        opened = _kept(path, shelf, key)
        if opened is not None:
            if progress is not None:
                seconds = time.monotonic() - began
                progress(Progress(key.size, key.size, opened.trace.events, seconds))
            return opened
    trace = load(path, extent=extent, progress=progress, cancelled=cancelled)
    worth_it = trace.events >= LEAST_EVENTS and not _passing(trace)
    return Opened(trace, shelf if worth_it else None, key)


def _shelf() -> Shelf | None:
    place = directory() if is_on() else None
    return None if place is None else Shelf(place)


def _passing(trace: Trace) -> bool:
    return any(notice.kind in _PASSING for notice in trace.notices)


def _kept(path: str, shelf: Shelf, key: Key) -> Opened | None:
    """The trace from what was kept; None where there is nothing of that content."""
    columns = _contents(shelf, key, COLUMNS)
    if columns is None:
        return None
    try:
        # The file is opened last: it must still be the one that was looked at.
        reader = reader_of(path)
        if key_of(path) != key:
            return None
        trace = traces.trace_of(path, columns.told, columns.arrays, reader)
    except InputError:
        return None
    except (Damaged, TypeError, ValueError):
        shelf.drop(key.name + COLUMNS)
        return None
    shelf.used(key.name + COLUMNS)
    facts = _contents(shelf, key, FACTS)
    try:
        kept = None if facts is None else AllFacts(facts.told, facts.arrays)
    except Damaged:
        shelf.drop(key.name + FACTS)
        kept = None
    if kept is not None:
        shelf.used(key.name + FACTS)
    stored = frozenset() if kept is None else kept.names()
    return Opened(trace, shelf, key, kept, True, stored)


def _contents(shelf: Shelf, key: Key, ending: str) -> Contents | None:
    try:
        contents = unpacked(shelf.path(key.name + ending))
    except OSError:
        return None
    except Damaged:
        shelf.drop(key.name + ending)
        return None
    return contents if contents.key == key else None
