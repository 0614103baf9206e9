"""Two sessions side by side: one unit of each trace, tied in time. A value, as a session is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import (
    Comparison,
    Side,
    UnitChoice,
    available,
    compare,
    compare_units,
    find_units,
    mirrored,
)
from attntui.safe import Safe, safe
from attntui.view.session.marks import measuring_range
from attntui.view.session.selection import NOTHING, EventAt
from attntui.view.session.session import UNSAID, Session
from attntui.view.session.viewport import MIN_SPAN_NS, Viewport
from attntui.view.tables.changes import Ends
from attntui.view.words.comparison import place_words, unit_words
from attntui.view.words.status import file_name

MARGIN = 0.03
"""Blank on both sides of a unit, as a share of the longer one."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which units to compare: their kind and numbers, None for the representative ones."""

    choice: UnitChoice
    indices: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class CompareSession:
    """The comparison on screen: `sessions` are the timelines of A and B.

    `tied` moves both together; `full_width` scales each unit to the whole width, so that
    shapes can be compared and lengths on screen cannot.
    """

    comparison: Comparison
    sessions: tuple[Session, Session]
    tied: bool = True
    full_width: bool = False
    said: Safe = UNSAID

    @classmethod
    def of(cls, a: Session, b: Session, choice: UnitChoice | None = None) -> CompareSession:
        """Both sides' representative units at the same scale, over sessions as first seen."""
        return cls(compare(a.analysed, b.analysed, choice), (a, b))._framed()

    @property
    def analysed(self) -> tuple[AnalysedTrace, AnalysedTrace]:
        return self.sessions[0].analysed, self.sessions[1].analysed

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.comparison.a, self.comparison.b

    @cached_property
    def choices(self) -> tuple[UnitChoice, ...]:
        """The kinds of unit that both traces have."""
        return available(self.analysed)

    def _frame(self, side: int) -> int:
        """How many ns a side's view covers: the longer unit's, or its own at full width."""
        lengths = [unit.end - unit.start for unit in self.sides]
        length = lengths[side] if self.full_width else max(lengths)
        return max(round(length * (1 + 2 * MARGIN)), MIN_SPAN_NS)

    def _framed(self) -> CompareSession:
        """Both timelines on their units, from the units' start."""
        sessions = []
        for number, (session, unit) in enumerate(zip(self.sessions, self.sides, strict=True)):
            frame = self._frame(number)
            low = unit.start - round(frame * MARGIN)
            viewport = Viewport(low, low + frame, low, low + frame)
            timeline = replace(session.timeline, viewport=viewport, cursor=unit.start)
            placed = session.with_timeline(timeline)
            if len(unit.rows):
                # The unit's stretch on the GPU is marked on the axis, as a measured range is.
                trace = session.trace
                ends = int(trace.start[unit.rows].min()), int(trace.end[unit.rows].max())
                placed = measuring_range(placed.selecting(int(unit.rows[0])), *ends)
            sessions.append(placed.showing(viewport))
        return replace(self, sessions=(sessions[0], sessions[1]), said=UNSAID)

    def saying(self, text: str) -> CompareSession:
        """The same with a line for the user, cleaned here."""
        return replace(self, said=safe(text))

    # Time

    def resized(self, widths: tuple[int, int]) -> CompareSession:
        """With the width of each side's timeline, in cells."""
        a, b = (s.resized(width) for s, width in zip(self.sessions, widths, strict=True))
        return replace(self, sessions=(a, b))

    def _with(self, side: int, session: Session) -> CompareSession:
        pair = [*self.sessions]
        pair[side] = session
        return replace(self, sessions=(pair[0], pair[1]))

    def moved(self, side: int, move: Callable[[Session], Session]) -> CompareSession:
        """One side moved, and while tied the other with it, to the same place in its unit."""
        changed = self._with(side, move(self.sessions[side]))
        changed = replace(changed, said=changed.sessions[side].said)
        return changed._tied_to(side) if self.tied else changed

    def _tied_to(self, side: int) -> CompareSession:
        """The other side at the same place and scale as `side`."""
        here, there = self.sessions[side], self.sessions[1 - side]
        view, bounds = here.timeline.viewport, there.timeline.viewport
        scale = self._frame(1 - side) / self._frame(side)
        low = bounds.low + round((view.t0 - view.low) * scale)
        viewport = bounds.showing(low, low + round(view.span * scale), margin=0.0)
        cursor = bounds.low + round((here.timeline.cursor - view.low) * scale)
        cursor = min(max(cursor, bounds.low), bounds.high - 1)
        timeline = replace(there.timeline, viewport=viewport, cursor=cursor)
        return self._with(1 - side, there.with_timeline(timeline))

    def toggled_tie(self, side: int) -> CompareSession:
        """Ties the two timelines to `side`, or lets each move alone."""
        changed = replace(self, tied=not self.tied)
        if not changed.tied:
            return changed.saying("timelines untied: each moves alone")
        return changed._tied_to(side).saying("timelines tied")

    def toggled_full_width(self) -> CompareSession:
        """Each unit to the full width, or both at one scale; the selection stays."""
        changed = replace(self, full_width=not self.full_width)._framed()
        a, b = (
            framed.pointing_at(before.selection)
            for framed, before in zip(changed.sessions, self.sessions, strict=True)
        )
        words = "each unit at full width" if changed.full_width else "both at the same scale"
        return replace(changed, sessions=(a, b)).saying(words)

    # Units

    @property
    def request(self) -> Request:
        """What is compared now."""
        return Request(self.comparison.choice, (self.sides[0].index, self.sides[1].index))

    def next_unit(self, wanted: Request, step: int) -> Request | None:
        """The request for the next or previous unit of both sides after the one wanted; a
        side stays where it has no further one. None where neither has.
        """
        units = [find_units(analysed, wanted.choice) for analysed in self.analysed]
        places = wanted.indices or tuple(own.representative() for own in units)
        a, b = (
            min(max(place + step, 0), len(own) - 1)
            for place, own in zip(places, units, strict=True)
        )
        return None if (a, b) == places else Request(wanted.choice, (a, b))

    def next_choice(self, wanted: Request) -> Request:
        """The request for the next kind of unit that both traces have."""
        choices = self.choices
        at = choices.index(wanted.choice) if wanted.choice in choices else -1
        return Request(choices[(at + 1) % len(choices)], None)

    def answer(self, wanted: Request) -> Comparison:
        """The comparison asked for: many operations take a while to align."""
        if wanted.indices is None:
            return compare(*self.analysed, wanted.choice)
        (a, b), (i, j) = self.analysed, wanted.indices
        return compare_units(a, i, b, j, wanted.choice)

    def with_comparison(self, comparison: Comparison) -> CompareSession:
        """Another comparison of the same two traces on screen; tie and scale are kept."""
        changed = replace(self, comparison=comparison)._framed()
        return changed.saying(f"compared by {unit_words(comparison.choice)}")

    def swapped(self) -> CompareSession:
        """B on the left, A on the right; units and places stay."""
        a, b = self.sessions
        changed = replace(self, sessions=(b, a), comparison=mirrored(self.comparison))
        return changed.saying("swapped")

    # Rows

    def pointing_at(self, ends: Ends) -> CompareSession:
        """Both ends of a row selected, where they are."""
        a, b = (
            session.pointing_at(NOTHING if event is None else EventAt(event))
            for session, event in zip(self.sessions, ends, strict=True)
        )
        return replace(self, sessions=(a, b)).saying(_missing(ends))

    def going_to(self, ends: Ends) -> CompareSession:
        """Both ends of a row selected and on screen, which may take them out of step."""
        changed = self.pointing_at(ends)
        for side, event in enumerate(ends):
            if event is not None:
                changed = changed._with(side, changed.sessions[side].selecting(event))
        return changed

    def heading(self, side: int) -> Safe:
        """What a side's timeline shows, for its title."""
        name = file_name(self.analysed[side].trace).removesuffix(".gz").removesuffix(".json")
        scale = " ─ full width" if self.full_width else ("" if self.tied else " ─ untied")
        place = place_words(self.sides[side])
        return safe(f"{'AB'[side]} {name} ─ unit {place}{scale}")

    @property
    def selection_text(self) -> Safe:
        """What is selected on both sides, by name."""
        words = []
        for letter, session in zip("AB", self.sessions, strict=True):
            event = session.event
            name = "-" if event is None else session.analysed.labels.event(event)
            words.append(f"{letter}: {name}")
        return safe("   ".join(words))


def _missing(ends: Ends) -> str:
    if None not in ends:
        return ""
    return "nothing on either side" if ends == (None, None) else f"only in {'AB'[ends[0] is None]}"
