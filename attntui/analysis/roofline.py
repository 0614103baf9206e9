"""What bounds a kernel: its rates against the roofs of the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attntui.analysis.devices import DevicePeaks

NEAR = 0.1
"""A tenth of a roof: under it on both, latency or the launch bounds the kernel, not the unit."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Rates of a kernel and the roof that applies; None where not known.

    `tflops` in 1e12 FLOP/s and `gbps` in 1e9 bytes/s are achieved; `share` is the fraction of
    the nearer roof reached; `intensity` is FLOPs a byte.
    """

    kind: Literal["compute", "memory", "latency"] | None
    tflops: float | None
    gbps: float | None
    share: float | None
    intensity: float | None


def bound(
    flops: int | None,
    moved: int | None,
    duration_ns: int,
    peaks: DevicePeaks | None,
    dtype: str | None,
    tensor_cores: bool | None,
) -> Bound:
    """What bounds work of `flops` FLOPs and `moved` bytes that took `duration_ns`.

    Compute where FLOPs / peak exceeds bytes / bandwidth, else memory; latency where neither
    reaches a tenth of its roof. `dtype` and `tensor_cores` pick the compute roof, as
    `DevicePeaks.flops` does. Without FLOPs, bytes or a roof that applies the kind is None.
    """
    rate = flops / duration_ns if flops is not None and duration_ns > 0 else None
    traffic = moved / duration_ns if moved is not None and duration_ns > 0 else None
    intensity = flops / moved if flops is not None and moved else None
    tflops = None if rate is None else rate / 1e3
    if peaks is None or rate is None or traffic is None:
        return Bound(None, tflops, traffic, None, intensity)
    peak = peaks.flops(dtype, tensor_cores)
    memory = traffic * 1e9 / peaks.hbm
    if flops == 0:
        compute = 0.0
    elif peak:
        compute = rate * 1e9 / peak
    else:
        return Bound(None, tflops, traffic, None, intensity)
    share = max(compute, memory)
    if share < NEAR:
        kind: Literal["compute", "memory", "latency"] = "latency"
    else:
        kind = "compute" if compute > memory else "memory"
    return Bound(kind, tflops, traffic, share, intensity)
