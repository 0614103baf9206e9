"""What bounds a kernel: its rates against the roofs of the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attntui.analysis.devices import DevicePeaks
from attntui.analysis.word import Word

NEAR = 0.1
"""A tenth of a roof: under it on both, latency or the launch bounds the kernel, not the unit."""


HALF = 0.5
"""Half of a roof: from there on it alone accounts for most of a kernel's time; under it the kernel
is far from what bounds it.
"""

BEYOND = 1.1
"""A tenth above a roof: more than clocks and datasheets are off by, so no rate of the device."""

Kind = Literal["compute", "memory", "latency"]


class Reason(Word):
    """Why a kernel stays far from its roof, as far as a trace shows it."""

    FEW_BLOCKS = "few blocks"
    LOW_OCCUPANCY = "low occupancy"
    CONVERSION = "converts types"


@dataclass(frozen=True, slots=True)
class Bound:
    """Rates of a kernel and the roof that applies; None where not known.

    `tflops` in 1e12 FLOP/s and `gbps` in 1e9 bytes/s are achieved; `share` is the fraction
    reached of the nearer roof, of those that are known; `intensity` is FLOPs a byte.
    """

    kind: Kind | None
    tflops: float | None
    gbps: float | None
    share: float | None
    intensity: float | None

    @property
    def far(self) -> bool | None:
        """Whether it reaches less than half of the roof that bounds it; None without one."""
        return None if self.kind is None or self.share is None else self.share < HALF


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
    `DevicePeaks.flops` does. With one of the two unknown the other is named from half of its
    roof on, since it then accounts for most of the time; below that the kind is None.
    """
    timed = duration_ns > 0
    # FLOPs a nanosecond are 1e9 FLOP/s; so are bytes.
    rate = flops / duration_ns if flops is not None and timed else None
    traffic = moved / duration_ns if moved is not None and timed else None
    peak = peaks.flops(dtype, tensor_cores) if peaks else None
    memory = traffic * 1e9 / peaks.hbm if peaks and traffic is not None else None
    compute = rate * 1e9 / peak if peak and rate is not None else None
    if peaks and rate == 0:
        compute = 0.0
    known = [share for share in (compute, memory) if share is not None]
    return Bound(
        _kind(compute, memory),
        None if rate is None else rate / 1e3,
        traffic,
        max(known, default=None),
        flops / moved if flops is not None and moved else None,
    )


def is_beyond(
    flops: int | None,
    moved: int | None,
    duration_ns: int,
    limits: DevicePeaks | None,
    dtype: str | None,
    tensor_cores: bool | None,
) -> bool:
    """Whether a device of `limits` cannot do that work in that time: it did less, or had what
    it read in a cache.
    """
    return (bound(flops, moved, duration_ns, limits, dtype, tensor_cores).share or 0) > BEYOND


def _kind(compute: float | None, memory: float | None) -> Kind | None:
    if compute is None:
        return "memory" if memory is not None and memory >= HALF else None
    if memory is None:
        return "compute" if compute >= HALF else None
    if max(compute, memory) < NEAR:
        return "latency"
    return "compute" if compute > memory else "memory"
