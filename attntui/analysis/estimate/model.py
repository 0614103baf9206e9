"""What an estimate says of an attention call that nobody has run yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attntui.analysis.attention.model import Role
from attntui.analysis.devices import DevicePeaks

BoundBy = Literal["compute", "memory"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """q of [batch, heads, q_len, head_dim] against k, v of [batch, kv_heads, kv_len, head_dim].

    A causal query i sees the keys up to i + kv_len - q_len. `dtype` is bf16, fp16 or fp32.
    """

    batch: int
    heads: int
    kv_heads: int
    q_len: int
    kv_len: int
    head_dim: int
    dtype: str
    causal: bool

    @property
    def groups(self) -> int:
        """Query heads that share one key head."""
        return self.heads // self.kv_heads

    @property
    def masked(self) -> bool:
        """Whether the causal mask hides anything: a single query, the last, sees every key."""
        return self.causal and self.q_len > 1


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """What the operations of one role do together, forward and backward as asked for.

    `bytes` are read plus written. `ns` is None where the device's roofs are not known; `bound`
    says which of the two roofs takes longer, None where there is nothing to do.
    """

    role: Role
    gpu_ops: int
    flops: int
    bytes: int
    ns: int | None
    bound: BoundBy | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one call of a variant does on a device; sums are over the roles.

    `gpu_ops` counts kernels, copies and memsets. `gpu_ns` is their time on the device, one
    after another; `launch_ns` what the host takes to give them out. `peak_bytes` is the most
    device memory that is held at once beside q, k, v and the output. `assumes` are sentences
    about what the figures rest on.
    """

    variant: str
    sizes: Sizes
    backward: bool
    device: str
    roofs: DevicePeaks | None
    roles: tuple[RoleEstimate, ...]
    gpu_ops: int
    gpu_ns: int | None
    launch_ns: int
    flops: int
    hbm_bytes: int
    peak_bytes: int
    bound: BoundBy | None
    assumes: tuple[str, ...]

    def role(self, name: Role) -> RoleEstimate | None:
        """What one role does, None where no operation plays it."""
        return next((part for part in self.roles if part.role == name), None)
