"""Kernel names decoded: which library, which operation, on tensor cores or not, and says who."""

from __future__ import annotations

from collections.abc import Callable
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
from attntui.analysis.names.cpp import Signature, signature, typed, without_anonymous
from attntui.analysis.names.model import KernelName, clip

__all__ = ["KernelName", "decode"]

Family = Callable[[str, Signature], KernelName | None]
"""Decodes the names of one family from a name and its C++ signature; None for other names."""

# The first that knows a name decodes it, so what asks for less of a name stands further down.
FAMILIES: tuple[Family, ...] = (
    libraries.memory,
    triton.triton_kernel,
    attention.attention_kernel,
    gemm.gemm_kernel,
    rocm.rocm_kernel,
    aten.aten_kernel,
    libraries.library_kernel,
    triton_by_hand.kernel_by_hand,
)

# Real names stay under 4 kB; beyond this a name is cut, so that a hostile one costs no more.
_LONGEST = 8192


@lru_cache(maxsize=1 << 18)
def decode(name: str) -> KernelName:
    """What a kernel's, memcpy's or memset's name tells. Never raises; unknown stays unknown.

    The cost is linear in the name's length, up to a limit past which the name is cut.
    """
    text = without_anonymous(name[:_LONGEST].strip().removesuffix(" [clone .kd]"))
    text = text.removesuffix(".kd")
    sig = signature(text)
    for family in FAMILIES:
        found = family(text, sig)
        if found is not None:
            return found
    return KernelName(clip(typed(sig) or text))
