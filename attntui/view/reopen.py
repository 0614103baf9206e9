"""A view as a command line, and back; a copied text as a file."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from dataclasses import replace
from pathlib import Path

from attntui.analysis.scope import Range, Step
from attntui.view.document import Document
from attntui.view.options import Options
from attntui.view.session import Session
from attntui.view.viewport import MIN_SPAN_NS

_NUMBER = re.compile(r"(\d+)\D*$")
AT_SPAN_NS = 100_000
"""How much time `--at` shows where the trace is longer: enough for a few kernels."""


def step_number(session: Session, index: int) -> int:
    """The number in a step's name, or its place where the name has none."""
    found = _NUMBER.search(session.trace.name_of(int(session.document.steps.rows[index])))
    return int(found[1]) if found else index


def arrange(session: Session, options: Options) -> Session:
    """The session as the command line asks: at a step, at a time.

    A step or time that the trace does not have is said, and the whole trace is shown.
    """
    if options.step is not None:
        indices = range(len(session.document.steps))
        chosen = [i for i in indices if step_number(session, i) == options.step]
        if not chosen:
            return replace(session, said=f"no step {options.step} in this trace")
        session = session.to_step(chosen[0]).scoped(Step(chosen[0]))
    if options.at is not None:
        low, high = session.trace.span
        if not low <= options.at < max(high, low + MIN_SPAN_NS):
            return replace(session, said="--at lies outside this trace")
        viewport = session.timeline.viewport
        if options.step is None and viewport.span > AT_SPAN_NS:
            half = AT_SPAN_NS // 2
            viewport = viewport.showing(options.at - half, options.at + half, margin=0.0)
            session = session.with_timeline(replace(session.timeline, viewport=viewport))
        session = session.cursor_to(options.at)
    return session


def reloaded(session: Session, document: Document) -> Session:
    """The same view of the file as it is now: place, threshold, bookmarks, scope are kept.

    What is named by a row cannot be kept: rows of the new file are other events.
    """
    fresh = Session.of(document)
    old, viewport = session.timeline.viewport, fresh.timeline.viewport
    if old != old.fitted():
        viewport = viewport.showing(old.t0, old.t1, margin=0.0)
    cursor = min(max(session.timeline.cursor, viewport.low), viewport.high - 1)
    timeline = replace(session.timeline, viewport=viewport, cursor=cursor, event=None)
    moved = replace(
        fresh.with_timeline(timeline),
        width=session.width,
        threshold=session.threshold,
        bookmarks=session.bookmarks,
    )
    scope = session.scope
    if isinstance(scope, Step) and scope.index < len(document.steps):
        return moved.scoped(scope)
    if isinstance(scope, Range):
        return moved.measuring_range(scope.start, scope.end).scoped(scope)
    return moved


def command_line(session: Session, pane: str) -> str:
    """The command that opens the same file at the same place."""
    words = ["attntui", session.trace.path]
    if isinstance(session.scope, Step):
        words += ["--step", str(step_number(session, session.scope.index))]
    words += ["--at", f"{session.timeline.cursor}ns", "--pane", pane]
    return shlex.join(words)


def write_copy(trace_path: str, text: str) -> Path:
    """Writes text to a new file in the current directory, whole or not at all.

    Raises OSError where the directory cannot be written.
    """
    stem = Path(trace_path).name.split(".")[0] or "trace"
    number = 1
    while (path := Path.cwd() / f"{stem}-{number}.txt").exists():
        number += 1
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{stem}-", delete=False, encoding="utf-8", errors="replace"
    ) as file:
        file.write(text + "\n")
    os.replace(file.name, path)
    return path
