"""What a kernel's name tells, and the token of the name that told it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from attntui.analysis.attention_ops import Backend
from attntui.analysis.names.words import (
    Library,
    Operation,
    OperationKind,
    kind_of,
    library_of,
    operation_of,
)

SHORT_LIMIT = 40
"""Most characters of a short name: it has to fit a table column at 80 columns."""

# Of the target as names spell it: `sm90` is NVIDIA's sm_90.
_SM = re.compile(r"^sm(?=\d)")


@dataclass(frozen=True, slots=True)
class KernelName:
    """A decoded kernel name. A field is None (or empty) where the name does not tell.

    `library` and `operation` are the words a reader of traces uses (`cuBLAS`, `gemm`): members
    where code asks for them, else text for people. `kind` is the operation's; `backend` that of
    an attention kernel.
    `dtypes` are the distinct data types named, inputs first, accumulators left out. `tile`
    is rows x columns [x depth] of the block tile; `stages` the depth of its software
    pipeline; `layout` as the library writes it (`tn`, `TNT`, `nhwc`); `arch` the target
    (`sm80`, `gfx942`). `fused_ops` are the ops that an Inductor kernel's name lists.
    `causal` is told by some attention kernels, `element_bytes` by copies that name a size and
    no type. `evidence` pairs a field with the token of the name that gave it.
    """

    short: str
    library: Library | str | None = None
    operation: Operation | str | None = None
    kind: OperationKind | None = None
    backend: Backend | None = None
    dtypes: tuple[str, ...] = ()
    tensor_cores: bool | None = None
    tile: str | None = None
    stages: int | None = None
    layout: str | None = None
    arch: str | None = None
    fused_ops: tuple[str, ...] = ()
    causal: bool | None = None
    element_bytes: int | None = None
    evidence: tuple[tuple[str, str], ...] = ()

    def because(self, field: str) -> str | None:
        """The token of the name that gave a field, or None."""
        return next((token for name, token in self.evidence if name == field), None)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """How the kernel was built, as label and text; what the name does not tell is left out.

        `told by` lists the tokens of the name that gave library, operation and tensor cores.
        """
        tokens = (self.because(field) for field in ("library", "operation", "tensor_cores"))
        told = (
            ("types", ", ".join(self.dtypes)),
            ("element", f"{self.element_bytes} bytes" if self.element_bytes else ""),
            ("tile", self.tile),
            ("stages", str(self.stages) if self.stages is not None else ""),
            ("layout", self.layout),
            ("built for", _SM.sub("sm_", self.arch) if self.arch else ""),
            ("told by", ", ".join(dict.fromkeys(token for token in tokens if token))),
        )
        return tuple((label, text) for label, text in told if text)


def clip(text: str) -> str:
    """Cut a short name to its limit."""
    return text if len(text) <= SHORT_LIMIT else text[: SHORT_LIMIT - 3] + "..."


def named(
    short: str,
    library: str | None,
    operation: str | None,
    tokens: Mapping[str, str | None],
    *,
    kind: OperationKind | None = None,
    backend: Backend | None = None,
    dtypes: tuple[str, ...] = (),
    tensor_cores: bool | None = None,
    tile: str | None = None,
    stages: int | None = None,
    layout: str | None = None,
    arch: str | None = None,
    fused_ops: tuple[str, ...] = (),
    causal: bool | None = None,
    element_bytes: int | None = None,
) -> KernelName:
    """A decoded name with its short form clipped and empty tokens left out.

    `kind` is given where the operation's word does not tell it.
    """
    return KernelName(
        clip(short),
        library_of(library),
        operation_of(operation),
        kind or kind_of(operation),
        backend,
        dtypes,
        tensor_cores,
        tile,
        stages,
        layout,
        arch,
        fused_ops,
        causal,
        element_bytes,
        tuple((field, token) for field, token in tokens.items() if token),
    )


def joined(*parts: str | None) -> str:
    """Words of a short name, those that are not told left out."""
    return " ".join(part for part in parts if part)
