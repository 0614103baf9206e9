"""Is the output right? Every workload is compared with a float64 reference before it is timed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch

from capture.errors import CaptureError
from capture.shapes import AttentionShape
from capture.variants import Variant, causal_mask, refusing

# Bounds on |out - ref| / |ref|. A product of operands with unit roundoff u (2^-8 bf16, 2^-11
# fp16) lands near u; the naive variants round scores and weights too, so twice that and more.
OUTPUT_BOUND: dict[str, float] = {"bf16": 1e-2, "fp16": 2e-3, "fp32": 1e-4}
GRADIENT_BOUND: dict[str, float] = {"bf16": 2e-2, "fp16": 4e-3, "fp32": 1e-3}


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Relative errors against float64 with the bounds they had to keep; None: not compared."""

    output_error: float
    output_bound: float
    gradient_error: float | None = None
    gradient_bound: float | None = None

    def facts(self) -> dict[str, Any]:
        """The accuracy as JSON facts."""
        return asdict(self)

    def require(self, name: str) -> None:
        """Raise CaptureError where an error is above its bound; NaN never passes."""
        pairs = [("output", self.output_error, self.output_bound)]
        if self.gradient_error is not None and self.gradient_bound is not None:
            pairs.append(("gradient", self.gradient_error, self.gradient_bound))
        for what, error, bound in pairs:
            if not error <= bound:
                raise CaptureError(
                    f"{name}: the {what} is off by {error:.2e} relative to float64, the bound is"
                    f" {bound:.0e}; nothing was written, since its timings would mean nothing"
                )


def relative_error(out: torch.Tensor, reference: torch.Tensor) -> float:
    """|out - reference| / |reference| in float64, Euclidean norms over all elements."""
    wide = reference.double()
    return float((out.detach().double() - wide).norm() / wide.norm())


def reference_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    grad: torch.Tensor | None = None,
) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    """float64 attention of [B, H, Q, D] with [B, Hkv, K, D]; with `grad`, also dq, dk, dv.

    Works on one key head at a time, so that only groups x Q x K scores are held in float64.
    """
    batch, heads, q_len, dim = q.shape
    kv_heads, kv_len = k.shape[1], k.shape[2]
    groups = heads // kv_heads
    hidden = causal_mask(q_len, kv_len, q.device) if causal else None
    out = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    grads = [torch.empty(t.shape, dtype=torch.float64, device=q.device) for t in (q, k, v)]
    for row in range(batch):
        for kv_head in range(kv_heads):
            head = slice(kv_head * groups, (kv_head + 1) * groups)
            parts = [q[row, head], k[row, kv_head], v[row, kv_head]]
            parts = [part.detach().double().requires_grad_(grad is not None) for part in parts]
            with torch.set_grad_enabled(grad is not None):
                scores = parts[0] @ parts[1].T / math.sqrt(dim)
                if hidden is not None:
                    scores = scores.masked_fill(hidden, float("-inf"))
                result = torch.softmax(scores, -1) @ parts[2]
            out[row, head] = result.detach()
            if grad is not None:
                dq, dk, dv = torch.autograd.grad(result, parts, grad[row, head].double())
                grads[0][row, head], grads[1][row, kv_head], grads[2][row, kv_head] = dq, dk, dv
    return out, tuple(grads) if grad is not None else ()


def check_attention(
    variant: Variant,
    shape: AttentionShape,
    inputs: Sequence[torch.Tensor],
    grad: torch.Tensor | None,
) -> Accuracy:
    """Compare one call of a dropout-free variant with float64; `grad` asks for the gradients too.

    Raises Refusal with the backend's reason where it does not run.
    """
    q, k, v = inputs
    gradients: tuple[torch.Tensor, ...] = ()
    with refusing(variant.name), variant.scope(), torch.set_grad_enabled(grad is not None):
        out = variant.attend(q, k, v)
        if grad is not None:
            gradients = torch.autograd.grad(out, (q, k, v), grad)
        if out.is_cuda:
            torch.cuda.synchronize(out.device)
    reference, expected = reference_attention(q, k, v, shape.masked, grad)
    error = relative_error(out, reference)
    if grad is None:
        return Accuracy(error, OUTPUT_BOUND[shape.dtype])
    worst = max(relative_error(g, e) for g, e in zip(gradients, expected, strict=True))
    return Accuracy(error, OUTPUT_BOUND[shape.dtype], worst, GRADIENT_BOUND[shape.dtype])
