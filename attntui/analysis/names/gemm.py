"""Matrix products and convolutions of NVIDIA's libraries: cuBLAS, cuBLASLt, CUTLASS, cuDNN."""

from __future__ import annotations

import re

from attntui.analysis.names.cpp import Signature, distinct, dtype
from attntui.analysis.names.model import KernelName, joined, named
from attntui.analysis.names.words import Library, Operation

_ARCH_NAMES = {
    "maxwell": "sm50",
    "pascal": "sm60",
    "volta": "sm70",
    "turing": "sm75",
    "ampere": "sm80",
    "ada": "sm89",
    "hopper": "sm90",
    "blackwell": "sm100",
}
_ARCH = re.compile(r"(?<![a-z])(maxwell|pascal|volta|turing|ampere|ada|hopper|blackwell)_")
_SM = re.compile(r"(?<![a-z])sm_?(\d{2,3})|cutlass(?:3x)?_(?:sm)?(\d{2,3})_")
# The word that holds the unit: letters for the type, digits for the tensor-core instruction's
# shape (s16816gemm: fp32 accumulator, m16n8k16). No digits: plain multiply-adds on CUDA cores.
_WORD = re.compile(
    r"(?<![a-z0-9])(gc|[sdhcziu])(\d{3,6}|\d+x\d+x\d+)?(?:tf32|bf16|f16)?"
    r"(gemm|cudnn|fprop|dgrad|wgrad)"
)
_WORD_TYPES = {"h": "fp16", "d": "fp64", "s": "fp32", "c": "c64", "gc": "c64", "z": "c128"}
_NAMED_TYPES = {
    "bf16": "bf16",
    "fp16": "fp16",
    "f16": "fp16",
    "tf32": "tf32",
    "fp32": "fp32",
    "f32": "fp32",
    "fp64": "fp64",
    "f64": "fp64",
    "e4m3": "fp8_e4m3",
    "e5m2": "fp8_e5m2",
    "s8": "int8",
    "i8": "int8",
    "int8": "int8",
}
_TILE = re.compile(r"_(?:tilesize)?(\d{2,4}x\d{1,4})(x\d{1,4})?(?=_)")
_STAGES = re.compile(r"_stages_(\d+)x(\d+)")
_DEPTH = re.compile(r"_\d+x\d+_(\d+)x(\d+)(?=_|$)")
_STAGE = re.compile(r"_stage(\d+)")
_LAYOUT = re.compile(r"_([nt][nt])(?=_|$)")
_XMMA_TYPES = re.compile(r"_(bf16|f16|f32|f64|tf32|e4m3|e5m2|i8|s8)[a-z]{1,2}\d\w{0,3}_")
_XMMA_TF32 = re.compile(r"_(tf32)[a-z]{1,2}\d\w{0,3}_")
_UNIT = re.compile(r"_(tensor\d+x\d+x\d+|warpgroupsize\d+x\d+x\d+|[fdh]fma)(?=_)")
_CONV = {
    "fprop": Operation.CONV_FORWARD,
    "dgrad": Operation.CONV_BACKWARD_DATA,
    "wgrad": Operation.CONV_BACKWARD_WEIGHT,
    "cudnn": Operation.CONV,
    "gemm": Operation.GEMM,
}
_NVJET_TYPES = {"t": "bf16", "h": "fp16", "s": "fp32", "q": "fp8_e4m3", "r": "fp8_e5m2"}
_NVJET_LAYOUT = re.compile(r"[NT]{3}")
_NVJET_TILE = re.compile(r"\d+x\d+")


def _arch(text: str) -> tuple[str | None, str | None]:
    """Architecture and its token."""
    name = _ARCH.search(text)
    if name:
        return _ARCH_NAMES[name[1]], name[1]
    number = _SM.search(text)
    return (f"sm{number[1] or number[2]}", number[0].strip("_")) if number else (None, None)


def nvjet(text: str) -> KernelName | None:
    """cuBLASLt's `nvjet_[sm90_]tst_256x128_64x4_1x2_h_bz_coopA_TNT`.

    Types of A, accumulator and D; tile; depth of a stage x stages; cluster; layout of A, B, D.
    """
    if not text.startswith("nvjet_"):
        return None
    words = text.split("_")[1:]
    arch = words.pop(0) if words and words[0].startswith("sm") else None
    types = words[0] if words else ""
    sizes = [word for word in words[1:] if _NVJET_TILE.fullmatch(word)]
    layout = next((word for word in words[1:] if _NVJET_LAYOUT.fullmatch(word)), None)
    kinds = distinct([_NVJET_TYPES.get(letter) for letter in types[: 2 if len(types) > 3 else 1]])
    depth, stages = sizes[1].split("x") if len(sizes) > 1 else (None, None)
    tile = None
    if sizes:
        tile = f"{sizes[0]}x{depth}" if depth else sizes[0]
    return named(
        joined("nvjet", "x".join(kinds), tile, layout),
        "cuBLASLt",
        Operation.GEMM,
        {
            "library": "nvjet",
            "operation": "nvjet",
            "dtypes": types if kinds else None,
            "tensor_cores": "nvjet",
            "tile": sizes[0] if sizes else None,
            "stages": sizes[1] if stages else None,
            "layout": layout,
            "arch": arch,
        },
        dtypes=kinds,
        tensor_cores=True,
        tile=tile,
        stages=int(stages) if stages else None,
        layout=layout,
        arch=arch,
    )


def _types(text: str, word: re.Match[str]) -> tuple[tuple[str, ...], str | None]:
    """Input types of a cuBLAS or CUTLASS product and the token that told them."""
    told = [part for part in text.split("_") if part in _NAMED_TYPES]
    if told:
        kinds = distinct([_NAMED_TYPES[part] for part in told])
        # The accumulator's fp32 stands beside the inputs' type.
        inputs = kinds if len(kinds) == 1 else tuple(k for k in kinds if k != "fp32")
        return inputs, "_".join(dict.fromkeys(told))
    letter, shape = word[1], word[2]
    if letter == "s" and shape:
        # m16n8k8 on fp32 operands exists as tf32 alone; other shapes do not tell.
        return (("tf32",), word[0]) if shape == "1688" else ((), None)
    kind = _WORD_TYPES.get(letter)
    return ((kind,), word[0]) if kind else ((), None)


def _tile(text: str) -> tuple[str | None, int | None, str | None, str | None]:
    """Tile, stages, and the tokens that told them."""
    tile = _TILE.search(text)
    if not tile:
        return None, None, None, None
    size, depth = tile[1], tile[2]
    tokens = tile[0].strip("_")
    staged = _STAGES.search(text) or _DEPTH.search(text)
    if staged and not depth:
        return f"{size}x{staged[1]}", int(staged[2]), tokens, staged[0].strip("_")
    stage = _STAGE.search(text)
    stages = int(stage[1]) if stage else None
    return size + (depth or ""), stages, tokens, stage[0].strip("_") if stage else None


def worded(text: str, library: str, token: str) -> KernelName | None:
    """Names with a word such as `s16816gemm`: cuBLAS, CUTLASS, older cuDNN."""
    word = _WORD.search(text)
    if not word:
        return None
    kinds, kind_token = _types(text, word)
    tile, stages, tile_token, stage_token = _tile(text)
    layout = _LAYOUT.search(text) or re.search(r"_(nhwc|nchw)(?=_|$)", text)
    arch, arch_token = _arch(text)
    unit_token = next((t for t in ("simt", "tensorop") if t in text), word[0])
    tensor = unit_token == "tensorop" or (unit_token != "simt" and word[2] is not None)
    layout_text = layout[1] if layout else None
    return named(
        joined(word[0], "x".join(kinds), tile, layout_text),
        library,
        _CONV[word[3]],
        {
            "library": token,
            "operation": word[0],
            "dtypes": kind_token,
            "tensor_cores": unit_token,
            "tile": tile_token,
            "stages": stage_token,
            "layout": layout_text,
            "arch": arch_token,
        },
        dtypes=kinds,
        tensor_cores=tensor,
        tile=tile,
        stages=stages,
        layout=layout_text,
        arch=arch,
    )


def xmma(text: str) -> KernelName | None:
    """`sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_…_ffma_…`."""
    found = re.search(r"sm(\d+)_xmma_(gemm|fprop|dgrad|wgrad)", text)
    if not found:
        return None
    types, tf32 = _XMMA_TYPES.search(text), _XMMA_TF32.search(text)
    # tf32f32: the operands' type, then what they are stored as. Which of the operands says so
    # differs; one that does is enough.
    types = tf32 or types
    kinds = (_NAMED_TYPES[types[1]],) if types else ()
    unit = _UNIT.search(text)
    tile, stages, tile_token, stage_token = _tile(text)
    layout = _LAYOUT.search(text) or re.search(r"_(nhwc|nchw)(?=_)", text)
    library = Library.CUDNN if "cudnn" in text or found[2] != "gemm" else "cuBLAS"
    layout_text = layout[1] if layout else None
    return named(
        joined(f"xmma_{found[2]}", "x".join(kinds), tile, layout_text),
        library,
        _CONV[found[2]],
        {
            "library": next((t for t in ("cublas", "cudnn") if t in text), "xmma"),
            "operation": found[2],
            "dtypes": types[0].strip("_") if types else None,
            "tensor_cores": unit[1] if unit else None,
            "tile": tile_token,
            "stages": stage_token,
            "layout": layout_text,
            "arch": f"sm{found[1]}",
        },
        dtypes=kinds,
        tensor_cores=None if unit is None else not unit[1].endswith("fma"),
        tile=tile,
        stages=stages,
        layout=layout_text,
        arch=f"sm{found[1]}",
    )


# Small cuBLAS kernels: what they do, and whether it runs on CUDA cores for certain.
_SMALL: tuple[tuple[str, str, bool | None], ...] = (
    ("splitKreduce_kernel", Operation.SPLIT_K_REDUCE, False),
    ("gemvNSP_kernel", Operation.GEMV, False),
    ("gemv2T_kernel", Operation.GEMV, False),
    ("gemv2N_kernel", Operation.GEMV, False),
    ("gemvx::kernel", Operation.GEMV, False),
    ("gemmk1_kernel", Operation.GEMM, False),
    ("gemmSN_", Operation.GEMM, False),
    ("gemm_largek", Operation.GEMM, False),
    # Of MAGMA's making, shipped in cuBLAS.
    ("magma_sgemmEx_kernel", Operation.GEMM, False),
    ("dot_kernel", "dot", False),
    ("reduce_1Block_kernel", "dot", False),
    ("scal_kernel", Operation.SCALE, False),
    ("epilogue::impl::globalKernel", Operation.EPILOGUE, False),
)
_VECTOR_TYPE = re.compile(r"cublasGemvTensor\w{0,40}<([\w:]{1,40})")


def small(text: str, sig: Signature) -> KernelName | None:
    """cuBLAS kernels beside the large products: gemv, dot, split-K reduction, epilogue."""
    # `dot_kernel` and `scal_kernel` are common words; cuBLAS's own take its parameter types.
    entry = next((row for row in _SMALL if row[0] in sig.path), None)
    if entry is None or not ("cublas" in text or "gemm" in sig.base or "gemv" in sig.path):
        return None
    token, operation, tensor = entry
    vector = _VECTOR_TYPE.search(text)
    told = [vector[1]] if vector else list(sig.args)
    kinds = tuple(k for k in distinct([dtype(t) for t in told]) if k not in ("bool", "int32"))
    if not kinds and "sgemm" in sig.base:
        kinds, told = ("fp32",), [sig.base]
    low = next((k for k in kinds if k != "fp32"), None)
    kinds = (low,) if low else kinds[:1]
    lt = "cublasLt" in text
    return named(
        joined(token.rpartition("::")[0] or sig.base, *kinds),
        "cuBLASLt" if lt else "cuBLAS",
        operation,
        {
            "library": "cublasLt" if lt else "cublas" if "cublas" in text else sig.base,
            "operation": token,
            "dtypes": vector[1] if vector else next((t for t in told if dtype(t)), None),
            "tensor_cores": token,
        },
        dtypes=kinds,
        tensor_cores=tensor,
    )


def cutlass(text: str, sig: Signature) -> KernelName | None:
    """`cutlass::Kernel2<cutlass_80_tensorop_…>`, CUTLASS 3 device kernels, mangled ones."""
    inner = sig.args[0] if sig.args else text
    convolution = "cutlass_cudnn" in text
    library = Library.CUDNN if convolution else "CUTLASS"
    token = "cutlass_cudnn" if convolution else "cutlass"
    if inner.startswith("cutlass") and "::" not in inner:
        return worded(inner, library, token)
    if text.startswith("cutlass") and "::" not in text:
        return worded(text, library, token)
    if "cutlass" not in sig.path and not text.startswith("_ZN"):
        return None
    if "cutlass" not in text:
        return None
    kind = re.search(r"Conv\dd(Fprop|Dgrad|Wgrad)|(Gemm)|(ReduceSplitK)", text)
    if not kind:
        return named(sig.base, library, None, {"library": token})
    word = kind[1] or kind[2] or kind[3]
    operation = {"Gemm": Operation.GEMM, "ReduceSplitK": Operation.SPLIT_K_REDUCE}.get(
        word, _CONV.get(word.lower())
    )
    wide = re.search(r"Gmma|Umma|GemmMultistage|OpClassTensorOp|tfloat32_t", text)
    shape = re.search(r"GemmShapeILi(\d+)ELi(\d+)ELi(\d+)E", text)
    arch, arch_token = _arch(text.replace("Sm", "sm"))
    tf32 = "tfloat32_t" in text
    tile = "x".join(shape.groups()) if shape else None
    tensor = True if wide and word != "ReduceSplitK" else None
    return named(
        joined("cutlass", operation, "tf32" if tf32 else None, tile),
        library,
        operation,
        {
            "library": token,
            "operation": word,
            "dtypes": "tfloat32_t" if tf32 else None,
            "tensor_cores": wide[0] if wide and tensor else None,
            "tile": shape[0] if shape else None,
            "arch": arch_token,
        },
        dtypes=("tf32",) if tf32 else (),
        tensor_cores=tensor,
        tile=tile,
        arch=arch,
    )


def gemm_kernel(text: str, sig: Signature) -> KernelName | None:
    """A matrix product or convolution, or None for another kernel."""
    found = nvjet(text) or xmma(text)
    if found:
        return found
    if "cutlass" in text:
        return cutlass(text, sig)
    if _ARCH.match(text.removeprefix("cudnn_").removeprefix("infer_").removeprefix("train_")):
        cudnn = "cudnn" in text
        return worded(text, Library.CUDNN if cudnn else "cuBLAS", "cudnn" if cudnn else "gemm")
    return small(text, sig)
