"""Holds what the program tells of findings to what `recount` and `regain` count."""

from __future__ import annotations

import pytest
import recount
import regain

from attntui.analysis.findings import Finding, Severity, thresholds
from attntui.analysis.slice import Slice

ONLY_TOLD = {"message_bytes"}
"""Of a finding's figures what the title says of one event."""

BY_DURATION = {"naive-attention", "sdpa-math", "upcast", "hidden-copy", "pageable-copies"}
"""Their evidence is ranked by how long it ran, as their figures are told; others' by what is
theirs of that.
"""

LIMITS = ("most of their time is that floor", "there is little else to run")
"""What little work spared is put down to."""

ROUNDED = {"fused_ns", "on_tensor_cores_ns", "aligned_ns", "pinned_ns"}
"""Sums of rounded parts."""


def hold(seen: Slice) -> None:
    """Asserts that each finding of a slice has the figures, cost and gain counted here, and
    that each ns has one owner.
    """
    books = recount.Books(seen)
    told = {finding.id: finding for finding in seen.findings}
    for name in recount.ORDER:
        if name not in told:
            continue
        finding = told[name]
        counted = counted_for(books, told, name)
        if counted.under not in told:
            counted.under = None
        rest = name == "launch-bound" and finding.under == "optimizer-loop"
        if rest:
            assert told["optimizer-loop"].severity <= Severity.MEDIUM
            counted.under = finding.under
        check(finding, counted)
        gained = regain.gain(books, name, counted)
        assert finding.gain_ns == pytest.approx(gained.span, abs=1), name
        known = name not in regain.OF_PRODUCTS or counted.takes is not None
        grave = severity(seen, finding, counted, gained.work, known=known)
        assert finding.severity is grave, name
        # The host is blamed where it keeps what the GPU would be spared from being gained.
        little = counted.work > 0 and known and (finding.gain_ns or 0) < 0.1 * counted.cost
        spares = gained.work >= 0.1 * counted.cost
        assert ("next bottleneck" in finding.assumes) is (little and spares), name
        for limit in LIMITS:
            assert (limit not in finding.assumes) or (little and not spares), name
        if name == "sync-stalls":
            behind = "behind all the same" in finding.title
            assert behind is (finding.under is not None)
            assert not behind or (finding.gain_share or 0) < thresholds.LOW_SHARE
        if finding.under is None and name not in BY_DURATION:
            shown = [piece.ns or 0 for piece in finding.evidence]
            assert sum(shown) <= (finding.cost_ns or 0), name
        if finding.under is None or rest:
            # Asserts that nothing is taken twice.
            books.take(name, counted.busy, counted.idle)
    assert {name for name, finding in told.items() if finding.cost_ns is not None} <= set(
        recount.ORDER
    )
    for finding in seen.findings:
        if finding.cost_ns is None and finding.figures:
            figures = recount.COUNT[finding.id](books).figures
            assert dict(finding.figures) == figures, finding.id
    roots = [
        finding.cost_ns or 0
        for finding in seen.findings
        if finding.under is None or finding.id == "launch-bound"
    ]
    left = sum(books.busy.values()) + sum(map(sum, books.idle))
    assert sum(roots) + left == seen.span_ns


def counted_for(books: recount.Books, told: dict[str, Finding], name: str) -> recount.Counted:
    if name == "sync-stalls":
        return recount.syncs(books, told[name])
    if name == "launch-bound":
        waits = told.get("sync-stalls")
        return recount.launch_bound(books, waits_own=waits is not None and waits.under is None)
    if name == "tiny-kernels":
        return recount.tiny(books, told[name])
    return recount.COUNT[name](books)


def check(finding: Finding, counted: recount.Counted) -> None:
    figures = {key: n for key, n in finding.figures.items() if key not in ONLY_TOLD}
    assert figures.keys() == counted.figures.keys(), finding.id
    for key, figure in figures.items():
        rounding = 3 if key in ROUNDED else 0
        assert figure == pytest.approx(counted.figures[key], rel=1e-9, abs=rounding), key
    assert finding.cost_ns == counted.cost, finding.id
    assert finding.under == counted.under, finding.id


def severity(
    seen: Slice, finding: Finding, counted: recount.Counted, spared: int, *, known: bool
) -> Severity | None:
    """By the gain's share of the span, by the spared work's share of the busy time one level
    lower, and low if a known gain is next to nothing; low where the cost matters.
    """

    def level(ns: int, whole: int) -> int:
        return sum(ns < share * whole or not whole for share in (0.25, 0.1, 0.03))

    gain, work = level(finding.gain_ns or 0, seen.span_ns), level(spared, seen.busy_ns)
    levels = [gain, max(level(counted.cost, seen.span_ns), Severity.LOW)]
    if work != Severity.INFO:
        levels.append(Severity.LOW if known and gain == Severity.INFO else min(work + 1, 2))
    found = Severity(min(levels))
    return None if found is Severity.INFO else found
