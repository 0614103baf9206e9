"""What can be captured: names, what each teaches, what each needs. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How a workload is built."""

    ATTENTION = "attention"
    MODEL = "model"
    GAPS = "gaps"


@dataclass(frozen=True, slots=True)
class Entry:
    """One workload of the catalogue."""

    name: str
    kind: Kind
    teaches: str
    needs: str


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "naive",
        Kind.ATTENTION,
        "matmul, scale, masked_fill, softmax, matmul: the score matrix crosses memory at each"
        " step, and the out-of-place masked_fill hides a copy",
        "torch",
    ),
    Entry(
        "naive-inplace",
        Kind.ATTENTION,
        "the same with mul_ and masked_fill_: the hidden copy is gone, the traffic stays",
        "torch",
    ),
    Entry(
        "math",
        Kind.ATTENTION,
        "SDPA's reference backend: many kernels, mask rebuilt at every call, safe softmax",
        "torch",
    ),
    Entry(
        "flash",
        Kind.ATTENTION,
        "SDPA pinned to FlashAttention: one kernel, no score matrix in memory",
        "bf16 or fp16 on an sm80+ GPU; any CPU",
    ),
    Entry(
        "efficient",
        Kind.ATTENTION,
        "SDPA pinned to the memory-efficient CUTLASS kernel: one kernel, also fp32",
        "a CUDA GPU",
    ),
    Entry(
        "cudnn",
        Kind.ATTENTION,
        "SDPA pinned to cuDNN: a generated kernel launched through the driver API",
        "bf16 or fp16 on an sm80+ GPU, cuDNN 9",
    ),
    Entry(
        "auto",
        Kind.ATTENTION,
        "SDPA left to choose: which backend your torch takes at this shape",
        "torch",
    ),
    Entry(
        "compile",
        Kind.ATTENTION,
        "naive under torch.compile: Inductor fuses what lies between the two products",
        "Triton on a GPU, a C++ compiler on the CPU",
    ),
    Entry(
        "flex",
        Kind.ATTENTION,
        "FlexAttention compiled: one kernel generated for a mask written in Python",
        "Triton on a GPU, a C++ compiler on the CPU",
    ),
    Entry(
        "triton",
        Kind.ATTENTION,
        "a fused attention written by hand in Triton: online softmax, nothing spilled to memory",
        "a CUDA GPU, Triton, head dim 16 to 128",
    ),
    Entry(
        "triton-unfused",
        Kind.ATTENTION,
        "cuBLAS products round one fused Triton softmax: what fusing half of it is worth",
        "a CUDA GPU, Triton",
    ),
    Entry(
        "hub-flash",
        Kind.ATTENTION,
        "a FlashAttention build from the Hugging Face Hub, loaded through `kernels`",
        "an sm80+ GPU, `pip install kernels`, a network or a filled cache",
    ),
    Entry(
        "prefill-naive",
        Kind.MODEL,
        "a GPT forward over a whole prompt, naive attention: attention's share of a model",
        "torch",
    ),
    Entry("prefill-sdpa", Kind.MODEL, "the same forward with SDPA", "torch"),
    Entry(
        "decode-naive",
        Kind.MODEL,
        "one token a step with a KV cache and a host sync: launch-bound, the GPU waits",
        "torch",
    ),
    Entry(
        "decode-sdpa",
        Kind.MODEL,
        "the same decode with SDPA left to choose: where it takes cuDNN, a plan is built for each"
        " new cache length",
        "torch",
    ),
    Entry(
        "decode-flash",
        Kind.MODEL,
        "the same decode with SDPA pinned to FlashAttention: no plans, launches alone",
        "bf16 or fp16 on an sm80+ GPU; any CPU",
    ),
    Entry(
        "train-naive",
        Kind.MODEL,
        "copy in, forward, backward, optimiser, .item(): a training step with naive attention",
        "torch",
    ),
    Entry("train-sdpa", Kind.MODEL, "the same training step with SDPA", "torch"),
    Entry(
        "gaps",
        Kind.GAPS,
        "GPU idle planted on purpose, one labelled phase for each cause",
        "a CUDA GPU",
    ),
)

BY_NAME: dict[str, Entry] = {entry.name: entry for entry in ENTRIES}
ATTENTION_NAMES: tuple[str, ...] = tuple(e.name for e in ENTRIES if e.kind is Kind.ATTENTION)
MODEL_NAMES: tuple[str, ...] = tuple(e.name for e in ENTRIES if e.kind is Kind.MODEL)
SUITES: dict[str, str] = {
    "attention": "every attention variant at the reference shape and two others",
    "model": "prefill, decode and training step, naive and SDPA",
    "gaps": "the planted idle",
}
