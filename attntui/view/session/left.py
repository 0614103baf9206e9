"""Where a trace was left, as a value to be kept and gone back to: the view and the bookmarks.

Both are told in the words of the command line, so they stand for things of the trace and not
for numbers of tracks or rows on some screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from attntui.safe import safe
from attntui.trace.kept.key import Key
from attntui.trace.kept.notes import note
from attntui.view.options import Options
from attntui.view.session.jumps import place_of
from attntui.view.session.places import Bookmark, Place
from attntui.view.session.reopen import ShownTable, opened, tables_as_asked
from attntui.view.session.session import UNSAID, Session
from attntui.view.session.spelling import read_scope, spelled, spelled_lanes

_OTHER = frozenset({-1})
"""Tracks that no timeline has collapsed or hidden."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A bookmark: its name, and the view that it leads to."""

    label: str
    view: Options


@dataclass(frozen=True, slots=True)
class Left:
    """The view of a trace, and its bookmarks."""

    view: Options
    bookmarks: tuple[Mark, ...] = ()

    def told(self) -> bytes:
        """As JSON."""
        return msgspec.json.encode(self)


def read_left(told: bytes) -> Left | None:
    """What `told` made; None of anything else, such as what another version wrote."""
    try:
        return msgspec.json.decode(told, type=Left)
    except (ValueError, RecursionError):
        return None


def left_of(key: Key | None) -> Left | None:
    """Where the trace of a file was left the last time, as far as that is known."""
    told = None if key is None else note(key)
    return None if told is None else read_left(told)


def left(session: Session, tables: Sequence[ShownTable] = (), *, maximised: bool = False) -> Left:
    """A session as it is left; `tables` are those on screen, the last used first."""
    view = replace(
        _view(place_of(session), tables_as_asked(tables)),
        threshold=session.threshold,
        maximised=maximised,
    )
    marks = (Mark(mark.label, _view(mark.place, Options())) for mark in session.bookmarks)
    return Left(view, tuple(marks))


def _view(place: Place, tables: Options) -> Options:
    """A place as it is asked for, every part of it; with what is asked of tables."""
    timeline = place.timeline
    unlike = replace(
        timeline,
        line=-1,
        top=-1,
        collapsed=_OTHER,
        hidden=_OTHER,
        order=(),
        hide_empty=not timeline.hide_empty,
    )
    return replace(
        tables,
        at=timeline.cursor,
        start=timeline.viewport.t0,
        span=timeline.viewport.span,
        select=spelled(place.selection),
        lanes=spelled_lanes(timeline, unlike),
        scope=spelled(place.scope),
        pane=place.pane or None,
    )


def opened_as_left(
    session: Session, options: Options, found: Left | None
) -> tuple[Session, Options]:
    """A fresh session as the command line asks, and those options. Where no place is asked for
    it is the one where the trace was left, if that is known; its bookmarks come back anyway.
    """
    if found is None:
        return opened(session, options), options
    if options.fresh or options != options.drawing:
        return marked(opened(session, options), found), options
    return resumed(session, found), options.shown_at(found.view)


def resumed(session: Session, found: Left) -> Session:
    """A fresh session where it was left; the slice of its scope has to be found yet."""
    there = _there(marked(session, found), found.view)
    return there.saying("as you left it: --fresh opens at the first finding")


def marked(session: Session, found: Left) -> Session:
    """A fresh session with the bookmarks that it was left with."""
    marks = (
        Bookmark(place_of(_there(session, mark.view)), safe(mark.label)) for mark in found.bookmarks
    )
    return replace(session, bookmarks=tuple(marks))


def _there(session: Session, view: Options) -> Session:
    """A session where a view is, as far as the trace has it."""
    there = opened(session, replace(view, scope=None))
    scope = read_scope(session.analysed, view.scope or "") or session.scope
    return replace(there, scope=scope, pane=view.pane or "", said=UNSAID)
