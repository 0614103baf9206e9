"""Kernel names decoded: which library, which operation, on tensor cores or not, and says who."""

from __future__ import annotations

from functools import lru_cache

from attntui.analysis.names import (
    aten,
    attention,
    gemm,
    libraries,
    rocm,
    triton,
    triton_by_hand,
)
from attntui.analysis.names.cpp import signature, typed, without_anonymous
from attntui.analysis.names.model import KernelName, clip

__all__ = ["KernelName", "decode"]

# Real names stay under 4 kB; beyond this a name is cut, so that a hostile one costs no more.
_LONGEST = 8192


@lru_cache(maxsize=16384)
def decode(name: str) -> KernelName:
    """What a kernel's, memcpy's or memset's name tells. Never raises; unknown stays unknown.

    The cost is linear in the name's length, up to a limit past which the name is cut.
    """
    text = without_anonymous(name[:_LONGEST].strip().removesuffix(" [clone .kd]"))
    text = text.removesuffix(".kd")
    memory = libraries.memory(text)
    if memory:
        return memory
    sig = signature(text)
    return (
        triton.triton_kernel(text)
        or attention.attention_kernel(text, sig)
        or gemm.gemm_kernel(text, sig)
        or rocm.rocm_kernel(text)
        or aten.aten_kernel(text, sig)
        or libraries.library_kernel(text, sig)
        or triton_by_hand.kernel_by_hand(text)
        or KernelName(clip(typed(sig) or text))
    )
