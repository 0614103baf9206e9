"""Names and sizes: what the file name says, and what is refused with one line."""

from __future__ import annotations

import pytest

from capture.environment import device_slug
from capture.errors import CaptureError
from capture.shapes import AttentionShape, Method, ModelShape


@pytest.mark.parametrize(
    ("shape", "label"),
    [
        (AttentionShape(), "b8_h16_s1024_d64_bf16"),
        (AttentionShape(kv_heads=4), "b8_h16kv4_s1024_d64_bf16"),
        (AttentionShape(q_len=1, kv_len=4096, dtype="fp16"), "b8_h16_q1_s4096_d64_fp16"),
        (AttentionShape(causal=False, dropout=0.1), "b8_h16_s1024_d64_bf16_full_p0.1"),
    ],
)
def test_the_label_tells_every_size_that_differs(shape: AttentionShape, label: str) -> None:
    assert shape.label == label


def test_the_model_label_tells_layers_and_head_width() -> None:
    assert ModelShape(layers=2, width=128, heads=4, seq=256).label == "l2_b1_h4_s256_d32_bf16"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: AttentionShape(batch=0), "--batch is 0"),
        (lambda: AttentionShape(kv_heads=5), "--kv-heads 5"),
        (lambda: AttentionShape(q_len=8, kv_len=4), "--no-causal"),
        (lambda: AttentionShape(dropout=1.0), "--dropout"),
        (lambda: AttentionShape(dtype="int8"), "bf16, fp16, fp32"),
        (lambda: ModelShape(width=100, heads=12), "--width 100"),
        (lambda: Method(active=0), "--steps is 0"),
        (lambda: Method(warmup=0), "--warmup is 0"),
        (lambda: Method(wait=-1), "--wait is -1"),
    ],
)
def test_sizes_that_make_no_sense_are_told_in_one_line(wrong, says: str) -> None:
    with pytest.raises(CaptureError) as caught:
        wrong()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_a_mask_that_hides_something_counts() -> None:
    assert AttentionShape().masked
    assert not AttentionShape(q_len=1, kv_len=64).masked
    assert not AttentionShape(causal=False).masked


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA H200", "h200"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("Tesla V100-SXM2-16GB", "v100"),
        ("NVIDIA L40S", "l40s"),
        ("Tesla T4", "t4"),
        ("AMD Instinct MI300X", "mi300x"),
        ("NVIDIA GB200", "gb200"),
        ("Some Board", "some-board"),
    ],
)
def test_the_slug_is_the_model_number(name: str, slug: str) -> None:
    assert device_slug(name) == slug
