"""Everything else with a known owner: memory, collectives, CUB, serving stacks, helpers."""

from __future__ import annotations

import re

from attntui.analysis.names.cpp import (
    Signature,
    distinct,
    dtype,
    mangled_path,
    mangled_types,
    typed,
)
from attntui.analysis.names.model import KernelName, joined, named
from attntui.analysis.names.words import Library, Operation, OperationKind

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NCCL_TYPES = {
    "f16": "fp16",
    "half": "fp16",
    "bf16": "bf16",
    "f32": "fp32",
    "float": "fp32",
    "f64": "fp64",
    "double": "fp64",
    "i8": "int8",
    "u8": "uint8",
    "i32": "int32",
    "i64": "int64",
}

# (how the qualified name begins, library). Tried in order.
_OWNERS: tuple[tuple[str, str], ...] = (
    ("at_cuda_detail::cub::", Library.CUB),
    ("cub::", Library.CUB),
    ("thrust::", Library.CUB),
    ("rocprim::", "rocPRIM"),
    ("hipcub::", "rocPRIM"),
    ("vllm::", "vLLM"),
    ("moe::dev::", "TensorRT-LLM"),
    ("tensorrt_llm::", "TensorRT-LLM"),
    ("flashinfer::", "FlashInfer"),
    ("aiter::", "AITER"),
    ("groupnorm_kernel_dispatch_", "AITER"),
    ("sgl_hip::", "SGLang"),
    ("sgl_kernel::", "SGLang"),
    ("rotary_embedding_kernel", "SGLang"),
    ("store_kvcache", "SGLang"),
    ("resolve_future_token_ids", "SGLang"),
    ("clamp_position_kernel", "SGLang"),
    ("ck_tile::", Library.CK),
    ("ck::", Library.CK),
    ("cudnn::", Library.CUDNN),
    ("cask_cudnn", Library.CUDNN),
    ("fft2d_", Library.CUDNN),
    ("wgrad_", Library.CUDNN),
    ("dgrad_", Library.CUDNN),
    ("implicit_convolve_sgemm", Library.CUDNN),
    ("explicit_convolve_sgemm", Library.CUDNN),
    ("precomputed_convolve_sgemm", Library.CUDNN),
    ("nchwToNhwcKernel", Library.CUDNN),
    ("nhwcToNchwKernel", Library.CUDNN),
    ("nhwcToFoldedNhwcKernel", Library.CUDNN),
    ("foldedNhwcToNhwcKernel", Library.CUDNN),
    ("nhwcAddPaddingKernel", Library.CUDNN),
    ("tensorTransformGeneric", Library.CUDNN),
    ("fbgemm_gpu::", "FBGEMM"),
    ("split_embedding_", "FBGEMM"),
    ("bounds_check_indices_kernel", "FBGEMM"),
    ("permute_pooled_embs_kernel", "FBGEMM"),
    ("linearize_index_kernel", "FBGEMM"),
    ("recat_copy_async_kernel", "FBGEMM"),
    ("deep_gemm::", "DeepGEMM"),
    ("marlin", "vLLM"),
    ("rocblas_", "rocBLAS"),
    ("vision::ops::", "torchvision"),
    ("c10d::", Library.C10D),
    ("multimem_all_reduce_kernel", Library.C10D),
    ("flash::", "FlashAttention"),
    ("pytorch_flash::", "FlashAttention"),
    ("at::native::", Library.ATEN),
    ("at::", Library.ATEN),
)
# (what the name holds, operation), for kernels of the owners above. Tried in order.
_WORDS: tuple[tuple[str, str], ...] = (
    ("RadixSort", "sort"),
    ("DeviceMergeSort", "sort"),
    ("ReduceByKey", "reduce by key"),
    ("DeviceCompactInit", "scan"),
    ("DeviceScan", "scan"),
    ("DeviceSelect", "select"),
    ("DeviceReduce", "reduce"),
    ("UniqueByKey", "unique"),
    ("parallel_for", "elementwise"),
    ("scan_config", "scan"),
    ("reduce_config", "reduce"),
    ("partition_config", "select"),
    ("lookback_scan", "scan"),
    ("radix_sort", "sort"),
    ("onesweep", "sort"),
    ("rms_norm", "rms_norm"),
    ("Rmsnorm", "rms_norm"),
    ("RMSNorm", "rms_norm"),
    ("rmsnorm", "rms_norm"),
    ("layernorm", "layer_norm"),
    ("groupnorm", "group_norm"),
    ("layer_norm", "layer_norm"),
    ("Layernorm2d", "layer_norm"),
    ("rotary_embedding", "rotary_embedding"),
    ("reshape_and_cache", "kv cache write"),
    ("concat_and_cache", "kv cache write"),
    ("store_kvcache", "kv cache write"),
    ("set_mla_kv", "kv cache write"),
    ("token_ids", "token ids"),
    ("clamp_position", "positions"),
    ("all_reduce", Operation.ALL_REDUCE),
    ("cross_device_reduce", Operation.ALL_REDUCE),
    ("act_and_mul", "activation"),
    ("marlin", Operation.GEMM),
    ("Marlin", Operation.GEMM),
    ("fp8_gemm", Operation.GEMM),
    ("kernel_gemm", Operation.GEMM),
    ("GemmKernel", Operation.GEMM),
    ("grouped_conv", Operation.CONV),
    ("routing", "moe routing"),
    ("topkGating", "moe routing"),
    ("moe_align", "moe routing"),
    ("finalize", "moe finalize"),
    ("quant", "quantize"),
    ("FP8", "quantize"),
    ("nchwToNhwc", Operation.LAYOUT),
    ("nhwcToNchw", Operation.LAYOUT),
    ("oldedNhwc", Operation.LAYOUT),
    ("nhwcAddPadding", Operation.LAYOUT),
    ("tensorTransform", Operation.LAYOUT),
    ("convertTensor", Operation.LAYOUT),
    ("im2col", Operation.LAYOUT),
    ("col2im", Operation.LAYOUT),
    ("scalePackedTensor", Operation.SCALE),
    ("OffsetsKernel", Operation.CONV_OFFSETS),
    ("kern_precompute_indices", Operation.CONV_OFFSETS),
    ("Wgrad", Operation.CONV_BACKWARD_WEIGHT),
    ("wgrad", Operation.CONV_BACKWARD_WEIGHT),
    ("dgrad", Operation.CONV_BACKWARD_DATA),
    ("inograd", Operation.CONV),
    ("convolve", Operation.CONV),
    ("fft2d", Operation.CONV),
    ("bn_fw", "batch_norm"),
    ("batchnorm_fwd", "batch_norm"),
    ("bn_bw", "batch_norm backward"),
    ("batchnorm_bwd", "batch_norm backward"),
    ("embedding_backward", "embedding backward"),
    ("grad_indice_weights", "embedding backward"),
    ("embedding", "embedding"),
    ("permute", "permute"),
    ("offsets_range", "offsets"),
    ("bounds_check", "bounds check"),
    ("linearize_index", "index"),
    ("recat_copy", Operation.COPY),
    ("nms_", "nms"),
    ("roi_align_backward", "roi_align backward"),
    ("roi_align", "roi_align"),
    ("roi_pool", "roi_pool"),
    ("deformable_im2col", Operation.LAYOUT),
    ("gemv", Operation.GEMV),
    ("gemm", Operation.GEMM),
)


_MEMORY = {
    "Memcpy": (Operation.MEMCPY, OperationKind.COPY),
    "Memset": (Operation.MEMSET, OperationKind.FILL),
}


def memory(text: str, _sig: Signature) -> KernelName | None:
    """`Memcpy DtoD (Device -> Device)`, `Memset (Device)`: left as they are."""
    word = text[:6]
    if word not in _MEMORY:
        return None
    operation, kind = _MEMORY[word]
    return named(text, Library.MEMORY, operation, {"library": word, "operation": word}, kind=kind)


def nccl(text: str) -> KernelName | None:
    """`ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…)` and older orders of the same words."""
    found = re.match(r"(nccl\w{0,8}Kernel)_(\w+)", text)
    if not found:
        return None
    words = found[2].split("_")
    operation = _CAMEL.sub("_", words[0]).lower()
    # Collectives that only move bytes say int8 whatever they carry.
    reduces = "reduce" in operation
    kind_word = next((word for word in words[1:] if word in _NCCL_TYPES), None)
    kinds = (_NCCL_TYPES[kind_word],) if kind_word and reduces else ()
    path = [word for word in words[1:] if word.isupper() and len(word) > 1]
    return named(
        joined(words[0], *path[:2], *kinds),
        "NCCL",
        None if operation == "generic" else operation,
        {
            "library": found[1],
            "operation": words[0] if operation != "generic" else None,
            "dtypes": kind_word if kinds else None,
        },
        kind=OperationKind.COLLECTIVE,
        dtypes=kinds,
    )


def owned(text: str, sig: Signature) -> KernelName | None:
    """A kernel whose namespace or prefix names its library."""
    mangled = text.startswith("_ZN")
    path, types = sig.path, tuple((kind, arg) for arg in sig.args[:2] if (kind := dtype(arg)))
    if mangled:
        path, end = mangled_path(text)
        types = mangled_types(text, end)[:2]
    owner = next((row for row in _OWNERS if path.startswith(row[0])), None)
    if owner is None:
        return None
    prefix, library = owner
    # CK, Thrust and rocPRIM launch through one kernel whose template argument says what runs.
    places = (path, text[:400]) if mangled or library in _CARRIERS else (path,)
    token, operation = next(
        ((token, word) for place in places for token, word in _WORDS if token in place),
        (None, None),
    )
    if operation in _NORMS and "quant" in path and not _same_type(types):
        operation = f"{operation} quantize"
    types = tuple(told for told in types if told[0] not in ("int32", "bool"))
    short = joined(library, operation) if mangled else typed(sig)
    return named(
        short,
        library,
        operation,
        {
            "library": prefix.strip(":_"),
            "operation": token,
            "dtypes": types[0][1] if types else None,
        },
        # PyTorch's own collectives, over symmetric memory.
        kind=OperationKind.COLLECTIVE if library is Library.C10D else None,
        dtypes=distinct([kind for kind, _ in types]),
        # cuDNN's `convolve_sgemm` computes in fp32 on CUDA cores, whatever type it reads.
        tensor_cores=False if "convolve_sgemm" in path else None,
    )


_CARRIERS = (Library.CK, Library.CUB, "rocPRIM")
_NORMS = ("rms_norm", "layer_norm")


def _same_type(types: tuple[tuple[str, str], ...]) -> bool:
    """Whether a kernel's input and output, which lead its template arguments, are of one type."""
    return len(types) > 1 and types[0][0] == types[1][0]


def generated_product(text: str) -> KernelName | None:
    """TensorRT-LLM's generated products: `bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_…`."""
    found = re.match(r"(bmm|gemm)_(\w{2,12}?)_((?:(?:Mx)?E[245]m[123]|Bfloat16|Fp16)+)_", text)
    if not found:
        return None
    inputs = re.findall(r"(?:Mx)?(?:E2m1|E4m3|E5m2)|Bfloat16|Fp16", found[3])
    names = {"E2m1": "fp4", "E4m3": "fp8_e4m3", "E5m2": "fp8_e5m2", "Bfloat16": "bf16"}
    kinds = distinct([names.get(t.removeprefix("Mx"), "fp16") for t in inputs])
    tile = re.search(r"_t(\d+x\d+x\d+)", text)
    stages = re.search(r"_s(\d+)_", text)
    arch = re.search(r"_(sm\d+[af]?)$", text)
    return named(
        joined(found[1], "x".join(kinds), tile[1] if tile else None),
        "TensorRT-LLM",
        Operation.GEMM,
        {
            "library": found[1],
            "operation": found[1],
            "dtypes": found[3],
            # Block-scaled formats are tensor-core operands and nothing else.
            "tensor_cores": found[3] if "Mx" in found[3] else None,
            "tile": tile[0].strip("_") if tile else None,
            "stages": stages[0].strip("_") if stages else None,
            "arch": arch[1] if arch else None,
        },
        dtypes=kinds,
        tensor_cores=True if "Mx" in found[3] else None,
        tile=tile[1] if tile else None,
        stages=int(stages[1]) if stages else None,
        arch=arch[1] if arch else None,
    )


def library_kernel(text: str, sig: Signature) -> KernelName | None:
    """A kernel of a known owner, or None."""
    return nccl(text) or generated_product(text) or owned(text, sig)
