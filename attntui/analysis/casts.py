"""Kernels that do nothing but convert a tensor to another data type."""

from __future__ import annotations

import re

from attntui.analysis.kernel_names import decode
from attntui.analysis.names.words import Operation
from attntui.trace.model import OpInputs

_COPY_OP = "aten::copy_"
# PyTorch's copies that have a type of their own for what they write or read, and those that
# convert whatever they load.
_CONVERTING = re.compile(r"(?:b?float\d+(?:to\w{4,12})?|float8\w{0,8})_copy_kernel|LoadWithCast")


def is_cast(kernel: str, op: str | None, inputs: OpInputs | None) -> bool:
    """Whether a kernel only converts between data types, by the inputs of the op that launched
    it (a copy has its target and its source) or by its own name.
    """
    operation = decode(kernel).operation
    if operation is Operation.ATTENTION_QUANTIZE:
        return True
    if operation is not Operation.COPY:
        return False
    if op == _COPY_OP and inputs is not None and len(inputs.types) > 1 and all(inputs.types[:2]):
        return inputs.types[0] != inputs.types[1]
    return bool(_CONVERTING.search(kernel[:1000]))
