"""Theoretical occupancy against Nsight Compute, and by hand for each limit."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from attntui.analysis.occupancy import occupancy
from attntui.analysis.sm_limits import SmLimits, sm_limits

MEASURED = Path(__file__).parent / "measured_h200.csv"
"""One forward of each attention variant of the samples, by Nsight Compute on an H200."""


def _limits(major: int, minor: int) -> SmLimits:
    limits = sm_limits(major, minor)
    assert limits is not None
    return limits


def test_equals_nsight_compute_for_every_kernel() -> None:
    with MEASURED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 33
    for row in rows:
        shared = int(row["shared_mem_dynamic_bytes"]) + int(row["shared_mem_static_bytes"])
        found = occupancy(
            int(row["registers_per_thread"]), shared, int(row["block_size"]), _limits(9, 0)
        )
        assert found is not None
        assert found.percent == float(row["theoretical_occupancy_pct"]), row["kernel"]


@pytest.mark.parametrize(
    ("registers", "shared", "threads", "percent", "blocks", "limited_by"),
    [
        (32, 0, 128, 100.0, 16, ("warps", "registers")),
        (16, 0, 128, 100.0, 16, ("warps",)),
        (16, 0, 32, 50.0, 32, ("blocks",)),
        (255, 0, 128, 12.5, 2, ("registers",)),
        (168, 213188, 384, 18.75, 1, ("registers", "shared memory")),
        (40, 49152, 256, 50.0, 4, ("shared memory",)),
        (255, 0, 1024, 0.0, 0, ("registers",)),
        (256, 0, 32, 0.0, 0, ("registers",)),
        (32, 300000, 128, 0.0, 0, ("shared memory",)),
        # 33 threads need two warps; 33 registers are rounded to 40 a thread.
        (33, 0, 33, 75.0, 24, ("registers",)),
        # The driver takes 1 KB a block: 4 x (56 + 1) KB = 228 KB fits, one byte more does not.
        (32, 56 * 1024, 128, 25.0, 4, ("shared memory",)),
        (32, 56 * 1024 + 1, 128, 18.75, 3, ("shared memory",)),
        # Registers that the trace does not give (0) do not limit.
        (0, 0, 256, 100.0, 8, ("warps",)),
    ],
)
def test_each_limit_on_sm_90(
    registers: int,
    shared: int,
    threads: int,
    percent: float,
    blocks: int,
    limited_by: tuple[str, ...],
) -> None:
    found = occupancy(registers, shared, threads, _limits(9, 0))
    assert found is not None
    assert (found.percent, found.blocks, found.limited_by) == (percent, blocks, limited_by)


def test_the_a100_reference_of_cudnn_attention() -> None:
    found = occupancy(240, 0, 256, _limits(8, 0))
    assert found is not None
    assert (found.percent, found.blocks) == (12.5, 1)


def test_sm_89_holds_48_warps() -> None:
    found = occupancy(32, 0, 256, _limits(8, 9))
    assert found is not None
    assert (found.percent, found.blocks) == (100.0, 6)


def test_sm_70_reserves_no_shared_memory() -> None:
    found = occupancy(32, 48 * 1024, 256, _limits(7, 0))
    assert found is not None
    assert found.blocks == 2


@pytest.mark.parametrize(("registers", "shared", "threads"), [(32, 0, 0), (-1, 0, 32), (1, -1, 32)])
def test_a_launch_without_configuration_has_no_occupancy(
    registers: int, shared: int, threads: int
) -> None:
    assert occupancy(registers, shared, threads, _limits(9, 0)) is None
