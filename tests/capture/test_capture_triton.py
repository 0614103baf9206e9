"""The Triton kernels against float64, on a GPU or in Triton's interpreter."""

from __future__ import annotations

import os

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")
if not torch.cuda.is_available() and os.environ.get("TRITON_INTERPRET") != "1":
    pytest.skip("needs a CUDA device or TRITON_INTERPRET=1", allow_module_level=True)

from capture import check, triton_kernels, variants, workload
from capture.shapes import AttentionShape

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SHAPES = [
    AttentionShape(1, 2, 2, 128, 128, 16, dtype="fp16"),
    AttentionShape(1, 4, 2, 70, 100, 32, dtype="fp32"),
    AttentionShape(1, 2, 1, 40, 150, 16, dtype="fp32", causal=False),
    AttentionShape(2, 2, 2, 1, 150, 64, dtype="fp16"),
]


@pytest.mark.gpu
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.label)
@pytest.mark.parametrize("name", ["fused_attention", "unfused_attention"])
def test_forward_and_backward_agree_with_float64(name: str, shape: AttentionShape) -> None:
    attend = getattr(triton_kernels, name)
    variant = variants.Variant(name, lambda q, k, v: attend(q, k, v, causal=shape.masked))
    inputs = workload.draw_inputs(shape, DEVICE, 5, gradients=True)
    grad = torch.randn_like(inputs[0]).detach()
    accuracy = check.check_attention(variant, shape, inputs, grad)
    accuracy.require(name)
