"""A line of the overview in full: what, what to try, its figures, its evidence to go to."""

from __future__ import annotations

from collections.abc import Iterator

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compiled_regions import FusionCheck
from attntui.analysis.findings import Evidence, Finding
from attntui.analysis.scope import Range
from attntui.analysis.slice import Slice
from attntui.trace import text_at
from attntui.trace.model import Notice
from attntui.view.detail.items import Item, heading, item
from attntui.view.session.selection import EventAt, FindingAt
from attntui.view.tables.findings import evidence_place, remarks
from attntui.view.tables.regions import region_lines
from attntui.view.words.findings import advice_text, assumes_text, figure_label, figure_text
from attntui.view.words.formats import count, duration, percent

MAX_EVIDENCE = 20
SHOWN_BYTES = 400
"""Of the text at which a notice points."""


def finding_detail(part: Slice, key: str) -> list[Item]:
    """The lines about a remark; one that this scope does not have is told of the whole trace."""
    remark = next((remark for remark in remarks(part) if remark.key == key), None)
    whole = part.analysed.whole
    if remark is None and part is not whole:
        return [*finding_detail(whole, key), item("", "told of the whole trace: not in this scope")]
    if remark is None:
        return [heading("no such finding in this trace")]
    items = [heading(remark.text)]
    if remark.check is not None:
        return [*items, *_region(remark.check)]
    if remark.notice is not None:
        return [*items, *_noticed(part.analysed, remark.notice)]
    finding = remark.finding
    if finding is None:
        return items
    items += [
        item("weight", finding.severity.word),
        item("costs", "nothing" if finding.cost_ns is None else duration(finding.cost_ns)),
    ]
    if finding.gain_ns is not None and finding.gain_share is not None:
        gain = f"{duration(finding.gain_ns)} ({percent(finding.gain_share)} of the span)"
        items += [item("gains", gain), item("if", assumes_text(finding))]
    if finding.under is not None:
        items.append(item("under", finding.under, FindingAt(finding.under)))
    items += [item("in use", f"{words} already") for words in finding.in_use]
    items += [item("", ""), item("to try", advice_text(finding))]
    if finding.figures:
        items.append(heading("figures"))
        for name, value in finding.figures.items():
            items.append(Item(figure_label(name), figure_text(name, value)))
    return [*items, *_evidence(part.analysed, finding)]


def _noticed(analysed: AnalysedTrace, notice: Notice) -> Iterator[Item]:
    """How often, and the first of its kind as it stands in the text."""
    yield item("how often", count(notice.count))
    if notice.offset is None:
        return
    yield item("first", f"byte {notice.offset:,} of the text")
    row = analysed.trace.row_at(notice.offset)
    if row is not None:
        yield item("event", analysed.labels.event(row), EventAt(row))
    text = text_at(analysed.trace, notice.offset, SHOWN_BYTES)
    if text:
        yield item("", "")
        yield item("as written", text.decode("utf-8", "replace"))


def _region(check: FusionCheck) -> Iterator[Item]:
    for line in region_lines(check):
        yield item(line.kind, f"{duration(line.gpu_ns)}  {line.text}", EventAt(line.event))


def _evidence(analysed: AnalysedTrace, finding: Finding) -> Iterator[Item]:
    if not finding.evidence:
        return
    yield heading("evidence, the costliest first")
    for piece in finding.evidence[:MAX_EVIDENCE]:
        yield item("·", _evidence_text(analysed, piece), evidence_place(analysed, piece.place))


def _evidence_text(analysed: AnalysedTrace, piece: Evidence) -> str:
    """What a piece of evidence is, and the time that it is ranked by; else how long it is."""
    place = piece.place
    if isinstance(place, Range):
        ns = place.end - place.start if piece.ns is None else piece.ns
        return f"{duration(ns)} from {duration(place.start, 7)}"
    ns = int(analysed.trace.dur[place]) if piece.ns is None else piece.ns
    return f"{analysed.labels.event(place)}  {duration(ns)}"
