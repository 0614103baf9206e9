"""What a device can do at most: datasheet peaks by name, per-SM limits by compute capability."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from attntui.trace.model import DeviceProperties

_TERA = 1e12
_GIGA = 1e9


@dataclass(frozen=True, slots=True)
class DevicePeaks:
    """Roofs of one device. Rates are dense (no structured sparsity), per second.

    `hbm` is bytes/s read plus written. `bf16`, `fp16`, `tf32`, `fp8` are FLOP/s on tensor
    (or matrix) cores, `fp32` FLOP/s off them. None where the device has no such unit or its
    datasheet no such figure. `source` says where the figures come from.
    """

    display: str
    hbm: float
    bf16: float | None
    fp16: float | None
    tf32: float | None
    fp32: float | None
    fp8: float | None
    source: str

    def matrix(self, dtype: str) -> float | None:
        """FLOP/s on tensor cores for a data type as `kernel_names` spells it."""
        if dtype.startswith("fp8"):
            return self.fp8
        return {"bf16": self.bf16, "fp16": self.fp16, "tf32": self.tf32, "fp32": self.tf32}.get(
            dtype
        )

    def flops(self, dtype: str | None, tensor_cores: bool | None) -> float | None:
        """FLOP/s of the roof that applies, or None where it is not known.

        Off the tensor cores it is the fp32 rate for every type up to 32 bits, as PyTorch
        computes in fp32 there. Where the name does not tell the unit, 8 and 16-bit types get
        the tensor-core roof (the higher one), fp32 the other.
        """
        if tensor_cores is False:
            return None if dtype in ("fp64", "c64", "c128") else self.fp32
        if dtype is None:
            return None
        if tensor_cores is None and dtype == "fp32":
            return self.fp32
        return self.matrix(dtype)


def _row(
    pattern: str,
    display: str,
    gbps: float,
    bf16: float | None,
    fp16: float | None,
    tf32: float | None,
    fp32: float,
    fp8: float | None,
    source: str,
) -> tuple[re.Pattern[str], DevicePeaks]:
    """One line of the table: GB/s and TFLOP/s as datasheets print them."""
    half, single = (None if bf16 is None else bf16 * _TERA), fp32 * _TERA
    return re.compile(pattern), DevicePeaks(
        display,
        gbps * _GIGA,
        half,
        None if fp16 is None else fp16 * _TERA,
        None if tf32 is None else tf32 * _TERA,
        single,
        None if fp8 is None else fp8 * _TERA,
        source,
    )


# Tried in order, so the narrower pattern stands first. Parts sold under a like name with other
# figures (H200 NVL, laptop and cut-down cards) must match none: no roof beats a wrong one.
_DEVICES: tuple[tuple[re.Pattern[str], DevicePeaks], ...] = (
    _row(r"A100-PG509", "A100 40GB (PG509 board)", 1555, 312, 312, 156, 19.5, None,
         "NVIDIA A100 datasheet"),
    _row(r"A100[- ]PCI[eE].*80GB|A100 80GB PCIe", "A100 80GB PCIe", 1935, 312, 312, 156, 19.5,
         None, "NVIDIA A100 datasheet"),
    _row(r"A100.*80GB", "A100 80GB SXM", 2039, 312, 312, 156, 19.5, None,
         "NVIDIA A100 datasheet"),
    _row(r"A100.*40GB", "A100 40GB", 1555, 312, 312, 156, 19.5, None, "NVIDIA A100 datasheet"),
    _row(r"\bH100 PCIe", "H100 PCIe", 2000, 756, 756, 378, 51, 1513,
         "NVIDIA H100 datasheet (dense)"),
    _row(r"\bH100(?!.*NVL).*(HBM3|SXM)", "H100 SXM", 3350, 989, 989, 495, 67, 1979,
         "NVIDIA H100 datasheet (dense: half the sparse figure)"),
    _row(r"\bH200\b(?!.*NVL)", "H200 SXM", 4800, 989, 989, 495, 67, 1979,
         "NVIDIA H200 datasheet (dense)"),
    _row(r"\bB200\b", "B200", 7700, 2250, 2250, 1125, 75, 4500,
         "NVIDIA HGX B200 datasheet (dense); bandwidth 7680-bit bus at 3996 MHz DDR"),
    _row(r"\bV100-SXM2", "V100 SXM2", 900, None, 125, None, 15.7, None, "NVIDIA V100 datasheet"),
    _row(r"\bT4\b", "T4", 320, None, 65, None, 8.1, None, "NVIDIA T4 datasheet"),
    _row(r"\bL4\b", "L4", 300, 121, 121, 60, 30.3, 242, "NVIDIA L4 datasheet (dense)"),
    _row(r"\bL40S\b", "L40S", 864, 362, 362, 183, 91.6, 733, "NVIDIA L40S datasheet (dense)"),
    _row(r"\bA10G?\b", "A10", 600, 125, 125, 62.5, 31.2, None, "NVIDIA A10 datasheet (dense)"),
    _row(r"\bRTX 4090\b(?! D\b| Laptop)", "RTX 4090", 1008, 165, 165, 83, 82.6, 330,
         "NVIDIA Ada whitepaper (dense with fp32 accumulate)"),
    _row(r"\bRTX 3090\b(?! Ti)", "RTX 3090", 936, 71, 71, 35.6, 35.6, None,
         "NVIDIA GA102 whitepaper (dense with fp32 accumulate)"),
    _row(r"\bMI300X\b", "MI300X", 5300, 1307, 1307, 654, 163.4, 2615,
         "AMD MI300X datasheet (dense)"),
    _row(r"\bMI250X?\b", "MI250X (one GCD)", 1638, 191.5, 191.5, None, 47.9, None,
         "AMD MI250X datasheet (half of two GCDs)"),
    _row(r"\bMI210\b", "MI210", 1638, 181, 181, None, 45.3, None, "AMD MI210 datasheet"),
)  # fmt: skip


def peaks(device_name: str) -> DevicePeaks | None:
    """Datasheet roofs of the device of that name (as CUDA or HIP reports it), or None."""
    short = device_name[:200]
    return next((found for pattern, found in _DEVICES if pattern.search(short)), None)


def with_ceilings(
    base: DevicePeaks | None,
    *,
    bandwidth: float | None = None,
    half_flops: float | None = None,
    source: str,
) -> DevicePeaks | None:
    """Replace datasheet roofs by measured or given ones.

    `bandwidth` in bytes/s read plus written; `half_flops` in FLOP/s, of bf16 and fp16 on
    tensor cores. Without a base, roofs that were not given stay None, and no bandwidth
    means no device (None).
    """
    if bandwidth is None and half_flops is None:
        return base
    if base is None:
        if bandwidth is None:
            return None
        return DevicePeaks(
            "this device", bandwidth, half_flops, half_flops, None, None, None, source
        )
    return replace(
        base,
        hbm=base.hbm if bandwidth is None else bandwidth,
        bf16=base.bf16 if half_flops is None else half_flops,
        fp16=base.fp16 if half_flops is None else half_flops,
        source=f"{source}; else {base.source}",
    )


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
