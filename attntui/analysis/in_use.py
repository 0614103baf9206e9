"""What the program does already: no finding advises it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.groups import distinct
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.named import NameTest, holding, is_named, names_of, names_passing
from attntui.analysis.names.words import Library, Operation
from attntui.analysis.runtime_calls import GRAPH_LAUNCH
from attntui.trace.model import Category

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_CAPTURED = holding("StreamBeginCapture")
_COMPILED = holding("CompiledFxGraph", "CompiledFunction", "triton_", "TorchDynamo")
_AUTOCAST = holding("autocast")
_WORKERS = holding("_MultiProcessingDataLoaderIter")
_FOREACH = holding(
    "aten::_foreach_", "aten::_fused_adam", "aten::_fused_sgd", "aten::_fused_adagrad"
)


@dataclass(frozen=True, slots=True)
class InUse:
    """Which remedies a slice shows in use."""

    graph: bool
    captured: bool
    compiled: bool
    autocast: bool
    pinned: bool
    copy_stream: bool
    workers: bool
    foreach: bool
    tf32: bool

    def words(self, *asked: str) -> tuple[str, ...]:
        """In words, those of `asked` (fields of this) that are in use."""
        return tuple(_WORDS[name] for name in asked if getattr(self, name))


_WORDS = {
    "graph": "a CUDA graph is replayed",
    "captured": "a CUDA graph is captured",
    "compiled": "code is compiled",
    "autocast": "autocast is on",
    "pinned": "host memory is pinned",
    "copy_stream": "copies have a stream of their own",
    "workers": "the data loader has workers",
    "foreach": "tensors are updated together (foreach or fused ops)",
    "tf32": "products use TF32",
}


def in_use(seen: Slice) -> InUse:
    """What the trace of a slice shows in use."""
    trace = seen.trace
    host = np.flatnonzero(
        np.isin(
            trace.category,
            (
                Category.CPU_OP,
                Category.USER_ANNOTATION,
                Category.PYTHON_FUNCTION,
                Category.RUNTIME,
                Category.DRIVER,
            ),
        )
    )
    names = names_of(trace, host)

    def any_passes(test: NameTest) -> bool:
        return bool(names_passing(trace, test, names).any())

    copies = seen.gpu_ops[trace.category[seen.gpu_ops] == Category.MEMCPY]
    return InUse(
        graph=any_passes(GRAPH_LAUNCH),
        captured=any_passes(_CAPTURED),
        compiled=any_passes(_COMPILED),
        autocast=any_passes(_AUTOCAST),
        pinned=bool(is_named(trace, copies, holding("Pinned")).any()),
        copy_stream=_copies_stand_apart(seen),
        workers=any_passes(_WORKERS),
        foreach=any_passes(_FOREACH),
        tf32=any(map(_is_tf32_product, seen.kernel_facts)),
    )


def _copies_stand_apart(seen: Slice) -> bool:
    """Whether most of the time of copies from or to the host is on streams without kernels."""
    trace, ops = seen.trace, seen.gpu_ops
    _, stream = distinct(trace.device[ops], trace.stream[ops])
    kernels = stream[trace.category[ops] == Category.KERNEL]
    copying = np.where(is_named(trace, ops, holding("HtoD", "DtoH")), trace.dur[ops], 0)
    apart = copying[~np.isin(stream, kernels)]
    return bool(2 * int(apart.sum()) > int(copying.sum()))


def _is_tf32_product(fact: KernelFact) -> bool:
    """Of matrices: convolutions use TF32 unless told otherwise."""
    decoded = fact.decoded
    product = decoded.operation is Operation.GEMM and decoded.library is not Library.CUDNN
    return product and fact.dtype == "tf32"
