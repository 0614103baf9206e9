"""One category for each spelling that profilers have used."""

from __future__ import annotations

import re

from attntui.trace.model import Category

_SPELLINGS = {
    "cpu_op": Category.CPU_OP,
    "operator": Category.CPU_OP,
    "user_annotation": Category.USER_ANNOTATION,
    "python_function": Category.PYTHON_FUNCTION,
    "runtime": Category.RUNTIME,
    "hip": Category.RUNTIME,
    "driver": Category.DRIVER,
    "gpu_user_annotation": Category.GPU_USER_ANNOTATION,
    "overhead": Category.OVERHEAD,
}

_ENDINGS = (
    ("_runtime", Category.RUNTIME),
    ("_driver", Category.DRIVER),
    ("_sync", Category.SYNC),
    ("kernel", Category.KERNEL),
    ("memcpy", Category.MEMCPY),
    ("memset", Category.MEMSET),
)

_ANNOTATIONS = re.compile(
    r"ProfilerStep#\d+|Optimizer\.(?:step|zero_grad)#.*|enumerate\(DataLoader\)#.*"
    r"|(?:Distributed)?DataParallel\.forward"
)
"""The names that torch itself gives to annotations, as its `record_function` makes them."""

HOST_CATEGORIES = (
    Category.CPU_OP,
    Category.USER_ANNOTATION,
    Category.PYTHON_FUNCTION,
    Category.RUNTIME,
    Category.DRIVER,
)
"""What happens on a CPU thread, and so makes a lane a CPU lane."""

GPU_CATEGORIES = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)
"""What keeps a GPU busy: the GPU operations."""


def category_of(text: str) -> Category:
    """The category that the file's word means.

    Whatever calls itself kernel, memcpy or memset is a GPU operation, whoever made the
    device; only MTIA's host calls are mapped, since its device events are no operations.
    """
    word = text.lower()
    known = _SPELLINGS.get(word)
    if known is not None:
        return known
    for ending, category in _ENDINGS:
        if word.endswith(ending):
            foreign = word.startswith("mtia") and category in GPU_CATEGORIES
            return Category.OTHER if foreign else category
    return Category.OTHER


def is_annotation(name: str) -> bool:
    """Whether an event that the file calls an op bears the name of an annotation.

    Old files have one category, `Operator`, for ops and annotations alike.
    """
    return _ANNOTATIONS.fullmatch(name) is not None
