"""The overview pane: what costs time and why, what the trace lacks, what was odd in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attntui.analysis.findings import Finding
from attntui.analysis.scope import Range
from attntui.trace.model import Notice
from attntui.view.analyses import ScopeFacts
from attntui.view.detail import Item
from attntui.view.document import Document
from attntui.view.findings import advice_text, figure_text, title_text
from attntui.view.formats import count, duration
from attntui.view.safe import safe
from attntui.view.tables import Column, Table, Target, name_keys

NOTICE_CELLS = 500
MAX_EVIDENCE = 20


@dataclass(frozen=True, slots=True)
class Remark:
    """One row of the overview: a finding, or a notice of the load."""

    finding: Finding | None = None
    notice: Notice | None = None

    @property
    def word(self) -> str:
        return self.finding.severity.word if self.finding is not None else "notice"

    @property
    def cost_ns(self) -> int | None:
        return self.finding.cost_ns if self.finding is not None else None

    @property
    def text(self) -> str:
        if self.finding is not None:
            return title_text(self.finding)
        assert self.notice is not None
        words = self.notice.kind.replace("_", " ")
        return safe(f"{words} ({count(self.notice.count)}): {self.notice.example}", NOTICE_CELLS)


def remarks(document: Document, facts: ScopeFacts) -> tuple[Remark, ...]:
    """Findings of the scope by rank, then the notices of the whole file."""
    found = [Remark(finding=finding) for finding in facts.findings]
    return (*found, *(Remark(notice=notice) for notice in document.trace.notices))


def overview_table(document: Document, facts: ScopeFacts) -> Table:
    """The remarks as a table, the gravest first; a row goes to its first evidence."""
    rows = remarks(document, facts)
    texts = [remark.text for remark in rows]
    rank = np.arange(len(rows), dtype=np.int64)
    costs = [np.nan if r.cost_ns is None else float(r.cost_ns) for r in rows]
    columns = (
        Column("weight", lambda row: rows[row].word, rank, 7, right=False),
        Column("costs", lambda row: duration(rows[row].cost_ns), np.array(costs, np.float64), 9),
        Column("finding", lambda row: texts[row], name_keys(texts, rank), None, right=False),
    )

    def target(row: int) -> Target:
        finding = rows[row].finding
        if finding is None or not finding.evidence:
            return Target(facts.rows.start, facts.rows.end, remark=row)
        first = finding.evidence[0]
        if isinstance(first, Range):
            return document.stretch_target(first.start, first.end, remark=row)
        trace = document.trace
        return Target(int(trace.start[first]), int(trace.end[first]), event=first, remark=row)

    return Table(columns, texts, rank, target, empty="nothing to say about this scope")


def remark_detail(document: Document, facts: ScopeFacts, number: int) -> list[Item]:
    """A remark in full: what, what to try, its figures, its evidence to go to."""
    remark = remarks(document, facts)[number]
    items = [Item("", remark.text, heading=True)]
    finding = remark.finding
    if finding is None:
        return items
    items += [
        Item("weight", finding.severity.word),
        Item("costs", duration(finding.cost_ns) if finding.cost_ns is not None else "nothing"),
        Item("", ""),
        Item("to try", advice_text(finding)),
    ]
    if finding.figures:
        items.append(Item("", "figures", heading=True))
        for key, value in finding.figures.items():
            label = key.rpartition("_")[0] if key.endswith(_UNITS) else key
            items.append(Item(label.replace("_", " "), figure_text(key, value)))
    items.extend(_evidence(document, finding))
    return items


_UNITS = ("_ns", "_bytes", "_share", "_pct")


def _evidence(document: Document, finding: Finding) -> Iterator[Item]:
    if not finding.evidence:
        return
    yield Item("", "evidence, the costliest first", heading=True)
    for piece in finding.evidence[:MAX_EVIDENCE]:
        if isinstance(piece, Range):
            text = f"{duration(piece.end - piece.start)} from {duration(piece.start, 7)}"
            yield Item("·", text, span=(piece.start, piece.end))
        else:
            length = duration(int(document.trace.dur[piece]))
            yield Item("·", f"{document.short_of(piece)}  {length}", piece)
