"""Which annotations are steps where none is named so: the ones a person would call steps.

A step is what the program does again and again. So its instances follow one another on one
thread inside no other annotation, are alike in length and in how much they launch, and
between them do most of the recorded work.
"""

from __future__ import annotations

import numpy as np

from attntui.analysis.groups import apart
from attntui.analysis.launches import launched_work, nearest
from attntui.analysis.named import holding
from attntui.trace.model import ABSENT, I64, Category, Trace

_PARTS = holding("Optimizer.", "(DataLoader)", "CompiledFxGraph", "(dynamo_timed)")
"""What torch itself annotates inside a step, and never is one."""

_ALIKE = 0.75
"""Share of the instances within a factor of two of their median: a first one is often slow,
and a prefill longer than the decodes after it.
"""

_OWN_SHARE = 0.75
"""Of what is launched from the first instance to the last one's end. Below it the rest of a
step (its backward, its optimizer) lies outside: the annotation is of a part.
"""

_WHOLE_SHARE = 0.5
"""Of all that was launched, or of the recorded time where nothing was."""


def likely_family(trace: Trace, rows: I64, family: I64) -> int | None:
    """The family that makes the steps, else None.

    `rows` are annotations by start, `family` a number for each. Of several families that
    could be steps it is the one with the greatest covered time / (1 + coefficient of
    variation of its durations).
    """
    inside = nearest(trace, rows, trace.category == Category.USER_ANNOTATION) != ABSENT
    launched = launched_work(trace, rows).gpu_ops_any_thread
    best, best_score = None, 0.0
    for number, at in zip(*apart(np.arange(len(rows)), family), strict=True):
        if inside[at].any() or not _follow_one_another(trace, rows[at]):
            continue
        dur = trace.dur[rows[at]]
        if not _alike(dur) or not _do_most(trace, rows[at], launched[at]):
            continue
        score = float(dur.sum()) / (1 + float(dur.std() / dur.mean()))
        if score > best_score:
            best, best_score = int(number), score
    return best


def _follow_one_another(trace: Trace, rows: I64) -> bool:
    """Whether there are two or more, one after another on one thread, and of no part's name."""
    if len(rows) < 2 or (trace.lane[rows] != trace.lane[rows[0]]).any():
        return False
    overlap = (trace.start[rows][1:] < trace.end[rows][:-1]).any()
    return not overlap and not _PARTS(trace.name_of(int(rows[0])))


def _alike(values: I64) -> bool:
    median = np.median(values)
    near = (2 * values >= median) & (values <= 2 * median)
    return bool(median > 0 and near.mean() >= _ALIKE)


def _do_most(trace: Trace, rows: I64, launched: I64) -> bool:
    """Whether the rows did most of the work around them and of all that was recorded, each
    its share of it. `launched` counts the GPU operations that each launched.
    """
    first, last = trace.start[rows[0]], trace.end[rows].max()
    time = trace.start[trace.launch[trace.gpu_ops_by_launch]]
    if len(time):
        around = int(((time >= first) & (time <= last)).sum())
        done, whole = int(launched.sum()), len(time)
        even = _alike(launched)
    else:
        around, done = int(last - first), int(trace.dur[rows].sum())
        whole, even = trace.span[1] - trace.span[0], True
    return even and done >= _OWN_SHARE * around and done >= _WHOLE_SHARE * whole
