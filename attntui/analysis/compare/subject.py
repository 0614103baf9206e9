"""A trace with what comparing needs to know of it, made once for any number of units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attntui.analysis.annotations import Annotations, find_annotations
from attntui.analysis.attention import AttentionCall, find_attention
from attntui.analysis.attention.model import ROLES
from attntui.analysis.gap_causes import CauseFinder, cause_finder
from attntui.analysis.kernel_facts import GpuWork, gpu_work
from attntui.analysis.launches import parent_ops
from attntui.analysis.steps import Steps, find_steps
from attntui.trace.model import ABSENT, I8, I32, I64, Category, Trace


@dataclass(frozen=True)
class Subject:
    """One side of a comparison."""

    trace: Trace
    steps: Steps
    annotations: Annotations
    attention: tuple[AttentionCall, ...]
    finder: CauseFinder

    @cached_property
    def launched(self) -> I64:
        """The GPU operations that can belong to a unit, by start: those with a launch, or
        all of a trace that records no launch at all.
        """
        ops = self.trace.gpu_ops
        known = ops[self.trace.launch[ops] != ABSENT]
        return known if len(known) else ops

    @cached_property
    def call_of(self) -> I32:
        """For each row the index of the attention call that it is a GPU operation of."""
        found = np.full(len(self.trace), ABSENT, np.int32)
        for index, call in enumerate(self.attention):
            found[call.gpu_rows] = index
        return found

    @cached_property
    def role_of(self) -> I8:
        """For each row of an attention call its role's place in `ROLES`, else ABSENT."""
        found = np.full(len(self.trace), ABSENT, np.int8)
        for call in self.attention:
            for share in call.roles:
                found[share.rows] = ROLES.index(share.role)
        return found

    @cached_property
    def op_of(self) -> I64:
        """For each row that is a GPU operation the innermost CPU op around its launch, where
        no annotation lies between them; else ABSENT.
        """
        found = np.full(len(self.trace), ABSENT, np.int64)
        parents = parent_ops(self.trace)
        is_cpu_op = self.trace.category[parents] == Category.CPU_OP
        found[self.trace.gpu_ops] = np.where((parents != ABSENT) & is_cpu_op, parents, ABSENT)
        return found

    @cached_property
    def work(self) -> GpuWork:
        """The work of every GPU operation."""
        return gpu_work(self.trace)


def prepare(trace: Trace, steps: Steps | None = None, finder: CauseFinder | None = None) -> Subject:
    """What comparing `trace` needs; steps and cause finder are made where not given."""
    return Subject(
        trace=trace,
        steps=find_steps(trace) if steps is None else steps,
        annotations=find_annotations(trace),
        attention=find_attention(trace),
        finder=cause_finder(trace) if finder is None else finder,
    )
