"""What a trace recorded: its CPU side, and why it has no GPU operation where it has none."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import numpy as np

from attntui.analysis.runtime_calls import CallKind, call_kinds
from attntui.trace.categories import category_of
from attntui.trace.model import I64, Category, Trace

_ACCELERATORS = ("mtia", "hpu", "xpu", "privateuse1", "glow")
"""How the raw categories of accelerators begin in the files of PyTorch's profiler, besides
those that go by the names of GPU operations (`kernel`, `gpu_memcpy`, `gpu_memset`).
"""

_RANGES = "profiler_range"
"""How the raw category of CUPTI's ranges ends: counters of the device, by kernel or for all."""


class NoGpu(Enum):
    """Why a trace has no GPU operation."""

    FOREIGN = "foreign"
    OTHER_ACCELERATOR = "other accelerator"
    RANGES = "ranges"
    LOST = "lost"
    CPU_ALONE = "CPU alone"


def why_no_gpu(trace: Trace) -> NoGpu | None:
    """Why no GPU operation was recorded; None where one was."""
    if len(trace.gpu_ops):
        return None
    if recorded_by(trace) is not None:
        return NoGpu.FOREIGN
    if len(accelerator_events(trace)):
        return NoGpu.OTHER_ACCELERATOR
    if len(counted_ranges(trace)):
        return NoGpu.RANGES
    return NoGpu.LOST if len(launch_calls(trace)) else NoGpu.CPU_ALONE


def recorded_by(trace: Trace) -> str | None:
    """What recorded a trace, if it was not PyTorch's profiler, in words.

    PyTorch's profiler gives each event a category that it alone, or a tool that copies it,
    has; others are known by what they call their lanes and categories.
    """
    words = trace.raw_categories
    if "deviceProperties" in trace.metadata.raw or any(map(_of_torch, words)):
        return None
    labels = {lane.label for lane in trace.lanes}
    if any(label.startswith("XLA ") or label == "/host:CPU" for label in labels):
        return "XLA's profiler (JAX, TensorFlow)"
    if any(word.startswith(("COLL ", "P2P ")) for word in words):
        return "NCCL's profiler"
    if any(label.startswith("Cr") and label.endswith("Main") for label in labels):
        return "Chrome's tracing"
    return "another tool than PyTorch's profiler"


def _of_torch(word: str) -> bool:
    word = word.lower()
    known = category_of(word) is not Category.OTHER
    return known or word.startswith(_ACCELERATORS) or word.endswith(_RANGES)


def accelerator_events(trace: Trace) -> I64:
    """Rows of accelerator events that are neither GPU operations nor host calls."""
    rows = _called(trace, lambda word: word.startswith(_ACCELERATORS))
    found: I64 = rows[trace.category[rows] == Category.OTHER]
    return found


def counted_ranges(trace: Trace) -> I64:
    """Rows of the ranges of a range profile."""
    return _called(trace, lambda word: word.endswith(_RANGES))


def _called(trace: Trace, test: Callable[[str], bool]) -> I64:
    """Rows whose category in the file passes a test, in small letters."""
    raw = [i for i, word in enumerate(trace.raw_categories) if test(word.lower())]
    return np.flatnonzero(np.isin(trace.columns.raw_category, raw))


def launch_calls(trace: Trace) -> I64:
    """Rows of the calls that put work on a stream, as their names tell."""
    return np.flatnonzero(call_kinds(trace) == CallKind.LAUNCH)


def host_recorded(trace: Trace) -> bool:
    """Whether the CPU side was: runtime calls are recorded with the GPU's."""
    host = (Category.CPU_OP, Category.USER_ANNOTATION, Category.PYTHON_FUNCTION)
    return bool(np.isin(trace.category, host).any())
