"""Steps of a session that leave something behind: measured ranges, bookmarks, a search."""

from __future__ import annotations

from dataclasses import replace

from attntui.analysis.scope import WHOLE, Range
from attntui.safe import safe
from attntui.view.session.measured import measure
from attntui.view.session.search import Search
from attntui.view.session.selection import EventAt, span_of
from attntui.view.session.session import UNSAID, Bookmark, Session
from attntui.view.words.formats import duration


def measuring(session: Session) -> Session:
    """Sets the first end of a range at the cursor, or the second and finishes it."""
    cursor = session.timeline.cursor
    if session.mark is None:
        begun = replace(unmeasured(session), mark=cursor)
        return begun.saying("move, then v again to measure")
    return measuring_range(session, *sorted((session.mark, cursor)))


def measuring_range(session: Session, low: int, high: int) -> Session:
    """[low, high) as the measured range."""
    found = measure(session.analysed, low, high)
    return replace(session, mark=None, measured=found, said=UNSAID)


def measuring_selection(session: Session) -> Session:
    """What is selected as the measured range."""
    span = span_of(session.analysed, session.selection)
    return session.saying("nothing selected") if span is None else measuring_range(session, *span)


def is_measuring(session: Session) -> bool:
    """Whether a range is measured, or being measured."""
    return session.mark is not None or session.measured is not None


def unmeasured(session: Session) -> Session:
    """Without the measurement, and without a scope on it."""
    undone = replace(session, mark=None, measured=None, said=UNSAID)
    return undone.scoped(WHOLE) if isinstance(session.scope, Range) else undone


def bookmarked(session: Session) -> Session:
    """With a bookmark at the cursor."""
    at, view = session.timeline.cursor, session.timeline.viewport
    what = session.selection_text or "nothing selected"
    mark = Bookmark(view.t0, view.t1, at, safe(f"{duration(at)}  {what}"))
    return replace(session, bookmarks=(*session.bookmarks, mark)).saying("bookmark set")


def at_bookmark(session: Session, number: int) -> Session:
    """Back at a bookmark, with what the cursor stands on selected."""
    mark = session.bookmarks[number]
    viewport = session.timeline.viewport.showing(mark.t0, mark.t1, margin=0.0)
    return session.showing(viewport).cursor_to(mark.cursor)


def searching(session: Session, pattern: str) -> Session:
    """Finds names by a regular expression and goes to the next hit. Raises BadPattern."""
    if not pattern:
        return replace(session, search=None, said=UNSAID)
    search = Search.of(session.analysed, pattern)
    return search_moved(replace(session, search=search), 1, here=True)


def search_moved(session: Session, direction: int, here: bool = False) -> Session:
    """The next or previous hit by time, round the ends."""
    search = session.search
    if search is None:
        return session.saying("nothing to search for: / first")
    if not len(search.rows):
        return session.saying(f"no event named like /{search.pattern}/")
    view, cursor = session.timeline.viewport, session.timeline.cursor
    inside = search.within(session.trace, view.low, view.high)
    if not len(inside.rows):
        return session.saying(f"no event named like /{search.pattern}/ here")
    at = inside.next(session.trace, cursor, session.event, direction, here)
    moved = session.going_to(EventAt(int(inside.rows[at])))
    return moved.saying(f"/{search.pattern}/ {at + 1} of {len(inside.rows):,}")


def backed(session: Session) -> Session | None:
    """Undoes the search, else the scope; None when there is neither."""
    if session.search is not None:
        return replace(session, search=None, said=UNSAID)
    if session.scope != WHOLE:
        return session.scoped(WHOLE).saying("scope: whole trace")
    return None
