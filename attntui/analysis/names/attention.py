"""Kernels that do a whole attention call, or a named part of one."""

from __future__ import annotations

import re

from attntui.analysis.attention_ops import Backend
from attntui.analysis.names.cpp import Signature, distinct, dtype
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


def trtllm(text: str) -> KernelName | None:
    """TensorRT-LLM (also through FlashInfer): `fmhaSm100aKernel_QkvE4m3OBfloat16H64…Causal…`."""
    generated = re.match(r"fmha(Sm\d+[af]?)Kernel_(?:Qkv|Q)(E4m3|Bfloat16|Fp16)", text)
    if generated:
        kind = {"E4m3": "fp8_e4m3", "Bfloat16": "bf16", "Fp16": "fp16"}[generated[2]]
        tile = re.search(r"Q(\d+)Kv(\d+)", text)
        causal = "Causal" in text
        return named(
            joined("fmha", kind, "causal" if causal else None, generated[1].lower()),
            "TensorRT-LLM",
            Operation.ATTENTION_FORWARD,
            {
                "library": f"fmha{generated[1]}Kernel",
                "operation": "fmha",
                "dtypes": f"Qkv{generated[2]}",
                "tile": tile[0] if tile else None,
                "arch": generated[1],
                "causal": "Causal" if causal else None,
            },
            dtypes=(kind,),
            tile=f"{tile[1]}x{tile[2]}" if tile else None,
            arch=generated[1].lower(),
            causal=True if causal else None,
        )
    found = re.match(r"fmha_v2_flash_attention_(bf16|fp16|e4m3)\w{0,40}?_(\d+)_(\d+)_S", text)
    if not found:
        return None
    kind = {"e4m3": "fp8_e4m3"}.get(found[1], found[1])
    arch = re.search(r"_(sm\d+)(?=_|$)", text)
    return named(
        joined("fmha_v2", kind, f"{found[2]}x{found[3]}"),
        "TensorRT-LLM",
        Operation.ATTENTION_FORWARD,
        {
            "library": "fmha_v2",
            "operation": "flash_attention",
            "dtypes": found[1],
            "tile": f"{found[2]}_{found[3]}",
            "arch": arch[1] if arch else None,
            "causal": "causal" if "_causal" in text else None,
        },
        dtypes=(kind,),
        tile=f"{found[2]}x{found[3]}",
        arch=arch[1] if arch else None,
        causal=True if "_causal" in text else None,
    )


def rocm(text: str, sig: Signature) -> KernelName | None:
    """Composable Kernel's `FmhaFwd…` and AITER's assembled `fmha_fwd_hd128_bf16_causal…`."""
    aiter = "aiter" in text
    tile_kernel = re.search(r"Fmha(Fwd|Bwd)(\w{0,40}?)Kernel", text)
    if tile_kernel and ("ck_tile" in text or aiter):
        part = tile_kernel[2]
        operation = (
            Operation.ATTENTION_FORWARD if tile_kernel[1] == "Fwd" else Operation.ATTENTION_BACKWARD
        )
        if "Combine" in part:
            operation = Operation.ATTENTION_COMBINE
        elif "OGradDotO" in part:
            operation = Operation.ATTENTION_PREPROCESS
        elif "Convert" in part:
            operation = Operation.ATTENTION_CONVERT
        return named(
            joined("CK", tile_kernel[0]),
            Library.CK,
            operation,
            {"library": "ck_tile" if "ck_tile" in text else "aiter", "operation": tile_kernel[0]},
            # Composable Kernel and AITER carry FlashAttention on ROCm.
            backend=Backend.FLASH,
        )
    found = re.search(r"(?<![a-z])fmha_(fwd|bwd)_hd\d+_(bf16|fp16|fp8)(\w*)", text)
    if found:
        causal = "causal" in found[3]
        kind = "fp8_e4m3" if found[2] == "fp8" else found[2]
        return named(
            joined(f"fmha_{found[1]}", kind, "causal" if causal else None),
            "AITER",
            Operation.ATTENTION_FORWARD if found[1] == "fwd" else Operation.ATTENTION_BACKWARD,
            {
                "library": "aiter" if aiter else f"fmha_{found[1]}_hd",
                "operation": found[1],
                "dtypes": found[2],
                "causal": "causal" if causal else None,
            },
            backend=Backend.FLASH,
            dtypes=(kind,),
            causal=True if causal else None,
        )
    word = re.search(r"paged_attention|pa_fwd|pa_bf16|pa_fp16|mla_", sig.base)
    if aiter and word:
        tokens = {"library": "aiter", "operation": word[0]}
        return named(sig.base, "AITER", Operation.ATTENTION_FORWARD, tokens, backend=Backend.FLASH)
    return None


def serving(text: str, sig: Signature) -> KernelName | None:
    """vLLM's and FlashInfer's C++ kernels."""
    if "paged_attention" in sig.base and ("vllm" in text or "paged_attention_ll4mi" in text):
        reduce = "reduce" in sig.base
        matrix = "mfma" in sig.base
        kinds = distinct([dtype(arg) for arg in sig.args[:1]])
        return named(
            sig.base,
            "vLLM",
            Operation.ATTENTION_COMBINE if reduce else Operation.ATTENTION_FORWARD,
            {
                "library": "vllm" if "vllm" in text else "paged_attention_ll4mi",
                "operation": "paged_attention",
                "dtypes": sig.args[0] if kinds else None,
                "tensor_cores": "mfma" if matrix else None,
            },
            dtypes=kinds,
            tensor_cores=True if matrix else None,
        )
    found = re.search(r"(BatchPrefill|BatchDecode|SinglePrefill|SingleDecode)\w*", sig.base)
    if "flashinfer" in text and found:
        return named(
            found[0],
            "FlashInfer",
            Operation.ATTENTION_FORWARD,
            {"library": "flashinfer", "operation": found[1]},
        )
    return None


def attention_kernel(text: str, sig: Signature) -> KernelName | None:
    """An attention kernel, or None for another."""
    return (
        flash(text, sig)
        or efficient(text)
        or cudnn(text, sig)
        or trtllm(text)
        or rocm(text, sig)
        or serving(text, sig)
    )
