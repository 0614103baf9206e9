"""How the launches of each kernel name fill the device: occupancy, weighted by time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from attntui.analysis.groups import distinct, sums
from attntui.analysis.occupancy import Occupancy, occupancy
from attntui.analysis.sm_limits import SmLimits, limits_of
from attntui.trace.model import ABSENT, I64, LaunchConfig, Trace


@dataclass(frozen=True, slots=True)
class Filling:
    """How launches of one name fill the device. `few_blocks_ns` is the time of those with
    fewer blocks than the device has multiprocessors.
    """

    percent: float | None = None
    limited_by: tuple[str, ...] = ()
    profiler: float | None = None
    unmeasured: bool = False
    few_blocks_ns: int = 0


@dataclass(frozen=True, slots=True)
class _Launches:
    """Launches of one name with one configuration on one device."""

    ns: int
    theory: Occupancy | None
    profiler: float | None
    few_blocks: bool


def fillings(trace: Trace, rows: I64, entry: I64) -> dict[int, Filling]:
    """By entry, the occupancy of its instances."""
    config = trace.columns.launch_config[rows].astype(np.int64)
    chosen = config != ABSENT
    rows, entry, config = rows[chosen], entry[chosen], config[chosen]
    first, group = distinct(entry, trace.device[rows], config)
    ns = sums(group, trace.dur[rows], len(first))
    limits = _limits(trace)
    units = {device.id: device.sms or 0 for device in trace.metadata.devices}
    parts: dict[int, list[_Launches]] = defaultdict(list)
    for i, device, number, time in zip(
        entry[first].tolist(),
        trace.device[rows[first]].tolist(),
        config[first].tolist(),
        ns.tolist(),
        strict=True,
    ):
        launch, told = trace.launch_configs[number], trace.number_of_device(device)
        few = launch.grid is not None and 0 < prod(launch.grid) < units.get(told, 0)
        theory = _occupancy(launch, limits.get(told))
        parts[i].append(_Launches(time, theory, launch.occupancy_pct, few))
    return {i: _filling(own) for i, own in parts.items()}


def _filling(parts: Sequence[_Launches]) -> Filling:
    theory = [(part.ns, part.theory) for part in parts if part.theory is not None]
    profiled = [(part.ns, part.profiler) for part in parts if part.profiler]
    most = max(theory, key=lambda pair: pair[0], default=None)
    return Filling(
        _weighted([(time, found.percent) for time, found in theory]),
        most[1].limited_by if most else (),
        _weighted(profiled),
        not profiled and any(part.profiler == 0 for part in parts),
        sum(part.ns for part in parts if part.few_blocks),
    )


def _weighted(parts: Sequence[tuple[int, float]]) -> float | None:
    """The mean of figures weighted by time; None without time."""
    whole = sum(time for time, _ in parts)
    return sum(time * figure for time, figure in parts) / whole if whole else None


def _occupancy(launch: LaunchConfig, limits: SmLimits | None) -> Occupancy | None:
    registers, shared, block = launch.registers, launch.shared_memory, launch.block
    if limits is None or registers is None or shared is None or block is None:
        return None
    x, y, z = block
    return occupancy(registers, shared, x * y * z, limits)


def _limits(trace: Trace) -> dict[int, SmLimits]:
    """Limits of the devices that the file describes, by device number."""
    found = {device.id: limits_of(device) for device in trace.metadata.devices}
    return {number: limits for number, limits in found.items() if limits is not None}
