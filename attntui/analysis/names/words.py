"""What kernel names say in words that code compares: the operation, its kind, the library."""

from __future__ import annotations

from attntui.analysis.word import Word


class Operation(Word):
    """Operations that code asks for. An operation that nothing asks for is text alone: PyTorch's
    elementwise kernels name theirs themselves.
    """

    ATTENTION_FORWARD = "attention forward"
    ATTENTION_BACKWARD = "attention backward"
    # Parts of an attention that only attention has.
    ATTENTION_COMBINE = "attention combine"
    ATTENTION_PREPROCESS = "attention preprocess"
    ATTENTION_CONVERT = "attention convert"
    ATTENTION_REDUCE = "attention reduce"
    ATTENTION_QUANTIZE = "attention quantize"
    GEMM = "gemm"
    GEMV = "gemv"
    CONV = "conv"
    CONV_FORWARD = "conv forward"
    CONV_BACKWARD_DATA = "conv backward data"
    CONV_BACKWARD_WEIGHT = "conv backward weight"
    # What a library launches beside the kernel that does the work.
    CONV_OFFSETS = "conv offsets"
    EPILOGUE = "epilogue"
    LAYOUT = "layout"
    SCALE = "scale"
    SPLIT_K_REDUCE = "split-K reduce"
    TENSOR_OP = "tensor op"
    TRANSPOSE = "transpose"
    # Steps of a naive attention.
    SOFTMAX = "softmax"
    SOFTMAX_BACKWARD = "softmax backward"
    MUL = "mul"
    DIV = "div"
    ADD = "add"
    MASKED_FILL = "masked_fill"
    WHERE = "where"
    TRIU_TRIL = "triu/tril"
    FILL = "fill"
    COMPARE = "compare"
    DROPOUT = "dropout"
    COPY = "copy"
    MEMCPY = "memcpy"
    MEMSET = "memset"
    ALL_REDUCE = "all_reduce"


ATTENTION = frozenset(
    (
        Operation.ATTENTION_FORWARD,
        Operation.ATTENTION_BACKWARD,
        Operation.ATTENTION_COMBINE,
        Operation.ATTENTION_PREPROCESS,
        Operation.ATTENTION_CONVERT,
        Operation.ATTENTION_REDUCE,
        Operation.ATTENTION_QUANTIZE,
    )
)
CONVOLUTIONS = frozenset(
    (
        Operation.CONV,
        Operation.CONV_FORWARD,
        Operation.CONV_BACKWARD_DATA,
        Operation.CONV_BACKWARD_WEIGHT,
    )
)


class Library(Word):
    """Libraries that code asks for; the others are text alone, in the file that knows them."""

    ATEN = "ATen"
    C10D = "c10d"
    CK = "CK"
    CUB = "CUB/Thrust"
    CUDNN = "cuDNN"
    MEMORY = "memory"
    TRITON = "Triton"


class OperationKind(Word):
    """Kinds of operations, of whatever name: what a colour stands for."""

    ATTENTION = "attention"
    PRODUCT = "product"
    REDUCTION = "reduction"
    POINTWISE = "pointwise"
    COPY = "copy"
    FILL = "fill"
    COLLECTIVE = "collective"


# What the word for an operation holds, in this order.
_KINDS = (
    ("attention", OperationKind.ATTENTION),
    ("masked_fill", OperationKind.POINTWISE),
    ("all_reduce", OperationKind.COLLECTIVE),
    ("gemm", OperationKind.PRODUCT),
    ("gemv", OperationKind.PRODUCT),
    ("conv", OperationKind.PRODUCT),
    ("softmax", OperationKind.REDUCTION),
    ("norm", OperationKind.REDUCTION),
    ("reduce", OperationKind.REDUCTION),
    ("copy", OperationKind.COPY),
    ("fill", OperationKind.FILL),
)


UNTOLD_FUSION = "fused"
"""Of a compiled kernel: pointwise or a reduction, its name does not say."""


def kind_of(operation: str | None) -> OperationKind | None:
    """The kind of an operation; what no word tells acts on one element at a time, but for a
    fused kernel of untold sort, which may be of any kind.
    """
    if not operation or operation == UNTOLD_FUSION:
        return None
    return next((kind for word, kind in _KINDS if word in operation), OperationKind.POINTWISE)


_OPERATIONS: dict[str, Operation] = {member.value: member for member in Operation}
_LIBRARIES: dict[str, Library] = {member.value: member for member in Library}


def operation_of(text: str | None) -> Operation | str | None:
    """An operation's member where code asks for it, else the text."""
    return None if text is None else _OPERATIONS.get(text, text)


def library_of(text: str | None) -> Library | str | None:
    """A library's member where code asks for it, else the text."""
    return None if text is None else _LIBRARIES.get(text, text)
