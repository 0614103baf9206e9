"""The analysed trace: the facts of a whole trace, each found once and when it is asked for.

Screens, reports, findings and comparisons take this value and the slices of it, and nothing
else. It has the only labels of devices, lanes, threads and kernels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from attntui.analysis.abilities import Abilities, common_abilities
from attntui.analysis.annotations import Annotations, find_annotations
from attntui.analysis.attention import AttentionCall, find_attention
from attntui.analysis.attention.model import ROLES
from attntui.analysis.compiled_regions import FusionCheck, fusion_checks
from attntui.analysis.devices import DevicePeaks
from attntui.analysis.first_use import FirstUses
from attntui.analysis.gap_causes import CauseFinder, cause_finder
from attntui.analysis.gpu_work import GpuWork, gpu_work
from attntui.analysis.idle import DeviceIdle, device_idle, launched
from attntui.analysis.kept.fact import AllFacts, Facts, fact
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.labels import Labels
from attntui.analysis.launches import parent_ops
from attntui.analysis.roofs import limits, roofs, used_devices
from attntui.analysis.scope import WHOLE, Scope
from attntui.analysis.self_time import FatKind, SelfTimes, fat_names, self_times
from attntui.analysis.slice import Slice
from attntui.analysis.steps import Steps, find_steps, profiled_window
from attntui.trace.model import ABSENT, I8, I32, I64, Bool, Category, Trace


@dataclass(frozen=True, eq=False)
class AnalysedTrace:
    """A loaded trace and what follows from it.

    `peak_bandwidth` (bytes/s) and `peak_flops` (FLOP/s of bf16 and fp16 on tensor cores) win
    over the roofs of the device table. `kept` are facts from an earlier opening.
    """

    trace: Trace
    peak_bandwidth: float | None = None
    peak_flops: float | None = None
    kept: AllFacts | None = field(default=None, repr=False)

    @cached_property
    def labels(self) -> Labels:
        kept = self.kept
        return Labels(self.trace, None if kept is None else kept.of("labels"))

    @property
    def facts(self) -> Facts | None:
        """What was kept of this value itself."""
        return self.facts_of("analysed")

    def facts_of(self, part: str) -> Facts | None:
        """What was kept of a part of what follows from the whole trace; nothing where other
        roofs are given than it was found with.
        """
        if self.kept is None or self.peak_bandwidth is not None or self.peak_flops is not None:
            return None
        return self.kept.of(part, trace=self.trace, labels=self.labels)

    @cached_property
    def whole(self) -> Slice:
        """The facts of everything that was recorded."""
        return Slice.of(self, WHOLE)

    def slice(self, scope: Scope) -> Slice:
        """The facts of a scope. Raises IndexError for a step or row that is not there."""
        return self.whole if scope == WHOLE else Slice.of(self, scope)

    def find_all(self) -> AnalysedTrace:
        """Finds what screens would else wait for: to be called away from the keys."""
        _ = self.labels.words, self.fusion, self.fat, self.calls_by_event
        self.whole.find_all()
        return self

    # The host

    @fact
    def steps(self) -> Steps:
        return find_steps(self.trace)

    @fact
    def annotations(self) -> Annotations:
        return find_annotations(self.trace)

    @cached_property
    def finder(self) -> CauseFinder:
        """Finds the causes of gaps; its `host` is what every thread did."""
        return cause_finder(self.trace)

    @property
    def first_uses(self) -> FirstUses:
        """The launch calls and CPU ops that loaded code or made a plan: `excess_ns` is each
        one's time beyond the usual, `kernels` what it led up to.
        """
        return self.finder.host.first_uses

    @cached_property
    def cpu(self) -> SelfTimes:
        """Self and total time of every CPU op and annotation."""
        return self_times(self.trace, self.finder.host)

    @fact
    def with_inner(self) -> Bool:
        """For each row whether a CPU op or annotation lies directly inside it."""
        return self.cpu.with_inner

    @fact
    def fat(self) -> dict[int, FatKind]:
        """What makes the fattest CPU bar of a name id fat, for names that have one."""
        return fat_names(self.cpu)

    # The GPU

    @fact
    def work(self) -> GpuWork:
        """The work of every GPU operation."""
        return gpu_work(self.trace, self.limits)

    @fact
    def peaks(self) -> DevicePeaks | None:
        return roofs(self.trace, bandwidth=self.peak_bandwidth, flops=self.peak_flops)

    @fact
    def limits(self) -> DevicePeaks | None:
        """What the devices can do at most, whatever roofs were asked for."""
        return limits(self.trace)

    @fact
    def abilities(self) -> Abilities:
        """Which formats the devices that ran something multiply on matrix units."""
        return common_abilities(used_devices(self.trace))

    @fact
    def launched(self) -> dict[int, DeviceIdle]:
        """By device what it did over the operations with a launch alone; a device that has
        none is missing.
        """
        return {idle.device: idle for idle in device_idle(self.trace, launched(self.trace))}

    @cached_property
    def launchable(self) -> I64:
        """The GPU operations that can belong to a unit, by start: those with a launch, or
        all of a trace that records no launch at all.
        """
        known = launched(self.trace)
        return known if len(known) else self.trace.gpu_ops

    @fact
    def edges(self) -> tuple[int, int]:
        """Time of the profiled window before the first GPU operation and after the last, ns,
        of the device that began first and of the one that ended last.
        """
        window = profiled_window(self.trace, self.steps)
        found = [device.edges(window) for device in self.whole.devices]
        return min((b for b, _ in found), default=0), min((a for _, a in found), default=0)

    @fact
    def facts_by_name(self) -> dict[int, KernelFact]:
        """What is told of each GPU operation's name id over the whole trace."""
        names = self.whole.kernels.name.tolist()
        return dict(zip(names, self.whole.kernel_facts, strict=True))

    @fact
    def op_of(self) -> I64:
        """For each row that is a GPU operation the innermost CPU op around its launch, where
        no annotation lies between them; else ABSENT.
        """
        found = np.full(len(self.trace), ABSENT, np.int64)
        parents = parent_ops(self.trace)
        is_cpu_op = self.trace.category[parents] == Category.CPU_OP
        found[self.trace.gpu_ops] = np.where((parents != ABSENT) & is_cpu_op, parents, ABSENT)
        return found

    # Attention

    @fact
    def attention(self) -> tuple[AttentionCall, ...]:
        return tuple(call.possible(self.limits) for call in find_attention(self.trace))

    @fact
    def fusion(self) -> tuple[FusionCheck, ...]:
        """What each compiled region fused."""
        return fusion_checks(self.trace)

    @fact
    def call_of(self) -> I32:
        """For each row the index of the attention call that it is a GPU operation of."""
        found = np.full(len(self.trace), ABSENT, np.int32)
        for index, call in enumerate(self.attention):
            found[call.gpu_rows] = index
        return found

    @fact
    def calls_by_event(self) -> dict[int, int]:
        """The index of the attention call that an op stands for or a GPU operation is of."""
        found: dict[int, int] = {}
        for index, call in enumerate(self.attention):
            found.update(dict.fromkeys(call.gpu_rows.tolist(), index))
            if call.op is not None:
                found[call.op] = index
        return found

    @fact
    def role_of(self) -> I8:
        """For each row of an attention call its role's place in `ROLES`, else ABSENT."""
        found = np.full(len(self.trace), ABSENT, np.int8)
        for call in self.attention:
            for share in call.roles:
                found[share.rows] = ROLES.index(share.role)
        return found
