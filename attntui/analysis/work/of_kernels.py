"""Work of ops and kernels from recorded shapes: FLOPs, and the fewest bytes they had to move."""

from __future__ import annotations

from functools import lru_cache

from attntui.analysis.names.cpp import dtype
from attntui.analysis.names.model import KernelName
from attntui.analysis.names.words import Library, Operation, OperationKind
from attntui.analysis.work import attention, by_hand, gemm, memory, pointwise, rows
from attntui.analysis.work.attention import attention_flops, fused_attention_bytes
from attntui.analysis.work.model import DTYPE_BYTES, MISSING, Arguments, Work, unknown
from attntui.trace.model import OpInputs

__all__ = [
    "Work",
    "attention_flops",
    "fused_attention_bytes",
    "kernel_dtype",
    "kernel_work",
    "op_work",
    "transfer_work",
]

# What a library launches beside the kernel that does the op's work.
_HELPERS = frozenset(
    {
        Operation.ATTENTION_COMBINE,
        Operation.ATTENTION_CONVERT,
        Operation.ATTENTION_PREPROCESS,
        Operation.ATTENTION_QUANTIZE,
        Operation.ATTENTION_REDUCE,
        Operation.CONV_OFFSETS,
        Operation.EPILOGUE,
        Operation.LAYOUT,
        Operation.SCALE,
        Operation.SPLIT_K_REDUCE,
        Operation.TENSOR_OP,
        Operation.TRANSPOSE,
    }
)

_PART = unknown("part of the op's work, which stands on its main kernel")
_NO_RULE = unknown("no rule for this op")
_RULES = pointwise.RULES | rows.RULES | memory.RULES


@lru_cache(maxsize=1 << 18)
def op_work(name: str, inputs: OpInputs) -> Work:
    """The least work of a CPU op as recorded, whatever it launched. Never raises.

    `name` is the op's full name (`aten::bmm`). An input that was expanded counts its distinct
    elements, so strides matter. Absent shapes or an op without a rule give None with a note.
    """
    if not inputs.types:
        return MISSING
    args = Arguments(inputs)
    rule = _RULES.get(name)
    if rule:
        return rule(args)
    if name.startswith("triton_"):
        return pointwise.triton(name, args)
    found = attention.attention_work(name, args) or gemm.gemm_work(name, args)
    return found or _NO_RULE


def transfer_work(name: str, copied: int | None) -> Work:
    """Device memory that a memcpy or memset touches; `copied` is its recorded size in bytes.

    A copy within the device reads and writes it; one to or from the host touches it once.
    """
    if copied is None or copied < 0:
        return unknown("size not recorded")
    if name.startswith("Memset"):
        return Work(0, 0, copied)
    if "HtoD" in name:
        return Work(0, 0, copied, "written from the host")
    if "DtoH" in name:
        return Work(0, copied, 0, "read by the host")
    return Work(0, copied, copied)


def kernel_work(
    kernel: KernelName, op: str | None, inputs: OpInputs | None, copied: int | None = None
) -> Work:
    """Work of one GPU operation: of its launching op, unless it is a copy or only helps it.

    An op's work stands on the kernel that does it; what a library launches beside it (a split-K
    reduction, a layout change, attention's passes before and after) gets none of its own. Of an
    op without a rule the kernel's name may say what it does.
    """
    if kernel.library is Library.MEMORY:
        return transfer_work(kernel.short, copied)
    if kernel.operation in _HELPERS and kernel.library is not Library.ATEN:
        return _PART
    if op is None or inputs is None:
        return MISSING
    if op in ("aten::cat", "aten::stack"):
        told = kernel.element_bytes or DTYPE_BYTES.get(kernel.dtypes[0] if kernel.dtypes else "")
        return memory.concatenated(Arguments(inputs), told)
    work = op_work(op, inputs)
    if work.flops and kernel.kind in (OperationKind.COPY, OperationKind.FILL):
        # Of the bias before a product, say.
        return _PART
    if work is _NO_RULE:
        return by_hand.work_by_hand(kernel.operation, op, Arguments(inputs)) or work
    return work


def kernel_dtype(kernel: KernelName, inputs: OpInputs | None) -> str | None:
    """The data type a kernel computes in: as its name tells, else that of its op's first tensor."""
    if kernel.dtypes:
        return kernel.dtypes[0]
    if inputs is None:
        return None
    types = (dtype(word.removesuffix(" int")) for word in inputs.types)
    return next((found for found in types if found), None)
