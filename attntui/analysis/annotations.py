"""User annotations by label: every instance with its CPU time and the GPU work it launched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.launches import LaunchedWork, launched_work
from attntui.trace.model import I64, Category, Trace

STEP_PREFIX = "ProfilerStep#"
STEP_LABEL = "ProfilerStep#*"


def label_of(name: str) -> str:
    """The label an annotation is listed under: its name, one label for all steps."""
    return STEP_LABEL if name.startswith(STEP_PREFIX) else name


@dataclass(frozen=True, slots=True)
class Annotations:
    """All instances, by start; `label` indexes `labels`, which are in order of text."""

    labels: tuple[str, ...]
    label: I64
    rows: I64
    cpu_ns: I64
    work: LaunchedWork

    def __len__(self) -> int:
        return len(self.rows)

    def instances(self, label: int) -> I64:
        """Indices into the columns of the instances with one label, by start."""
        return np.flatnonzero(self.label == label)


def find_annotations(trace: Trace) -> Annotations:
    """Every user annotation of the CPU side."""
    rows = np.flatnonzero(trace.category == Category.USER_ANNOTATION)
    ids = np.unique(trace.name[rows]).tolist()
    text = {i: label_of(trace.names[i]) for i in ids}
    labels = tuple(sorted(set(text.values())))
    place = {label: i for i, label in enumerate(labels)}
    of_name = np.zeros(len(trace.names), np.int64)
    of_name[ids] = [place[text[i]] for i in ids]
    return Annotations(
        labels=labels,
        label=of_name[trace.name[rows]],
        rows=rows,
        cpu_ns=trace.dur[rows],
        work=launched_work(trace, rows),
    )
