"""The overview: what costs time and why, what the trace lacks, what was odd in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compiled_regions import FusionCheck
from attntui.analysis.findings import Evidence, Finding
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.scope import Range
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.trace.model import Notice
from attntui.view.session.selection import (
    EventAt,
    FindingAt,
    GapAt,
    Selection,
    stretch,
)
from attntui.view.tables.model import Column, Place, Table, computed, every_row, texts, times
from attntui.view.tables.regions import check_text
from attntui.view.words.findings import advice_text, title_text
from attntui.view.words.formats import count, percent

NOTICE_CELLS = 500
REPORTED = ("severity", "cost_ns", "title")

_BROKEN = ("truncated", "damaged")
"""Notices that come before all findings: what is missing may be missing for that."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One row of the overview: a finding, idle time by cause, what a compiled region fused,
    or a notice of the load. `key` names it in any scope.
    """

    key: str
    word: Safe
    text: Safe
    cost_ns: int | None = None
    finding: Finding | None = None
    check: FusionCheck | None = None


def remarks(part: Slice) -> tuple[Remark, ...]:
    """Findings of the slice by rank, its idle time by cause, compiled regions, notices."""
    notices = part.trace.notices
    broken = [_noticed(notice) for notice in notices if notice.kind in _BROKEN]
    found = [
        Remark(f.id, Safe(f.severity.word), title_text(f), f.cost_ns, f) for f in part.findings
    ]
    odd = [_noticed(notice) for notice in notices if notice.kind not in _BROKEN]
    fused = [
        Remark(f"fusion {number}", Safe("fusion"), check_text(c), c.library_ns or None, check=c)
        for number, c in enumerate(part.analysed.fusion)
    ]
    return (*broken, *found, *_idle(part), *fused, *odd)


def notice_text(notice: Notice) -> Safe:
    """What was odd in the file, how often, and an example."""
    words = notice.kind.replace("_", " ")
    return safe(f"{words} ({count(notice.count)}): {notice.example}", NOTICE_CELLS)


def _noticed(notice: Notice) -> Remark:
    return Remark(f"notice {notice.kind}", Safe("notice"), notice_text(notice))


def _idle(part: Slice) -> Iterator[Remark]:
    """Where idle time went, and what had drained the queue."""
    idle = part.idle_ns
    if not idle:
        return
    causes = sorted(part.gaps.causes.by_cause().items(), key=lambda item: -item[1])
    triggers = list(part.gaps.causes.by_trigger().items())
    yield Remark("idle causes", Safe("idle"), _split("by cause", causes, idle), idle)
    yield Remark(
        "idle triggers", Safe("idle"), _split("after what drained the queue", triggers, idle), idle
    )


def _split(words: str, parts: Sequence[tuple[Cause | Trigger, int]], whole: int) -> Safe:
    shares = ", ".join(f"{part.word} {percent(ns / whole)}" for part, ns in parts if ns)
    return safe(f"{words}: {shares}")


def findings_table(part: Slice) -> Table:
    """The remarks, the gravest first; findings alone are data (see `finding_rows`)."""
    rows = remarks(part)
    labels = [remark.text for remark in rows]

    def finding(row: int) -> Finding:
        found = rows[row].finding
        assert found is not None
        return found

    def target(row: int) -> Selection:
        return FindingAt(rows[row].key, _place(part.analysed, rows[row]))

    def row_of(selected: Selection) -> int | None:
        if not isinstance(selected, FindingAt):
            return None
        return next((i for i, row in enumerate(rows) if row.key == selected.key), None)

    columns = (
        Column(
            "severity",
            Safe("weight"),
            lambda row: rows[row].word,
            lambda row: rows[row].word,
            every_row(labels),
            left=True,
            place=Place(7),
        ),
        times("cost_ns", "costs", [row.cost_ns for row in rows], Place(9)),
        texts("title", "finding", labels, Place(None)),
        computed("id", lambda row: rows[row].key),
        computed("figures", lambda row: dict(finding(row).figures)),
        computed("evidence", lambda row: _evidence(finding(row).evidence)),
        computed("advice", lambda row: advice_text(finding(row))),
    )
    return Table(
        columns,
        labels,
        every_row(labels),
        sort="severity",
        descending=False,
        target=target,
        row_of=row_of,
        empty=Safe("nothing to say about this scope"),
    )


def finding_rows(part: Slice) -> list[int]:
    """The rows of `findings_table` that are findings: those after the broken file's notices."""
    first = sum(notice.kind in _BROKEN for notice in part.trace.notices)
    return list(range(first, first + len(part.findings)))


def _evidence(evidence: tuple[Evidence, ...]) -> list[int | list[int]]:
    """For programs: an event's row, or a stretch as [start, end] in ns."""
    return [[e.start, e.end] if isinstance(e, Range) else e for e in evidence]


def _place(analysed: AnalysedTrace, remark: Remark) -> EventAt | GapAt | Range | None:
    """Where a remark leads: to its first evidence."""
    if remark.check is not None:
        lines = remark.check.kernels or remark.check.library_calls
        return EventAt(int(lines[0].rows[0]))
    if remark.finding is None or not remark.finding.evidence:
        return None
    return evidence_place(analysed, remark.finding.evidence[0])


def evidence_place(analysed: AnalysedTrace, evidence: Evidence) -> EventAt | GapAt | Range:
    """A piece of evidence as what can be selected."""
    if isinstance(evidence, Range):
        return stretch(analysed, evidence.start, evidence.end)
    return EventAt(evidence)
