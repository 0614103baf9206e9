"""The steps of a trace: where they begin and end, which stand out, what they own."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from attntui.analysis.annotations import STEP_PREFIX
from attntui.analysis.launches import outermost, process_of_lanes
from attntui.analysis.likely_steps import likely_family
from attntui.analysis.owners import owners, span_at
from attntui.trace.model import ABSENT, I64, Bool, Category, Trace

ENGINE_PREFIX = "execute_"
"""How vLLM's engine names the annotation around one scheduler step."""

_DIGITS = re.compile(r"\d+")

# A step stands out when it is further from the median than three standard deviations of
# a normal spread (1.4826 is a normal's deviation over its median absolute one), and by
# more than a tenth: steps alike to the microsecond have none. Of three steps two are often
# alike by chance, so there it takes a quarter.
_DEVIATIONS = 3 * 1.4826
_LEAST_SHARE = 0.1
_LEAST_SHARE_OF_THREE = 0.25
_LEAST_STEPS = 3


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps in order of start; `rows` are their annotations, `family` their common name.

    `gpu_ops` are rows of all GPU operations and `owner` the step index of each, ABSENT
    where its launch lies in no step, or where it has none (as the warm-up's kernels).
    """

    family: str | None
    rows: I64
    start: I64
    end: I64
    outlier: Bool
    gpu_ops: I64
    owner: I64

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def duration(self) -> I64:
        return self.end - self.start

    def owned(self, index: int) -> I64:
        """Rows of the GPU operations of one step, by start."""
        rows: I64 = self.gpu_ops[self.owner == index]
        return rows

    def is_gpu_op(self, row: int) -> bool:
        at = int(np.searchsorted(self.gpu_ops, row))
        return at < len(self.gpu_ops) and int(self.gpu_ops[at]) == row

    def owner_of(self, gpu_op: int) -> int | None:
        """The step that owns a GPU operation."""
        owner = int(self.owner[np.searchsorted(self.gpu_ops, gpu_op)])
        return None if owner == ABSENT else owner

    def of_event(self, trace: Trace, row: int) -> int | None:
        """The step that owns a GPU operation, or in whose span another event begins."""
        if self.is_gpu_op(row):
            return self.owner_of(row)
        # The end of a step is no part of it.
        begun = int(span_at(self.start, self.end - 1, trace.start[[row]])[0])
        return None if begun == ABSENT else begun


def family_of(name: str) -> str:
    """The name a run of annotations has in common: every number in it is `*`."""
    return _DIGITS.sub("*", name)


def find_steps(trace: Trace, family: str | None = None) -> Steps:
    """The steps of a trace; empty where nothing repeats.

    Steps are the annotations `ProfilerStep#n`; where there are none, those named
    `execute_...`; else those that a person would call steps (`likely_steps`). `family` (a
    name with `*` for its numbers, as `family_of` gives) chooses instead.
    """
    rows = np.flatnonzero(trace.category == Category.USER_ANNOTATION)
    ids, of_row = np.unique(trace.name[rows], return_inverse=True)
    of_id = [family_of(trace.names[i]) for i in ids.tolist()]
    if family is None:
        family = _named_family(of_id) or _likely_family(trace, rows, of_id, of_row)
    rows = rows[np.array([text == family for text in of_id], np.bool_)[of_row]]
    # An annotation inside another of its family (the GPU engine's own echo) is no step.
    rows = outermost(trace, rows)
    start, end = trace.start[rows], trace.end[rows]
    return Steps(
        family=family if len(rows) else None,
        rows=rows,
        start=start,
        end=end,
        outlier=outliers(end - start),
        gpu_ops=trace.gpu_ops,
        owner=owners(trace, rows, trace.gpu_ops, process_of_lanes(trace)),
    )


def _named_family(families: list[str]) -> str | None:
    """The family with the most distinct names among those that name steps."""
    number = Counter(families)
    for prefix in (STEP_PREFIX, ENGINE_PREFIX):
        named = sorted(family for family in number if family.startswith(prefix))
        if named:
            return max(named, key=number.__getitem__)
    return None


def _likely_family(trace: Trace, rows: I64, of_id: list[str], of_row: I64) -> str | None:
    """The family that makes steps where no name tells (`likely_steps`).

    `of_id` is the family of each distinct name, `of_row` the distinct name of each row.
    """
    texts = sorted(set(of_id))
    place = {text: i for i, text in enumerate(texts)}
    family = np.array([place[text] for text in of_id], np.int64)[of_row]
    found = likely_family(trace, rows, family)
    return None if found is None else texts[found]


def outliers(duration: I64) -> Bool:
    """Which durations stand out: over three scaled median absolute deviations from the
    median and over a tenth of it, a quarter where there are three. Fewer have no outlier.
    """
    if len(duration) < _LEAST_STEPS:
        return np.zeros(len(duration), np.bool_)
    median = np.median(duration)
    away = np.abs(duration - median)
    least = _LEAST_SHARE_OF_THREE if len(duration) == _LEAST_STEPS else _LEAST_SHARE
    far = (away > _DEVIATIONS * np.median(away)) & (away > least * median)
    return np.asarray(far, np.bool_)


def profiled_window(trace: Trace, steps: Steps) -> tuple[int, int]:
    """From the first step's start to the last one's end, else the file's `Trace` span,
    else the span of all events: what leading and trailing idle is measured against.
    """
    if len(steps):
        return int(steps.start[0]), int(steps.end.max())
    raw = trace.columns.raw_category
    if "Trace" in trace.raw_categories:
        rows = np.flatnonzero(raw == trace.raw_categories.index("Trace"))
        if len(rows):
            return int(trace.start[rows[0]]), int(trace.end[rows].max())
    return trace.span
