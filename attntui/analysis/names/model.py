"""What a kernel's name tells, and the token of the name that told it."""

from __future__ import annotations

from dataclasses import dataclass

SHORT_LIMIT = 40
"""Most characters of a short name: it has to fit a table column at 80 columns."""

# The operations of kernels that do attention, or a part of it that only attention has.
FORWARD = "attention forward"
BACKWARD = "attention backward"
COMBINE = "attention combine"
PREPROCESS = "attention preprocess"
CONVERT = "attention convert"


@dataclass(frozen=True, slots=True)
class KernelName:
    """A decoded kernel name. A field is None (or empty) where the name does not tell.

    `library` and `operation` are the words a reader of traces uses (`cuBLAS`, `gemm`).
    `dtypes` are the distinct data types named, inputs first, accumulators left out. `tile`
    is rows x columns [x depth] of the block tile; `stages` the depth of its software
    pipeline; `layout` as the library writes it (`tn`, `TNT`, `nhwc`); `arch` the target
    (`sm80`, `gfx942`). `fused_ops` are the ops that an Inductor kernel's name lists.
    `causal` is told by some attention kernels, `element_bytes` by copies that name a size and
    no type. `evidence` pairs a field with the token of the name that gave it.
    """

    short: str
    library: str | None = None
    operation: str | None = None
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


def clip(text: str) -> str:
    """Cut a short name to its limit."""
    return text if len(text) <= SHORT_LIMIT else text[: SHORT_LIMIT - 3] + "..."


def named(
    short: str,
    library: str | None,
    operation: str | None,
    tokens: dict[str, str | None],
    *,
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
    """A decoded name with its short form clipped and empty tokens left out."""
    return KernelName(
        clip(short),
        library,
        operation,
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
