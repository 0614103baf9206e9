"""The table panes: which there are, and what each shows of a session."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from attntui.analysis.scope import Whole
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.view.session.session import Session
from attntui.view.tables.attention import attention_table
from attntui.view.tables.findings import findings_table
from attntui.view.tables.gaps import gaps_table
from attntui.view.tables.kernels import instances_table, kernels_table
from attntui.view.tables.model import Table
from attntui.view.tables.ops import PART_MARKS, ops_table
from attntui.view.tables.order import TableView
from attntui.view.tables.steps import steps_table
from attntui.view.words.formats import counted, duration, percent, ratio


@dataclass(frozen=True, slots=True)
class Pane:
    """A table pane.

    `table(session, instances)` makes the table; it holds as long as `depends(session)` gives
    the same. `caption` says in the title what is shown. A pane that `has_instances` shows
    single kernels beside their names, or the gaps of single streams beside those of devices.
    """

    name: str
    title: Safe
    table: Callable[[Session, bool], Table]
    depends: Callable[[Session], Hashable]
    caption: Callable[[Session], Safe]
    has_instances: bool = False
    prepare: Callable[[Slice], object] = lambda part: None
    """Finds what the instances need and takes long, so that it can be done beforehand."""

    def title_text(self, session: Session, view: TableView) -> Safe:
        """The pane's title line: what, how many, in which order, through which filter."""
        words = [self.title, self.caption(session)]
        column = view.columns[view.sort]
        words.append(safe(f"by {column.title or 'mark'} {'▼' if view.descending else '▲'}"))
        if view.pattern:
            words.append(safe(f"/{view.pattern}/ {len(view):,} of {len(view.table):,}"))
        return safe(" ─ ".join(words))


def _overview_caption(session: Session) -> Safe:
    found = session.slice.findings
    costly = sum(finding.cost_ns is not None for finding in found)
    notes = counted(len(found) - costly, "note")
    return safe(f"{counted(costly, 'finding')}, {notes}")


def _kernels(session: Session, instances: bool) -> Table:
    return instances_table(session.slice) if instances else kernels_table(session.slice)


def _kernels_caption(session: Session) -> Safe:
    kernels = session.slice.kernels
    operations = counted(int(kernels.count.sum()), "operation")
    return safe(f"{operations}, {counted(len(kernels), 'name')}")


def _gaps(session: Session, instances: bool) -> Table:
    part = session.slice
    return gaps_table(part, part.stream_gaps if instances else part.gaps, session.threshold)


def _gaps_caption(session: Session) -> Safe:
    part = session.slice
    idle = f"idle {duration(part.idle_ns)}, {percent(ratio(part.idle_ns, part.span_ns))}"
    shown = f"{idle} ─ gaps ≥ {duration(session.threshold) if session.threshold else '0'}"
    before, after = session.analysed.edges
    if isinstance(session.scope, Whole) and before + after:
        shown += f" ─ {duration(before)} before, {duration(after)} after in the window"
    return safe(shown)


def _attention_caption(session: Session) -> Safe:
    calls = session.slice.attention
    backends = sorted({call.backend for call in calls})
    return safe(counted(len(calls), "call") + (f": {', '.join(backends)}" if backends else ""))


def _ops_caption(session: Session) -> Safe:
    return safe("self time: " + ", ".join(f"{mark} {word}" for mark, word in PART_MARKS.values()))


def _steps_caption(session: Session) -> Safe:
    steps = session.analysed.steps
    return safe(f"{counted(len(steps), 'step')}, {counted(int(steps.outlier.sum()), 'outlier')}")


PANES: tuple[Pane, ...] = (
    Pane(
        "overview",
        safe("Overview"),
        lambda session, _: findings_table(session.slice),
        lambda session: session.slice,
        _overview_caption,
    ),
    Pane(
        "kernels",
        safe("Kernels"),
        _kernels,
        lambda session: session.slice,
        _kernels_caption,
        has_instances=True,
    ),
    Pane(
        "gaps",
        safe("Gaps"),
        _gaps,
        lambda session: (session.slice, session.threshold),
        _gaps_caption,
        has_instances=True,
        prepare=lambda part: part.stream_gaps,
    ),
    Pane(
        "attention",
        safe("Attention"),
        lambda session, _: attention_table(session.slice),
        lambda session: session.slice,
        _attention_caption,
    ),
    Pane(
        "ops",
        safe("Ops"),
        lambda session, _: ops_table(session.slice),
        lambda session: session.slice,
        _ops_caption,
    ),
    Pane(
        "steps",
        safe("Steps"),
        lambda session, _: steps_table(session.analysed),
        lambda session: session.analysed,
        _steps_caption,
    ),
)
