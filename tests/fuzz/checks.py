"""What one file is put through: loaded, analysed, reported, compared and drawn."""

from __future__ import annotations

import json
import random
import re
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import Comparison, available, compare
from attntui.analysis.scope import Annotation, Call, Range, Scope, Step
from attntui.errors import InputError
from attntui.trace import load
from attntui.trace.model import Category
from attntui.view.detail import detail_of
from attntui.view.drawing.frame import Frame
from attntui.view.drawing.roofline_plot import roofline_plot
from attntui.view.options import TABLE_NAMES, Options
from attntui.view.panes import PANES, Shown
from attntui.view.reports import diff, schema, summary
from attntui.view.reports.csv_text import csv_lines
from attntui.view.reports.json_text import json_lines
from attntui.view.reports.markdown import markdown
from attntui.view.reports.text import plain
from attntui.view.session.reopen import opened
from attntui.view.session.session import Session
from attntui.view.tables.order import TableView, header, layout, line
from attntui.view.words import status

from .mutants import Mutant
from .samples import sample_text
from .sense import (
    harmless,
    sensible_calls,
    sensible_comparison,
    sensible_document,
    sensible_slice,
    sensible_trace,
    that,
)

LIMIT_S = 5
"""Seconds of this process that no small file may take."""

WIDTH = 100
ROWS = 12
"""Rows of each table that are drawn, and looked at in detail."""


_PARTICULAR = re.compile(r" ?\(.*\)| ?[\d,]+")


class Hang(Exception):
    """A file that takes longer than `LIMIT_S`."""


@dataclass(frozen=True)
class Outcome:
    """What became of a file: `refused` says why it is no trace, else it opened."""

    refused: str | None
    notices: tuple[str, ...]


@contextmanager
def limited() -> Iterator[None]:
    """Raises `Hang` where what is inside takes too long: by the time of this process, so that
    a busy machine fails nothing.
    """

    def late(*_: object) -> None:
        raise Hang(f"takes more than {LIMIT_S} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@cache
def _undamaged(name: str) -> AnalysedTrace:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.json"
        path.write_bytes(sample_text(name))
        return AnalysedTrace(load(path)).find_all()


def check(found: Mutant, folder: Path, *, whole: bool = True) -> Outcome:
    """Puts a mutant through all of attntui but the screens; less where it is not the `whole`.

    Raises whatever attntui raises but InputError, every warning, `Nonsense` and `Hang`.
    """
    path = folder / "mutant.json"
    path.unlink(missing_ok=True)
    path.write_bytes(found.data)
    with limited(), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            trace = load(path)
        except InputError as error:
            return Outcome(_refusal(error, path), ())
        sensible_trace(trace)
        analysed = AnalysedTrace(trace).find_all()
        sensible_slice(analysed.whole)
        sensible_calls(analysed)
        _document(summary.document(analysed), schema.Summary)
        if whole:
            rng = random.Random(found.seed)
            _scopes(analysed, rng)
            _reports(analysed)
            _compared(analysed, _undamaged(found.sample))
            _drawn(analysed, rng)
    return Outcome(None, tuple(notice.kind for notice in trace.notices))


def _refusal(error: InputError, path: Path) -> str:
    """The kind of a refusal: its words without the path, numbers, and names in brackets."""
    said = str(error)
    that(said.startswith(f"{path}: "), "a refusal that does not name the file", said)
    return _PARTICULAR.sub("", said.removeprefix(f"{path}: "))


def _document(document: dict[str, Any], shape: type[schema.Part]) -> None:
    """A document is JSON of its schema, with figures that can be."""
    lines = list(json_lines(document))
    harmless(lines)
    data = json.loads("\n".join(lines))
    msgspec.convert(data, type=shape)
    sensible_document(data)


def _scopes(analysed: AnalysedTrace, rng: random.Random) -> None:
    """Some of each kind of scope, with all their facts."""
    trace = analysed.trace
    low, high = trace.span
    scopes: list[Scope] = [Step(index) for index in range(len(analysed.steps))]
    ops = (trace.category == Category.CPU_OP) | (trace.category == Category.USER_ANNOTATION)
    scopes += [Annotation(row) for row in ops.nonzero()[0].tolist()]
    scopes += [Call(index) for index in range(len(analysed.attention))]
    chosen: list[Scope] = rng.sample(scopes, min(len(scopes), 4))
    for _ in range(2):
        start, end = sorted((rng.randint(low, high), rng.randint(low, high)))
        chosen.append(Range(start, end))
    for scope in chosen:
        part = analysed.slice(scope).find_all()
        sensible_slice(part)
        _ = part.stream_gaps, part.replays, part.in_use, part.launcher, part.inputs, part.gpu_extent


def _reports(analysed: AnalysedTrace) -> None:
    harmless(plain(summary.sections(analysed)))
    harmless(markdown(summary.sections(analysed, 3)))
    for name in TABLE_NAMES:
        harmless(csv_lines(*summary.table_rows(analysed, name)))


def _compared(analysed: AnalysedTrace, other: AnalysedTrace) -> None:
    """Against the trace that was damaged, and it against this one, by every kind of unit."""
    for pair in ((other, analysed), (analysed, other)):
        found = compare(*pair)
        _comparison(found)
        overview = [compare(pair[0], pair[0], found.choice), found]
        _document(diff.overview_document(overview), schema.Overview)
    for choice in available((other, analysed)):
        sensible_comparison(compare(other, analysed, choice))


def _comparison(found: Comparison) -> None:
    sensible_comparison(found)
    _ = found.answered, found.is_alike
    harmless(plain(diff.sections(found, 5)))
    _document(diff.document(found), schema.Diff)


def _drawn(analysed: AnalysedTrace, rng: random.Random) -> None:
    """The timeline, each table, details of what rows stand for, the roofline: as text."""
    session = opened(Session.of(analysed), Options()).resized(WIDTH)
    _timeline(session)
    for pane in PANES:
        for instances in {False, pane.has_instances}:
            table = pane.table(session, Shown(instances=instances))
            view = TableView.of(table)
            view = view.sorted_by(rng.randrange(len(view.columns)))
            plan = layout(view.columns, WIDTH)
            shown = range(min(len(view), ROWS))
            harmless([header(view, plan), *(line(view, at, plan) for at in shown)])
            harmless([pane.title_text(session, view)])
            for at in list(shown)[:3]:
                there = session.going_to(table.target(int(view.order[at])))
                told = detail_of(there.slice, there.selection)
                harmless(text for item in told for text in (item.label, item.text))
                harmless([status.status(there), status.title(there)])
                _timeline(there)
    names = [analysed.labels.names[name] for name in analysed.whole.kernels.name.tolist()]
    facts = list(zip(names, analysed.whole.kernel_facts, strict=True))
    harmless(roofline_plot(facts, analysed.peaks, WIDTH, 20).lines)


def _timeline(session: Session) -> None:
    frame = Frame(session, WIDTH)
    harmless([frame.axis_text, frame.minimap_text])
    for shown in frame.lines[:40]:
        harmless(piece.text for piece in frame.pieces(shown))
