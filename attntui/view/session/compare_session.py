"""Two sessions side by side: one unit of each trace, tied in time. A value, as a session is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from attntui.analysis.annotations import find_annotations
from attntui.analysis.compare import (
    Comparison,
    Subject,
    UnitChoice,
    available,
    compare,
    compare_units,
    find_units,
    mirrored,
)
from attntui.analysis.compare import Side as UnitSide
from attntui.view.document import Document
from attntui.view.reports.diff import place_words, unit_words
from attntui.view.session.session import Session
from attntui.view.session.viewport import MIN_SPAN_NS, Viewport
from attntui.view.words.status import file_name

MARGIN = 0.03
"""Blank on both sides of a unit, as a share of the longer one."""


def subject_of(document: Document) -> Subject:
    """What comparing needs of a document, most of which it already knows."""
    return Subject(
        trace=document.trace,
        steps=document.steps,
        annotations=find_annotations(document.trace),
        attention=document.attention,
        finder=document.finder,
    )


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

    documents: tuple[Document, Document]
    subjects: tuple[Subject, Subject]
    comparison: Comparison
    sessions: tuple[Session, Session]
    tied: bool = True
    full_width: bool = False
    said: str = ""

    @classmethod
    def of(cls, a: Document, b: Document, choice: UnitChoice | None = None) -> CompareSession:
        """Both sides' representative units at the same scale."""
        subjects = subject_of(a), subject_of(b)
        sessions = Session.of(a), Session.of(b)
        return cls((a, b), subjects, compare(*subjects, choice), sessions)._framed()

    @property
    def sides(self) -> tuple[UnitSide, UnitSide]:
        return self.comparison.a, self.comparison.b

    @cached_property
    def choices(self) -> tuple[UnitChoice, ...]:
        """The kinds of unit that both traces have."""
        return available(self.subjects)

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
                placed = placed.selecting(int(unit.rows[0])).measuring_range(*ends)
            sessions.append(placed.with_timeline(replace(placed.timeline, viewport=viewport)))
        return replace(self, sessions=(sessions[0], sessions[1]), said="")

    # Time

    def resized(self, side: int, width: int) -> CompareSession:
        return self._with(side, self.sessions[side].resized(width))

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
            return replace(changed, said="timelines untied: each moves alone")
        return replace(changed._tied_to(side), said="timelines tied")

    def toggled_full_width(self) -> CompareSession:
        """Each unit to the full width, or both at one scale."""
        changed = replace(self, full_width=not self.full_width)._framed()
        # Another scale is no other selection.
        changed = changed.pointing_at((self.sessions[0].event, self.sessions[1].event))
        words = "each unit at full width" if changed.full_width else "both at the same scale"
        return replace(changed, said=words)

    # Units

    @property
    def request(self) -> Request:
        """What is compared now."""
        return Request(self.comparison.choice, (self.sides[0].index, self.sides[1].index))

    def next_unit(self, wanted: Request, step: int) -> Request | None:
        """The request for the next or previous unit of both sides after the one wanted; a
        side stays where it has no further one. None where neither has.
        """
        units = [find_units(subject, wanted.choice) for subject in self.subjects]
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
            return compare(*self.subjects, wanted.choice)
        (a, b), (i, j) = self.subjects, wanted.indices
        return compare_units(a, i, b, j, wanted.choice)

    def with_comparison(self, comparison: Comparison) -> CompareSession:
        """Another comparison of the same two traces on screen; tie and scale are kept."""
        changed = replace(self, comparison=comparison)._framed()
        return replace(changed, said=f"compared by {unit_words(comparison.choice)}")

    def swapped(self) -> CompareSession:
        """B on the left, A on the right; units and places stay."""
        return replace(
            self,
            documents=self.documents[::-1],
            subjects=self.subjects[::-1],
            sessions=self.sessions[::-1],
            comparison=mirrored(self.comparison),
            said="swapped",
        )

    # Rows

    def pointing_at(self, ends: tuple[int | None, int | None]) -> CompareSession:
        """Both ends of a row selected, where they are."""
        a, b = (
            session.with_timeline(replace(session.timeline, event=event))
            for session, event in zip(self.sessions, ends, strict=True)
        )
        return replace(self, sessions=(a, b), said=_missing(ends))

    def going_to(self, ends: tuple[int | None, int | None]) -> CompareSession:
        """Both ends of a row selected and on screen, which may take them out of step."""
        changed = self.pointing_at(ends)
        for side, event in enumerate(ends):
            if event is not None:
                changed = changed._with(side, changed.sessions[side].selecting(event))
        return changed

    def heading(self, side: int) -> str:
        """What a side's timeline shows, for its title."""
        unit = self.sides[side]
        name = file_name(self.documents[side].trace).removesuffix(".gz").removesuffix(".json")
        scale = " ─ full width" if self.full_width else ("" if self.tied else " ─ untied")
        return f"{'AB'[side]} {name} ─ unit {place_words(unit)}{scale}"


def _missing(ends: tuple[int | None, int | None]) -> str:
    if None not in ends:
        return ""
    return "nothing on either side" if ends == (None, None) else f"only in {'AB'[ends[0] is None]}"
