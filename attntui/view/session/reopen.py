"""A view as a command line, and back; a copied text as a file."""

from __future__ import annotations

import itertools
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Annotation, Scope, Step
from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.options import PANE_NAMES, Options
from attntui.view.session.marks import measuring_range
from attntui.view.session.search import Search
from attntui.view.session.selection import NOTHING
from attntui.view.session.session import Session
from attntui.view.session.timeline import Timeline
from attntui.view.session.viewport import MIN_SPAN_NS
from attntui.view.tables.findings import findings_table

_NUMBER = re.compile(r"(\d+)\D*$")
AT_SPAN_NS = 100_000
"""How much time `--at` shows where nothing else is asked: enough for a few kernels."""


def step_number(session: Session, index: int) -> int:
    """The number in a step's name, or its place where the name has none."""
    found = _NUMBER.search(session.trace.name_of(int(session.analysed.steps.rows[index])))
    return int(found[1]) if found else index


def opened(session: Session, options: Options) -> Session:
    """A fresh session as the command line asks: at a step, at a time, else on its first
    finding. A step or time that the trace does not have is said, and the whole trace is shown.
    """
    if options.step is not None:
        indices = range(len(session.analysed.steps))
        chosen = [i for i in indices if step_number(session, i) == options.step]
        if not chosen:
            return session.saying(f"no step {options.step} in this trace")
        session = session.to_step(chosen[0]).scoped(Step(chosen[0])).settled()
    if options.at is not None:
        return _at(session, options.at, options.span, keep_zoom=options.step is not None)
    if options.step is not None or options.pane not in (None, PANE_NAMES[0]):
        return session
    table = findings_table(session.slice)
    return session.pointing_at(table.target(0)) if len(table) else session


def _at(session: Session, at: int, span: int | None, keep_zoom: bool) -> Session:
    low, high = session.trace.span
    if not low <= at < max(high, low + MIN_SPAN_NS):
        return session.saying("--at lies outside this trace")
    viewport = session.timeline.viewport
    if span is not None or (not keep_zoom and viewport.span > AT_SPAN_NS):
        half = (span or AT_SPAN_NS) // 2
        session = session.showing(viewport.showing(at - half, at + half, margin=0.0))
    return session.cursor_to(at)


def reloaded(session: Session, fresh: Session) -> Session:
    """The same view of the file as it is now: place, lanes, threshold, bookmarks, search,
    measured range and scope are kept; the selection is not, rows may be other events.
    """
    moved = replace(
        fresh,
        width=session.width,
        threshold=session.threshold,
        bookmarks=session.bookmarks,
        selection=NOTHING,
    )
    moved = moved.with_timeline(_same_timeline(session, moved))
    if session.measured is not None:
        measured = session.measured.range
        moved = measuring_range(moved, measured.start, measured.end)
    if session.search is not None:
        moved = replace(moved, search=Search.of(fresh.analysed, session.search.pattern))
    scope = _same_scope(session, fresh.analysed)
    return moved if scope is None else moved.scoped(scope)


def _same_timeline(session: Session, fresh: Session) -> Timeline:
    """The timeline at the same place over another file's tracks."""
    old, viewport = session.timeline, fresh.timeline.viewport
    if old.viewport != old.viewport.fitted():
        viewport = viewport.showing(old.viewport.t0, old.viewport.t1, margin=0.0)
    closed = {_key(session.tracks[number]) for number in old.collapsed}
    timeline = replace(
        fresh.timeline,
        viewport=viewport,
        line=0,
        hide_empty=old.hide_empty,
        collapsed=frozenset(n for n, track in enumerate(fresh.tracks) if _key(track) in closed),
    ).with_cursor(old.cursor)
    here = old.current(session.tracks)
    for number, line in enumerate(timeline.lines(fresh.tracks)):
        if here is not None and _key(fresh.tracks[line.track]) == _key(session.tracks[here.track]):
            return replace(timeline, line=number)
    return timeline


def _key(track: Track) -> tuple[TrackKind, str]:
    """What names a track in one file and in the next."""
    return track.kind, track.label


def _same_scope(session: Session, fresh: AnalysedTrace) -> Scope | None:
    """The scope in the new file: a step by its name, an annotation by its name and which
    of that name it is, a range as it stands. None where the new file has no such thing.
    """
    scope, new = session.scope, fresh.trace
    if isinstance(scope, Step):
        names = [new.name_of(int(row)) for row in fresh.steps.rows]
        name = session.trace.name_of(int(session.analysed.steps.rows[scope.index]))
        return Step(names.index(name)) if name in names else None
    if not isinstance(scope, Annotation):
        return scope
    old = session.trace
    name = old.name_of(scope.row)
    if name not in new.names:
        return None
    place = int((old.name[: scope.row] == old.name[scope.row]).sum())
    rows = np.flatnonzero(new.name == new.names.index(name))
    return Annotation(int(rows[place])) if place < len(rows) else None


def command_line(session: Session, pane: str, options: Options) -> str:
    """The command that opens the same file at the same place."""
    view = session.timeline.viewport
    words = ["attntui"]
    if isinstance(session.scope, Step):
        words += ["--step", str(step_number(session, session.scope.index))]
    words += ["--at", f"{session.timeline.cursor}ns", "--span", f"{view.span}ns"]
    words += ["--pane", pane, *(["--ascii"] if options.ascii else [])]
    if options.peak_bandwidth is not None:
        words += ["--peak-bw", f"{options.peak_bandwidth / 1e12:g}"]
    if options.peak_flops is not None:
        words += ["--peak-tflops", f"{options.peak_flops / 1e12:g}"]
    return shlex.join([*words, "--", session.trace.path])


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
