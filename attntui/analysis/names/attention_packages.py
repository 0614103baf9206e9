"""Attention kernels of packages and serving engines: AITER and CK, TensorRT-LLM, SageAttention,
vLLM, FlashInfer.
"""

from __future__ import annotations

import re

from attntui.analysis.attention_ops import Backend
from attntui.analysis.names.cpp import Signature, distinct, dtype
from attntui.analysis.names.model import KernelName, joined, named
from attntui.analysis.names.triton import unspecialised
from attntui.analysis.names.words import Library, Operation

_SAGE = re.compile(r"(?:qk_int\d*_sv_f(?:8|16)_attn|sage\d?_?attn|_?sage_fwd)")
_SAGE_QUANT = re.compile(
    r"_?sage_quant|quant_(?:per_block|query_per_thread|key_per_thread)_int8|QuantInt8Kernel"
    r"|TransposePadPermuteKernel|MeanScaleKernel"
)


def sage(text: str, sig: Signature) -> KernelName | None:
    """SageAttention: its kernels on CUDA (`qk_int_sv_f16_attn_kernel<…`) and in AITER's Triton
    (`sage_fwd`), and what quantises q, k and v for them.
    """
    name = unspecialised(sig.base)
    found, operation = _SAGE.match(name), Operation.ATTENTION_FORWARD
    if found is None:
        found, operation = _SAGE_QUANT.match(name), Operation.ATTENTION_QUANTIZE
    if found is None:
        return None
    tokens = {"library": found[0], "operation": found[0]}
    return named(name, "SageAttention", operation, tokens, backend=Backend.SAGE)


def trtllm(text: str, sig: Signature) -> KernelName | None:
    """TensorRT-LLM (also through FlashInfer): `fmhaSm100aKernel_QkvE4m3OBfloat16H64…Causal…`,
    and what sums the parts of keys that several blocks shared.
    """
    if sig.base == "fmhaReductionKernel":
        tokens = {"library": sig.base, "operation": "Reduction"}
        operation = Operation.ATTENTION_COMBINE
        return named(sig.base, "TensorRT-LLM", operation, tokens, backend=Backend.TRTLLM)
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
                "dtypes": generated[0].rpartition("_")[2],
                "tile": tile[0] if tile else None,
                "arch": generated[1],
                "causal": "Causal" if causal else None,
            },
            backend=Backend.TRTLLM,
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
        backend=Backend.TRTLLM,
        dtypes=(kind,),
        tile=f"{found[2]}x{found[3]}",
        arch=arch[1] if arch else None,
        causal=True if "_causal" in text else None,
    )


# The first type of a kernel's problem is that of q; mangled names spell it the ABI's way.
_CK_TYPE = re.compile(r"Problem(?:I|<)(DF16b|DF16_|[\w:]{1,40}?)(?=DF16|f|,|$)")
_CK_TYPES = {"DF16b": "bf16", "DF16_": "fp16", "FmhaFwdBf16": "bf16", "FmhaFwdFp16": "fp16"}


def rocm(text: str, sig: Signature) -> KernelName | None:
    """Composable Kernel's `FmhaFwd…` and AITER's assembled `fmha_fwd_hd128_bf16_causal…`."""
    aiter = "aiter" in text
    tile_kernel = re.search(r"Fmha(Fwd|Bwd|BatchPrefill)(\w{0,40}?)Kernel", text)
    if tile_kernel and ("ck_tile" in text or aiter):
        part = tile_kernel[2]
        backward = tile_kernel[1] == "Bwd"
        operation = Operation.ATTENTION_BACKWARD if backward else Operation.ATTENTION_FORWARD
        if "Combine" in part:
            operation = Operation.ATTENTION_COMBINE
        elif "OGradDotO" in part:
            operation = Operation.ATTENTION_PREPROCESS
        elif "Convert" in part:
            operation = Operation.ATTENTION_CONVERT
        problem = _CK_TYPE.search(text)
        kind = (_CK_TYPES.get(problem[1]) or dtype(problem[1])) if problem else None
        return named(
            joined("CK", tile_kernel[0], kind),
            Library.CK,
            operation,
            {
                "library": "ck_tile" if "ck_tile" in text else "aiter",
                "operation": tile_kernel[0],
                "dtypes": problem[1] if problem and kind else None,
            },
            # Composable Kernel and AITER carry FlashAttention on ROCm.
            backend=Backend.FLASH,
            dtypes=(kind,) if kind else (),
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


# One request or a batch; prefill, decode or latent attention; what joins the parts of split keys.
# From a word's beginning alone: from each letter on, a long name would cost its square.
_FLASHINFER = re.compile(
    r"\b\w*?((?:Batch|Single)(?:Prefill|Decode)|PrefillWith|DecodeWith|MLAPagedAttention|MergeStates?)\w*"
)


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
            backend=Backend.PAGED,
            dtypes=kinds,
            tensor_cores=True if matrix else None,
        )
    found = _FLASHINFER.search(sig.base)
    if "flashinfer" in text and found:
        merges = found[1].startswith("MergeState")
        return named(
            found[0],
            "FlashInfer",
            Operation.ATTENTION_COMBINE if merges else Operation.ATTENTION_FORWARD,
            {"library": "flashinfer", "operation": found[1]},
            backend=Backend.FLASHINFER,
        )
    return None
