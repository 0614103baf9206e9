"""Which number formats a device multiplies on its tensor (or matrix) cores: what advice may say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from attntui.trace.model import DeviceProperties


@dataclass(frozen=True, slots=True)
class Abilities:
    """Whether matrix units for a format exist; None where it is not known."""

    bf16: bool | None = None
    tf32: bool | None = None
    fp8: bool | None = None


_UNKNOWN = Abilities()
_FP16_ALONE = Abilities(bf16=False, tf32=False, fp8=False)
_AMPERE = Abilities(bf16=True, tf32=True, fp8=False)
_ALL = Abilities(bf16=True, tf32=True, fp8=True)
# CUDA C++ Programming Guide, "Compute Capabilities", types of the tensor cores: from the
# capability on. What is newer than the table is not known.
_NVIDIA = (((0, 0), _FP16_ALONE), ((8, 0), _AMPERE), ((8, 9), _ALL), ((13, 0), _UNKNOWN))

_CDNA = Abilities(bf16=True, tf32=False, fp8=False)
_CDNA_4 = Abilities(bf16=True, tf32=False, fp8=True)
# ROCm documentation, "Data types and precision support": MI100 and MI200; MI300, which alone
# has TF32; MI350.
_AMD_NAMES = (
    (re.compile(r"\bMI(100|210|250X?)\b"), _CDNA),
    (re.compile(r"\bMI3(00[AX]?|08X|25X)\b"), _ALL),
    (re.compile(r"\bMI35[05]X\b"), _CDNA_4),
)
# HIP reports gfx942 as 9.4. Its 9.0 stands for several architectures, old and new.
_AMD = {(9, 4): _ALL, (9, 5): _CDNA_4}
_WAVEFRONT = 64


def abilities(device: DeviceProperties) -> Abilities:
    """What a device can do, by its compute capability, or by its name for AMD's."""
    name = (device.name or "")[:200]
    by_name = next((found for pattern, found in _AMD_NAMES if pattern.search(name)), None)
    if by_name is not None:
        return by_name
    if device.compute_major is None or device.compute_minor is None:
        return _UNKNOWN
    capability = device.compute_major, device.compute_minor
    if device.warp_size == _WAVEFRONT or "AMD" in name:
        return _AMD.get(capability, _UNKNOWN)
    return next((found for first, found in reversed(_NVIDIA) if capability >= first), _UNKNOWN)


def common_abilities(devices: Iterable[DeviceProperties]) -> Abilities:
    """What all of some devices can do; None where it is not known of one, and no other cannot."""
    found = [abilities(device) for device in devices]

    def all_of(told: Iterable[bool | None]) -> bool | None:
        values = set(told)
        if values == {True}:
            return True
        return False if False in values else None

    return Abilities(
        all_of(each.bf16 for each in found),
        all_of(each.tf32 for each in found),
        all_of(each.fp8 for each in found),
    )
