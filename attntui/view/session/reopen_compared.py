"""The view of two traces side by side as a command line, and back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from attntui.analysis.compare import (
    Comparison,
    available,
    chosen,
    compare,
    compare_units,
    find_units,
)
from attntui.errors import AttntuiError
from attntui.view.options import Options, Spot
from attntui.view.session.compare_session import CompareSession
from attntui.view.session.reopen import (
    ShownTable,
    at_threshold,
    drawing_words,
    selecting,
    table_words,
    with_lanes,
)
from attntui.view.session.session import DEFAULT_THRESHOLD, Session
from attntui.view.session.spelling import spelled, spelled_lanes
from attntui.view.words.comparison import named_unit, unit_argument


def opened_compared(a: Session, b: Session, options: Options) -> CompareSession:
    """Two fresh sessions side by side as the command line asks. What the traces do not have is
    said, and the pair that they are compared by at first is shown.
    """
    comparison, said = _comparison(a, b, options)
    compared = CompareSession.over(comparison, (a, b), options.full_width)
    compared = replace(compared, tied=not options.untied)
    unit, beside = compared.units
    # While they are tied, what is asked of A alone holds for B too.
    compared = compared.moved(0, lambda session: _at(session, unit.start, options))
    compared = compared.with_side(1, _at(compared.sessions[1], beside.start, options.other))
    told = (said, *(session.said for session in compared.sessions))
    return compared.saying(next(filter(None, told), ""))


def _comparison(a: Session, b: Session, options: Options) -> tuple[Comparison, str]:
    """What is compared, and what of that which was asked for is not there."""
    traces = a.analysed, b.analysed
    try:
        choice = None if options.unit is None else named_unit(options.unit, available(traces))
    except AttntuiError as error:
        return compare(*traces), str(error)
    if options.pair is None:
        return compare(*traces, choice), ""
    choice = choice or chosen(traces)[0]
    counts = [len(find_units(analysed, choice)) for analysed in traces]
    if any(number >= count for number, count in zip(options.pair, counts, strict=True)):
        return compare(*traces, choice), f"--pair: A has {counts[0]} such units, B {counts[1]}"
    i, j = options.pair
    return compare_units(traces[0], i, traces[1], j, choice), ""


def _at(session: Session, begin: int, spot: Spot) -> Session:
    """A session where its timeline is asked to open; times count from `begin`."""
    session = at_threshold(session, spot.threshold)
    view = session.timeline.viewport
    span = spot.span or view.span
    start = spot.start
    if start is None and spot.at is not None and spot.span is not None:
        start = spot.at - span // 2
    if start is not None:
        start += begin
        session = session.showing(view.showing(start, start + span, margin=0.0))
    if spot.at is not None:
        session = session.cursor_to(begin + spot.at)
    if spot.select is not None:
        session = selecting(session, spot.select)
    return with_lanes(session, spot.lanes)


def command_line(
    compared: CompareSession, options: Options, pane: str, tables: Sequence[ShownTable] = ()
) -> str:
    """The command that opens the same two files in the same view; `pane` has the focus, and
    `tables` are those of the screen.
    """
    words = ["attntui"]
    comparison = compared.comparison
    if comparison.passed_over is None:
        a, b = (side.index + 1 for side in compared.sides)
        # A label may begin with a dash.
        words += [f"--unit={unit_argument(comparison.choice)}", "--pair", f"{a}:{b}"]
    words += ["--untied"] if not compared.tied else []
    words += ["--full-width"] if compared.full_width else []
    words += _spot_words(compared)
    words += ["--pane", pane, *table_words(tables), *drawing_words(options)]
    return shlex.join([*words, "--", *(found.trace.path for found in compared.analysed)])


def _spot_words(compared: CompareSession) -> Iterator[str]:
    """Where each timeline stands, first A's."""
    a, b = compared.sessions
    fresh = CompareSession.over(compared.comparison, (a.anew(), b.anew()), compared.full_width)
    lanes = []
    for session, first, unit in zip(compared.sessions, fresh.sessions, compared.units, strict=True):
        view = session.timeline.viewport
        # A time before the unit's beginning has a dash.
        yield f"--from={view.t0 - unit.start}ns"
        yield from ("--span", f"{view.span}ns")
        yield f"--at={session.timeline.cursor - unit.start}ns"
        yield from ("--select", spelled(session.selection))
        as_opened = first.pointing_at(session.selection).on_its_line().timeline
        # How far a selection scrolls depends on what was on screen, so that is always told.
        lanes.append(spelled_lanes(session.timeline, replace(as_opened, top=-1)))
    if any(session.threshold != DEFAULT_THRESHOLD for session in compared.sessions):
        for session in compared.sessions:
            yield from ("--threshold", f"{session.threshold}ns")
    for word in lanes:
        yield f"--lanes={word}"
