"""All analyses of a trace, run once, and the facts of any scope that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attntui.analysis.attention import AttentionCall, find_attention, within
from attntui.analysis.compiled_regions import FusionCheck, fusion_checks
from attntui.analysis.devices import DevicePeaks
from attntui.analysis.findings import Finding, Observed, find_findings, observe
from attntui.analysis.gap_causes import (
    Cause,
    CauseFinder,
    GapCauses,
    Trigger,
    cause_finder,
    joined,
)
from attntui.analysis.idle import DeviceIdle, stream_gaps
from attntui.analysis.kernel_facts import GpuWork, gpu_work, roofs
from attntui.analysis.kernels import KernelTable
from attntui.analysis.launches import parent_ops
from attntui.analysis.scope import WHOLE, Scope, ScopeRows, scope_rows
from attntui.analysis.self_time import FatKind, OpTable, SelfTimes, fat_bars, op_table, self_times
from attntui.analysis.steps import Steps, find_steps
from attntui.trace.model import ABSENT, I64, Trace
from attntui.view.options import Options


@dataclass(frozen=True, eq=False)
class GapList:
    """Gaps by start, with their causes; `device` is the number of each.

    The gaps of devices have stream ABSENT; those of single streams bear its number.
    """

    trace: Trace
    causes: GapCauses
    device: I64
    stream: I64

    @classmethod
    def of(cls, observed: Observed) -> GapList:
        """The gaps of all devices of a scope, in one order of time."""
        causes = joined(observed.causes)
        lengths = [len(own) for own in observed.causes]
        device = np.repeat([d.device for d in observed.idle], lengths).astype(np.int64)
        stream = np.full(len(device), ABSENT, np.int64)
        return cls._by_start(observed.trace, causes, device, stream)

    @classmethod
    def of_streams(cls, observed: Observed, finder: CauseFinder) -> GapList:
        """The gaps of each stream on its own: what waits between streams show in."""
        found = stream_gaps(observed.trace, observed.rows)
        parts = [finder.causes(gaps) for gaps in found.values()]
        lengths = [len(part) for part in parts]
        device, stream = (
            np.repeat(np.array(numbers, np.int64), lengths)
            for numbers in ([d for d, _ in found], [s for _, s in found])
        )
        return cls._by_start(observed.trace, joined(parts), device, stream)

    @classmethod
    def _by_start(cls, trace: Trace, causes: GapCauses, device: I64, stream: I64) -> GapList:
        order = np.argsort(causes.gaps.start, kind="stable")
        return cls(trace, causes.take(order), device[order], stream[order])

    def __len__(self) -> int:
        return len(self.device)

    @property
    def start(self) -> I64:
        return self.causes.gaps.start

    @property
    def length(self) -> I64:
        return self.causes.gaps.length

    @property
    def before(self) -> I64:
        """Rows of the operations that ended last before each gap."""
        return self.causes.gaps.before

    @property
    def after(self) -> I64:
        """Rows of the operations that end each gap."""
        return self.causes.gaps.after

    @cached_property
    def end(self) -> I64:
        return self.causes.gaps.end

    @cached_property
    def launching_ops(self) -> I64:
        """The op or annotation that launched what ends each gap, ABSENT where not told."""
        return parent_ops(self.trace, self.after)

    @cached_property
    def main(self) -> I64:
        """The main `Cause` of each."""
        return self.causes.main

    def over(self, threshold: int, low: int | None = None, high: int | None = None) -> I64:
        """Numbers of the gaps of at least `threshold` ns, by start; with bounds only those
        that lie partly in [low, high).
        """
        chosen = self.length >= threshold
        if low is not None and high is not None:
            chosen &= (self.start < high) & (self.end > low)
        return np.flatnonzero(chosen)

    def beside(self, chosen: I64, number: int | None, time: int, direction: int) -> int | None:
        """Of the gaps `chosen`, the next (1) or previous (-1) one: from gap `number` where
        there is one (another device may have a gap that begins with it), else from a time.
        """
        if number is not None:
            places, here = chosen, number
        else:
            places, here = self.start[chosen], time
        if direction > 0:
            at = int(np.searchsorted(places, here, "right"))
        else:
            at = int(np.searchsorted(places, here, "left")) - 1
        return int(chosen[at]) if 0 <= at < len(chosen) else None

    def label(self, number: int) -> str:
        """A gap's cause in words, with what drained the queue where that is told."""
        cause = Cause(int(self.main[number])).name.lower().replace("_", " ")
        trigger = Trigger(int(self.causes.trigger[number]))
        if trigger is Trigger.NONE or trigger.name.lower() == cause:
            return cause
        return f"{cause} after {trigger.name.lower().replace('_', ' ')}"


@dataclass(frozen=True, eq=False)
class ScopeFacts:
    """What the tables show: the facts of one scope."""

    scope: Scope
    rows: ScopeRows
    observed: Observed
    findings: tuple[Finding, ...]
    gaps: GapList
    ops: OpTable
    finder: CauseFinder

    @cached_property
    def stream_gaps(self) -> GapList:
        """The gaps of each stream on its own."""
        return GapList.of_streams(self.observed, self.finder)

    @property
    def kernels(self) -> KernelTable:
        return self.observed.table

    @property
    def idle(self) -> tuple[DeviceIdle, ...]:
        return self.observed.idle

    @property
    def attention(self) -> tuple[AttentionCall, ...]:
        return self.observed.calls

    @property
    def idle_ns(self) -> int:
        return sum(d.idle_ns for d in self.idle)

    @property
    def busy_ns(self) -> int:
        return sum(d.busy_ns for d in self.idle)

    @property
    def span_ns(self) -> int:
        return self.observed.span_ns


@dataclass(frozen=True, eq=False)
class Analyses:
    """What any scope's facts are made of, found once for the whole trace."""

    steps: Steps
    finder: CauseFinder
    cpu: SelfTimes
    work: GpuWork
    attention: tuple[AttentionCall, ...]
    fusion: tuple[FusionCheck, ...]
    fat: dict[int, FatKind]
    """What makes the fattest CPU bar of a name id fat, for names that have one."""
    peaks: DevicePeaks | None

    @classmethod
    def of(cls, trace: Trace, options: Options) -> Analyses:
        finder = cause_finder(trace)
        cpu = self_times(trace, finder.host)
        return cls(
            find_steps(trace),
            finder,
            cpu,
            gpu_work(trace),
            find_attention(trace),
            fusion_checks(trace),
            _fat_names(trace, cpu),
            roofs(trace, bandwidth=options.peak_bandwidth, flops=options.peak_flops),
        )

    def observed(self, trace: Trace, rows: I64, calls: tuple[AttentionCall, ...]) -> Observed:
        """What findings follow from, over the GPU operations `rows` and their calls."""
        return observe(
            trace,
            rows,
            finder=self.finder,
            cpu=self.cpu,
            steps=self.steps,
            work=self.work,
            calls=calls,
            peaks=self.peaks,
        )

    def facts(self, trace: Trace, scope: Scope) -> ScopeFacts:
        """The facts of a scope: a few passes over its events."""
        rows = scope_rows(trace, scope, self.steps)
        whole = scope == WHOLE
        calls = self.attention if whole else within(self.attention, rows.gpu)
        observed = self.observed(trace, rows.gpu, calls)
        return ScopeFacts(
            scope,
            rows,
            observed,
            find_findings(observed),
            GapList.of(observed),
            op_table(self.cpu, None if whole else rows.cpu),
            self.finder,
        )


def _fat_names(trace: Trace, cpu: SelfTimes) -> dict[int, FatKind]:
    """The kind of each name's fattest bar."""
    bars = fat_bars(cpu)
    names, first = np.unique(trace.name[bars.rows], return_index=True)
    kinds = bars.kind[first].tolist()
    return {name: FatKind(kind) for name, kind in zip(names.tolist(), kinds, strict=True)}
