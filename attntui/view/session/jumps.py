"""Jumps of a session, and the way back from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attntui.view.session.places import Jumps, Place
from attntui.view.session.session import UNSAID, Session

Step = Callable[[Session], Session]


def place_of(session: Session) -> Place:
    """Where a session stands."""
    return Place(session.timeline, session.selection, session.scope, session.pane, session.lists)


def at_place(session: Session, place: Place) -> Session:
    """The session at a place; the slice of its scope has to be found yet."""
    return replace(
        session,
        timeline=place.timeline,
        selection=place.selection,
        scope=place.scope,
        pane=place.pane,
        lists=place.lists,
        said=UNSAID,
    )


def jump(step: Step) -> Step:
    """A step after which the place before it can be gone back to, if it leads elsewhere."""

    def jumped(session: Session) -> Session:
        before, after = place_of(session), step(session)
        if place_of(after) == before:
            return after
        return replace(after, jumps=session.jumps.left(before))

    return jumped


def turned(before: Session, after: Session) -> Session:
    """`after`, another pane with its own row selected, with the way back to `before`."""
    return replace(after, jumps=before.jumps.left(replace(place_of(before), turned=True)))


def only_turned(session: Session) -> bool:
    """Whether nothing but turning to another pane led here from the place before."""
    return bool(session.jumps.past) and session.jumps.past[-1].turned


def back(session: Session) -> Session:
    """To where the last jump came from."""
    found = session.jumps.back(place_of(session))
    return _gone(session, found, "no jump to go back from")


def forward(session: Session) -> Session:
    """To where the last step back came from."""
    found = session.jumps.forward(place_of(session))
    return _gone(session, found, "nothing to go forward to")


def _gone(session: Session, found: tuple[Place, Jumps[Place]] | None, otherwise: str) -> Session:
    """The session at the place found, with the jumps as they are then; else it says why not."""
    if found is None:
        return session.saying(otherwise)
    place, jumps = found
    return replace(at_place(session, place), jumps=jumps)
