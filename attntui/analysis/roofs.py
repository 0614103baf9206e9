"""The roofs of a trace's devices: from the datasheet, measured by the capture, or asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from attntui.analysis.devices import DevicePeaks, peaks, with_ceilings
from attntui.trace.model import DeviceProperties, Trace


def roofs(
    trace: Trace, *, bandwidth: float | None = None, flops: float | None = None
) -> DevicePeaks | None:
    """The roofs of the devices that ran something, None where they are not known.

    What is asked for (`bandwidth` in bytes/s, `flops` in FLOP/s of bf16 and fp16 on tensor
    cores) wins over the ceilings that the capture measured, and these over the datasheet.
    Devices of different names share no roof.
    """
    found = _measured(trace, _of_datasheet(trace))
    return with_ceilings(found, bandwidth=bandwidth, half_flops=flops, source="as asked for")


def limits(trace: Trace) -> DevicePeaks | None:
    """What the devices that ran something can do at most: by the datasheet, else as measured."""
    return _of_datasheet(trace) or _measured(trace, None)


def used_devices(trace: Trace) -> tuple[DeviceProperties, ...]:
    """What the file tells of the devices that ran something."""
    used = set(map(trace.number_of_device, np.unique(trace.device[trace.gpu_ops]).tolist()))
    described = trace.metadata.devices
    # Some files number a device otherwise than its description: then all of them count.
    return tuple(device for device in described if device.id in used) or described


def _of_datasheet(trace: Trace) -> DevicePeaks | None:
    parts = {(device.name, device.sms) for device in used_devices(trace)}
    found = {peaks(name, units) if name else None for name, units in parts}
    return found.pop() if len(found) == 1 else None


def _measured(trace: Trace, base: DevicePeaks | None) -> DevicePeaks | None:
    """`base` with the ceilings that the capture left in the trace's metadata."""
    facts = trace.metadata.raw.get("attntui")
    told = facts.get("ceilings") if isinstance(facts, Mapping) else None
    if not isinstance(told, Mapping):
        return base
    rates = {name: _rate(told, f"{name}_tflops", 1e12) for name in ("bf16", "fp16", "fp32")}
    found = with_ceilings(
        base,
        bandwidth=_rate(told, "copy_gbps", 1e9),
        half_flops=rates["bf16"],
        source="measured by the capture",
    )
    if found is None:
        return None
    return replace(found, fp16=rates["fp16"] or found.fp16, fp32=rates["fp32"] or found.fp32)


def _rate(facts: Mapping[str, Any], key: str, unit: float) -> float | None:
    value = facts.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        return None
    return value * unit
