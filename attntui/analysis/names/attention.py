"""Kernels that do a whole attention call, or a named part of one."""

from __future__ import annotations

import re

from attntui.analysis.attention_ops import Backend
from attntui.analysis.names.attention_packages import rocm, sage, serving, trtllm
from attntui.analysis.names.cpp import Signature
from attntui.analysis.names.model import KernelName, joined, named
from attntui.analysis.names.words import Library, Operation

_TRAITS = re.compile(r"_kernel_traits<(\d+), ?(\d+), ?(\d+), ?(\d+)")
_ELEMENT = re.compile(r"cutlass::(bfloat16_t|half_t|float_e4m3_t)")
_ELEMENTS = {"bfloat16_t": "bf16", "half_t": "fp16", "float_e4m3_t": "fp8_e4m3"}
# flash_fwd_kernel<traits, Is_dropout, Is_causal, …> and flash_bwd_… alike; the split-K variant
# starts with Is_causal.
_FLAGS = re.compile(r"> ?>, ?(true|false|0|1), ?(true|false|0|1)")
_TRUE = {"true", "1"}


def flash(text: str, sig: Signature) -> KernelName | None:
    """FlashAttention 2 (`flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4…`) and 3."""
    hopper = re.search(r"Flash(?:Attn)?(Fwd|Bwd)\w{0,40}?(Sm\d+)", text)
    if hopper and not sig.base.startswith("flash_"):
        operation = (
            Operation.ATTENTION_FORWARD if hopper[1] == "Fwd" else Operation.ATTENTION_BACKWARD
        )
        element = _ELEMENT.search(text)
        kinds = (_ELEMENTS[element[1]],) if element else ()
        return named(
            joined(hopper[0], *kinds),
            "FlashAttention",
            operation,
            {
                "library": hopper[0],
                "operation": hopper[1],
                "dtypes": element[0] if element else None,
                "tensor_cores": hopper[0],
                "arch": hopper[2],
            },
            backend=Backend.FLASH,
            dtypes=kinds,
            tensor_cores=True,
            arch=hopper[2].lower(),
        )
    if not sig.base.startswith(("flash_fwd", "flash_bwd")):
        return None
    base = sig.base
    if "combine" in base:
        operation = Operation.ATTENTION_COMBINE
    elif "dot_do_o" in base:
        operation = Operation.ATTENTION_PREPROCESS
    elif "convert" in base:
        operation = Operation.ATTENTION_CONVERT
    else:
        operation = (
            Operation.ATTENTION_FORWARD
            if base.startswith("flash_fwd")
            else Operation.ATTENTION_BACKWARD
        )
    main = operation in (Operation.ATTENTION_FORWARD, Operation.ATTENTION_BACKWARD)
    traits = _TRAITS.search(text)
    element = _ELEMENT.search(text)
    flags = _FLAGS.search(text) if main else None
    causal_at = 1 if "splitkv" in base else 2
    kinds = (_ELEMENTS[element[1]],) if element else ()
    sizes = f"<{traits[1]},{traits[2]},{traits[3]}>" if traits else ""
    return named(
        f"{base}{sizes}",
        "FlashAttention",
        operation,
        {
            "library": "pytorch_flash" if "pytorch_flash" in text else base,
            "operation": base,
            "dtypes": element[0] if element else None,
            "tensor_cores": traits[0] if traits and main else None,
            "tile": traits[0] if traits else None,
            "causal": flags[0] if flags else None,
        },
        backend=Backend.FLASH,
        dtypes=kinds,
        # FlashAttention's main loops are built from tensor-core instructions alone.
        tensor_cores=True if main else None,
        tile=f"{traits[2]}x{traits[3]}" if traits else None,
        causal=flags[causal_at] in _TRUE if flags else None,
    )


def efficient(text: str) -> KernelName | None:
    """Memory-efficient attention (CUTLASS): `fmha_cutlassF_bf16_aligned_64x64_rf_sm80`."""
    found = re.match(r"fmha_cutlass([FB])_(bf16|f16|f32)_(?:not)?aligned_(\d+x\d+)", text)
    if not found:
        return None
    kind = {"f16": "fp16", "f32": "fp32"}.get(found[2], found[2])
    arch = re.search(r"_(sm\d+)(?=\W|$)", text)
    half = kind != "fp32" and arch is not None and int(arch[1][2:]) >= 70
    return named(
        joined(f"fmha_cutlass{found[1]}", kind, found[3], arch[1] if arch else None),
        "memory-efficient",
        Operation.ATTENTION_FORWARD if found[1] == "F" else Operation.ATTENTION_BACKWARD,
        {
            "library": "fmha_cutlass",
            "operation": f"fmha_cutlass{found[1]}",
            "dtypes": found[2],
            "tensor_cores": text[found.start(2) : arch.end(1)] if half and arch else None,
            "tile": found[3],
            "arch": arch[1] if arch else None,
        },
        backend=Backend.EFFICIENT,
        dtypes=(kind,),
        tensor_cores=True if half else None,
        tile=found[3],
        arch=arch[1] if arch else None,
    )


def cudnn(text: str, sig: Signature) -> KernelName | None:
    """cuDNN: `cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_…`.

    Its `f16` stands for any 16-bit type, so no data type is told.
    """
    if "cudnn::fusion::" in sig.path:
        parts = {
            "compute_dot_do_o": Operation.ATTENTION_PREPROCESS,
            "convert_dq": Operation.ATTENTION_CONVERT,
            # Sums the gradients of k and v over the query heads that share them.
            "fmha_reduce_head": Operation.ATTENTION_REDUCE,
        }
        part = next((part for part in parts if sig.base.startswith(part)), None)
        tokens = {"library": "cudnn::fusion", "operation": part}
        if part is None:
            return None
        return named(sig.base, Library.CUDNN, parts[part], tokens, backend=Backend.CUDNN)
    if not (text.startswith("cudnn") and "sdpa" in text):
        return None
    direction = re.search(r"_(fprop|bprop)(?=_|$)", text)
    unit = re.search(r"_(wgmma|wmma|mma|utcmma|tcgen05)(?=_)", text)
    tile = re.search(r"_(\d+x\d+x\d+)(?=_)", text)
    arch = re.search(r"_(sm\d+)(?=_)", text)
    operation = None
    if direction:
        operation = (
            Operation.ATTENTION_FORWARD if direction[1] == "fprop" else Operation.ATTENTION_BACKWARD
        )
    return named(
        joined(
            "cudnn sdpa",
            direction[1] if direction else None,
            arch[1] if arch else None,
            tile[1] if tile else None,
        ),
        Library.CUDNN,
        operation,
        {
            "library": "cudnn",
            "operation": direction[1] if direction else None,
            "tensor_cores": unit[1] if unit else None,
            "tile": tile[1] if tile else None,
            "arch": arch[1] if arch else None,
        },
        backend=Backend.CUDNN,
        tensor_cores=True if unit else None,
        tile=tile[1] if tile else None,
        arch=arch[1] if arch else None,
    )


def attention_kernel(text: str, sig: Signature) -> KernelName | None:
    """An attention kernel, or None for another."""
    return (
        flash(text, sig)
        or efficient(text)
        or cudnn(text, sig)
        or sage(text, sig)
        or trtllm(text, sig)
        or rocm(text, sig)
        or serving(text, sig)
    )
