"""What colour an event has: a class of work, never the only thing that tells it apart."""

from __future__ import annotations

from enum import IntEnum

from attntui.analysis.kernel_names import KernelName
from attntui.analysis.names.words import OperationKind
from attntui.trace.model import Category


class Paint(IntEnum):
    """Classes of work that share a colour."""

    OTHER = 0
    PRODUCT = 1
    ATTENTION = 2
    REDUCTION = 3
    POINTWISE = 4
    COPY = 5
    SET = 6
    COLLECTIVE = 7
    ANNOTATION = 8
    CPU_OP = 9
    PYTHON = 10
    CALL = 11
    SYNC = 12
    IDLE = 13
    MANY = 14
    """Several GPU operations in one cell: no class speaks for them all."""


CATEGORY_PAINT = {
    Category.CPU_OP: Paint.CPU_OP,
    Category.USER_ANNOTATION: Paint.ANNOTATION,
    Category.GPU_USER_ANNOTATION: Paint.ANNOTATION,
    Category.PYTHON_FUNCTION: Paint.PYTHON,
    Category.RUNTIME: Paint.CALL,
    Category.DRIVER: Paint.CALL,
    Category.SYNC: Paint.SYNC,
    Category.MEMCPY: Paint.COPY,
    Category.MEMSET: Paint.SET,
}

_BY_KIND = {
    OperationKind.ATTENTION: Paint.ATTENTION,
    OperationKind.PRODUCT: Paint.PRODUCT,
    OperationKind.REDUCTION: Paint.REDUCTION,
    OperationKind.POINTWISE: Paint.POINTWISE,
    OperationKind.COPY: Paint.COPY,
    OperationKind.FILL: Paint.SET,
    OperationKind.COLLECTIVE: Paint.COLLECTIVE,
}


def kernel_paint(name: KernelName) -> Paint:
    """The class of a kernel by what its decoded name says it does."""
    return _BY_KIND[name.kind] if name.kind is not None else Paint.OTHER
