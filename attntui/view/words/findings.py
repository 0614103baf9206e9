"""Findings in words: figures in their units, text of the trace made harmless."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter
from typing import Any

from attntui.analysis.findings import Finding
from attntui.analysis.scope import Range
from attntui.safe import safe
from attntui.view.words.formats import count, duration, percent, size
from attntui.view.reports.sections import Column, Section

NAME_CELLS = 150
"""Cells of a name inside a sentence."""


def figure_text(key: str, value: int | float) -> str:
    """A figure in the unit that the end of its key tells."""
    if key.endswith("_ns"):
        return duration(value)
    if key.endswith("_bytes"):
        return size(value)
    if key.endswith("_share"):
        return percent(value)
    if key.endswith("_pct"):
        return percent(value / 100)
    return count(round(value))


def title_text(finding: Finding) -> str:
    """The finding's sentence, as plain text on one line."""
    return _filled(finding, finding.title)


def advice_text(finding: Finding) -> str:
    """What to try, as plain text on one line."""
    return _filled(finding, finding.advice)


def _filled(finding: Finding, template: str) -> str:
    pieces = []
    for text, key, nouns, _ in Formatter().parse(template):
        pieces.append(text)
        if key is None:
            continue
        if key in finding.names:
            pieces.append(safe(finding.names[key], NAME_CELLS))
            continue
        pieces.append(figure_text(key, finding.figures[key]))
        if nouns:
            one, many = nouns.split("/")
            pieces.append(f" {one if finding.figures[key] == 1 else many}")
    return "".join(pieces)


def findings_section(findings: Sequence[Finding]) -> Section:
    """The findings as a table, each with its advice in a row below."""
    rows: list[tuple[str, ...]] = []
    for finding in findings:
        rows.append((finding.severity.word, duration(finding.cost_ns), title_text(finding)))
        rows.append(("", "", f"  try: {advice_text(finding)}"))
    columns = (
        Column("severity", left=True),
        Column("cost"),
        Column("finding", left=True, wraps=True),
    )
    title = "Findings; a cost is GPU time or idle time, and costs overlap"
    return Section(title, columns, tuple(rows))


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding for scripts: evidence is an event's row, or a stretch as [start, end] in ns."""
    return {
        "id": finding.id,
        "severity": finding.severity.word,
        "cost_ns": finding.cost_ns,
        "title": title_text(finding),
        "figures": dict(finding.figures),
        "evidence": [
            [piece.start, piece.end] if isinstance(piece, Range) else piece
            for piece in finding.evidence
        ],
        "advice": advice_text(finding),
    }
