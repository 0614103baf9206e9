"""The output that was made for an attention kernel launched by no op: it is as large as q."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np

from attntui.analysis.attention.geometry import dtype_of
from attntui.analysis.attention.model import Geometry
from attntui.analysis.named import ops_named
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, I64, Shape, Trace

# Rows of q in a block of a Triton kernel: powers of two that its products take.
_BLOCKS = (16, 32, 64, 128, 256)
_MADE = "aten::empty_like"


def grid_of(trace: Trace, row: int) -> tuple[int, int, int] | None:
    """The grid of a kernel, None where it is not recorded."""
    config = int(trace.columns.launch_config[row])
    return None if config == ABSENT else trace.launch_configs[config].grid


def grid_fits(q: Shape, heads_at: int, kv_heads: int, grid: tuple[int, int, int]) -> bool:
    """Whether a grid has so many rows' blocks for every head of the batch: of q, or of the
    keys that heads of q share. `q` is [batch, ., ., dim] with the heads on an axis.
    """
    heads = {q[0] * q[heads_at], q[0] * kv_heads}
    blocks = {-(-q[3 - heads_at] // size) for size in _BLOCKS}
    parts = [part for count in (1, 2) for part in combinations(range(3), count)]
    return any(
        prod(grid[i] for i in part) in heads
        and prod(grid[i] for i in range(3) if i not in part) in blocks
        for part in parts
    )


def made_before(trace: Trace, kernels: I64) -> I64:
    """For each kernel the op that made a tensor like q just before its launch, else ABSENT: on
    its level of its thread, with no other launch in between.
    """
    found = np.full(len(kernels), ABSENT, np.int64)
    made = ops_named(trace, _MADE)
    if not len(made):
        return found
    launches = np.unique(trace.launch[trace.gpu_ops])
    launch = trace.launch[kernels].astype(np.int64)
    at = np.searchsorted(made, launch) - 1
    fits = np.flatnonzero((at >= 0) & (launch != ABSENT))
    row = made[at[fits]]
    same = (trace.lane[row] == trace.lane[launch[fits]]) & (
        trace.parent[row] == trace.parent[launch[fits]]
    )
    before = np.searchsorted(launches, row), np.searchsorted(launches, launch[fits])
    kept = same & (before[0] == before[1])
    found[fits[kept]] = row[kept]
    return found


def sizes_of_output(trace: Trace, made: int, kernel: int) -> Geometry | None:
    """What an output tells of a kernel whose grid fits it, and fits no other layout of it."""
    inputs, grid = trace.inputs_of(made), grid_of(trace, kernel)
    tensor = Arguments(inputs).tensor(0) if inputs is not None else None
    if inputs is None or tensor is None or grid is None or len(tensor.shape) != 4:
        return None
    q = tensor.shape
    fitting = [axis for axis in (1, 2) if grid_fits(q, axis, q[axis], grid)]
    dtype = dtype_of(inputs, 0)
    if dtype is None or (len(fitting) != 1 and not (fitting and q[1] == q[2])):
        return None
    return Geometry(
        batch=q[0],
        heads=q[fitting[0]],
        q_len=q[3 - fitting[0]],
        head_dim=q[3],
        products=q[0] * q[fitting[0]],
        dtype=dtype,
        itemsize=tensor.itemsize,
    )
