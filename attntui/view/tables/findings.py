"""The overview pane: what costs time and why, what the trace lacks, what was odd in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attntui.analysis.compiled_regions import FusionCheck
from attntui.analysis.findings import Finding
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.scope import Range
from attntui.safe import safe
from attntui.trace.model import Notice
from attntui.view.analyses import ScopeFacts
from attntui.view.detail.event import Item
from attntui.view.document import Document
from attntui.view.words.findings import advice_text, figure_text, title_text
from attntui.view.words.formats import count, duration, percent
from attntui.view.tables.regions import check_lines, check_text
from attntui.view.tables.order import Column, Table, Target, name_keys

NOTICE_CELLS = 500
MAX_EVIDENCE = 20


@dataclass(frozen=True, slots=True)
class Remark:
    """One row of the overview: a finding, idle time by cause, what a compiled region fused,
    or a notice of the load.
    """

    word: str
    text: str
    cost_ns: int | None = None
    finding: Finding | None = None
    check: FusionCheck | None = None


BROKEN = ("truncated", "damaged")
"""Notices that come before all findings: what is missing may be missing for that."""


def remarks(document: Document, facts: ScopeFacts) -> tuple[Remark, ...]:
    """Findings of the scope by rank, its idle time by cause, compiled regions, notices."""
    notices = document.trace.notices
    broken = [_noticed(notice) for notice in notices if notice.kind in BROKEN]
    found = [
        Remark(finding.severity.word, title_text(finding), finding.cost_ns, finding)
        for finding in facts.findings
    ]
    odd = [_noticed(notice) for notice in notices if notice.kind not in BROKEN]
    fused = [
        Remark("fusion", check_text(c), c.library_ns or None, check=c) for c in document.fusion
    ]
    return (*broken, *found, *_idle(facts), *fused, *odd)


def _noticed(notice: Notice) -> Remark:
    words = notice.kind.replace("_", " ")
    return Remark(
        "notice", safe(f"{words} ({count(notice.count)}): {notice.example}", NOTICE_CELLS)
    )


def _idle(facts: ScopeFacts) -> Iterator[Remark]:
    """Where idle time went, and what had drained the queue."""
    idle = facts.idle_ns
    if not idle:
        return
    causes = sorted(facts.gaps.causes.by_cause().items(), key=lambda item: -item[1])
    by_cause = ", ".join(f"{_word(c)} {percent(ns / idle)}" for c, ns in causes if ns)
    triggers = facts.gaps.causes.by_trigger().items()
    by_trigger = ", ".join(f"{_word(t)} {percent(ns / idle)}" for t, ns in triggers if ns)
    yield Remark("idle", f"by cause: {by_cause}", idle)
    yield Remark("idle", f"after what drained the queue: {by_trigger}", idle)


def _word(member: Cause | Trigger) -> str:
    return member.name.lower().replace("_", " ")


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
        finding, check = rows[row].finding, rows[row].check
        if check is not None:
            event = int((check.kernels or check.library_calls)[0].rows[0])
            start, end = int(document.trace.start[event]), int(document.trace.end[event])
            return Target(start, end, event=event, remark=row)
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
    if remark.check is not None:
        lines = check_lines(remark.check)
        return [*items, *(Item(label, text, event) for label, text, event in lines)]
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
            items.append(Item(_label(key), figure_text(key, value)))
    items.extend(_evidence(document, finding))
    return items


def _label(key: str) -> str:
    """A figure's key as people read it: `GPU time` for `gpu_time_ns`."""
    words = (key.rpartition("_")[0] if key.endswith(_UNITS) else key).split("_")
    return " ".join(word.upper() if word in _SHORT else word for word in words)


_SHORT = ("gpu", "cpu", "hbm")
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
