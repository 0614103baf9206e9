"""The facts of a whole trace that the reports print, gathered once."""

from __future__ import annotations

from dataclasses import dataclass

from attntui.analysis.annotations import Annotations, find_annotations
from attntui.analysis.gap_causes import GapCauses, cause_finder
from attntui.analysis.idle import DeviceIdle, device_idle, launched
from attntui.analysis.kernels import KernelTable, kernel_table
from attntui.analysis.steps import Steps, find_steps
from attntui.trace.model import Trace


@dataclass(frozen=True, slots=True)
class Facts:
    """What the analyses say of a trace; `launched` is `devices` over the operations with
    a launch alone, by device (a device that has none is missing there); `causes` are those
    of the gaps of each of `devices`.
    """

    trace: Trace
    devices: tuple[DeviceIdle, ...]
    launched: dict[int, DeviceIdle]
    causes: tuple[GapCauses, ...]
    kernels: KernelTable
    annotations: Annotations
    steps: Steps

    @property
    def device_name(self) -> str | None:
        """The first device in use, by its recorded name; None where no name is told."""
        used = {device.device for device in self.devices}
        named = [device for device in self.trace.metadata.devices if device.name]
        named.sort(key=lambda device: (device.id not in used, device.id))
        return named[0].name if named else None


def gather(trace: Trace) -> Facts:
    """Run every analysis that the reports need."""
    devices = device_idle(trace)
    finder = cause_finder(trace)
    return Facts(
        trace=trace,
        devices=devices,
        launched={idle.device: idle for idle in device_idle(trace, launched(trace))},
        causes=tuple(finder.causes(idle.gaps) for idle in devices),
        kernels=kernel_table(trace),
        annotations=find_annotations(trace),
        steps=find_steps(trace),
    )
