"""Device roofs and per-SM limits: found by name, absent for what is not known."""

from __future__ import annotations

import pytest

from attntui.analysis.devices import peaks, with_ceilings
from attntui.analysis.sm_limits import SmLimits, limits_of, sm_limits
from attntui.trace.metadata import read_metadata


@pytest.mark.parametrize(
    ("name", "display", "gbps", "bf16"),
    [
        ("NVIDIA H200", "H200 SXM", 4800, 989),
        ("NVIDIA H100 80GB HBM3", "H100 SXM", 3350, 989),
        ("NVIDIA H100 PCIe", "H100 PCIe", 2000, 756),
        ("NVIDIA A100-SXM4-80GB", "A100 80GB SXM", 2039, 312),
        ("NVIDIA A100 80GB PCIe", "A100 80GB PCIe", 1935, 312),
        ("A100-PCIE-40GB", "A100 40GB", 1555, 312),
        ("NVIDIA A100-PG509-200", "A100 40GB (PG509 board)", 1555, 312),
        ("NVIDIA B200", "B200", 7700, 2250),
        ("NVIDIA L4", "L4", 300, 121),
        ("NVIDIA L40S", "L40S", 864, 362),
        ("NVIDIA L40", "L40", 864, 181),
        ("NVIDIA A10", "A10", 600, 125),
        ("NVIDIA A10G", "A10G", 600, 70),
        ("NVIDIA A40", "A40", 696, 149.7),
        ("NVIDIA RTX A6000", "RTX A6000", 768, 154.8),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", 960, 364.2),
        ("NVIDIA A800-SXM4-80GB", "A800 80GB SXM", 2039, 312),
        ("NVIDIA A800 80GB PCIe", "A800 80GB PCIe", 1935, 312),
        ("NVIDIA H800", "H800 SXM", 3350, 989),
        ("NVIDIA H800 PCIe", "H800 PCIe", 2000, 756),
        ("NVIDIA H20", "H20 96GB", 4000, 148),
        ("NVIDIA GH200 480GB", "GH200 96GB HBM3", 4000, 990),
        ("NVIDIA GH200 144G HBM3e", "GH200 144GB HBM3e", 4900, 990),
        ("NVIDIA GeForce RTX 4090", "RTX 4090", 1008, 165.2),
        ("AMD Instinct MI300X VF", "MI300X", 5300, 1307),
        ("AMD Instinct MI210", "MI210", 1638, 181),
        ("AMD Instinct MI250", "MI250 (one GCD)", 1638, 181),
        ("AMD INSTINCT MI250 (MCM) OAM AC MBA", "MI250 (one GCD)", 1638, 181),
        ("AMD Instinct MI250X", "MI250X (one GCD)", 1638, 191.5),
        ("AMD Instinct MI300A", "MI300A", 5300, 980.6),
        ("AMD Instinct MI325X", "MI325X", 6000, 1307),
        ("AMD Instinct MI350X", "MI350X", 8000, 2307),
        ("AMD Instinct MI355X", "MI355X", 8000, 2516.6),
    ],
)
def test_peaks_are_found_by_the_reported_name(
    name: str, display: str, gbps: float, bf16: float
) -> None:
    found = peaks(name)
    assert found is not None
    assert found.display == display
    assert found.hbm == pytest.approx(gbps * 1e9)
    assert found.bf16 == pytest.approx(bf16 * 1e12)
    assert any(kind in found.source for kind in ("datasheet", "whitepaper", "product guide"))


@pytest.mark.parametrize(
    "name",
    [
        "",
        "AMD Radeon Graphics",
        "ARTEMIS",
        "NVIDIA H200 NVL",
        "NVIDIA H100 NVL",
        "NVIDIA H20-3e",
        "NVIDIA H800 NVL",
        "NVIDIA GB200",
        "NVIDIA L40G",
        "NVIDIA T400",
        "NVIDIA T4G",
        "NVIDIA A40-48Q",
        "NVIDIA A10-24Q",
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "NVIDIA H100 80GB HBM3 MIG 3g.40gb",
        "GRID A100D-80C",
        "Tesla V100-DGXS-32GB",
        "Quadro RTX 6000",
        "NVIDIA RTX A6000 Laptop GPU",
        "AMD Instinct MI308X",
        "AMD Instinct MI250X / MI250",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce RTX 4090 D",
        "NVIDIA GeForce RTX 3090 Ti",
    ],
)
def test_a_like_name_with_other_figures_gets_no_roof(name: str) -> None:
    assert peaks(name) is None


@pytest.mark.parametrize(
    ("name", "fp16", "fp32"),
    [
        ("Tesla V100-SXM2-32GB", 125e12, 15.7e12),
        ("Tesla V100-PCIE-16GB", 112e12, 14e12),
        ("Tesla V100S-PCIE-32GB", 130e12, 16.4e12),
    ],
)
def test_v100_has_no_bf16_and_its_boards_differ(name: str, fp16: float, fp32: float) -> None:
    v100 = peaks(name)
    assert v100 is not None
    assert (v100.bf16, v100.tf32, v100.fp8) == (None, None, None)
    assert (v100.fp16, v100.fp32) == pytest.approx((fp16, fp32))


@pytest.mark.parametrize(("units", "bf16"), [(110, 191.5e12), (104, 181e12)])
def test_compute_units_tell_which_of_two_with_one_name(units: int, bf16: float) -> None:
    found = peaks("AMD Instinct MI250X / MI250", units)
    assert found is not None
    assert found.bf16 == bf16
    assert peaks("AMD Instinct MI250X/MI250", units) is found


@pytest.mark.parametrize(
    ("name", "tf32", "fp8"),
    [
        # Half of the 2.2 PFLOP/s that the datasheet prints with sparsity.
        ("NVIDIA B200", 1100e12, 4500e12),
        # A quarter and an eighth of 1457.0 TFLOP/s of sparse FP8.
        ("NVIDIA RTX 6000 Ada Generation", 182.1e12, 728.5e12),
        # Its FP8 rate depends on the accumulator: no one roof.
        ("NVIDIA GeForce RTX 4090", 82.6e12, None),
        # No unit for TF32 in CDNA 4; for the other two no source was found.
        ("AMD Instinct MI355X", None, 5033.2e12),
        ("AMD Instinct MI300A", None, 1961e12),
        ("NVIDIA H800 PCIe", None, None),
    ],
)
def test_a_rate_is_as_printed_dense_or_none(
    name: str, tf32: float | None, fp8: float | None
) -> None:
    found = peaks(name)
    assert found is not None
    assert (found.tf32, found.fp8) == (tf32, fp8)


def test_fp32_is_the_rate_off_the_matrix_cores() -> None:
    # AMD prints both; twice as much on the matrix cores of CDNA 2.
    mi210 = peaks("AMD Instinct MI210")
    assert mi210 is not None
    assert mi210.flops("fp32", False) == 22.6e12


def test_the_roof_follows_type_and_unit() -> None:
    h200 = peaks("NVIDIA H200")
    assert h200 is not None
    assert h200.flops("bf16", True) == 989e12
    assert h200.flops("fp8_e4m3", True) == 1979e12
    assert h200.flops("fp32", True) == 495e12
    assert h200.flops("fp32", False) == 67e12
    assert h200.flops("bf16", False) == 67e12
    assert h200.flops("bf16", None) == 989e12
    assert h200.flops("fp32", None) == 67e12
    assert h200.flops(None, True) is None
    assert h200.flops("fp64", True) is None
    assert h200.flops("fp64", False) is None
    assert h200.flops("int8", True) is None


def test_measured_ceilings_win_and_say_so() -> None:
    h200 = peaks("NVIDIA H200")
    measured = with_ceilings(h200, bandwidth=4.29e12, half_flops=792e12, source="measured")
    assert measured is not None
    assert h200 is not None
    assert (measured.hbm, measured.bf16, measured.fp16) == (4.29e12, 792e12, 792e12)
    assert measured.tf32 == h200.tf32
    assert measured.source.startswith("measured")
    assert with_ceilings(h200, source="unused") is h200


def test_ceilings_alone_make_a_roof_for_an_unknown_device() -> None:
    made = with_ceilings(None, bandwidth=1e12, source="--peak-bw")
    assert made is not None
    assert made.hbm == 1e12
    assert made.bf16 is None
    assert made.fp32 is None
    assert with_ceilings(None, half_flops=1e12, source="--peak-tflops") is None
    assert with_ceilings(None, source="unused") is None


@pytest.mark.parametrize(
    ("capability", "warps", "blocks", "kib", "reserved"),
    [
        ((7, 0), 64, 32, 96, 0),
        ((7, 5), 32, 16, 64, 0),
        ((8, 0), 64, 32, 164, 1024),
        ((8, 6), 48, 16, 100, 1024),
        ((8, 9), 48, 24, 100, 1024),
        ((9, 0), 64, 32, 228, 1024),
        ((10, 0), 64, 32, 228, 1024),
        ((12, 0), 48, 24, 100, 1024),
    ],
)
def test_sm_limits_by_capability(
    capability: tuple[int, int], warps: int, blocks: int, kib: int, reserved: int
) -> None:
    limits = sm_limits(*capability)
    assert limits is not None
    assert (limits.warps, limits.blocks) == (warps, blocks)
    assert (limits.shared_memory, limits.shared_reserved) == (kib * 1024, reserved)
    assert limits.registers == 65536


def test_no_limits_for_what_is_not_in_the_table() -> None:
    assert sm_limits(6, 0) is None
    assert sm_limits(99, 0) is None


H200 = {
    "computeMajor": 9,
    "computeMinor": 0,
    "warpSize": 32,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerMultiprocessor": 65536,
    "sharedMemPerMultiprocessor": 233472,
}


def limits(entry: dict[str, object]) -> SmLimits | None:
    """The limits of one entry of a file's `deviceProperties`, read as loading reads it."""
    (device,) = read_metadata({"deviceProperties": [entry]}, 0).devices
    return limits_of(device)


def test_properties_agree_with_the_table_and_correct_it() -> None:
    assert limits(H200) == sm_limits(9, 0)
    smaller = limits(
        H200 | {"maxThreadsPerMultiprocessor": 1536, "sharedMemPerMultiprocessor": 102400}
    )
    assert smaller is not None
    assert (smaller.warps, smaller.shared_memory) == (48, 102400)


@pytest.mark.parametrize(
    "changed",
    [
        {"warpSize": 64},
        {"computeMajor": None},
        {"computeMinor": "0"},
        {"computeMajor": 6},
    ],
)
def test_no_limits_for_amd_or_without_a_capability(changed: dict[str, object]) -> None:
    assert limits(H200 | changed) is None


def test_nonsense_properties_leave_the_table_as_it_is() -> None:
    odd = {"maxThreadsPerMultiprocessor": -1, "regsPerMultiprocessor": "many"}
    assert limits(H200 | odd) == sm_limits(9, 0)
