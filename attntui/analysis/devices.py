"""What a device can do at most: datasheet peaks by name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_TERA = 1e12
_GIGA = 1e9


@dataclass(frozen=True, slots=True)
class DevicePeaks:
    """Roofs of one device. Rates are dense (no structured sparsity), per second.

    `hbm` is bytes/s read plus written. `bf16`, `fp16`, `tf32`, `fp8` are FLOP/s on tensor
    (or matrix) cores, `fp32` FLOP/s off them. None where the device has no such unit or no
    source was found for the figure. `source` says where the figures come from.
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
# AMD prints whole cards; a device of HIP is one die, half an MI250's. FP32 is the vector rate.
_DEVICES: tuple[tuple[re.Pattern[str], DevicePeaks], ...] = (
    _row(r"A100-PG509", "A100 40GB (PG509 board)", 1555, 312, 312, 156, 19.5, None,
         "NVIDIA A100 datasheet"),
    _row(r"A100[- ]PCI[eE].*80GB|A100 80GB PCIe", "A100 80GB PCIe", 1935, 312, 312, 156, 19.5,
         None, "NVIDIA A100 datasheet"),
    _row(r"A100.*80GB", "A100 80GB SXM", 2039, 312, 312, 156, 19.5, None,
         "NVIDIA A100 datasheet"),
    _row(r"A800[- ]PCI[eE].*80GB|A800 80GB PCIe", "A800 80GB PCIe", 1935, 312, 312, 156, 19.5,
         None, "Lenovo Press LP1813, product guide of the A800"),
    _row(r"A800-SXM4-80GB", "A800 80GB SXM", 2039, 312, 312, 156, 19.5, None,
         "Lenovo Press LP1813, product guide of the A800"),
    _row(r"A100.*40GB", "A100 40GB", 1555, 312, 312, 156, 19.5, None, "NVIDIA A100 datasheet"),
    _row(r"\bH100 PCIe", "H100 PCIe", 2000, 756, 756, 378, 51, 1513,
         "NVIDIA H100 datasheet (dense)"),
    _row(r"\bH100(?!.*NVL).*(HBM3|SXM)", "H100 SXM", 3350, 989, 989, 495, 67, 1979,
         "NVIDIA H100 datasheet (dense: half the sparse figure)"),
    _row(r"\bH800 PCIe", "H800 PCIe", 2000, 756, 756, None, 51, None,
         "Lenovo Press LP1814, product guide of the H800 (dense: half the sparse figure)"),
    _row(r"\bH800$", "H800 SXM", 3350, 989, 989, 495, 67, 1979,
         "Lenovo Press LP1814, product guide of the H800 (dense: half the sparse figure)"),
    _row(r"\bH200\b(?!.*NVL)", "H200 SXM", 4800, 989, 989, 495, 67, 1979,
         "NVIDIA H200 datasheet (dense)"),
    _row(r"\bGH200 (480|120)GB", "GH200 96GB HBM3", 4000, 990, 990, 494, 67, 1979,
         "NVIDIA GH200 datasheet (prints dense beside sparse)"),
    _row(r"\bGH200 144G HBM3e", "GH200 144GB HBM3e", 4900, 990, 990, 494, 67, 1979,
         "NVIDIA GH200 datasheet (prints dense beside sparse)"),
    _row(r"\bH20$", "H20 96GB", 4000, 148, 148, 74, 44, 296, "NVIDIA H20 datasheet (dense)"),
    _row(r"\bB200\b", "B200", 7700, 2250, 2250, 1100, 75, 4500,
         "NVIDIA Blackwell datasheet, HGX B200 (dense: half the sparse figure)"),
    _row(r"\bV100-SXM2", "V100 SXM2", 900, None, 125, None, 15.7, None, "NVIDIA V100 datasheet"),
    _row(r"\bV100-PCIE", "V100 PCIe", 900, None, 112, None, 14, None, "NVIDIA V100 datasheet"),
    _row(r"\bV100S-PCIE", "V100S PCIe", 1134, None, 130, None, 16.4, None,
         "NVIDIA V100 datasheet"),
    _row(r"\bT4$", "T4", 320, None, 65, None, 8.1, None, "NVIDIA T4 datasheet"),
    _row(r"\bL4$", "L4", 300, 121, 121, 60, 30.3, 242, "NVIDIA L4 datasheet (dense)"),
    _row(r"\bL40$", "L40", 864, 181, 181, 90.5, 90.5, 362, "NVIDIA L40 datasheet (dense)"),
    _row(r"\bL40S$", "L40S", 864, 362, 362, 183, 91.6, 733, "NVIDIA L40S datasheet (dense)"),
    _row(r"\bA10$", "A10", 600, 125, 125, 62.5, 31.2, None, "NVIDIA A10 datasheet (dense)"),
    _row(r"\bA10G$", "A10G", 600, 70, 70, 35, 35, None, "AWS and NVIDIA A10G datasheet (dense)"),
    _row(r"\bA40$", "A40", 696, 149.7, 149.7, 74.8, 37.4, None, "NVIDIA A40 datasheet (dense)"),
    _row(r"\bRTX A6000$", "RTX A6000", 768, 154.8, 154.8, 77.4, 38.7, None,
         "NVIDIA RTX A6000 datasheet (dense)"),
    _row(r"\bRTX 6000 Ada\b", "RTX 6000 Ada", 960, 364.2, 364.2, 182.1, 91.1, 728.5,
         "NVIDIA RTX 6000 Ada datasheet (1457.0 are sparse FP8: halves of it)"),
    _row(r"\bRTX 4090\b(?! D\b| Laptop)", "RTX 4090", 1008, 165.2, 165.2, 82.6,
         82.6, None, "NVIDIA Ada whitepaper (dense with fp32 accumulate)"),
    _row(r"\bRTX 3090\b(?! Ti)", "RTX 3090", 936, 71, 71, 35.6, 35.6, None,
         "NVIDIA GA102 whitepaper (dense with fp32 accumulate)"),
    _row(r"\bMI300X\b", "MI300X", 5300, 1307, 1307, 654, 163.4, 2615,
         "AMD MI300X datasheet (dense)"),
    _row(r"\bMI300A\b", "MI300A", 5300, 980.6, 980.6, None, 122.6, 1961,
         "AMD MI300A datasheet (dense)"),
    _row(r"\bMI325X\b", "MI325X", 6000, 1307, 1307, 654, 163.4, 2615,
         "AMD MI325X datasheet (dense)"),
    _row(r"\bMI350X\b", "MI350X", 8000, 2307, 2307, None, 144.2, 4614,
         "AMD MI350X datasheet (dense: the MI355X at 2.2 for 2.4 GHz; printed as 2.3 PFLOP/s)"),
    _row(r"\bMI355X\b", "MI355X", 8000, 2516.6, 2516.6, None, 157.3, 5033.2,
         "AMD MI355X datasheet (dense; TF32 is emulated)"),
    _row(r"\bMI250X\b", "MI250X (one GCD)", 1638, 191.5, 191.5, None, 23.9, None,
         "AMD MI250X datasheet (half of two GCDs)"),
    _row(r"\bMI250\b", "MI250 (one GCD)", 1638, 181, 181, None, 22.6, None,
         "AMD MI250 datasheet (half of two GCDs)"),
    _row(r"\bMI210\b", "MI210", 1638, 181, 181, None, 22.6, None, "AMD MI210 datasheet"),
)  # fmt: skip
# A share of a device: a MIG slice, a virtual GPU's profile.
_SHARE = re.compile(r"\bMIG\b|\bGRID\b|-\d+[QCAB]\b")
# HIP calls both by one name; they differ in compute units a die.
_EITHER_MI250 = re.compile(r"\bMI250X ?/ ?MI250\b")
_MI250_BY_UNITS = {110: "MI250X", 104: "MI250"}


def peaks(device_name: str, multiprocessors: int | None = None) -> DevicePeaks | None:
    """Datasheet roofs of the device of that name (as CUDA or HIP reports it), or None. The
    number of multiprocessors tells devices apart that share a name.
    """
    short = device_name[:200].strip()
    if _SHARE.search(short):
        return None
    if _EITHER_MI250.search(short):
        short = _MI250_BY_UNITS.get(multiprocessors or 0, "")
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
