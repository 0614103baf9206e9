"""The facts of a whole trace that the reports print, gathered once."""

from __future__ import annotations

from dataclasses import dataclass

from attntui.analysis.annotations import Annotations, find_annotations
from attntui.analysis.attention import AttentionCall
from attntui.analysis.compiled_regions import FusionCheck
from attntui.analysis.findings import Finding, Observed, find_findings
from attntui.analysis.gap_causes import GapCauses
from attntui.analysis.idle import DeviceIdle, device_idle, launched
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.kernels import KernelTable
from attntui.analysis.steps import Steps
from attntui.trace.model import Trace
from attntui.view.analyses import Analyses
from attntui.view.options import Options


@dataclass(frozen=True, slots=True)
class Facts:
    """What the analyses say of a trace; `launched` is `devices` over the operations with
    a launch alone, by device (a device that has none is missing there); `causes` are those
    of the gaps of each of `devices`, `kernel_facts` of the entries of `kernels`.
    """

    trace: Trace
    devices: tuple[DeviceIdle, ...]
    launched: dict[int, DeviceIdle]
    causes: tuple[GapCauses, ...]
    kernels: KernelTable
    kernel_facts: tuple[KernelFact, ...]
    attention: tuple[AttentionCall, ...]
    fusion: tuple[FusionCheck, ...]
    annotations: Annotations
    steps: Steps
    observed: Observed
    findings: tuple[Finding, ...]

    @property
    def device_name(self) -> str | None:
        """The first device in use, by its recorded name; None where no name is told."""
        used = {device.number for device in self.devices}
        named = [device for device in self.trace.metadata.devices if device.name]
        named.sort(key=lambda device: (device.id not in used, device.id))
        return named[0].name if named else None


def gather(trace: Trace, options: Options | None = None) -> Facts:
    """Run every analysis that the reports need; `options` may name the device's roofs."""
    analyses = Analyses.of(trace, options or Options())
    observed = analyses.observed(trace, trace.gpu_ops, analyses.attention)
    return Facts(
        trace=trace,
        devices=observed.idle,
        launched={idle.device: idle for idle in device_idle(trace, launched(trace))},
        causes=observed.causes,
        kernels=observed.table,
        kernel_facts=observed.facts,
        attention=observed.calls,
        fusion=analyses.fusion,
        annotations=find_annotations(trace),
        steps=observed.steps,
        observed=observed,
        findings=find_findings(observed),
    )
