"""PyTorch's own kernels: elementwise and reduction kernels name their op in a functor."""

from __future__ import annotations

import re

from attntui.analysis.names.cpp import Signature, distinct, dtype, leading, typed
from attntui.analysis.names.model import KernelName, joined, named
from attntui.analysis.names.words import Library

# Kernel templates whose arguments hold a functor that says which op ran.
_CARRIERS = (
    "vectorized_elementwise_kernel",
    "unrolled_elementwise_kernel",
    "elementwise_kernel",
    "index_elementwise_kernel",
    "legacy_elementwise_kernel",
    "reduce_kernel",
    "multi_tensor_apply_kernel",
    "distribution_elementwise_grid_stride_kernel",
    "elementwise_kernel_with_index",
    "_scatter_gather_elementwise_kernel",
    "unrolled_elementwise_kernel_for_multi_outputs",
    "vectorized_templated_elementwise_kernel",
)
# Wrappers to look through: the index of the argument that holds the functor.
_WRAPPERS = {
    "gpu_kernel_impl": 0,
    "gpu_kernel_impl_nocast": 0,
    "gpu_index_kernel": 0,
    "AUnaryFunctor": 3,
    "BUnaryFunctor": 3,
    "BinaryFunctor": 3,
    "ReduceOp": 1,
    "func_wrapper_t": 1,
}
_NUMBER = re.compile(r"-?\d+[ul]*|true|false")
_CONTAINERS = {"array", "Array", "TensorListMetadata", "TensorListScalarListMetadata"}
_LAMBDA = re.compile(r"(?:\{lambda|\[lambda|'lambda\d*')\(([^()]{0,200})\)")
_OPAQUE = re.compile(r"OpaqueType<(\d{1,3})u?>")
_SUFFIXES = (
    "_kernel_cuda",
    "_cuda_kernel",
    "_kernel_impl",
    "CUDAKernelImpl",
    "_cuda_out",
    "_kernel",
    "_cuda",
    "_functor",
    "Functor",
    "Ops",
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OPERATIONS = {
    "direct_copy": "copy",
    "bfloat16_copy": "copy",
    "bfloat16tofloat32_copy": "copy",
    "float16_copy": "copy",
    "float8_copy": "copy",
    "float16tofloat32_copy": "copy",
    "cudafunctor_add": "add",
    "cudafunctor_on_self_add": "add",
    "cudafunctor_on_other_add": "add",
    "cudafunctor_on_self_sub": "sub",
    "launch_clamp_scalar": "clamp",
    "pow_tensor_scalar": "pow",
    "pow_tensor_tensor": "pow",
    "compare_scalar": "compare",
    "compare_eq": "compare",
    "compare": "compare",
    "and": "all",
    "or": "any",
    "norm_two": "norm",
    "norm_one": "norm",
    "welford": "var",
    "arg_max": "argmax",
    "arg_min": "argmin",
    "max_nan": "max",
    "batch_norm_update_stats_and_invert": "batch_norm",
    "fused_adam_math": "adam",
    "hfp8_to_float_gpu": "quantize",
    "float_to_hfp8_gpu": "quantize",
}

# Kernels with a name of their own, by how the name begins. The longer prefix stands first.
_NAMED: tuple[tuple[str, str], ...] = (
    ("softmax_warp_forward", "softmax"),
    ("softmax_warp_backward", "softmax backward"),
    ("cunn_SoftMaxForward", "softmax"),
    ("cunn_SoftMaxBackward", "softmax backward"),
    ("cunn_SpatialSoftMaxForward", "softmax"),
    ("cunn_SpatialSoftMaxBackward", "softmax backward"),
    ("softmax_dropout", "softmax"),
    ("vectorized_layer_norm_kernel", "layer_norm"),
    ("LayerNormForwardCUDAKernel", "layer_norm"),
    ("RowwiseMomentsCUDAKernel", "layer_norm"),
    ("layer_norm_grad_input_kernel", "layer_norm backward"),
    ("GammaBetaBackwardCUDAKernel1", "group_norm backward"),
    ("GammaBetaBackwardCUDAKernel2", "group_norm backward"),
    ("GammaBeta1dBackward", "group_norm backward"),
    ("GammaBetaBackward", "layer_norm backward"),
    ("ComputeFusedParamsCUDAKernel", "group_norm"),
    ("ComputeInternalGradientsCUDAKernel", "group_norm backward"),
    ("ComputeBackwardFusedParamsCUDAKernel", "group_norm backward"),
    ("Compute1dBackwardFusedParams", "group_norm backward"),
    ("cuComputePartGradGammaBeta", "layer_norm backward"),
    ("cuComputeGradGammaBeta", "layer_norm backward"),
    ("cuComputeGradInput", "layer_norm backward"),
    ("cuApplyLayerNorm", "layer_norm"),
    ("batch_norm_backward", "batch_norm backward"),
    ("batch_norm_", "batch_norm"),
    ("CatArrayBatchedCopy", "cat"),
    ("fused_dropout_kernel", "dropout"),
    ("indexSelect", "index_select"),
    ("indexFuncLargeIndex", "index_add"),
    ("indexFuncSmallIndex", "index_add"),
    ("indexing_backward_kernel", "index backward"),
    ("vectorized_gather_kernel", "gather"),
    ("embedding_backward", "embedding backward"),
    ("compute_grad_weight", "embedding backward"),
    ("sum_and_scatter", "embedding backward"),
    ("krn_partial", "embedding backward"),
    ("EmbeddingBag", "embedding_bag"),
    ("cunn_ClassNLLCriterion_updateOutput", "nll_loss"),
    ("cunn_ClassNLLCriterion_updateGradInput", "nll_loss backward"),
    ("nll_loss_forward", "nll_loss"),
    ("nll_loss_backward", "nll_loss backward"),
    ("max_pool_forward", "max_pool"),
    ("max_pool_backward", "max_pool backward"),
    ("avg_pool2d_out", "avg_pool"),
    ("avg_pool2d_backward", "avg_pool backward"),
    ("adaptive_average_pool", "avg_pool"),
    ("triu_tril_kernel", "triu/tril"),
    ("tensor_kernel_scan", "cumsum"),
    ("gatherTopK", "topk"),
    ("bitonicSortKVInPlace", "sort"),
    ("radixSortKVInPlace", "sort"),
    ("fillSliceWithIndex", "sort"),
    ("multinomial", "multinomial"),
    ("sampleMultinomialOnce", "multinomial"),
    ("upsample_", "upsample"),
    ("conv_depthwise", "conv"),
    ("reflection_pad", "pad"),
    ("roll_cuda_kernel", "roll"),
    ("flip_cuda_kernel", "flip"),
    ("compute_cuda_kernel", "repeat_interleave"),
    ("write_indices", "nonzero"),
)
# Those of them that stand in no namespace. Another name without `at::` is someone else's.
_UNQUALIFIED = ("softmax_warp_", "cunn_", "compute_cuda_kernel", "indexing_backward_kernel")
# Kernels that PyTorch compiles at run time bear the bare name of their reduction.
_JITTED = re.compile(r"reduction_([a-z]{2,20})_kernel$")
# Optimisers of others with PyTorch's kernel of that name: Apex, DeepSpeed, Transformer Engine.
_LISTS = "TensorListMetadata"


def _functor(sig: Signature) -> Signature | None:
    """The functor that says which op a carrier runs, wrappers looked through."""
    inner = next((arg for arg in sig.args if not _skip(arg)), None)
    for _ in range(8):
        if inner is None:
            return None
        found = leading(inner)
        at = _WRAPPERS.get(found.base)
        if at is None:
            return found
        # Before 1.12 the unary functors held nothing but the inner one.
        at = 0 if len(found.args) == 1 else at
        if len(found.args) <= at:
            return None
        inner = found.args[at]
    return None


def _skip(arg: str) -> bool:
    """Whether a template argument is a number, a bare type or a container, not a functor."""
    return bool(dtype(arg) or _NUMBER.fullmatch(arg)) or leading(arg).base in _CONTAINERS


def _operation(word: str) -> str:
    """`masked_fill_kernel` -> masked_fill, `MulFunctor` -> mul, `GeluCUDAKernelImpl` -> gelu."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) > len(suffix):
            word = word[: -len(suffix)]
            break
    if word.startswith("CUDAFunctor"):
        word = word.replace("CUDAFunctorOn", "cudafunctorOn").replace("CUDAFunctor", "cudafunctor")
    snake = _CAMEL.sub("_", word).lower().strip("_")
    return _OPERATIONS.get(snake, snake)


def _functor_types(text: str, functor: Signature) -> tuple[tuple[str, ...], str | None]:
    """Data types of a carrier: its unary or binary functor's, its last lambda's, its own."""
    wrapper = re.search(r"(?:AUnary|BUnary|Binary)Functor<([^<>]{1,120}),", text)
    reduce = re.search(r"ReduceOp<([^<>,]{1,40}),", text)
    lambdas = _LAMBDA.findall(text[: text.find(">(") + 1 or None])
    if wrapper:
        # The last part is cut off before the functor's own arguments.
        parts = wrapper[1].split(",")[:3]
        token = wrapper[0]
    elif reduce:
        parts, token = [reduce[1]], reduce[0]
    elif functor.args:
        parts, token = list(functor.args[:2]), functor.base
    else:
        told = [found for found in lambdas if any(dtype(p) for p in found.split(","))]
        if not told:
            return (), None
        parts, token = told[0].split(","), told[0]
    kinds = distinct([dtype(part) for part in parts])
    # A condition or mask stands beside the data, whatever the order of the arguments.
    return tuple(sorted(kinds, key=lambda kind: kind == "bool")), token if kinds else None


def _carried(text: str, sig: Signature) -> KernelName | None:
    functor = _functor(sig)
    if functor is None:
        return None
    base = functor.base
    if sig.base.startswith("distribution"):
        found = re.search(r"(uniform|normal|bernoulli|exponential|random)\w{0,20}", text)
        base = found[1] if found else base
    elif sig.base == "_scatter_gather_elementwise_kernel":
        base = "scatter_gather"
    elif sig.base == "multi_tensor_apply_kernel":
        found = re.search(r"std::(multiplies|plus|minus|divides)", text)
        base = f"foreach_{found[1] if found else _operation(base)}"
        base = {
            "foreach_multiplies": "foreach_mul",
            "foreach_plus": "foreach_add",
            "foreach_minus": "foreach_sub",
            "foreach_divides": "foreach_div",
        }.get(base, base)
    operation = _operation(base)
    reduction = sig.base == "reduce_kernel"
    if reduction:
        operation = f"reduce {operation}"
    kinds, kind_token = _functor_types(text, functor)
    return named(
        joined(operation, *kinds[:1]),
        Library.ATEN,
        operation,
        {
            "library": "at::native" if "at::native" in text else sig.base,
            "operation": functor.base,
            "dtypes": kind_token,
            "tensor_cores": sig.base,
        },
        dtypes=kinds,
        tensor_cores=False,
    )


def _optimizer(text: str, sig: Signature) -> KernelName | None:
    """A package's optimiser: `multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<…`."""
    functor = _functor(sig)
    if functor is None or _LISTS not in text:
        return None
    library, token = "Apex/DeepSpeed", sig.base
    if "transformer_engine" in text:
        library, token = "Transformer Engine", "transformer_engine"
    operation = _operation(functor.base)
    kinds = [(kind, arg) for arg in functor.args if (kind := dtype(arg))]
    return named(
        joined(operation, *(kind for kind, _ in kinds[:1])),
        library,
        operation,
        {
            "library": token,
            "operation": functor.base,
            "dtypes": kinds[0][1] if kinds else None,
            "tensor_cores": sig.base,
        },
        dtypes=distinct([kind for kind, _ in kinds]),
        tensor_cores=False,
    )


def _jitted(text: str) -> KernelName | None:
    """`reduction_prod_kernel`: a reduction that PyTorch compiled at run time."""
    found = _JITTED.match(text)
    if found is None:
        return None
    operation = f"reduce {found[1]}"
    return named(text, Library.ATEN, operation, {"library": text, "operation": found[1]})


def aten_kernel(text: str, sig: Signature) -> KernelName | None:
    """One of PyTorch's own kernels, or None for another."""
    native = "at::" in text
    if sig.base == "multi_tensor_apply_kernel" and not native:
        return _optimizer(text, sig)
    if sig.base.startswith("reduction_") and text == sig.base:
        return _jitted(text)
    if native and sig.base.startswith(_CARRIERS):
        return _carried(text, sig)
    row = next((row for row in _NAMED if sig.base.startswith(row[0])), None)
    if row is None or not (native or sig.base.startswith(_UNQUALIFIED)):
        return None
    prefix, operation = row
    if operation.startswith("softmax") and len(sig.args) > 4 and sig.args[4] in ("true", "1"):
        # softmax_warp_*<in, out, accumulator, log2 of the row, is_log_softmax, is_masked>
        operation = f"log_{operation}"
    if sig.base.startswith("cunn_") and "LogSoftMax" in text:
        operation = f"log_{operation}"
    # Softmax names input and output type; the others a data type, then accumulator or index.
    storage = sig.args[: 2 if "softmax" in operation else 1]
    kinds = distinct([dtype(arg) for arg in storage])
    opaque = _OPAQUE.search(storage[0]) if storage else None
    return named(
        typed(sig),
        Library.ATEN,
        operation,
        {
            "library": "at::native" if "at::native" in text else prefix,
            "operation": prefix,
            "dtypes": next((arg for arg in storage if dtype(arg)), None),
            "tensor_cores": prefix,
            "element_bytes": opaque[0] if opaque else None,
        },
        dtypes=kinds,
        tensor_cores=False,
        element_bytes=int(opaque[1]) if opaque else None,
    )
