"""What one streaming multiprocessor can hold at once, by compute capability."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attntui.trace.model import DeviceProperties


@dataclass(frozen=True, slots=True)
class SmLimits:
    """What one streaming multiprocessor can hold.

    Registers are 32-bit and handed out to whole warps in units of `register_unit`, from
    `partitions` equal files; shared memory in bytes, in units of `shared_unit`, and each
    block costs `shared_reserved` beside its own.
    """

    warps: int
    blocks: int
    shared_memory: int
    shared_reserved: int
    shared_unit: int
    registers: int = 65536
    register_unit: int = 256
    registers_per_thread: int = 255
    partitions: int = 4
    warp_size: int = 32


_KIB = 1024
# CUDA C++ Programming Guide, "Compute Capabilities", table of technical specifications (warps,
# blocks, registers, shared memory per SM); tuning guides from Ampere on (1 KB reserved a block);
# cuda_occupancy.h (units of allocation, four partitions).
_SM_LIMITS: dict[tuple[int, int], SmLimits] = {
    (7, 0): SmLimits(64, 32, 96 * _KIB, 0, 256),
    (7, 2): SmLimits(64, 32, 96 * _KIB, 0, 256),
    (7, 5): SmLimits(32, 16, 64 * _KIB, 0, 256),
    (8, 0): SmLimits(64, 32, 164 * _KIB, _KIB, 128),
    (8, 6): SmLimits(48, 16, 100 * _KIB, _KIB, 128),
    (8, 7): SmLimits(48, 16, 164 * _KIB, _KIB, 128),
    (8, 9): SmLimits(48, 24, 100 * _KIB, _KIB, 128),
    (9, 0): SmLimits(64, 32, 228 * _KIB, _KIB, 128),
    (10, 0): SmLimits(64, 32, 228 * _KIB, _KIB, 128),
    (10, 3): SmLimits(64, 32, 228 * _KIB, _KIB, 128),
    (11, 0): SmLimits(48, 24, 228 * _KIB, _KIB, 128),
    (12, 0): SmLimits(48, 24, 100 * _KIB, _KIB, 128),
    (12, 1): SmLimits(48, 24, 100 * _KIB, _KIB, 128),
}


def sm_limits(major: int, minor: int) -> SmLimits | None:
    """Limits of an NVIDIA compute capability, or None where it is not in the table."""
    return _SM_LIMITS.get((major, minor))


def limits_of(device: DeviceProperties) -> SmLimits | None:
    """Limits of a device that a trace describes: the table, corrected by the description.

    None for AMD (a wavefront of 64, allocated otherwise), for a capability that is not in the
    table, and for a device without one. What is told as 0 or less is not told.
    """

    def told(value: int | None) -> int | None:
        return value if value is not None and value > 0 else None

    if device.compute_major is None or device.compute_minor is None:
        return None
    table = sm_limits(device.compute_major, device.compute_minor)
    if table is None or told(device.warp_size) not in (None, table.warp_size):
        return None
    threads = told(device.max_threads_per_sm)
    return replace(
        table,
        warps=table.warps if threads is None else threads // table.warp_size,
        registers=told(device.registers_per_sm) or table.registers,
        shared_memory=told(device.shared_memory_per_sm) or table.shared_memory,
    )
