"""What the program does already: no finding advises it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.named import NameTest, holding, is_named, names_of, names_passing
from attntui.analysis.runtime_calls import GRAPH_LAUNCH
from attntui.trace.model import Category

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_COMPILED = holding("CompiledFxGraph", "CompiledFunction", "triton_", "TorchDynamo")
_AUTOCAST = holding("autocast")


@dataclass(frozen=True, slots=True)
class InUse:
    """Which remedies a slice shows in use."""

    graph: bool
    compiled: bool
    autocast: bool
    pinned: bool

    def words(self, *asked: str) -> tuple[str, ...]:
        """In words, those of `asked` (fields of this) that are in use."""
        return tuple(_WORDS[name] for name in asked if getattr(self, name))


_WORDS = {
    "graph": "a CUDA graph is replayed",
    "compiled": "code is compiled",
    "autocast": "autocast is on",
    "pinned": "host memory is pinned",
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
        compiled=any_passes(_COMPILED),
        autocast=any_passes(_AUTOCAST),
        pinned=bool(is_named(trace, copies, holding("Pinned")).any()),
    )
