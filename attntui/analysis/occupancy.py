"""How many of a kernel's warps one streaming multiprocessor can hold at once, and why no more."""

from __future__ import annotations

from dataclasses import dataclass

from attntui.analysis.sm_limits import SmLimits


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The theoretical occupancy of a launch.

    `percent` of the warps that the SM can hold; `blocks` resident per SM; `limited_by`: which
    of `warps`, `blocks`, `registers`, `shared memory` allow no more blocks than that (ties
    name each). A launch that does not fit has 0 blocks.
    """

    percent: float
    blocks: int
    limited_by: tuple[str, ...]


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def occupancy(
    registers: int, shared_memory: int, threads_per_block: int, limits: SmLimits
) -> Occupancy | None:
    """Theoretical occupancy from registers a thread, shared bytes a block, threads a block.

    `shared_memory` is static plus dynamic, as Kineto reports it; what the driver reserves is
    added from `limits`. Thread block clusters are not considered. None where the launch
    configuration makes no sense (no threads, a negative figure): nothing was recorded then.
    The rules are those of NVIDIA's occupancy calculator (cuda_occupancy.h).
    """
    if threads_per_block <= 0 or registers < 0 or shared_memory < 0:
        return None
    warps = -(-threads_per_block // limits.warp_size)
    fits = {"warps": limits.warps // warps, "blocks": limits.blocks}
    if registers > limits.registers_per_thread:
        fits["registers"] = 0
    elif registers > 0:
        a_warp = _round_up(registers * limits.warp_size, limits.register_unit)
        # A warp lives in one partition, so each partition holds whole warps only.
        held = limits.registers // limits.partitions // a_warp * limits.partitions
        fits["registers"] = held // warps
    a_block = _round_up(shared_memory + limits.shared_reserved, limits.shared_unit)
    if a_block > 0:
        fits["shared memory"] = limits.shared_memory // a_block
    blocks = min(fits.values())
    return Occupancy(
        percent=100 * blocks * warps / limits.warps,
        blocks=blocks,
        limited_by=tuple(name for name, most in fits.items() if most == blocks),
    )
