"""Every limit that decides whether something is a finding, each with its reason."""

from __future__ import annotations

HIGH_SHARE = 0.25
"""Of the devices' span. A quarter: worth more than most other changes to the program."""

MEDIUM_SHARE = 0.10
"""A tenth: seen on a wall clock without measuring twice."""

LOW_SHARE = 0.03
"""Below this two runs of one program differ as much: nothing to act on, so no finding."""

LITTLE_SHARE = 0.1
"""Of its cost. A finding about the GPU's work that gains less is held back by something else."""

EVIDENCE_MOST = 20
"""Pieces of evidence kept, the costliest first: more than anyone steps through."""

PAGEABLE_LEAST_BYTES = 64 * 1024 + 1
"""CUDA stages a copy of up to 64 KB from pageable memory at once and returns (CUDA runtime
API, "API synchronization behavior"): pinning gains nothing there, nor for an `.item()`.
"""

PINNED_BYTES_A_SECOND = ((9, 40e9), (8, 20e9), (0, 10e9))
"""A copy from or to pinned memory is at least as fast, from a compute capability on: PCIe 5.0,
4.0 and 3.0 with 16 lanes carry 52, 26 and 13 GB/s at most (an H200 was measured at 54).
"""

LAUNCH_CALL_NS = 10_000
"""What the host takes to launch a kernel or a copy, give or take."""

TINY_NS = 5_000
"""A kernel shorter than this takes the GPU less time than its launch takes the host."""

TINY_LEAST = 100
"""Fewer tiny kernels are the edges of something larger."""

TINY_LEAST_SHARE = 0.5
"""Of the kernels. Where most are long, fusing the rest changes little."""

KERNEL_FLOOR_NS = 2_000
"""What a kernel takes that does next to nothing: to begin, to read an address, to end. Two
kernels in one save it once.
"""

QUEUED_NS = 100_000
"""Two kernels that both stand ready follow each other within some us. From here on something
held the second one up that the trace does not show.
"""

HOST_CODE_NS = 500_000
"""Host code that runs this long between two launches is a piece of work of its own, not what
launching costs: an op is dispatched in some tens of us.
"""

GOES_ON = 0.5
"""Of the allocating calls of the first step that each later one makes too, from which on they
are not a warm-up.
"""

READY_BATCH_NS = 100_000
"""A batch that lies ready still takes the host about this long to fetch (queue, unpickling);
measured with four workers and with batches of some KB.
"""

FUSED_SHARE = 1 / 3
"""Of the nearer roof that one fused attention kernel reaches, both products counted in full.
FlashAttention reaches 0.37 so counted, cuDNN 0.6 (H200, 8x16x1024x64, bf16, causal).
"""

PRODUCT_SHARE = 0.65
"""Of its roof that a large product of aligned sizes on the tensor cores reaches at least: measured
0.69 in bf16 and 0.81 in TF32 (H200).
"""

CHAIN_LEAST = 3
"""Pointwise kernels in a row on tensors of one size, from which they are a chain: two may be
what an op needs.
"""

POINTWISE_KEPT = 0.2
"""Of a pointwise kernel's time that stays when it is fused, for its arithmetic: a chain of mul,
add and tanh kept 0.27 (H200), one without a transcendental function keeps next to nothing.
"""

LOOP_LEAST = 32
"""Kernels of one optimiser step, from which they are a loop over tensors: a fused or a foreach
optimiser launches some.
"""

LOOP_REPEATS = 8
"""Kernels of one name in one optimiser step, from which they are a loop over tensors."""

SMALL_GRID_SHARE = 0.5
"""Of the multiprocessors. With fewer blocks, most of the GPU stands beside the kernel."""

UNALIGNED_ELEMENTS = 8
"""Of 16-bit types: 16 bytes, the longest load of one thread. Lengths that are no multiple of it
need narrower ones.
"""

LOW_OCCUPANCY_PCT = 30.0
"""Below it a kernel is often asked about: two of five warps' places or fewer are the usual
price of tiles kept in registers and shared memory.
"""

NEAR_ROOF = 0.5
"""Share of its roof from which a kernel at low occupancy is fine: more warps gain little."""

SEEN_SHARE = 0.05
"""Of the GPU time. A kernel name with less is not worth a note."""
