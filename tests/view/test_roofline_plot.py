"""The roofline as text: where roofs and marks fall, what the legend says, sizes that hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from attntui.analysis.devices import DevicePeaks, peaks
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.kernel_names import decode
from attntui.analysis.roofline import bound
from attntui.safe import safe
from attntui.view.drawing.roofline_plot import roofline_plot

GEMM = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"
SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false>(x)"
H200 = peaks("NVIDIA H200")
assert H200 is not None


def fact(
    name: str,
    gpu_ns: int,
    flops: int | None,
    moved: int | None,
    *,
    dtype: str = "bf16",
    roofs: DevicePeaks | None = H200,
) -> KernelFact:
    decoded = decode(name)
    found = bound(flops, moved, gpu_ns, roofs, dtype, decoded.tensor_cores)
    return KernelFact(decoded, dtype, gpu_ns, gpu_ns, flops, moved, found, None, (), None)


PRODUCT = fact(GEMM, 1_000, 500_000_000, 1_000_000)
ROWS = fact(SOFTMAX, 3_000, 7_500_000, 6_000_000, dtype="fp32")
COPY = fact("Memcpy DtoD (Device -> Device)", 500, 0, 2_000_000)
ALL = (PRODUCT, ROWS, COPY)


def plot(
    facts: Sequence[KernelFact],
    roofs: DevicePeaks | None,
    *size: int,
    ascii_only: bool = False,
) -> tuple[str, ...]:
    """The picture of kernels that are called by their short names."""
    named = [(safe(kernel.decoded.short), kernel) for kernel in facts]
    return roofline_plot(named, roofs, *size, ascii_only=ascii_only).lines


def place(lines: tuple[str, ...], letter: str) -> tuple[int, int]:
    """Line and cell of a letter in the picture, which ends where the axis stands."""
    axis = next(i for i, line in enumerate(lines) if "└" in line)
    for row, line in enumerate(lines[1:axis], 1):
        if letter in line[8:]:
            return row, line.index(letter, 8)
    raise AssertionError(f"{letter} is not drawn")


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("size", [(40, 10), (80, 24), (120, 40), (200, 60), (41, 11)])
def test_the_size_holds(size: tuple[int, int], ascii_only: bool) -> None:
    for facts in (ALL, ALL * 20, ()):
        lines = plot(facts, H200, *size, ascii_only=ascii_only)
        assert len(lines) == size[1]
        assert all(cell_len(line) <= size[0] for line in lines)
        assert not ascii_only or "".join(lines).isascii()


@pytest.mark.parametrize("size", [(39, 24), (80, 9), (1, 1), (0, 3), (5, 0)])
def test_too_small_says_so(size: tuple[int, int]) -> None:
    lines = plot(ALL, H200, *size)
    assert len(lines) == size[1]
    assert all(cell_len(line) <= size[0] for line in lines)


def test_letters_go_by_time() -> None:
    lines = plot(ALL, H200, 120, 30)
    legend = [line for line in lines if "softmax" in line or "gemm" in line or "Memcpy" in line]
    assert [line[0] for line in legend] == ["A", "B", "C"]
    assert [line.split()[1] for line in legend] == ["66.7", "22.2", "11.1"]
    assert "softmax" in legend[0]


def test_more_flops_a_byte_lie_to_the_right_and_faster_ones_higher() -> None:
    lines = plot(ALL, H200, 120, 30)
    (slow_row, slow_cell), (fast_row, fast_cell) = place(lines, "A"), place(lines, "B")
    assert fast_row < slow_row
    assert fast_cell > slow_cell


def test_a_mark_lies_on_its_roof_when_it_reaches_it() -> None:
    assert H200 is not None
    at_roof = fact(SOFTMAX, 1_000, 4_800_000, 4_800_000, dtype="fp32")
    assert at_roof.bound.share == 1
    with_roof = plot([at_roof, PRODUCT], H200, 120, 30)
    row, cell = place(with_roof, "A")
    around = with_roof[row][cell - 1] + with_roof[row][cell + 1]
    assert "╱" in around


def test_no_roof_lies_above_a_memory_bound_mark_by_more_than_its_share_says() -> None:
    """The rows between a mark and the slope over it are the logarithm of its share."""
    lines = plot(ALL, H200, 120, 60)
    row, cell = place(lines, "A")
    above = next(i for i in range(row, 0, -1) if lines[i][cell : cell + 1] == "╱")
    assert ROWS.bound.share is not None
    labels = {line[:6].strip(): i for i, line in enumerate(lines) if line[:6].strip()}
    decade = labels["1 T"] - labels["10 T"]
    expected = -math.log10(ROWS.bound.share) * decade
    assert abs((row - above) - expected) <= 1.5


def test_two_roofs_are_flat_to_the_right_of_their_ridge() -> None:
    lines = plot(ALL, H200, 120, 40)
    assert "67.0 TFLOP/s fp32, 989 TFLOP/s bf16" in lines[0]
    flat = [line for line in lines[1:] if "──────" in line and "└" not in line]
    assert len(flat) == 2
    # The higher one begins further to the right.
    assert flat[0].index("──────") > flat[1].index("──────")


def test_what_has_no_place_on_the_axes_is_still_told() -> None:
    lines = plot([COPY, PRODUCT, fact(SOFTMAX, 10, None, 5_000)], H200, 120, 30)
    text = "\n".join(lines)
    assert "no FLOPs, Memcpy DtoD" in text
    assert "work half known" in text


def test_a_mark_under_another_is_named() -> None:
    lines = plot([PRODUCT, PRODUCT], H200, 120, 30)
    assert any(line.startswith("B ") and "at A" in line for line in lines)


def test_names_that_are_not_listed_are_counted() -> None:
    lines = plot([ROWS, *[PRODUCT] * 99], H200, 80, 24)
    assert lines[-1] == "90 other names, 88.2 % of the time, are not shown"


def test_without_roofs_marks_stand_alone() -> None:
    alone = [fact(GEMM, 1_000, 500_000_000, 1_000_000, roofs=None)]
    lines = plot(alone, None, 80, 24)
    assert "roofs are not known" in lines[0]
    assert place(lines, "A")
    assert "╱" not in "".join(lines)


def test_nothing_known_is_one_line() -> None:
    lines = plot([fact(GEMM, 1_000, None, None)], H200, 80, 24)
    assert lines[0].startswith("no kernel's work is known")
    assert set(lines[1:]) == {""}


def test_hostile_names_stay_text() -> None:
    bad = fact("evil\x1b[31m[red]\n", 1_000, 500_000_000, 1_000_000)
    text = "".join(plot([bad], H200, 80, 24))
    assert "\x1b" not in text
    assert "\n" not in text
