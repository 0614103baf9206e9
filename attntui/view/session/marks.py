"""Steps of a session that leave something behind, and how that is undone: measured ranges,
bookmarks, a search.
"""

from __future__ import annotations

from dataclasses import replace

from attntui.analysis.scope import WHOLE, Range
from attntui.safe import safe
from attntui.view.session.jumps import at_place, back, place_of
from attntui.view.session.measured import measure
from attntui.view.session.places import Bookmark
from attntui.view.session.search import Search
from attntui.view.session.selection import EventAt, span_of
from attntui.view.session.session import UNSAID, Session
from attntui.view.words.formats import duration


def measuring(session: Session) -> Session:
    """Sets the first end of a range at the cursor, or the second and finishes it."""
    cursor = session.timeline.cursor
    if session.mark is None:
        begun = replace(unmeasured(session), mark=cursor)
        return begun.saying("move, then v again to measure")
    if cursor == session.mark:
        return session.saying("move the cursor first: a range has two ends")
    return measured_between(session, *sorted((session.mark, cursor)))


def measured_between(session: Session, low: int, high: int) -> Session:
    """[low, high) as the measured range, and selected."""
    measured = measuring_range(session, low, high)
    return measured if measured.measured is None else measured.pointing_at(measured.measured.range)


def measuring_range(session: Session, low: int, high: int) -> Session:
    """[low, high) as the measured range."""
    found = measure(session.analysed, low, high)
    return replace(session, mark=None, measured=found, said=UNSAID)


def measuring_selection(session: Session) -> Session:
    """The stretch of what is selected as the measured range, and selected instead."""
    span = span_of(session.analysed, session.selection)
    return session.saying("nothing selected") if span is None else measured_between(session, *span)


def unmeasured(session: Session) -> Session:
    """Without the measurement, and without a scope on it."""
    undone = replace(session, mark=None, measured=None, said=UNSAID)
    return undone.scoped(WHOLE) if isinstance(session.scope, Range) else undone


def bookmarked(session: Session) -> Session:
    """With a bookmark of this place, named by what is selected."""
    span = span_of(session.analysed, session.selection)
    at = session.timeline.cursor if span is None else span[0]
    label = safe(f"{duration(at)}  {session.selection_text or 'nothing selected'}")
    marked = replace(session, bookmarks=(*session.bookmarks, Bookmark(place_of(session), label)))
    return marked.saying(f"bookmark: {label}")


def renamed(session: Session, number: int, label: str) -> Session:
    """With another name for a bookmark; cleaned here, and kept as it was where it is empty."""
    marks = list(session.bookmarks)
    marks[number] = replace(marks[number], label=safe(label.strip()) or marks[number].label)
    return replace(session, bookmarks=tuple(marks))


def at_bookmark(session: Session, number: int) -> Session:
    """Back at a bookmark, with what was selected there."""
    return at_place(session, session.bookmarks[number].place)


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


def undone(session: Session) -> Session | None:
    """Drops a measurement under way, else goes back from the last jump, else drops the measured
    range; None when there is none of these.
    """
    if session.mark is not None:
        return replace(session, mark=None, said=UNSAID)
    measured = session.measured
    if not session.jumps.past:
        return None if measured is None else unmeasured(session)
    leaves_range = measured is not None and session.selection == measured.range
    return unmeasured(back(session)) if leaves_range else back(session)


def backed(session: Session) -> Session | None:
    """Undoes the search, else the scope; None when there is neither."""
    if session.search is not None:
        return replace(session, search=None, said=UNSAID)
    if session.scope != WHOLE:
        return session.scoped(WHOLE).saying("scope: whole trace")
    return None
