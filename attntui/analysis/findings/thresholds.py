"""Every limit that decides whether something is a finding, each with its reason."""

from __future__ import annotations

HIGH_SHARE = 0.25
"""Of the devices' span. A quarter: worth more than most other changes to the program."""

MEDIUM_SHARE = 0.10
"""A tenth: seen on a wall clock without measuring twice."""

LOW_SHARE = 0.03
"""Below this two runs of one program differ as much: nothing to act on, so no finding."""

EVIDENCE_MOST = 20
"""Pieces of evidence kept, the costliest first: more than anyone steps through."""

PAGEABLE_LEAST_BYTES = 64 * 1024 + 1
"""CUDA stages a copy of up to 64 KB from pageable memory at once and returns (CUDA runtime
API, "API synchronization behavior"): pinning gains nothing there, nor for an `.item()`.
"""

TINY_NS = 5_000
"""A kernel shorter than this takes the GPU less time than its launch takes the host."""

TINY_LEAST = 100
"""Fewer tiny kernels are the edges of something larger."""

TINY_LEAST_SHARE = 0.5
"""Of the kernels. Where most are long, fusing the rest changes little."""

LOW_OCCUPANCY_PCT = 30.0
"""Below it a kernel is often asked about: two of five warps' places or fewer are the usual
price of tiles kept in registers and shared memory.
"""

NEAR_ROOF = 0.5
"""Share of its roof from which a kernel at low occupancy is fine: more warps gain little."""

SEEN_SHARE = 0.05
"""Of the GPU time. A kernel name with less is not worth a note."""
