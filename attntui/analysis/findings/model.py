"""What a finding is, and how much it matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.gains import Gain
from attntui.analysis.findings.thresholds import (
    EVIDENCE_MOST,
    HIGH_SHARE,
    LITTLE_SHARE,
    LOW_SHARE,
    MEDIUM_SHARE,
)
from attntui.analysis.groups import sums
from attntui.analysis.scope import Range
from attntui.trace.model import I64, Category, Trace

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


class Severity(IntEnum):
    """How much a finding matters; the worst first. A note that costs nothing is `INFO`."""

    HIGH = 0
    MEDIUM = 1
    LOW = 2
    INFO = 3

    @property
    def word(self) -> str:
        return self.name.lower()


Place = int | Range
"""An event's row, or a stretch of time such as a gap."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One place that shows a finding, and the ns that it is ranked by there; None in a note
    that ranks by something else.
    """

    place: Place
    ns: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that costs time, or a note.

    `title`, `advice` and `assumes` are templates: `{key}` stands for the figure or the name of
    that key, `{key:call/calls}` for a count and its noun in the right number, and no number
    stands in them otherwise. The end of a figure's key tells its unit: `_ns`, `_bytes`,
    `_share` (of one), `_pct`; other figures are counts. The rest of the key is the figure's
    label where figures are listed. `names` holds text of the trace.

    `cost_ns` is the time of GPUs, idle or busy, that is at stake; None for a note. `gain_ns` is
    what the scope would be shorter by if it were mended, `assumes` by which rule. `under` is
    the id of the finding that this one is a symptom of: its time is part of that one's. Only
    launch-bound under optimizer-loop has time of its own: what is left of the same branch.
    Findings under no other have each ns of a device to themselves (`ledger.Ledger`). `in_use`
    says what the program does already, which the advice leaves out. `evidence` is the
    costliest first, `EVIDENCE_MOST` at most.
    """

    id: str
    severity: Severity
    cost_ns: int | None
    title: str
    figures: Mapping[str, int | float]
    evidence: tuple[Evidence, ...]
    advice: str
    names: Mapping[str, str] = field(default_factory=dict)
    gain_ns: int | None = None
    gain_share: float | None = None
    assumes: str = ""
    under: str | None = None
    in_use: tuple[str, ...] = ()


HOST_FIRST = (
    "; little is gained as long as the host gives out work no faster: that is the next bottleneck"
)

_LEVELS = (
    (HIGH_SHARE, Severity.HIGH),
    (MEDIUM_SHARE, Severity.MEDIUM),
    (LOW_SHARE, Severity.LOW),
)


def level(share: float) -> Severity | None:
    """How much a share of the time matters; None where it does not."""
    return next((found for limit, found in _LEVELS if share >= limit), None)


def finding(
    seen: Slice,
    name: str,
    *,
    cost: int,
    gain: Gain | None,
    title: str,
    assumes: str,
    advice: str,
    figures: Mapping[str, int | float],
    evidence: tuple[Evidence, ...],
    names: Mapping[str, str] | None = None,
    work: int = 0,
    limit: str = "",
    under: str | None = None,
    in_use: tuple[str, ...] = (),
) -> Finding | None:
    """A finding that costs; None where neither its cost nor its gain matters.

    It is as grave as its gain's share of the span. `work` is the ns of GPU work in its cost.
    What a fix would spare of that is judged by its share of the busy time too, one level lower:
    where the GPU mostly stood idle it is the next thing to mend; low, as long as next to nothing
    is gained. Whatever costs a share that matters is at least low. A gain of None is not known:
    the work counts whole.

    No finding gains more than it costs: what a run with the fix spares beyond that is the time
    of other findings. Where the host keeps the spared work from being gained, `assumes` says so;
    where little work is spared it says `limit`, what stands in the way of more.
    """
    span, busy = seen.span_ns, seen.busy_ns
    if not span or cost <= 0:
        return None
    gained = 0 if gain is None else max(0, min(gain.ns, cost))
    spared = work if gain is None else min(gain.work_ns, work)
    if gain is not None and work and gained < LITTLE_SHARE * cost:
        assumes += HOST_FIRST if spared >= LITTLE_SHARE * cost else limit
    of_gain, of_busy = level(gained / span), level(spared / busy) if busy else None
    told = [] if of_gain is None else [of_gain]
    if of_busy is not None:
        counts = gain is None or of_gain is not None
        told.append(Severity(min(of_busy + 1, Severity.LOW)) if counts else Severity.LOW)
    if cost >= LOW_SHARE * span:
        told.append(Severity.LOW)
    if not told:
        return None
    return Finding(
        id=name,
        severity=min(told),
        cost_ns=cost,
        title=title,
        figures=figures,
        evidence=evidence,
        advice=advice,
        names=names or {},
        gain_ns=gained,
        gain_share=gained / span,
        assumes=assumes,
        under=under,
        in_use=in_use,
    )


def note(
    name: str,
    title: str,
    advice: str,
    evidence: tuple[Evidence, ...] = (),
    names: Mapping[str, str] | None = None,
    figures: Mapping[str, int | float] | None = None,
) -> Finding:
    """A finding that costs nothing."""
    return Finding(name, Severity.INFO, None, title, figures or {}, evidence, advice, names or {})


def costliest(rows: I64, cost: I64) -> tuple[Evidence, ...]:
    """The rows with the most cost, most first; of equal ones the earlier."""
    order = np.argsort(-cost, kind="stable")[:EVIDENCE_MOST]
    return tuple(map(Evidence, rows[order].tolist(), cost[order].tolist()))


def costliest_names(trace: Trace, rows: I64, cost: I64) -> tuple[Evidence, ...]:
    """The names with the most cost among some rows, each by its costliest row."""
    order = np.lexsort((-cost, trace.name[rows]))
    _, first, which = np.unique(trace.name[rows[order]], return_index=True, return_inverse=True)
    total = sums(which, cost[order], len(first))
    return costliest(rows[order[first]], total)


def longest(start: I64, end: I64, cost: I64) -> tuple[Evidence, ...]:
    """The stretches of time with the most cost, most first."""
    order = np.argsort(-cost, kind="stable")[:EVIDENCE_MOST]
    places = map(Range, start[order].tolist(), end[order].tolist())
    return tuple(map(Evidence, places, cost[order].tolist()))


def recorded(trace: Trace, category: Category) -> bool:
    """Whether the trace has any event of a category."""
    return bool((trace.category == category).any())
