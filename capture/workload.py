"""A workload ready to run, and the attention workload."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.profiler import record_function

from capture import check, variants
from capture.shapes import AttentionShape
from capture.timing import TORCH_DTYPES

INPUT_SETS = 3


@dataclass(frozen=True, slots=True)
class Workload:
    """What the capture needs of any workload.

    `check` runs first and may raise Refusal; `step(i)` runs one labelled step; `timed` is the
    same work without labels, None where a time says nothing.
    """

    name: str
    stem: str
    labels: tuple[str, ...]
    step: Callable[[int], object]
    timed: Callable[[], object] | None
    check: Callable[[], check.Accuracy | None]
    facts: dict[str, Any]
    scope: variants.Scope = contextlib.nullcontext
    sync_events: bool = False
    notes: tuple[str, ...] = ()


def draw_inputs(
    shape: AttentionShape, device: torch.device, seed: int, *, gradients: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Random q, k, v of `shape`, the same for the same seed on the same device."""
    generator = torch.Generator(device).manual_seed(seed)

    def draw(heads: int, length: int) -> torch.Tensor:
        size = (shape.batch, heads, length, shape.head_dim)
        tensor = torch.randn(size, device=device, generator=generator)
        return tensor.to(TORCH_DTYPES[shape.dtype]).requires_grad_(gradients)

    return (
        draw(shape.heads, shape.q_len),
        draw(shape.kv_heads, shape.kv_len),
        draw(shape.kv_heads, shape.kv_len),
    )


def attention_workload(
    name: str, shape: AttentionShape, device: torch.device, *, backward: bool, seed: int
) -> Workload:
    """The attention variant `name`: `attn_fwd` round each forward, `attn_bwd` round each backward.

    Steps rotate over a few input sets drawn beforehand, so that no draw is in the trace. Dropout
    is left out of the check, whose reference has none. Raises Refusal where it cannot be built.
    """
    with variants.refusing(name):
        variant = variants.build(name, shape, device)
        plain = (
            variants.build(name, replace(shape, dropout=0.0), device) if shape.dropout else variant
        )
    inputs = [
        draw_inputs(shape, device, seed + index, gradients=backward) for index in range(INPUT_SETS)
    ]
    grad = torch.randn_like(inputs[0][0]).detach() if backward else None

    def verify() -> check.Accuracy:
        accuracy = check.check_attention(plain, shape, inputs[0], grad)
        if plain is not variant:
            with variants.refusing(name), variant.scope():
                timed()
        return accuracy

    def step(index: int) -> None:
        q, k, v = inputs[index % INPUT_SETS]
        with torch.set_grad_enabled(backward):
            with record_function("attn_fwd"):
                out = variant.attend(q, k, v)
            if grad is not None:
                with record_function("attn_bwd"):
                    torch.autograd.grad(out, (q, k, v), grad)

    def timed() -> None:
        q, k, v = inputs[0]
        with torch.set_grad_enabled(backward):
            out = variant.attend(q, k, v)
            if grad is not None:
                torch.autograd.grad(out, (q, k, v), grad)

    direction = "_bwd" if backward else ""
    return Workload(
        name=name,
        stem=f"{name}_{shape.label}{direction}",
        labels=("attn_fwd", "attn_bwd") if backward else ("attn_fwd",),
        step=step,
        timed=timed,
        check=verify,
        facts={"variant": name, "backward": backward, "shape": shape.facts()},
        scope=variant.scope,
        notes=("checked without dropout",) if shape.dropout else (),
    )
