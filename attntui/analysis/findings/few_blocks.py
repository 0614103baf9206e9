"""Kernels whose blocks fill less than half of the device, and how two findings name them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.busy_time import Rank, ranks
from attntui.analysis.findings.thresholds import KERNEL_FLOOR_NS, SMALL_GRID_SHARE
from attntui.trace.model import ABSENT, I64, Bool

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


@dataclass(frozen=True, slots=True)
class FewBlocks:
    """Which of the slice's operations have few blocks for their device, and longer than a
    kernel's floor. Columns over all of them; blocks and multiprocessors are 0 where unknown.
    """

    rows: I64
    small: Bool
    blocks: I64
    multiprocessors: I64


def few_blocks(seen: Slice) -> FewBlocks:
    """The slice's kernels with fewer blocks than `SMALL_GRID_SHARE` of the multiprocessors."""
    blocks, sms = _blocks(seen)
    small = (blocks > 0) & (sms > 0) & (blocks < SMALL_GRID_SHARE * sms)
    # A kernel at its floor would not be shorter with more blocks.
    small &= (ranks(seen.trace, seen.gpu_ops) == Rank.COMPUTE) & (seen.own > KERNEL_FLOOR_NS)
    return FewBlocks(seen.gpu_ops[small], small, blocks, sms)


def told(kernels: int, run_ns: int, idle_ns: int) -> tuple[str, dict[str, int | float]]:
    """What small-grid and launch-bound say of such kernels, each naming the other's share: the
    words and their figures. `idle_ns` is the time launch-bound before them.
    """
    words = (
        "{small_grids:kernel has/kernels have} fewer blocks than half of the multiprocessors: "
        "they run for {small_grids_running_ns}"
    )
    figures: dict[str, int | float] = {"small_grids": kernels, "small_grids_running_ns": run_ns}
    if idle_ns:
        words += ", the GPU launch-bound for {before_small_grids_ns} before them"
        figures["before_small_grids_ns"] = idle_ns
    return words, figures


def idle_before(seen: Slice, idle: I64, rows: I64) -> int:
    """Of idle time, shape [gaps, causes], what lies right before some operations."""
    return int(idle[np.isin(seen.gaps.after, rows)].sum())


def _blocks(seen: Slice) -> tuple[I64, I64]:
    """Blocks of each of the slice's operations, and its device's multiprocessors; 0: unknown."""
    trace = seen.trace
    config = trace.columns.launch_config[seen.gpu_ops]
    grids = [0 if c.grid is None else prod(c.grid) for c in trace.launch_configs]
    blocks = np.array([*grids, 0], np.int64)[config]
    sms = {device.id: device.sms or 0 for device in trace.metadata.devices}
    devices, device = np.unique(trace.device[seen.gpu_ops], return_inverse=True)
    of_device = [sms.get(trace.number_of_device(number), 0) for number in devices.tolist()]
    found = np.array(of_device, np.int64)[device]
    return np.where(config == ABSENT, 0, blocks), found
