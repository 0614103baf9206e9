"""Two sessions side by side: one unit of each trace, tied in time. A value, as a session is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from attntui.analysis.annotations import find_annotations
from attntui.analysis.compare import (
    Comparison,
    Row,
    Share,
    Subject,
    UnitChoice,
    available,
    compare,
    compare_units,
)
from attntui.analysis.compare import Side as UnitSide
from attntui.trace.model import ABSENT
from attntui.view.comparison import place_words, unit_words
from attntui.view.document import Document
from attntui.view.session import Session
from attntui.view.viewport import MIN_SPAN_NS, Viewport

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
        span = max(round(view.span * scale), MIN_SPAN_NS)
        viewport = replace(bounds, t0=low, t1=min(low + span, bounds.high))
        cursor = bounds.low + round((here.timeline.cursor - view.low) * scale)
        timeline = replace(there.timeline, viewport=viewport, cursor=min(cursor, bounds.high - 1))
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
        words = "each unit at full width" if changed.full_width else "both at the same scale"
        return replace(changed, said=words)

    # Units

    def unit_moved(self, step: int) -> CompareSession:
        """The next or previous unit of both sides; a side stays where it has no further one."""
        wanted = [min(max(unit.index + step, 0), len(unit.units) - 1) for unit in self.sides]
        if wanted == [unit.index for unit in self.sides]:
            return replace(self, said="no further unit")
        a, b = self.subjects
        chosen = compare_units(a, wanted[0], b, wanted[1], self.comparison.choice)
        return replace(self, comparison=chosen)._framed()

    def choice_moved(self) -> CompareSession:
        """The next kind of unit that both traces have."""
        at = (
            self.choices.index(self.comparison.choice)
            if self.comparison.choice in self.choices
            else -1
        )
        choice = self.choices[(at + 1) % len(self.choices)]
        changed = replace(self, comparison=compare(*self.subjects, choice))._framed()
        return replace(changed, said=f"compared by {unit_words(choice)}")

    def swapped(self) -> CompareSession:
        """B on the left, A on the right; the units stay."""
        a, b = self.sides
        chosen = compare_units(
            self.subjects[1], b.index, self.subjects[0], a.index, self.comparison.choice
        )
        return replace(
            self,
            documents=self.documents[::-1],
            subjects=self.subjects[::-1],
            sessions=self.sessions[::-1],
            comparison=chosen,
        )

    # Rows

    def pointing_at(self, row: Row) -> CompareSession:
        """Both ends of a row selected, where they are."""
        sessions = tuple(
            session.with_timeline(replace(session.timeline, event=_event(share)))
            for session, share in zip(self.sessions, (row.a, row.b), strict=True)
        )
        return replace(self, sessions=(sessions[0], sessions[1]), said=_missing(row))

    def going_to(self, row: Row) -> CompareSession:
        """Both ends of a row selected and on screen, which may take them out of step."""
        changed = self
        for side, share in enumerate((row.a, row.b)):
            event = _event(share)
            session = self.sessions[side]
            moved = session.selecting(event) if event is not None else session
            if event is None:
                moved = session.with_timeline(replace(session.timeline, event=None))
            changed = changed._with(side, moved)
        return replace(changed, said=_missing(row))

    def heading(self, side: int) -> str:
        """What a side's timeline shows, for its title."""
        unit = self.sides[side]
        name = self.documents[side].trace.path.rpartition("/")[2].removesuffix(".json.gz")
        scale = " ─ full width" if self.full_width else ("" if self.tied else " ─ untied")
        return f"{'AB'[side]} {name} ─ unit {place_words(unit)}{scale}"


def _event(share: Share | None) -> int | None:
    """The event that stands for one side of a row: its first GPU operation."""
    if share is None:
        return None
    if len(share.rows):
        return int(share.rows[0])
    return None if share.op == ABSENT else share.op


def _missing(row: Row) -> str:
    if row.match == "both":
        return ""
    return "only in A" if row.match == "only_a" else "only in B"
