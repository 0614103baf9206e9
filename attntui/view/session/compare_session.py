"""Two sessions side by side: one unit of each trace, tied in time. A value, as a session is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
from attntui.view.session.places import NO_JUMPS, Jumps
from attntui.view.session.selection import NOTHING, EventAt, span_of
from attntui.view.session.session import FIT_EDGE, UNSAID, Session
from attntui.view.session.tied import (
    Both,
    first_views,
    following,
    in_step,
    together,
    unrolled,
)
from attntui.view.tables.changes import Ends
from attntui.view.words.comparison import unit_words


@dataclass(frozen=True, slots=True)
class Request:
    """Which units to compare: their kind and numbers, None for the representative ones."""

    choice: UnitChoice
    indices: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class CompareSession:
    """The comparison on screen: `sessions` are the timelines of A and B.

    `tied` moves both together; `full_width` scales each unit to the whole width, so that
    shapes can be compared and lengths on screen cannot. `jumps` is the way back.
    """

    comparison: Comparison
    sessions: tuple[Session, Session]
    tied: bool = True
    full_width: bool = False
    jumps: Jumps[CompareSession] = NO_JUMPS
    said: Safe = UNSAID

    @classmethod
    def of(cls, a: Session, b: Session, choice: UnitChoice | None = None) -> CompareSession:
        """Both sides' representative units at the same scale, over sessions as first seen."""
        return cls.over(compare(a.analysed, b.analysed, choice), (a, b))

    @classmethod
    def over(
        cls, comparison: Comparison, sessions: tuple[Session, Session], full_width: bool = False
    ) -> CompareSession:
        """A comparison over sessions as first seen, at one scale or each unit at full width."""
        return cls(comparison, sessions, full_width=full_width)._framed()

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

    @cached_property
    def units(self) -> Both:
        """The time of both units, from their beginnings."""
        return unrolled(self.sides, self.full_width)

    @property
    def is_in_step(self) -> bool:
        """Whether both units begin in the same place on screen, at the same scale."""
        a, b = (session.timeline.viewport for session in self.sessions)
        return in_step((a, b), self.units)

    def _framed(self) -> CompareSession:
        """Both timelines on their units, from the units' beginnings, where the cursors stand."""
        views = first_views(self.sides, self.units)
        sessions = []
        for session, side, view in zip(self.sessions, self.sides, views, strict=True):
            timeline = replace(session.timeline, viewport=view, cursor=side.span[0])
            placed = session.with_timeline(timeline)
            first = EventAt(int(side.rows[0])) if len(side.rows) else NOTHING
            # The unit is marked on the axis, as a measured range is.
            placed = measuring_range(placed.pointing_at(first), *side.span)
            sessions.append(placed.on_its_line())
        return replace(self, sessions=(sessions[0], sessions[1]), said=UNSAID)

    def saying(self, text: str) -> CompareSession:
        """The same with a line for the user, cleaned here."""
        return replace(self, said=safe(text))

    # Time

    def resized(self, widths: tuple[int, int]) -> CompareSession:
        """With the width of each side's timeline, in cells."""
        a, b = (s.resized(width) for s, width in zip(self.sessions, widths, strict=True))
        return replace(self, sessions=(a, b))

    def with_side(self, side: int, session: Session) -> CompareSession:
        """One side's session replaced, the other one untouched."""
        pair = [*self.sessions]
        pair[side] = session
        return replace(self, sessions=(pair[0], pair[1]))

    def moved(self, side: int, move: Callable[[Session], Session]) -> CompareSession:
        """One side moved, and while tied the other with it, to the same place in its unit. What
        is selected there selects what answers to it here.
        """
        before = self.sessions[side]
        after = move(before)
        changed = self.with_side(side, replace(after, jumps=NO_JUMPS))
        changed = replace(changed, said=after.said)
        if after.selection != before.selection:
            changed = changed.answering(side)
        changed = changed.tied_to(side) if self.tied else changed
        return changed.left(self) if after.jumps is not before.jumps else changed

    def answering(self, side: int) -> CompareSession:
        """What answers to one side's selection selected on the other, nothing where nothing
        does.
        """
        event, other = self.sessions[side].event, self.sessions[1 - side]
        row = None if event is None else self.comparison.row_of(side, event)
        share = None if row is None else row.ends[1 - side]
        chosen = NOTHING if share is None else EventAt(int(share.rows[0]))
        changed = self.with_side(1 - side, other.pointing_at(chosen).on_its_line())
        return changed if row is None else changed.saying(_missing(row.ends))

    def tied_to(self, side: int) -> CompareSession:
        """The other side at the same place and scale as `side`."""
        here, there = self.sessions[side].timeline, self.sessions[1 - side]
        own, other = self.units[side], self.units[1 - side]
        view = following(there.timeline.viewport, other, here.viewport, own)
        cursor = other.own(own.common(here.cursor))
        timeline = replace(there.timeline, cursor=cursor).with_viewport(view)
        return self.with_side(1 - side, there.with_timeline(timeline))

    def toggled_tie(self, side: int) -> CompareSession:
        """Ties the two timelines to `side`, or lets each move alone."""
        changed = replace(self, tied=not self.tied)
        if not changed.tied:
            return changed.saying("timelines untied: each moves alone")
        return changed.tied_to(side).saying("timelines tied")

    def toggled_full_width(self) -> CompareSession:
        """Each unit to the full width, or both at one scale; the selection stays."""
        changed = replace(self, full_width=not self.full_width)._framed()
        a, b = (
            framed.pointing_at(before.selection)
            for framed, before in zip(changed.sessions, self.sessions, strict=True)
        )
        words = "each unit at full width" if changed.full_width else "both at the same scale"
        return replace(changed, sessions=(a, b)).saying(words)

    def fitted(self, side: int) -> CompareSession:
        """Both units on screen; where they are there already, all that belongs to them."""
        first = first_views(self.sides, self.units)
        shown = [session.timeline.viewport for session in self.sessions]
        if all((v.t0, v.t1) == (f.t0, f.t1) for v, f in zip(shown, first, strict=True)):
            first = first[0].fitted(), first[1].fitted()
        chosen = range(2) if self.tied else (side,)
        changed = replace(self, said=UNSAID)
        for at in chosen:
            changed = changed.with_side(at, changed.sessions[at].showing(first[at]))
        return changed

    def fitted_to_selection(self, side: int) -> CompareSession:
        """What is selected filling the screen: both ends of it while the sides are tied."""
        here, unit = self.sessions[side], self.units[side]
        spans = self._selected_spans()
        if not self.tied or spans[side] is None or spans[1 - side] is None:
            return self.moved(side, Session.fitted_to_selection)
        told = [span for span in spans if span is not None]
        start, end = min(start for start, _ in told), max(end for _, end in told)
        view = here.timeline.viewport.showing(unit.own(start), unit.own(end), margin=FIT_EDGE)
        return self.moved(side, lambda session: session.showing(view))

    def _selected_spans(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """What is selected on each side, in common time."""
        a, b = (
            None if span is None else (unit.common(span[0]), unit.common(span[1]))
            for unit, span in (
                (unit, span_of(session.analysed, session.selection))
                for unit, session in zip(self.units, self.sessions, strict=True)
            )
        )
        return a, b

    # The way back

    def left(self, before: CompareSession) -> CompareSession:
        """This view with the way back to another one, which a jump left."""
        return replace(self, jumps=before.jumps.left(before._as_place()))

    def _as_place(self) -> CompareSession:
        """The view alone: a place does not keep the places before it."""
        return replace(self, jumps=NO_JUMPS, said=UNSAID)

    def back(self) -> CompareSession:
        """The view before the last jump."""
        return self._gone(self.jumps.back(self._as_place()), "no jump to go back from")

    def forward(self) -> CompareSession:
        """The view that the last step back left."""
        return self._gone(self.jumps.forward(self._as_place()), "nothing to go forward to")

    def _gone(
        self, found: tuple[CompareSession, Jumps[CompareSession]] | None, otherwise: str
    ) -> CompareSession:
        return self.saying(otherwise) if found is None else replace(found[0], jumps=found[1])

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
        changed = replace(self, comparison=comparison)._framed().left(self)
        return changed.saying(f"compared by {unit_words(comparison.choice)}")

    def swapped(self) -> CompareSession:
        """B above, A below; units and places stay."""
        a, b = self.sessions
        changed = replace(self, sessions=(b, a), comparison=mirrored(self.comparison))
        return changed.left(self).saying("swapped")

    # Rows

    def pointing_at(self, ends: Ends) -> CompareSession:
        """Both ends of a row selected, where they are; the cursors stand at the first of them
        that is on screen.
        """
        a, b = (
            session.pointing_at(NOTHING if event is None else EventAt(event)).on_its_line()
            for session, event in zip(self.sessions, ends, strict=True)
        )
        changed = replace(self, sessions=(a, b)).saying(_missing(ends))
        for side, span in enumerate(changed._selected_spans()):
            view = changed.sessions[side].timeline.viewport
            if span is not None and view.t0 <= self.units[side].own(span[0]) < view.t1:
                return changed._at(span[0], range(2) if self.tied else (side,))
        return changed

    def _at(self, common: int, sides: Iterable[int]) -> CompareSession:
        """The cursors of some sides at a common time, as far as it is on screen."""
        changed = self
        for side in sides:
            timeline = changed.sessions[side].timeline
            moved = replace(timeline, cursor=self.units[side].own(common))
            moved = moved.with_viewport(timeline.viewport)
            changed = changed.with_side(side, changed.sessions[side].with_timeline(moved))
        return changed

    def going_to(self, ends: Ends, side: int) -> CompareSession:
        """Both ends of a row selected and on screen; `side` leads where they are untied."""
        changed = self.pointing_at(ends)
        spans = changed._selected_spans()
        if self.tied and (told := [span for span in spans if span is not None]):
            here, unit = changed.sessions[side], self.units[side]
            view = together(here.timeline.viewport, unit, told)
            begin, _ = spans[side] or told[0]
            timeline = replace(here.timeline, viewport=view).with_cursor(unit.own(begin))
            changed = changed.with_side(side, here.with_timeline(timeline)).tied_to(side)
        else:
            for at, event in enumerate(ends):
                if event is not None:
                    changed = changed.with_side(at, changed.sessions[at].selecting(event))
        return changed.left(self)

    @property
    def ends(self) -> Ends:
        """The events selected in A and B, None on a side where none is."""
        return self.sessions[0].event, self.sessions[1].event

    def tie_cells(self, width: int) -> tuple[int | None, int | None]:
        """The cells of `width` above which and below which what is selected stands: the middle
        of what is on screen of it, beyond the ends where nothing is; None where there is none.
        """
        a, b = (self._tie_cell(session, width) for session in self.sessions)
        return a, b

    def _tie_cell(self, session: Session, width: int) -> int | None:
        span = span_of(session.analysed, session.selection)
        if span is None:
            return None
        view = session.timeline.viewport
        if not view.shows(*span):
            return -1 if span[0] < view.t0 else width
        return view.cell((max(span[0], view.t0) + min(span[1], view.t1)) // 2, width)

    @property
    def selection_text(self) -> Safe:
        """What is selected on both sides, by name."""
        words = []
        for letter, session in zip("AB", self.sessions, strict=True):
            event = session.event
            name = "-" if event is None else session.analysed.labels.event(event)
            words.append(f"{letter}: {name}")
        return safe("   ".join(words))


def _missing(ends: tuple[object, object]) -> str:
    if None not in ends:
        return ""
    return "nothing on either side" if ends == (None, None) else f"only in {'AB'[ends[0] is None]}"
