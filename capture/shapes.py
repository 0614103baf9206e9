"""The sizes of a capture and the file name they give. Imports no torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from capture.errors import CaptureError

DTYPES: tuple[str, ...] = ("bf16", "fp16", "fp32")


def _positive(**sizes: int) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise CaptureError(f"--{name.replace('_', '-')} is {size}; it must be at least 1")


def _known_dtype(dtype: str) -> None:
    if dtype not in DTYPES:
        raise CaptureError(f"--dtype is {dtype!r}; take one of {', '.join(DTYPES)}")


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """q of [batch, heads, q_len, head_dim] against k, v of [batch, kv_heads, kv_len, head_dim].

    A causal query i sees the keys up to i + kv_len - q_len (the last query sees every key).
    Raises CaptureError on sizes that are no attention.
    """

    batch: int = 8
    heads: int = 16
    kv_heads: int = 16
    q_len: int = 1024
    kv_len: int = 1024
    head_dim: int = 64
    dtype: str = "bf16"
    causal: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        _positive(
            batch=self.batch,
            heads=self.heads,
            kv_heads=self.kv_heads,
            q_len=self.q_len,
            kv_len=self.kv_len,
            head_dim=self.head_dim,
        )
        _known_dtype(self.dtype)
        if self.heads % self.kv_heads:
            raise CaptureError(
                f"--heads {self.heads} is no multiple of --kv-heads {self.kv_heads};"
                " each key head serves a whole group of query heads"
            )
        if self.causal and self.q_len > self.kv_len:
            raise CaptureError(
                f"--q-len {self.q_len} exceeds --kv-len {self.kv_len} under a causal mask;"
                " the first queries would see no key: pass --no-causal"
            )
        if not 0.0 <= self.dropout < 1.0:
            raise CaptureError(f"--dropout is {self.dropout}; it must be at least 0 and below 1")

    @property
    def groups(self) -> int:
        """Query heads that share one key head."""
        return self.heads // self.kv_heads

    @property
    def masked(self) -> bool:
        """Whether the causal mask hides anything: a single query, the last, sees every key."""
        return self.causal and self.q_len > 1

    @property
    def label(self) -> str:
        """The part of the file name that tells the shape, e.g. `b8_h16_s1024_d64_bf16`."""
        heads = f"h{self.heads}" if self.groups == 1 else f"h{self.heads}kv{self.kv_heads}"
        length = f"s{self.kv_len}" if self.q_len == self.kv_len else f"q{self.q_len}_s{self.kv_len}"
        parts = [f"b{self.batch}", heads, length, f"d{self.head_dim}", self.dtype]
        if not self.causal:
            parts.append("full")
        if self.dropout:
            parts.append(f"p{self.dropout:g}")
        return "_".join(parts)

    def facts(self) -> dict[str, Any]:
        """The shape as JSON facts."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A GPT stack: `layers` blocks of `width`, `heads` heads, over `batch` rows of `seq` tokens.

    Raises CaptureError on sizes that make no model.
    """

    layers: int = 12
    width: int = 768
    heads: int = 12
    batch: int = 1
    seq: int = 1024
    dtype: str = "bf16"
    vocab: int = 8192

    def __post_init__(self) -> None:
        _positive(
            layers=self.layers,
            width=self.width,
            heads=self.heads,
            batch=self.batch,
            seq=self.seq,
            vocab=self.vocab,
        )
        _known_dtype(self.dtype)
        if self.width % self.heads:
            raise CaptureError(f"--width {self.width} is no multiple of --heads {self.heads}")

    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.width // self.heads

    @property
    def label(self) -> str:
        """The part of the file name that tells the shape, e.g. `l12_b1_h12_s1024_d64_bf16`."""
        return (
            f"l{self.layers}_b{self.batch}_h{self.heads}_s{self.seq}_d{self.head_dim}_{self.dtype}"
        )

    def facts(self) -> dict[str, Any]:
        """The shape as JSON facts."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Method:
    """How a workload is profiled: steps let pass, steps warmed up, steps recorded.

    Raises CaptureError where a step count leaves nothing to record.
    """

    wait: int = 1
    warmup: int = 3
    active: int = 3
    seed: int = 0
    stacks: bool = False

    def __post_init__(self) -> None:
        _positive(warmup=self.warmup, steps=self.active)
        if self.wait < 0:
            raise CaptureError(f"--wait is {self.wait}; it must not be negative")

    @property
    def total(self) -> int:
        """Steps run in all."""
        return self.wait + self.warmup + self.active

    def facts(self) -> dict[str, Any]:
        """The method as JSON facts."""
        return asdict(self)
