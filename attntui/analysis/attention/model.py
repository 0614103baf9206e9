"""What is told of an attention call, and what the finders hand to the measuring."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import is_

from attntui.analysis.attention_ops import Backend, Direction
from attntui.analysis.devices import DevicePeaks
from attntui.analysis.roofline import is_beyond
from attntui.analysis.word import Word
from attntui.analysis.work.attention import attention_flops, fused_attention_bytes
from attntui.trace.model import ABSENT, I64


class Role(Word):
    """Parts that GPU operations play in a call: those of a naive forward in their order, then
    what stands beside them.
    """

    QK = "qk"
    SCALE = "scale"
    MASK = "mask"
    COPY = "copy"
    SOFTMAX = "softmax"
    DROPOUT = "dropout"
    AV = "av"
    FUSED = "fused"
    MEMSET = "memset"
    OTHER = "other"


ROLES = tuple(Role)
"""In this order roles are listed."""


@dataclass(frozen=True, slots=True, eq=False)
class RoleShare:
    """The GPU operations of one call that play one role: rows by start, summed durations.

    `hbm_bytes` is estimated from shapes; None where an operation's shapes do not tell.
    """

    role: Role
    rows: I64
    gpu_ns: int
    hbm_bytes: int | None

    @property
    def gpu_ops(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class AttentionCall:
    """One attention call, forward or backward. A fact that the trace does not tell is None.

    `op` is the outermost CPU op (for a naive call its first; for one known by its kernel the
    op that launched it, if any), `lane` its thread; `start` and
    `end` in ns on the host, from the first op's start to the last one's end. `gpu_rows` are
    the GPU operations launched for it, by start; the roles split them, and their `gpu_ns`
    sum to the call's. `q_len` of a serving call, whose tensors are [tokens, heads, dim],
    counts the query tokens of all sequences together.

    `flops` counts the two products as executed: in full for naive and math, half for a
    fused causal call. `hbm_bytes` is estimated from shapes, each kernel reading its inputs
    and writing its outputs once; `fused_hbm_bytes` is what one fused kernel would have
    moved: a forward reads q, k, v and writes the output once, a backward moves twice that
    (it reads the output and its gradient too, and writes three gradients).

    `casts_ns` is the time of the operations that only convert to another data type, a part of
    their roles' times. `upcast` says that 16-bit inputs are multiplied, or their scores
    normalised, in 32 bits.

    `evidence` says why this counts as an attention call. `forward` is the index, in the same
    tuple, of the forward call that a backward one belongs to.
    """

    backend: Backend
    direction: Direction
    batch: int | None
    heads: int | None
    kv_heads: int | None
    q_len: int | None
    kv_len: int | None
    head_dim: int | None
    dtype: str | None
    causal: bool | None
    op: int | None
    lane: int | None
    start: int | None
    end: int | None
    gpu_rows: I64
    gpu_ns: int
    roles: tuple[RoleShare, ...]
    flops: int | None
    hbm_bytes: int | None
    fused_hbm_bytes: int | None
    casts_ns: int
    upcast: bool | None
    evidence: str
    forward: int | None

    @property
    def cpu_ns(self) -> int | None:
        """From the first op's start to the last one's end on the thread."""
        if self.start is None or self.end is None:
            return None
        return self.end - self.start

    @property
    def gpu_ops(self) -> int:
        return len(self.gpu_rows)

    @property
    def memsets(self) -> int:
        """How many of its GPU operations are memsets; the others are kernels and copies."""
        share = self.role(Role.MEMSET)
        return 0 if share is None else share.gpu_ops

    def possible(self, limits: DevicePeaks | None) -> AttentionCall:
        """The call with no more work told than a device of `limits` can do in its time."""

        def told(share: RoleShare) -> RoleShare:
            moved = share.hbm_bytes
            beyond = is_beyond(None, moved, share.gpu_ns, limits, None, None)
            return replace(share, hbm_bytes=None) if beyond else share

        roles = tuple(map(told, self.roles))
        flops, ns = self.flops, self.gpu_ns
        if is_beyond(flops, None, ns, limits, self.dtype, tensor_cores=True):
            flops = None
        known = all(share.hbm_bytes is not None for share in roles)
        if flops == self.flops and all(map(is_, roles, self.roles)):
            # Of thousands of calls few are beyond.
            return self
        return replace(self, roles=roles, flops=flops, hbm_bytes=self.hbm_bytes if known else None)

    def role(self, name: Role) -> RoleShare | None:
        """The share of one role, None where no operation plays it."""
        return next((share for share in self.roles if share.role == name), None)


@dataclass(frozen=True, slots=True)
class Geometry:
    """Sizes of an attention call. `products` is batch x heads where they are known only
    together, as behind a flattened `bmm`. `value_dim` is None where it equals `head_dim`.
    """

    batch: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    q_len: int | None = None
    kv_len: int | None = None
    head_dim: int | None = None
    value_dim: int | None = None
    products: int | None = None
    dtype: str | None = None
    itemsize: int | None = None

    def flops(self, *, causal: bool, backward: bool, fused: bool) -> int | None:
        """FLOPs of the products; None where a size is not known.

        A backward of separate ops runs twice the forward's products; a fused one computes
        the scores again.
        """
        if self.products is None or self.q_len is None:
            return None
        if self.kv_len is None or self.head_dim is None:
            return None
        flops = attention_flops(
            1,
            self.products,
            self.q_len,
            self.kv_len,
            self.head_dim,
            value_dim=self.value_dim,
            causal=causal,
            backward=backward and fused,
        )
        return 2 * flops if backward and not fused else flops

    def fused_bytes(self, *, backward: bool) -> int | None:
        """What one fused kernel would move at least; None where a size is not known."""
        if self.products is None or self.q_len is None or self.kv_len is None:
            return None
        if self.head_dim is None or self.itemsize is None:
            return None
        batch, heads, kv_heads = self.batch, self.heads, self.kv_heads
        if batch is None or heads is None:
            batch, heads, kv_heads = 1, self.products, self.products
        moved = fused_attention_bytes(
            batch,
            heads,
            heads if kv_heads is None else kv_heads,
            self.q_len,
            self.kv_len,
            self.head_dim,
            self.itemsize,
        )
        return 2 * moved if backward else moved

    def scores_bytes(self) -> int | None:
        """Bytes of the scores of a forward, as its products read and write them."""
        if self.products is None or self.q_len is None:
            return None
        if self.kv_len is None or self.itemsize is None:
            return None
        return self.products * self.q_len * self.kv_len * self.itemsize

    def tensor_sizes(self) -> frozenset[int]:
        """Elements of the scores, q, k, v: which tensors belong to the products themselves."""
        if self.products is None or self.q_len is None or self.kv_len is None:
            return frozenset()
        q, k, rows = self.q_len, self.kv_len, self.products
        sizes = {rows * q * k}
        for width in (self.head_dim, self.value_dim):
            if width is not None:
                sizes |= {rows * q * width, rows * k * width}
                if self.heads and self.kv_heads:
                    sizes.add(rows // self.heads * self.kv_heads * k * width)
        return frozenset(sizes)

    def scores(self) -> str:
        """The shape of the scores as text."""
        lead = (self.products,) if self.batch is None else (self.batch, self.heads)
        sizes = (*lead, self.q_len, self.kv_len)
        return "x".join("?" if size is None else str(size) for size in sizes)


@dataclass(frozen=True, slots=True)
class ThreadSpan:
    """A stretch of one thread: from a row to a time, both ends included.

    `role` is what every operation in it plays, where that is known beforehand (a backward
    node has its forward op's). `whole` says that the row is an op that encloses the stretch.
    """

    first: int
    end: int
    role: Role | None = None
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """A call as a finder saw it; its GPU operations are those launched in its spans.

    `qk` and `av` are the rows of the two products of a naive or math call. `forward` is the
    index of its forward among all that was found. `rows` are GPU operations given directly,
    with their roles, where there is no op tree to look them up in.
    """

    backend: Backend
    direction: Direction
    lane: int | None
    op: int | None
    spans: tuple[ThreadSpan, ...]
    geometry: Geometry
    causal: bool | None
    evidence: str
    qk: int = ABSENT
    av: int = ABSENT
    forward: int | None = None
    rows: tuple[int, ...] = ()
    row_roles: tuple[Role, ...] = field(default=())
