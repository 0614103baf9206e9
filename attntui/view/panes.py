"""The table panes: which there are, and what each shows of a session."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from attntui.analysis.scope import Whole
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.view.session.keys import KEYS, pane_title
from attntui.view.session.session import Session
from attntui.view.tables.attention import attention_table
from attntui.view.tables.findings import findings_table
from attntui.view.tables.gaps import gaps_table
from attntui.view.tables.kernels import instances_table, kernels_table
from attntui.view.tables.model import Table
from attntui.view.tables.ops import AWAITED, AWAITS, PART_MARKS, Path, ops_table
from attntui.view.tables.order import TableView
from attntui.view.tables.steps import steps_table
from attntui.view.words.formats import counted, duration, percent, ratio


@dataclass(frozen=True, slots=True)
class Shown:
    """How much a pane shows: single `instances`, and what is inside the `opened` rows."""

    instances: bool = False
    opened: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class Pane:
    """A table pane.

    `table(session, shown)` makes the table; it holds as long as `depends(session)` gives
    the same. `caption` says in the title what is shown. A pane that `has_instances` shows
    single kernels beside their names, or the gaps of single streams beside those of devices.
    """

    name: str
    table: Callable[[Session, Shown], Table]
    depends: Callable[[Session], Hashable]
    caption: Callable[[Session], Safe]
    holds: Callable[[Session], int] = lambda _session: 1
    """How many things there are to show, whatever the filter and the threshold; a pane with
    none leaves its room to others."""
    has_instances: bool = False
    opens: bool = False
    """Whether rows can be opened: what is inside them stands below."""
    prepare: Callable[[Slice], object] = lambda part: None
    """Finds what the instances need and takes long, so that it can be done beforehand."""

    def title_text(self, session: Session, view: TableView) -> Safe:
        """The pane's title line: what, how many, in which order, through which filter."""
        words = [pane_title(KEYS, self.name), self.caption(session)]
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


def _kernels(session: Session, shown: Shown) -> Table:
    return instances_table(session.slice) if shown.instances else kernels_table(session.slice)


def _kernels_caption(session: Session) -> Safe:
    kernels = session.slice.kernels
    operations = counted(int(kernels.count.sum()), "operation")
    return safe(f"{operations}, {counted(len(kernels), 'name')}")


def _gaps(session: Session, shown: Shown) -> Table:
    part = session.slice
    return gaps_table(part, part.stream_gaps if shown.instances else part.gaps, session.threshold)


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
    marks = (*PART_MARKS.values(), (AWAITED, AWAITS))
    return safe("self time: " + ", ".join(f"{mark} {word}" for mark, word in marks))


def _steps_caption(session: Session) -> Safe:
    steps = session.analysed.steps
    return safe(f"{counted(len(steps), 'step')}, {counted(int(steps.outlier.sum()), 'outlier')}")


PANES: tuple[Pane, ...] = (
    Pane(
        "overview",
        lambda session, _: findings_table(session.slice),
        lambda session: session.slice,
        _overview_caption,
    ),
    Pane(
        "kernels",
        _kernels,
        lambda session: session.slice,
        _kernels_caption,
        lambda session: len(session.slice.kernels),
        has_instances=True,
    ),
    Pane(
        "gaps",
        _gaps,
        lambda session: (session.slice, session.threshold),
        _gaps_caption,
        lambda session: len(session.slice.gaps),
        has_instances=True,
        prepare=lambda part: part.stream_gaps,
    ),
    Pane(
        "attention",
        lambda session, _: attention_table(session.slice),
        lambda session: session.slice,
        _attention_caption,
        lambda session: len(session.slice.attention),
    ),
    Pane(
        "ops",
        lambda session, shown: ops_table(session.slice, shown.opened),
        lambda session: session.slice,
        _ops_caption,
        lambda session: len(session.slice.ops),
        opens=True,
    ),
    Pane(
        "steps",
        lambda session, _: steps_table(session.analysed),
        lambda session: session.analysed,
        _steps_caption,
        lambda session: len(session.analysed.steps),
    ),
)
