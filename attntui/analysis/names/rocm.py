"""Matrix products and convolutions on AMD: rocBLAS, hipBLASLt, MIOpen."""

from __future__ import annotations

import re

from attntui.analysis.names.cpp import Signature
from attntui.analysis.names.model import KernelName, joined, named
from attntui.analysis.names.words import Operation

_TENSILE_TYPES = (
    ("F8", "fp8_e4m3"),
    ("B8", "fp8_e5m2"),
    ("I8", "int8"),
    ("B", "bf16"),
    ("H", "fp16"),
    ("S", "fp32"),
    ("D", "fp64"),
    ("C", "c64"),
    ("Z", "c128"),
)


def tensile(text: str) -> KernelName | None:
    """rocBLAS and hipBLASLt: `Cijk_Ailk_Bljk_BBS_BH_…_MT128x64x32_MI32x32x1_…_ISA90a_…`.

    A indexed `ilk` is not transposed, `lik` is; B the other way about.
    """
    if not text.startswith("Cijk_"):
        return None
    words = text.split("_")
    code = words[3] if len(words) > 3 else ""
    kind = next((name for prefix, name in _TENSILE_TYPES if code.startswith(prefix)), None)
    a, b = (words[1], words[2]) if len(words) > 2 else ("", "")
    layout = None
    if a in ("Ailk", "Alik") and b in ("Bljk", "Bjlk"):
        layout = ("N" if a == "Ailk" else "T") + ("N" if b == "Bljk" else "T")
    tile = re.search(r"_MT(\d+x\d+x\d+)", text)
    unit = re.search(r"_(MI\d+x\d+x\d+)", text) or re.search(r"_(TT\d+_\d+)(?=_|$)", text)
    arch = re.search(r"_ISA([0-9a-f]+)(?=_|$)", text)
    lt = "UserArgs" in words
    return named(
        joined("Cijk", kind, tile[1] if tile else None, layout),
        "hipBLASLt" if lt else "rocBLAS",
        Operation.GEMM,
        {
            "library": "UserArgs" if lt else "Cijk",
            "operation": "Cijk",
            "dtypes": code if kind else None,
            "tensor_cores": unit[1] if unit else None,
            "tile": tile[0].strip("_") if tile else None,
            "layout": f"{a}_{b}" if layout else None,
            "arch": arch[0].strip("_") if arch else None,
        },
        dtypes=(kind,) if kind else (),
        tensor_cores=unit[1].startswith("MI") if unit else None,
        tile=tile[1] if tile else None,
        layout=layout,
        arch=f"gfx{arch[1]}" if arch else None,
    )


# In order, so what a longer name starts with stands further down.
# `half` in a transpose is a 16-bit move of whatever type, so no data type is told.
_HELPERS: tuple[tuple[str, str | None], ...] = (
    ("batched_transpose_", Operation.TRANSPOSE),
    ("transpose_NCHW2CNHW", Operation.TRANSPOSE),
    ("transpose_CNHW2NCHW", Operation.TRANSPOSE),
    ("transpose_packed_MN2NM", Operation.TRANSPOSE),
    ("Im2d2Col", Operation.LAYOUT),
    ("Im3d2Col", Operation.LAYOUT),
    ("Im2Col", Operation.LAYOUT),
    ("Col2Im", Operation.LAYOUT),
    ("naive_conv_", Operation.CONV),
    ("miopenSp3AsmConv", Operation.CONV),
    ("miopenGcnAsmConv", Operation.CONV),
    ("SubTensorOpWith", Operation.TENSOR_OP),
    ("MIOpenBatchNorm", "batch_norm"),
    ("MIOpenPooling", "pooling"),
    ("MIOpen", None),
)


def miopen(text: str, sig: Signature) -> KernelName | None:
    """MIOpen's implicit-GEMM convolutions and the layout copies round them."""
    found = re.match(r"igemm_(fwd|bwd|wrw)_(gtcx?\d?)_(nhwc|nchw)_(bf16|fp16|fp32)_", text)
    if found:
        operation = {"fwd": Operation.CONV_FORWARD, "bwd": Operation.CONV_BACKWARD_DATA}.get(
            found[1], Operation.CONV_BACKWARD_WEIGHT
        )
        tile = re.search(r"_bt(\d+x\d+x\d+)", text)
        matrix = "x" in found[2]
        arch = {"gtcx": "gfx908", "gtcx2": "gfx90a", "gtcx3": "gfx942"}.get(found[2])
        return named(
            joined(f"igemm_{found[1]}", found[4], tile[1] if tile else None, found[3]),
            "MIOpen",
            operation,
            {
                "library": "igemm",
                "operation": found[1],
                "dtypes": found[4],
                "tensor_cores": found[2],
                "tile": tile[0].strip("_") if tile else None,
                "layout": found[3],
                "arch": found[2] if arch else None,
            },
            dtypes=(found[4],),
            tensor_cores=matrix,
            tile=tile[1] if tile else None,
            layout=found[3],
            arch=arch,
        )
    row = next((row for row in _HELPERS if sig.base.startswith(row[0])), None)
    if row is None:
        return None
    prefix, task = row
    tokens = {"library": prefix, "operation": prefix if task else None}
    return named(sig.base, "MIOpen", task, tokens)


def rocm_kernel(text: str, sig: Signature) -> KernelName | None:
    """A rocBLAS, hipBLASLt or MIOpen kernel, or None for another."""
    return tensile(text) or miopen(text, sig)
