"""The overview: what costs time and why, what the trace lacks, what was odd in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compiled_regions import FusionCheck
from attntui.analysis.findings import Evidence, Finding
from attntui.analysis.findings import Place as Where
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
from attntui.view.tables.model import Column, Place, Table, computed, every_row, times
from attntui.view.tables.regions import check_text
from attntui.view.words.findings import advice_text, assumes_text, title_text
from attntui.view.words.formats import count, percent

NOTICE_CELLS = 300
REPORTED = ("severity", "gain_ns", "cost_ns", "title")

SYMPTOM = "- "
"""Stands before a finding that is a symptom of the one above it."""

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
    notice: Notice | None = None


def remarks(part: Slice) -> tuple[Remark, ...]:
    """Findings of the slice with their symptoms, its time, compiled regions, notices."""
    notices = part.trace.notices
    broken = [_noticed(notice) for notice in notices if notice.kind in _BROKEN]
    found = [_found(each) for each in nested(part.findings)]
    odd = [_noticed(notice) for notice in notices if notice.kind not in _BROKEN]
    fused = [
        Remark(f"fusion {number}", Safe("fusion"), check_text(c), c.library_ns or None, check=c)
        for number, c in enumerate(part.analysed.fusion)
    ]
    return (*broken, *found, *_time(part), *fused, *odd)


def notice_text(notice: Notice) -> Safe:
    """What was odd in the file, how often, and an example."""
    words = notice.kind.replace("_", " ")
    where = "" if notice.offset is None else f" [byte {notice.offset:,}]"
    return safe(f"{words} ({count(notice.count)}){where}: {notice.example}", NOTICE_CELLS)


def _noticed(notice: Notice) -> Remark:
    return Remark(f"notice {notice.kind}", Safe("notice"), notice_text(notice), notice=notice)


def nested(found: Sequence[Finding]) -> list[Finding]:
    """Findings in their order, right behind each one what stands under it."""

    def below(root: str | None) -> Iterator[Finding]:
        for each in found:
            if each.under == root:
                yield each
                yield from below(each.id)

    return list(below(None))


def _found(finding: Finding) -> Remark:
    word = Safe(finding.severity.word)
    return Remark(finding.id, word, title_text(finding), finding.cost_ns, finding)


def _time(part: Slice) -> Iterator[Remark]:
    """Where the time went: busy by kind of work, idle by cause."""
    whole = part.span_ns
    for word, busy in (("busy", True), ("idle", False)):
        leaves = branch(part, busy)
        ns = sum(length for _, length in leaves)
        if ns:
            parts = ", ".join(f"{name} {percent(length / whole)}" for name, length in leaves)
            text = safe(f"{percent(ns / whole)} of the span: {parts}")
            yield Remark(f"time {word}", Safe(word), text, ns)


def branch(part: Slice, busy: bool) -> list[tuple[str, int]]:
    """One branch of the time tree: what each twig is called and its ns, the longest first."""
    total: dict[str, int] = {}
    for leaf in part.time_tree:
        if leaf.busy is busy:
            total[leaf.word] = total.get(leaf.word, 0) + leaf.ns
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))


def findings_table(part: Slice) -> Table:
    """The remarks, the gravest first; findings alone are data (see `finding_rows`)."""
    rows = remarks(part)
    labels = [remark.text for remark in rows]
    gains = [None if row.finding is None else row.finding.gain_ns for row in rows]

    def finding(row: int) -> Finding:
        found = rows[row].finding
        assert found is not None
        return found

    def shown(row: int) -> Safe:
        found = rows[row].finding
        is_symptom = found is not None and found.under is not None
        return safe(f"{SYMPTOM}{labels[row]}") if is_symptom else labels[row]

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
            -every_row(labels),
            left=True,
            place=Place(7, ranks=True),
        ),
        replace(times("gain_ns", "gains", gains, Place(9)), order=-every_row(labels)),
        times("cost_ns", "costs", [row.cost_ns for row in rows], Place(9)),
        Column(
            "title",
            Safe("finding"),
            lambda row: labels[row],
            shown,
            every_row(labels),
            left=True,
            place=Place(None),
        ),
        computed("id", lambda row: rows[row].key),
        computed("figures", lambda row: dict(finding(row).figures)),
        computed("evidence", lambda row: _evidence(finding(row).evidence)),
        computed("advice", lambda row: advice_text(finding(row))),
        computed("gain_share", lambda row: finding(row).gain_share),
        computed("assumes", lambda row: assumes_text(finding(row))),
        computed("in_use", lambda row: list(finding(row).in_use)),
        computed("under", lambda row: finding(row).under),
    )
    return Table(
        columns,
        labels,
        every_row(labels),
        sort="gain_ns",
        target=target,
        row_of=row_of,
        empty=Safe("nothing to say about this scope"),
    )


def finding_rows(part: Slice) -> list[int]:
    """The rows of `findings_table` that are findings, the best gain first."""
    row_of = {remark.key: row for row, remark in enumerate(remarks(part))}
    return [row_of[found.id] for found in part.findings]


def _evidence(evidence: tuple[Evidence, ...]) -> list[int | list[int]]:
    """For programs: an event's row, or a stretch as [start, end] in ns."""
    places = [piece.place for piece in evidence]
    return [[e.start, e.end] if isinstance(e, Range) else e for e in places]


def _place(analysed: AnalysedTrace, remark: Remark) -> EventAt | GapAt | Range | None:
    """Where a remark leads: to its first evidence."""
    if remark.check is not None:
        kernels, calls = remark.check.kernels, remark.check.library_calls
        # A region that launched nothing leads to its own first run.
        found = [*(k.rows for k in kernels), *(c.rows for c in calls), remark.check.rows]
        return EventAt(int(found[0][0]))
    if remark.notice is not None and remark.notice.offset is not None:
        row = analysed.trace.row_at(remark.notice.offset)
        return None if row is None else EventAt(row)
    if remark.finding is None or not remark.finding.evidence:
        return None
    return evidence_place(analysed, remark.finding.evidence[0].place)


def evidence_place(analysed: AnalysedTrace, place: Where) -> EventAt | GapAt | Range:
    """A piece of evidence as what can be selected."""
    if isinstance(place, Range):
        return stretch(analysed, place.start, place.end)
    return EventAt(place)
