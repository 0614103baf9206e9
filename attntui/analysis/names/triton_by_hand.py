"""Triton kernels that people write by hand: attention and softmax, by their functions' names.

The trace shows such a kernel by its bare Python name: no types, no arguments. A CUDA C++
kernel's name comes with its parameters, so it is none of these.
"""

from __future__ import annotations

import re

from attntui.analysis.attention_ops import Backend
from attntui.analysis.names.cpp import Signature
from attntui.analysis.names.model import KernelName, named
from attntui.analysis.names.triton import unspecialised
from attntui.analysis.names.words import ATTENTION, Library, Operation

_FORWARD, _BACKWARD = Operation.ATTENTION_FORWARD, Operation.ATTENTION_BACKWARD
_PREPROCESS, _COMBINE = Operation.ATTENTION_PREPROCESS, Operation.ATTENTION_COMBINE

# Names that say all, though not always in the word attention: (library, operation).
_PLAIN = {
    # AOTriton, which PyTorch's SDPA runs on ROCm.
    "attn_fwd": (Library.TRITON, _FORWARD),
    "attn_bwd": (Library.TRITON, _BACKWARD),
    "bwd_kernel_dk_dv": (Library.TRITON, _BACKWARD),
    "bwd_kernel_dq": (Library.TRITON, _BACKWARD),
    "bwd_kernel_fuse": (Library.TRITON, _BACKWARD),
    "bwd_preprocess": (Library.TRITON, _PREPROCESS),
    "bwd_preprocess_varlen": (Library.TRITON, _PREPROCESS),
    # FlashAttention's Triton ports, on CUDA and on ROCm.
    "_bwd_preprocess_do_o_dot": (Library.TRITON, _PREPROCESS),
    "_bwd_kernel_dkdv": (Library.TRITON, _BACKWARD),
    "_bwd_kernel_dq": (Library.TRITON, _BACKWARD),
    # Decoding with the keys split: xFormers, SGLang.
    "_fwd_kernel_splitK": ("xFormers", _FORWARD),
    "_splitK_reduce": ("xFormers", _COMBINE),
    "_fwd_kernel_stage1": (Library.TRITON, _FORWARD),
    "_fwd_grouped_kernel_stage1": (Library.TRITON, _FORWARD),
    "_fwd_kernel_stage2": (Library.TRITON, _COMBINE),
    # vLLM.
    "kernel_unified_attention_2d": ("vLLM", _FORWARD),
    "kernel_unified_attention_3d": ("vLLM", _FORWARD),
    "kernel_paged_attention_2d": ("vLLM", _FORWARD),
    "reduce_segments": ("vLLM", _COMBINE),
    "merge_attn_states_kernel": ("vLLM", _COMBINE),
}
# Names that attention kernels bear (the older Triton tutorial, FlashAttention's first port,
# vLLM's prefill, SGLang's extend) and kernels of other kinds too; a variant has a word more
# (`_fwd_kernel_aligned`, `_fwd_kernel_int8kv`).
_AMBIGUOUS = re.compile(r"_?(fwd|bwd)_(?:kernel|(preprocess)$)((?:_[A-Za-z0-9]+){0,3})$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ATTENTION = _words("attn attention flashattn flashattention mha fmha")
# A name that only holds the word attention is a thing; one of these says that it is done.
_DONE = _words("kernel fwd forward bwd backward fused flash decode prefill paged unified varlen")
_BACKWARDS = _words("bwd backward")
# Row sums of output times gradient come before a backward, the parts of a split after it.
_BEFORE = _words("preprocess delta")
_AFTER = _words("combine reduce merge")
_NO_ATTENTION = (
    _words("softmax scores score logits weights probs dropout")  # one step of several kernels'
    | _words("mask bias norm rmsnorm layernorm rope rotary qkv proj gate residual quant dequant")
    | _words("cache copy reshape transpose gather scatter pad unpad pack unpack slot")
    | _words("metadata plan schedule index indices table lens")
    | _words("linear lightning recurrent retention gla pooling")  # no softmax over keys
)
"""Words of what is done beside an attention, or is another mathematics of the same word."""
_NO_SOFTMAX = _words("log cross entropy loss topk moe gating routing gumbel sample sampling")
"""Words of a logarithm, of a loss, or of a choice made with a softmax."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,120}")


def _bare(text: str) -> str | None:
    """A function's own name, None for text that is no Python name."""
    return unspecialised(text) if _NAME.fullmatch(text) else None


def ambiguous(text: str) -> Operation | None:
    """What a kernel does if it belongs to an attention, where its name alone leaves open
    whether it does; None for all other names.
    """
    name = _bare(text) or ""
    found = None if name in _PLAIN else _AMBIGUOUS.match(name)
    if found is None or frozenset(found[3].split("_")) & _NO_ATTENTION:
        return None
    if found[1] == "fwd":
        return None if found[2] else _FORWARD
    return _PREPROCESS if found[2] else _BACKWARD


def kernel_by_hand(text: str, _sig: Signature) -> KernelName | None:
    """A hand-written Triton kernel for attention or softmax, or None for another."""
    name = _bare(text)
    if name is None:
        return None
    plain = _PLAIN.get(name)
    if plain:
        return _by_hand(name, *plain, name)
    words = name.lower().split("_")
    told = _attention(frozenset(words)) or _softmax(frozenset(words))
    if told is None:
        # Triton's suffix tells the library, whatever the kernel does.
        suffix = text[len(name) :]
        return named(name, Library.TRITON, None, {"library": suffix}) if suffix else None
    operation, token = told
    return _by_hand(name, Library.TRITON, operation, token)


def _by_hand(name: str, library: str, operation: Operation, token: str) -> KernelName:
    backend = Backend.TRITON if operation in ATTENTION else None
    return named(name, library, operation, {"library": name, "operation": token}, backend=backend)


def _attention(words: frozenset[str]) -> tuple[Operation, str] | None:
    """The part of an attention that a name's words tell, and the word that tells it."""
    which = words & _ATTENTION
    if not which or not words & _DONE or words & _NO_ATTENTION:
        return None
    for told, operation in (
        (words & _BEFORE, _PREPROCESS),
        (words & _AFTER, _COMBINE),
        (words & _BACKWARDS, _BACKWARD),
    ):
        if told:
            return operation, min(told)
    return _FORWARD, min(which)


def _softmax(words: frozenset[str]) -> tuple[Operation, str] | None:
    """A softmax of its own, and the word that tells it."""
    if "softmax" not in words or words & _NO_SOFTMAX or words & _ATTENTION:
        return None
    backward = words & _BACKWARDS
    if backward:
        return Operation.SOFTMAX_BACKWARD, min(backward)
    return Operation.SOFTMAX, "softmax"
