"""What a finding is, and how much it matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.thresholds import (
    EVIDENCE_MOST,
    HIGH_SHARE,
    LOW_SHARE,
    MEDIUM_SHARE,
)
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


Evidence = int | Range
"""An event's row, or a stretch of time such as a gap."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that costs time, or a note.

    `title` and `advice` are templates: `{key}` stands for the figure or the name of that
    key, `{key:call/calls}` for a count and its noun in the right number, and no number
    stands in them otherwise. The end of a figure's key tells its unit: `_ns`, `_bytes`,
    `_share` (of one), `_pct`; other figures are counts. The rest of the key is the figure's
    label where figures are listed. `names` holds text of the trace. `cost_ns` is the time of
    GPUs, idle or busy, that is at stake; None for a note. Costs of several findings overlap:
    they are views of the same time. `evidence` is the costliest first, `EVIDENCE_MOST` at
    most.
    """

    id: str
    severity: Severity
    cost_ns: int | None
    title: str
    figures: Mapping[str, int | float]
    evidence: tuple[Evidence, ...]
    advice: str
    names: Mapping[str, str] = field(default_factory=dict)


def severity_of(seen: Slice, cost_ns: int, whole_ns: int | None = None) -> Severity | None:
    """How much a cost matters, by its share of a whole (the slice's span); None where it does
    not.
    """
    whole = seen.span_ns if whole_ns is None else whole_ns
    share = cost_ns / whole if whole else 0.0
    limits = (HIGH_SHARE, MEDIUM_SHARE, LOW_SHARE)
    levels = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)
    return next(
        (level for level, limit in zip(levels, limits, strict=True) if share >= limit), None
    )


def costliest(rows: I64, cost: I64) -> tuple[int, ...]:
    """The rows with the most cost, most first; of equal ones the earlier."""
    order = np.argsort(-cost, kind="stable")[:EVIDENCE_MOST]
    return tuple(rows[order].tolist())


def recorded(trace: Trace, category: Category) -> bool:
    """Whether the trace has any event of a category."""
    return bool((trace.category == category).any())
