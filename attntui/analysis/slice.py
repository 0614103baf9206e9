"""A slice of an analysed trace: the facts of a set of rows, each found when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.attention import AttentionCall, within
from attntui.analysis.busy_time import own_time
from attntui.analysis.findings import Finding, find_findings
from attntui.analysis.gap_causes import GapCauses
from attntui.analysis.gap_list import GapList
from attntui.analysis.gpu_work import Traffic, traffic
from attntui.analysis.idle import DeviceIdle, device_idle, stream_gaps
from attntui.analysis.in_use import InUse, in_use
from attntui.analysis.kept.fact import Facts, fact
from attntui.analysis.kernel_facts import KernelFact, kernel_facts
from attntui.analysis.kernels import KernelTable, kernel_table
from attntui.analysis.replay import Replay, replay
from attntui.analysis.scope import Call, Scope, ScopeRows, Unit, Whole, call_rows, scope_rows
from attntui.analysis.self_time import OpTable, op_table
from attntui.analysis.time_tree import Leaf, time_tree
from attntui.trace.model import ABSENT, I64, Trace

if TYPE_CHECKING:
    from attntui.analysis.analysed import AnalysedTrace


@dataclass(frozen=True, eq=False)
class Slice:
    """The rows of one scope, or of one unit of a comparison, and what follows from them.

    What lists devices, their `causes` and `gaps` has one order: by device. `kernels` and
    `kernel_facts` are by kernel name, in one order.
    """

    analysed: AnalysedTrace
    scope: Scope | Unit
    rows: ScopeRows

    @classmethod
    def of(cls, analysed: AnalysedTrace, scope: Scope) -> Slice:
        """The slice of a scope. Raises IndexError for a step, row or call that is not there."""
        if isinstance(scope, Call):
            return cls(analysed, scope, call_rows(analysed.trace, analysed.attention[scope.index]))
        return cls(analysed, scope, scope_rows(analysed.trace, scope, analysed.steps))

    def find_all(self) -> Slice:
        """Finds what tables show: to be called away from the keys."""
        _ = self.findings, self.time_tree, self.gaps, self.ops, self.kernel_facts
        return self

    @property
    def facts(self) -> Facts | None:
        """What was kept of the whole trace's slice; nothing is of others."""
        return self.analysed.facts_of("whole") if isinstance(self.scope, Whole) else None

    @property
    def trace(self) -> Trace:
        return self.analysed.trace

    @property
    def gpu_ops(self) -> I64:
        """Rows of the GPU operations, by start."""
        return self.rows.gpu

    @cached_property
    def gpu_extent(self) -> tuple[int, int] | None:
        """From the first GPU operation's start to the last one's end, in ns; None without one."""
        rows = self.gpu_ops
        if not len(rows):
            return None
        return int(self.trace.start[rows].min()), int(self.trace.end[rows].max())

    # Devices and their gaps

    @fact
    def devices(self) -> tuple[DeviceIdle, ...]:
        """What each device did, by number."""
        return device_idle(self.trace, self.gpu_ops)

    @fact
    def causes(self) -> tuple[GapCauses, ...]:
        """Of each device the gaps with their causes."""
        return tuple(self.analysed.finder.causes(device.gaps) for device in self.devices)

    @fact
    def gaps(self) -> GapList:
        """The gaps of all devices, by start."""
        places = [(device.device, ABSENT) for device in self.devices]
        return GapList.of(self.analysed.labels, places, list(self.causes))

    @fact
    def stream_gaps(self) -> GapList:
        """The gaps of each stream on its own: what waits between streams show in."""
        found = stream_gaps(self.trace, self.gpu_ops)
        parts = [self.analysed.finder.causes(gaps) for gaps in found.values()]
        return GapList.of(self.analysed.labels, list(found), parts)

    def find_gap(
        self, device: int, stream: int, start: int, end: int
    ) -> tuple[GapList, int] | None:
        """A gap of a device and a stream (ABSENT: of all its streams) in this slice, else in
        the whole trace: the list it is in and its number there; None where neither has it.
        """
        for part in (self, self.analysed.whole):
            gaps = part.gaps if stream == ABSENT else part.stream_gaps
            number = gaps.number_of(device, start, end, stream)
            if number is not None:
                return gaps, number
        return None

    @cached_property
    def span_ns(self) -> int:
        """The spans of all devices together: what costs are shares of."""
        return sum(device.span_ns for device in self.devices)

    @property
    def busy_ns(self) -> int:
        return sum(device.busy_ns for device in self.devices)

    @property
    def idle_ns(self) -> int:
        return sum(device.idle_ns for device in self.devices)

    # Time, each ns in one place

    @fact
    def own(self) -> I64:
        """The own time of each of `gpu_ops` (`busy_time`), in ns: they sum to the busy time."""
        own = np.zeros(len(self.gpu_ops), np.int64)
        for device in self.devices:
            own[np.searchsorted(self.gpu_ops, device.rows)] = own_time(self.trace, device)
        return own

    @fact
    def time_tree(self) -> tuple[Leaf, ...]:
        """Where the devices' time went; the leaves sum to `span_ns`."""
        return time_tree(self)

    @cached_property
    def replays(self) -> tuple[Replay, ...]:
        """Each device's work, to be run again with a change."""
        kinds = self.analysed.finder.host.kinds
        return tuple(
            replay(self.trace, device, self.own_on(device, self.own), kinds)
            for device in self.devices
        )

    def own_on(self, device: DeviceIdle, own: I64) -> I64:
        """Of a column over `gpu_ops` the entries of one device's operations."""
        part: I64 = own[np.searchsorted(self.gpu_ops, device.rows)]
        return part

    # Work

    @cached_property
    def gpu_ns(self) -> int:
        """The summed durations of the GPU operations."""
        return int(self.trace.dur[self.gpu_ops].sum())

    @fact
    def launcher(self) -> I64:
        """The row of the op or annotation that launched each of `gpu_ops`, else ABSENT."""
        found: I64 = self.analysed.work.launcher[np.searchsorted(self.trace.gpu_ops, self.gpu_ops)]
        return found

    @fact
    def inputs(self) -> I64:
        """The number of that op's inputs in `trace.op_inputs`, else ABSENT."""
        told = self.trace.columns.inputs[self.launcher]
        return np.where(self.launcher == ABSENT, ABSENT, told).astype(np.int64)

    @fact
    def kernels(self) -> KernelTable:
        return kernel_table(self.trace, self.gpu_ops)

    @fact
    def kernel_facts(self) -> tuple[KernelFact, ...]:
        analysed = self.analysed
        return kernel_facts(analysed.work, self.kernels, analysed.peaks)

    @fact
    def traffic(self) -> Traffic:
        """Estimated bytes moved by the GPU operations."""
        return traffic(self.analysed.work, self.gpu_ops)

    @cached_property
    def attention(self) -> tuple[AttentionCall, ...]:
        """The attention calls with a GPU operation in the slice."""
        calls = self.analysed.attention
        return calls if isinstance(self.scope, Whole) else within(calls, self.gpu_ops)

    @fact
    def ops(self) -> OpTable:
        """CPU ops and annotations by name."""
        whole = isinstance(self.scope, Whole)
        return op_table(self.analysed.cpu, None if whole else self.rows.cpu)

    @fact
    def in_use(self) -> InUse:
        """What the program does already against lost time."""
        return in_use(self)

    @fact
    def findings(self) -> tuple[Finding, ...]:
        return find_findings(self)
