"""Comparisons of real traces: what SDPA bought, recomputed from the corpus's own truth."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from statistics import median_low
from typing import Any

import pytest

from attntui.analysis.compare import (
    Comparison,
    Row,
    Subject,
    UnitChoice,
    UnitKind,
    available,
    compare,
    prepare,
    take,
)
from attntui.trace import load

SHAPE = (8, 16, 1024, 64)
"""Batch, heads, length and head dim of the `blog_*` traces, in bf16."""


@lru_cache(maxsize=4)
def _subject(path: Path) -> Subject:
    return prepare(load(path))


def subject(corpus: Path, name: str) -> Subject:
    return _subject(corpus / f"{name}.json.gz")


def h200(corpus: Path, a: str, b: str) -> Comparison:
    return compare(subject(corpus, f"h200/{a}"), subject(corpus, f"h200/{b}"))


@pytest.fixture(scope="module")
def truth(corpus: Path) -> dict[str, Any]:
    """The corpus's own record of each file, made without this project's code."""
    records = json.loads((corpus / "truth.json").read_text())
    return {record["file"]: record for record in records}


def test_what_flash_attention_bought(corpus: Path) -> None:
    found = h200(corpus, "blog_naive", "blog_sdpa_flash")
    assert found.choice == UnitChoice(UnitKind.ANNOTATION, "attn_fwd")
    assert (len(found.a.units), len(found.b.units)) == (3, 3)
    assert [(m.a, m.b, m.delta) for m in map(found.metric, ("gpu_ops", "memsets"))] == [
        (7, 1, -6),
        (1, 0, -1),
    ]
    gpu = found.metric("gpu_ns")
    assert (gpu.a, gpu.b) == (1_063_163, 95_135)
    assert facts(found.rows) == [
        ("attention forward #1 fused", 6, 1, "both"),
        ("attention forward #1 memset", 1, 0, "only_a"),
    ]
    many = found.rows[0]
    assert many.a is not None
    assert [part.role for part in many.a.parts] == ["qk", "scale", "mask", "copy", "softmax", "av"]
    assert found.a.figures.backends == (("naive", 1),)
    assert found.b.figures.backends == (("flash", 1),)


def test_bytes_and_flops_by_shapes_of_naive_and_flash(corpus: Path) -> None:
    found = h200(corpus, "blog_naive", "blog_sdpa_flash")
    batch, heads, length, width = SHAPE
    scores, one = (batch * heads * length * n * 2 for n in (length, width))
    # Products read and write the scores once, each of the four ops between them twice.
    naive = 2 * (2 * one + scores) + 4 * 2 * scores
    moved = found.metric("hbm_bytes")
    assert moved.a == pytest.approx(naive, rel=0.001)
    assert moved.a == pytest.approx(2.75e9, rel=0.002)
    # q, k, v and the output, and the log-sum-exp of each row in fp32.
    assert moved.b == 4 * one + batch * heads * length * 4
    assert (moved.a_share, moved.b_share) == (1, 1)
    flops = 4 * batch * heads * length * length * width
    assert (found.metric("flops").a, found.metric("flops").b) == (flops, flops // 2)


def facts(rows: Sequence[Row]) -> list[tuple[str, int, int, str]]:
    return [(row.key, row.a_ops, row.b_ops, row.match) for row in rows]


BLOG = ("naive", "inplace", "naive_compile", "sdpa_math", "sdpa_efficient", "flex", "sdpa_cudnn",
        "sdpa_auto", "sdpa_flash")  # fmt: skip


@pytest.mark.parametrize("name", BLOG)
def test_each_side_is_one_real_unit_the_lower_median_of_the_truth(
    corpus: Path, truth: dict[str, Any], name: str
) -> None:
    side = h200(corpus, f"blog_{name}", "blog_naive").a
    units = truth[f"blog_{name}.json.gz"]["annotations"]["attn_fwd"]
    times = [unit["gpu_ns"] for unit in units]
    assert side.figures.gpu_ns == median_low(times)
    assert (side.gpu_ns_min, side.gpu_ns_max) == (min(times), max(times))
    assert side.figures.gpu_ops == units[0]["gpu_ops"]
    assert side.figures.cpu_ns in [
        unit["cpu_ns"] for unit in units if unit["gpu_ns"] == side.figures.gpu_ns
    ]
    leaked = truth[f"blog_{name}.json.gz"]
    assert side.left_out == leaked["gpu_ops"] - leaked["gpu_ops_with_launch"]


def test_the_variants_of_the_blog(corpus: Path) -> None:
    base = subject(corpus, "h200/blog_naive")
    table = {}
    for name in BLOG:
        figures = compare(base, subject(corpus, f"h200/blog_{name}")).b.figures
        moved = figures.hbm_bytes.total
        assert moved is not None
        table[name] = (figures.gpu_ops, figures.backends[0][0], round(moved / 1e9, 2))
    assert table == {
        "naive": (7, "naive", 2.75),
        "inplace": (6, "naive", 2.22),
        "naive_compile": (4, "naive", 1.14),
        "sdpa_math": (20, "math", 6.39),
        "sdpa_efficient": (1, "efficient", 0.07),
        "flex": (1, "flex", 0.07),
        "sdpa_cudnn": (2, "cudnn", 0.07),
        "sdpa_auto": (2, "cudnn", 0.07),
        "sdpa_flash": (1, "flash", 0.07),
    }


def test_a_compiled_naive_call_against_eager_keeps_its_products(corpus: Path) -> None:
    found = h200(corpus, "blog_naive", "blog_naive_compile")
    assert facts(found.rows) == [
        ("attention forward #1 qk", 1, 1, "both"),
        ("attention forward #1 av", 1, 1, "both"),
        ("attention forward #1 fused", 4, 1, "both"),
        ("attention forward #1 memset", 1, 1, "both"),
    ]


NORM = ("aten::native_layer_norm", None, [[4, 1024, 768], [768], [768]])
ADD = ("aten::add", None, [[4, 1024, 768], [4, 1024, 768]])
UP = [[3072], [4096, 768], [768, 3072]]
LAYER = [
    (NORM, "both"),
    (("aten::addmm", None, [[2304], [4096, 768], [768, 2304]]), "both"),
    (("attention forward", "fused", []), "both"),
    (("attention forward", "memset", []), "both"),
    # Naive attention leaves its output in another layout than the projection wants.
    (("aten::copy_", None, [[4, 1024, 12, 64], [4, 1024, 12, 64]]), "only_a"),
    (("aten::addmm", None, [[768], [4096, 768], [768, 768]]), "both"),
    (ADD, "both"),
    (NORM, "both"),
    (("aten::addmm", "memset", UP), "both"),
    (("aten::addmm", None, UP), "both"),
    (("aten::gelu", None, [[4, 1024, 3072]]), "both"),
    (("aten::addmm", None, [[768], [4096, 3072], [3072, 768]]), "both"),
    (ADD, "both"),
]
"""What one block of the `gpt_*` model does with SDPA and without: every pair by name."""


def test_every_pair_of_a_whole_model(corpus: Path) -> None:
    found = h200(corpus, "gpt_prefill_stack_naive", "gpt_prefill_stack_sdpa")
    assert found.choice.label == "prefill"

    def pair(row: Row) -> tuple[tuple[str, str | None, list[list[int]]], str]:
        share = row.a or row.b
        assert share is not None
        if row.a and row.b:
            assert row.a.shapes == row.b.shapes
        return (row.name, row.role, [list(shape) for shape in share.shapes or ()]), row.match

    assert [pair(row) for row in found.rows] == LAYER * 12
    calls = [row for row in found.rows if row.role == "fused"]
    assert [(row.a_ops, row.b_ops) for row in calls] == [(11, 1)] * 12
    # Each call answers to that of the same layer.
    order = [
        [(share.call.start, share.op) for share in shares if share and share.call]
        for shares in ([row.a for row in calls], [row.b for row in calls])
    ]
    assert all(len(side) == 12 and side == sorted(side) for side in order)


def test_outside_attention_a_whole_model_hardly_differs(corpus: Path) -> None:
    found = h200(corpus, "gpt_prefill_stack_naive", "gpt_prefill_stack_sdpa")
    ops = [row for row in found.rows if row.match == "both" and row.role is None]
    assert Counter(row.name for row in ops) == {
        "aten::addmm": 48,
        "aten::native_layer_norm": 24,
        "aten::add": 24,
        "aten::gelu": 12,
    }
    for row in ops:
        assert (row.a_ops, row.b_ops) == (1, 1)
        assert abs(row.delta_gpu_ns) < 0.15 * row.a_gpu_ns, row.key


def test_forward_with_backward_is_compared_by_step(corpus: Path) -> None:
    found = h200(corpus, "blog_naive_fwd_bwd", "blog_sdpa_fwd_bwd")
    assert found.choice.kind is UnitKind.STEP
    assert [m.a for m in map(found.metric, ("gpu_ops",))] == [25]
    assert all(row.match == "both" for row in found.rows)
    names = [row.name for row in found.rows]
    assert names.count("attention forward") == 2
    assert names.count("attention backward") == 3


PAIRED = [
    "h200/blog_naive", "h200/blog_sdpa_math", "h200/blog_naive_fwd_bwd", "h200/gpt_decode_sdpa",
    "hta_a100_nccl", "hta_cpu_only", "hta_mi250_rocm", "hta_sampled_rank0", "hta_sampled_rank1",
    "tracelens_h100_qwen", "tracelens_mi210_gpu_only", "tracelens_mi300_vit",
    "tracelens_rocm_vllm_graph", "tracelens_b200_vllm_eager",
]  # fmt: skip


@pytest.mark.parametrize("name", PAIRED)
def test_any_trace_against_itself_is_all_zero(corpus: Path, name: str) -> None:
    own = subject(corpus, name)
    for choice in available((own, own))[:3]:
        found = compare(own, own, choice)
        assert all(row.match == "both" and row.delta_gpu_ns == 0 for row in found.rows)
        assert all(metric.delta in (0, None) for metric in found.metrics)
        assert found.cautions == ()


def test_any_two_traces_add_up_and_mirror(corpus: Path) -> None:
    subjects = [prepare(load(corpus / f"{name}.json.gz")) for name in PAIRED]
    for a, b in combinations(subjects, 2):
        choice = available((a, b))[0]
        there, back = compare(a, b, choice), compare(b, a, choice)
        assert sum(row.a_gpu_ns for row in there.rows) == there.metric("gpu_ns").a
        assert sum(row.b_gpu_ns for row in there.rows) == there.metric("gpu_ns").b
        assert sum(row.a_ops for row in there.rows) == there.metric("gpu_ops").a
        assert sum(row.b_ops for row in there.rows) == there.metric("gpu_ops").b
        assert [(r.key, r.a_gpu_ns, r.b_gpu_ns) for r in there.rows] == [
            (r.key, r.b_gpu_ns, r.a_gpu_ns) for r in back.rows
        ]
        assert len({row.key for row in there.rows}) == len(there.rows)


def test_idle_of_a_unit_is_what_its_causes_sum_to(corpus: Path) -> None:
    for name in ("h200/gpt_decode_naive", "tracelens_h100_qwen", "hta_a100_nccl"):
        own = subject(corpus, name)
        figures = take(own, available((own,))[0]).figures
        assert sum(figures.idle_by_cause.values()) == figures.idle_ns > 0
