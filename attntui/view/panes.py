"""The table panes: which there are, and what each shows of a session."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attntui.analysis.scope import Whole
from attntui.view.analyses import ScopeFacts
from attntui.view.session.scoping import step_at
from attntui.view.session.session import Session
from attntui.view.tables.attention import attention_table
from attntui.view.tables.findings import overview_table
from attntui.view.tables.kernels import gaps_table, kernel_instances, kernels_by_name, steps_table
from attntui.view.tables.ops import PART_MARKS, ops_table
from attntui.view.tables.order import Table, TableView
from attntui.view.words.formats import counted, duration, percent, ratio


@dataclass(frozen=True, slots=True)
class Ordered:
    """A table with the order it is first shown in."""

    table: Table
    sort: int
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Pane:
    """A table pane.

    `build(session, instances)` makes the table; it holds as long as `depends(session)` gives
    the same. A pane that `has_instances` shows single kernels beside their names, or the
    gaps of single streams beside those of devices. `caption` says in the title what is shown.
    `locate(session, instances)` gives the table's row for what is selected, None without one.
    """

    name: str
    title: str
    build: Callable[[Session, bool], Ordered]
    depends: Callable[[Session], Hashable]
    caption: Callable[[Session], str]
    locate: Callable[[Session, bool], int | None]
    has_instances: bool = False
    prepare: Callable[[ScopeFacts], object] = lambda facts: None
    """Finds what the instances need and takes long, so that it can be done beforehand."""

    def title_text(self, session: Session, view: TableView) -> str:
        """The pane's title line: what, how many, in which order, through which filter."""
        words = [self.title, self.caption(session)]
        column = view.table.columns[view.sort]
        words.append(f"by {column.title or 'mark'} {'▼' if view.descending else '▲'}")
        if view.pattern:
            words.append(f"/{view.pattern}/ {len(view):,} of {len(view.table):,}")
        return " ─ ".join(words)


def _overview(session: Session, instances: bool) -> Ordered:
    return Ordered(overview_table(session.document, session.facts), 0, descending=False)


def _overview_caption(session: Session) -> str:
    found = session.facts.findings
    costly = sum(finding.cost_ns is not None for finding in found)
    notes = counted(len(found) - costly, "note")
    return f"{counted(costly, 'finding')}, {notes}; costs overlap"


def _kernels(session: Session, instances: bool) -> Ordered:
    if instances:
        return Ordered(kernel_instances(session.document, session.facts), 0, descending=False)
    return Ordered(kernels_by_name(session.document, session.facts), 2)


def _kernels_caption(session: Session) -> str:
    kernels = session.facts.kernels
    operations = counted(int(kernels.count.sum()), "operation")
    return f"{operations}, {counted(len(kernels), 'name')}"


def _gaps(session: Session, instances: bool) -> Ordered:
    gaps = session.facts.stream_gaps if instances else session.facts.gaps
    return Ordered(gaps_table(session.document, gaps, session.threshold), 0)


def _gaps_caption(session: Session) -> str:
    facts = session.facts
    idle = f"idle {duration(facts.idle_ns)}, {percent(ratio(facts.idle_ns, facts.span_ns))}"
    shown = f"{idle} ─ gaps ≥ {duration(session.threshold) if session.threshold else '0'}"
    before, after = session.document.edges
    if isinstance(session.scope, Whole) and before + after:
        shown += f" ─ {duration(before)} before, {duration(after)} after in the window"
    return shown


def _attention(session: Session, instances: bool) -> Ordered:
    table = attention_table(session.trace, session.facts.attention)
    return Ordered(table, 0, descending=False)


def _attention_caption(session: Session) -> str:
    calls = session.facts.attention
    backends = sorted({call.backend for call in calls})
    return counted(len(calls), "call") + (f": {', '.join(backends)}" if backends else "")


def _ops(session: Session, instances: bool) -> Ordered:
    return Ordered(ops_table(session.document, session.facts.ops), 0)


def _ops_caption(session: Session) -> str:
    return "own time: " + ", ".join(f"{mark} {word}" for mark, word in PART_MARKS.values())


def _steps(session: Session, instances: bool) -> Ordered:
    return Ordered(steps_table(session.document), 0, descending=False)


def _steps_caption(session: Session) -> str:
    steps = session.document.steps
    return f"{counted(len(steps), 'step')}, {counted(int(steps.outlier.sum()), 'outlier')}"


def _nowhere(session: Session, instances: bool) -> int | None:
    return None


def _first(hits: npt.NDArray[np.bool_]) -> int | None:
    found = np.flatnonzero(hits)
    return int(found[0]) if len(found) else None


def _in_kernels(session: Session, instances: bool) -> int | None:
    if session.event is None:
        return None
    if instances:
        return _first(session.facts.rows.gpu == session.event)
    return _first(session.facts.kernels.name == session.trace.name[session.event])


def _in_gaps(session: Session, instances: bool) -> int | None:
    if session.gap is None or instances:
        return None
    gaps, number = session.facts.gaps, session.gap
    shown = gaps.over(session.threshold)
    same = gaps.start[shown] == session.gaps.start[number]
    return _first(same & (gaps.device[shown] == session.gaps.device[number]))


def _in_attention(session: Session, instances: bool) -> int | None:
    call = session.document.calls_by_event.get(-1 if session.event is None else session.event)
    if call is None:
        return None
    same = [own.gpu_rows is call.gpu_rows for own in session.facts.attention]
    return _first(np.array(same, np.bool_))


def _in_ops(session: Session, instances: bool) -> int | None:
    if session.event is None:
        return None
    return _first(session.facts.ops.name == session.trace.name[session.event])


def _in_steps(session: Session, instances: bool) -> int | None:
    return step_at(session.document.steps, session.event, session.timeline.cursor)


PANES: tuple[Pane, ...] = (
    Pane("overview", "Overview", _overview, lambda s: s.facts, _overview_caption, _nowhere),
    Pane("kernels", "Kernels", _kernels, lambda s: s.facts, _kernels_caption, _in_kernels, True),
    Pane(
        "gaps",
        "Gaps",
        _gaps,
        lambda s: (s.facts, s.threshold),
        _gaps_caption,
        _in_gaps,
        has_instances=True,
        prepare=lambda facts: facts.stream_gaps,
    ),
    Pane(
        "attention", "Attention", _attention, lambda s: s.facts, _attention_caption, _in_attention
    ),
    Pane("ops", "Ops", _ops, lambda s: s.facts, _ops_caption, _in_ops),
    Pane("steps", "Steps", _steps, lambda s: s.document, _steps_caption, _in_steps),
)
