"""Places to come back to: the way that jumps came, and bookmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from attntui.analysis.scope import Scope
from attntui.safe import Safe
from attntui.view.session.selection import Selection
from attntui.view.session.timeline import Timeline

P = TypeVar("P")

MOST_JUMPS = 100
"""Places kept in each direction: more than anyone walks back."""


@dataclass(frozen=True, slots=True)
class Scrolled:
    """Where a list on screen stands: its pane, its current row or link (-1: none), its top."""

    pane: str
    row: int
    top: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a session stands: what is on screen, what is selected, in which scope and pane, and
    how far its lists are scrolled.

    `turned` tells a place that was left by turning to another pane from one that a jump left.
    """

    timeline: Timeline
    selection: Selection
    scope: Scope
    pane: str
    lists: tuple[Scrolled, ...] = ()
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Jumps(Generic[P]):
    """The places left by jumps, the latest last, and those left by going back, the nearest
    first.
    """

    past: tuple[P, ...] = ()
    future: tuple[P, ...] = ()

    def left(self, place: P) -> Jumps[P]:
        """With a place that a jump leaves; what lay ahead is given up."""
        return Jumps((*self.past, place)[-MOST_JUMPS:])

    def back(self, place: P) -> tuple[P, Jumps[P]] | None:
        """The place before, and what is left when it is gone to from `place`."""
        if not self.past:
            return None
        return self.past[-1], Jumps(self.past[:-1], (place, *self.future)[:MOST_JUMPS])

    def forward(self, place: P) -> tuple[P, Jumps[P]] | None:
        """The place that was left by going back, likewise."""
        if not self.future:
            return None
        return self.future[0], Jumps((*self.past, place)[-MOST_JUMPS:], self.future[1:])


NO_JUMPS: Jumps[Any] = Jumps()


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place with a name."""

    place: Place
    label: Safe
