"""What devices, lanes, threads and kernels of a trace are called: the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from attntui.analysis.kept.fact import Facts, fact
from attntui.analysis.kernel_names import KernelName, decode
from attntui.analysis.recorded import recorded_by
from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT, Lane, LaneKind, Trace

NAME_CELLS = 200
"""Cells of a name kept for bars and tables; the detail shows all of it."""

DEVICE_CELLS = 60
"""Cells of a device's name, and of a process's."""

_NO_NAME = safe("(no name)")


def shown_name(name: str) -> Safe:
    """An event's name as a label, which is never empty."""
    return safe(name, NAME_CELLS) if name.strip() else _NO_NAME


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of one trace, all of them safe to show."""

    trace: Trace
    facts: Facts | None = field(default=None, repr=False)

    @fact
    def decoded(self) -> dict[int, KernelName]:
        """What the name of each GPU operation tells, by name id."""
        trace = self.trace
        ids = np.unique(trace.name[trace.gpu_ops]).tolist()
        return {number: decode(trace.names[number]) for number in ids}

    @fact
    def names(self) -> tuple[Safe, ...]:
        """By name id: the name, for GPU operations its decoded short form. Operations whose
        short forms are alike are told apart by `#1`, `#2`.
        """
        short = [shown_name(name) for name in self.trace.names]
        alike: dict[Safe, list[int]] = {}
        for number, decoded in self.decoded.items():
            short[number] = shown_name(decoded.short)
            alike.setdefault(short[number], []).append(number)
        for text, numbers in alike.items():
            for place, number in enumerate(numbers, 1):
                short[number] = safe(f"{text} #{place}") if len(numbers) > 1 else text
        return tuple(short)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """By name id what search and filters read: the label, and the name in full."""
        return tuple(
            label if label == name else f"{label} {name}"
            for label, name in zip(self.names, self.trace.names, strict=True)
        )

    def event(self, row: int) -> Safe:
        """An event's name."""
        return self.names[int(self.trace.name[row])]

    # Devices

    @cached_property
    def _used(self) -> list[int]:
        """The devices that ran something."""
        used: list[int] = np.unique(self.trace.device[self.trace.gpu_ops]).tolist()
        return used

    @cached_property
    def _described(self) -> dict[int, str]:
        """By the file's number of a device its name as recorded (not safe)."""
        return {device.id: device.name for device in self.trace.metadata.devices if device.name}

    @cached_property
    def _process_of(self) -> dict[int, str]:
        """By device the process it stands under, where several number their devices alike."""
        if not self.trace.renumbered_devices:
            return {}
        found: dict[int, str] = {}
        for lane in self.trace.lanes:
            if lane.device is not None:
                found.setdefault(lane.device, lane.pid)
        return found

    def place(self, device: int) -> Safe:
        """A device as the file numbers it: `0`; of several ranks also its process: `0 rank1`."""
        number = str(self.trace.number_of_device(device))
        process = self._process_of.get(device)
        if process is None:
            return safe(number)
        return safe(f"{number} {'p' if process.isdecimal() else ''}{process}", DEVICE_CELLS)

    def device(self, device: int | None, word: str = "GPU") -> Safe:
        """A device: `GPU 0`, or another word with its place; the word alone where none is told."""
        return safe(word if device in (None, ABSENT) else f"{word} {self.place(device)}")

    def stream(self, device: int | None, stream: int | None) -> Safe:
        """A stream of a device: `GPU 0 s7`."""
        return safe(f"{self.device(device)} s{stream}")

    def names_of_devices(self, used: Sequence[int]) -> tuple[str, ...]:
        """Names of some devices as recorded (not safe), of those that have one; where none
        has, that of the first device that the file describes.
        """
        named = self._described
        found = [named.get(self.trace.number_of_device(device)) for device in used]
        names = [name for name in found if name is not None]
        return tuple(names or [named[number] for number in sorted(named)[:1]])

    def name_of_device(self, device: int) -> str | None:
        """One device's name as recorded (not safe): of several, none has another's."""
        own = self._described.get(self.trace.number_of_device(device))
        return self.device_name if own is None and len(self._used) == 1 else own

    @cached_property
    def device_names(self) -> tuple[str, ...]:
        """Names of the devices that ran something, as recorded (not safe)."""
        return self.names_of_devices(self._used)

    @property
    def device_name(self) -> str | None:
        """The first device's name as recorded (not safe); None where no name is told."""
        return self.device_names[0] if self.device_names else None

    @cached_property
    def devices(self) -> Safe:
        """All devices that ran something: `NVIDIA H200`, `2 x NVIDIA H200`, or what is not told."""
        number = len(self._used)
        if not number:
            return safe("no GPU operations")
        if not self.device_names:
            return safe(f"{number} {'GPU' if number == 1 else 'GPUs'}, name not recorded")
        distinct = dict.fromkeys(self.device_names)
        if len(distinct) == 1:
            name = safe(self.device_names[0], DEVICE_CELLS)
            return name if number == 1 else safe(f"{number} x {name}")
        return safe(", ".join(safe(name, DEVICE_CELLS) for name in distinct))

    # Lanes

    def lane(self, lane: Lane) -> Safe:
        """A lane in full: a stream of a device, or a thread of a process."""
        if lane.stream is not None:
            return safe(f"{self.device(lane.device)} stream {lane.stream}")
        label = f" {lane.label}" if lane.label else ""
        return safe(f"process {lane.pid} thread {lane.tid}{label}", NAME_CELLS)

    def thread(self, lane: Lane, word: str) -> Safe:
        """A host thread as a heading: the thread's recorded name, else `word`, and its id."""
        named = lane.label.rpartition("(")[2].rstrip(") ")
        return safe(f"{named or word} {lane.tid}", NAME_CELLS)

    @cached_property
    def _is_foreign(self) -> bool:
        return recorded_by(self.trace) is not None

    def heading(self, lane: Lane, other: str) -> Safe:
        """A lane of a device as a heading; of another kind of lane what is told of it and its
        thread: `other`, which says more than its recorded name unless another tool wrote it.
        """
        if lane.kind is LaneKind.GPU:
            return self.stream(lane.device, lane.stream)
        if lane.kind is LaneKind.GPU_ANNOTATION:
            return safe(f"{self.device(lane.device, 'ann.')} s{lane.stream}")
        told = (lane.label, other) if self._is_foreign else (other, lane.label)
        return safe(f"{next(filter(None, told), lane.pid)} {lane.tid}", NAME_CELLS)
