"""A view as a command line, and back; a copied text as a file."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from attntui.analysis.scope import WHOLE, Range, Step
from attntui.extent import Extent
from attntui.view.options import PANE_NAMES, Options
from attntui.view.session.jumps import at_place, place_of
from attntui.view.session.marks import measuring_range
from attntui.view.session.places import Jumps
from attntui.view.session.reload import Reload
from attntui.view.session.search import Search
from attntui.view.session.selection import NOTHING
from attntui.view.session.session import DEFAULT_THRESHOLD, THRESHOLDS, Session
from attntui.view.session.spelling import read_lanes, read_scope, read_selection, spelled
from attntui.view.session.viewport import MIN_SPAN_NS
from attntui.view.tables.findings import findings_table
from attntui.view.tables.order import TableView, first_arrangement

_NUMBER = re.compile(r"(\d+)\D*$")
AT_SPAN_NS = 100_000
"""How much time `--at` shows where nothing else is asked: enough for a few kernels."""


@dataclass(frozen=True, eq=False)
class ShownTable:
    """A table on screen: its pane's name, how it is seen, whether it shows instances, how
    many rows are scrolled out of sight above, and, where that does not follow from what is
    selected, how many are above its cursor.
    """

    pane: str
    view: TableView
    instances: bool = False
    top: int = 0
    row: int | None = None


def step_number(session: Session, index: int) -> int:
    """The number in a step's name, or its place where the name has none."""
    found = _NUMBER.search(session.trace.name_of(int(session.analysed.steps.rows[index])))
    return int(found[1]) if found else index


def opened(session: Session, options: Options) -> Session:
    """A fresh session as the command line asks: at a step, at a time, else on its first
    finding. What the trace does not have is said, and the whole trace is shown.
    """
    session = at_threshold(session, options.threshold)
    if options.step is not None:
        indices = range(len(session.analysed.steps))
        chosen = [i for i in indices if step_number(session, i) == options.step]
        if not chosen:
            return session.saying(f"no step {options.step} in this trace")
        session = session.to_step(chosen[0]).scoped(Step(chosen[0])).settled()
    if options.scope is not None:
        scope = read_scope(session.analysed, options.scope)
        if scope is None:
            return session.saying(f"no scope {options.scope} in this trace")
        session = session.scoped(scope).settled()
    if options.at is not None:
        session = _at(session, options)
    if options.select is not None:
        session = selecting(session, options.select)
    elif (options.at, options.step) == (None, None) and options.pane in (None, PANE_NAMES[0]):
        table = findings_table(session.slice)
        session = session.pointing_at(table.target(0)) if len(table) else session
    return with_lanes(session, options.lanes)


def at_threshold(session: Session, threshold: int | None) -> Session:
    """With the least gap that is shown, where it is one that keys lead to."""
    if threshold is None or threshold not in THRESHOLDS:
        return session
    return replace(session, threshold=threshold)


def _at(session: Session, options: Options) -> Session:
    at, span = options.at or 0, options.span
    low, high = session.trace.span
    if not low <= at < max(high, low + MIN_SPAN_NS):
        return session.saying("--at lies outside this trace")
    viewport = session.timeline.viewport
    if options.start is not None:
        end = options.start + (span or AT_SPAN_NS)
        session = session.showing(viewport.showing(options.start, end, margin=0.0))
    elif span is not None or (options.step is None and viewport.span > AT_SPAN_NS):
        half = (span or AT_SPAN_NS) // 2
        session = session.showing(viewport.showing(at - half, at + half, margin=0.0))
    return session.cursor_to(at)


def selecting(session: Session, text: str) -> Session:
    """What a word of the command line selects, without moving the timeline."""
    found = read_selection(session.slice, text)
    if found is None:
        return session.saying(f"nothing like {text} in this trace")
    chosen = session.pointing_at(found).on_its_line()
    # A range was measured: it is marked on the axis, and a scope to choose.
    return measuring_range(chosen, found.start, found.end) if isinstance(found, Range) else chosen


def with_lanes(session: Session, text: str | None) -> Session:
    """With the lanes arranged as a word of the command line says."""
    if text is None:
        return session
    timeline = read_lanes(session.timeline, text, len(session.tracks))
    if timeline is None:
        return session.saying(f"no lanes {text} in this trace")
    return session.with_timeline(timeline)


def reloaded(session: Session, fresh: Session) -> Session:
    """The same view of the file as it is now: place, selection, lanes, threshold, bookmarks, the
    way back, search, measured range and scope, each as far as the new file has it.
    """
    moved = replace(
        fresh,
        width=session.width,
        threshold=session.threshold,
        selection=NOTHING,
        mark=session.mark,
    )
    if session.measured is not None:
        measured = session.measured.range
        moved = measuring_range(moved, measured.start, measured.end)
    if session.search is not None:
        moved = replace(moved, search=Search.of(fresh.analysed, session.search.pattern))
    same = Reload(session, moved)
    jumps = Jumps(
        tuple(map(same.place, session.jumps.past)), tuple(map(same.place, session.jumps.future))
    )
    marks = tuple(replace(mark, place=same.place(mark.place)) for mark in session.bookmarks)
    return replace(at_place(moved, same.place(place_of(session))), jumps=jumps, bookmarks=marks)


def command_line(session: Session, options: Options, tables: Sequence[ShownTable] = ()) -> str:
    """The command that opens the same file in the same view; `tables` are those on screen, the
    last used first.
    """
    view = session.timeline.viewport
    words = ["attntui"]
    if isinstance(session.scope, Step):
        words += ["--step", str(step_number(session, session.scope.index))]
    elif session.scope != WHOLE:
        words += ["--scope", spelled(session.scope)]
    words += ["--at", f"{session.timeline.cursor}ns", "--from", f"{view.t0}ns"]
    words += ["--span", f"{view.span}ns", "--select", spelled(session.selection)]
    if session.threshold != DEFAULT_THRESHOLD:
        words += ["--threshold", f"{session.threshold}ns"]
    words += ["--pane", session.pane or PANE_NAMES[0]]
    if tables:
        words += ["--tables", ",".join(table.pane for table in tables)]
    words += [*table_words(tables), *drawing_words(options)]
    return shlex.join([*words, "--", session.trace.path])


def drawing_words(options: Options) -> Iterator[str]:
    """How the screens are drawn and how much is read, whatever they show."""
    if options.maximised:
        yield "--maximised"
    if options.ascii:
        yield "--ascii"
    if options.slow:
        yield "--slow"
    if options.peak_bandwidth is not None:
        yield from ("--peak-bw", f"{options.peak_bandwidth / 1e12:g}")
    if options.peak_flops is not None:
        yield from ("--peak-tflops", f"{options.peak_flops / 1e12:g}")
    yield from extent_words(options.extent)


def extent_words(extent: Extent) -> Iterator[str]:
    """Which part of the trace is read."""
    if extent.window is not None:
        yield from ("--window", "{}ns..{}ns".format(*extent.window))
    if extent.last_steps is not None:
        yield from ("--last-steps", str(extent.last_steps))
    if extent.memory is not None:
        yield from ("--max-memory", str(extent.memory))


def table_words(tables: Sequence[ShownTable]) -> Iterator[str]:
    """How each table is seen where that is not as at first."""
    asked = tables_as_asked(tables)
    if asked.instances:
        yield from ("--instances", ",".join(asked.instances))
    told: tuple[tuple[str, Iterable[tuple[str, object]]], ...] = (
        ("--sort", asked.sorts),
        ("--filter", asked.filters),
        ("--top", asked.tops),
        ("--row", asked.rows),
    )
    for option, of_panes in told:
        for pane, what in of_panes:
            yield from (option, f"{pane}:{what}")


def tables_as_asked(tables: Sequence[ShownTable]) -> Options:
    """What has to be asked for these tables to be on screen as they are seen."""
    seen = [(table.pane, table.view.arrangement) for table in tables]
    first = [first_arrangement(table.view.table) for table in tables]
    return Options(
        tables=tuple(table.pane for table in tables),
        instances=tuple(table.pane for table in tables if table.instances),
        sorts=tuple(
            (pane, f"{'-' * now.descending}{now.column}")
            for (pane, now), usual in zip(seen, first, strict=True)
            if replace(now, pattern="") != usual
        ),
        filters=tuple((pane, now.pattern) for pane, now in seen if now.pattern),
        tops=tuple((table.pane, table.top) for table in tables if table.top),
        rows=tuple((table.pane, table.row) for table in tables if table.row is not None),
    )


def write_copy(trace_path: str, text: str) -> Path:
    """Writes text to a new file in the current directory, whole or not at all.

    Raises OSError where the directory cannot be written.
    """
    stem = Path(trace_path).name.split(".")[0] or "trace"
    for number in itertools.count(1):
        path = Path.cwd() / f"{stem}-{number}.txt"
        try:
            file = path.open("x", encoding="utf-8", errors="replace")
        except FileExistsError:
            continue
        try:
            with file:
                file.write(text + "\n")
        except OSError:
            path.unlink(missing_ok=True)
            raise
        return path
    raise AssertionError("counting has no end")
