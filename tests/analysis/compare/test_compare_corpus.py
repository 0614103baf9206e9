"""Comparisons of real traces: what SDPA bought, counted again from the files themselves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import plainly
import pytest
from builders import CORPUS, SAMPLES, name_of, where_real

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import (
    Comparison,
    Row,
    UnitChoice,
    UnitKind,
    available,
    compare,
    take,
)
from attntui.trace import load

SHAPE = (8, 16, 1024, 64)
"""Batch, heads, length and head dim of the `blog_*` traces, in bf16."""


@lru_cache(maxsize=4)
def _subject(path: Path) -> AnalysedTrace:
    return AnalysedTrace(load(path))


# The traces of the corpus by what the samples call the variant.
BLOG = {
    "naive": "naive",
    "naive-inplace": "inplace",
    "compile": "naive_compile",
    "math": "sdpa_math",
    "efficient": "sdpa_efficient",
    "flex": "flex",
    "cudnn": "sdpa_cudnn",
    "auto": "sdpa_auto",
    "flash": "sdpa_flash",
}


class Forwards:
    """One lot of forward traces: the samples, or those of the corpus."""

    def __init__(self, beside: bool) -> None:
        self.beside = beside

    def path(self, variant: str) -> Path:
        if self.beside:
            return CORPUS / f"h200/blog_{BLOG[variant]}.json.gz"
        return SAMPLES / f"{variant}_b8_h16_s1024_d64_bf16_h200.json.gz"

    def subject(self, variant: str) -> AnalysedTrace:
        return _subject(self.path(variant))

    def compared(self, a: str, b: str) -> Comparison:
        return compare(self.subject(a), self.subject(b))


LOTS = [Forwards(False), *([Forwards(True)] if CORPUS.is_dir() else [])]


@pytest.fixture(params=LOTS, ids=lambda lot: "corpus" if lot.beside else "samples")
def lot(request: pytest.FixtureRequest) -> Forwards:
    found: Forwards = request.param
    return found


KINDS = ("naive", "sdpa")


def wall(span: plainly.Span) -> int:
    """From a span's first GPU operation to its last one's end, in ns."""
    end = max(plainly.ns(op["ts"]) + plainly.ns(op["dur"]) for op in span.ops)
    return end - min(plainly.ns(op["ts"]) for op in span.ops)


def test_what_flash_attention_bought(lot: Forwards) -> None:
    found = lot.compared("naive", "flash")
    assert found.choice == UnitChoice(UnitKind.ANNOTATION, "attn_fwd")
    assert (len(found.a.units), len(found.b.units)) == (3, 3)
    assert [(m.a, m.b, m.delta) for m in map(found.metric, ("gpu_ops", "memsets"))] == [
        (7, 1, -6),
        (1, 0, -1),
    ]
    gpu = found.metric("gpu_ns")
    a, b = (plainly.spans(plainly.read(lot.path(name)), "attn_fwd") for name in ("naive", "flash"))
    # The pair of the lower median wall time on the device, both sides together.
    walls = {i: wall(one) + wall(other) for i, (one, other) in enumerate(zip(a, b, strict=True))}
    middle = sorted(walls, key=lambda i: walls[i])[1]
    assert (gpu.a, gpu.b) == (a[middle].gpu_ns, b[middle].gpu_ns)
    assert found.number == middle
    assert facts(found.rows) == [
        ("attention forward #1 fused", 6, 1, "both"),
        ("attention forward #1 memset", 1, 0, "only_a"),
    ]
    many = found.rows[0]
    assert many.a is not None
    assert [part.role for part in many.a.parts] == ["qk", "scale", "mask", "copy", "softmax", "av"]
    assert found.a.figures.backends == (("naive", 1),)
    assert found.b.figures.backends == (("flash", 1),)


def test_bytes_and_flops_by_shapes_of_naive_and_flash(lot: Forwards) -> None:
    found = lot.compared("naive", "flash")
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


@pytest.mark.parametrize("name", BLOG)
def test_each_side_is_one_real_unit_of_its_trace(lot: Forwards, name: str) -> None:
    side = lot.compared(name, "naive").a
    trace = plainly.read(lot.path(name))
    spans = plainly.spans(trace, "attn_fwd")
    times = [span.gpu_ns for span in spans]
    assert side.figures.gpu_ns == times[side.index]
    assert side.figures.span_ns == wall(spans[side.index])
    assert (side.gpu_ns_min, side.gpu_ns_max) == (min(times), max(times))
    assert side.figures.gpu_ops == len(spans[0].ops)
    assert side.figures.cpu_ns in [
        span.end - span.start for span in spans if span.gpu_ns == side.figures.gpu_ns
    ]
    in_none = len(plainly.complete(trace, plainly.GPU)) - sum(len(span.ops) for span in spans)
    assert side.left_out == in_none


def test_the_truth_of_the_corpus_says_the_same(corpus: Path) -> None:
    """Its own record of each file was made by no code of this project, tests or other."""
    records = {r["file"]: r for r in json.loads((corpus / "truth.json").read_text())}
    for name in BLOG:
        path = Forwards(True).path(name)
        told = records[path.name]["annotations"]["attn_fwd"]
        counted = plainly.spans(plainly.read(path), "attn_fwd")
        assert [(unit["gpu_ns"], unit["gpu_ops"], unit["cpu_ns"]) for unit in told] == [
            (span.gpu_ns, len(span.ops), span.end - span.start) for span in counted
        ]


def test_the_variants_of_the_blog(lot: Forwards) -> None:
    base = lot.subject("naive")
    table = {}
    for name in BLOG:
        figures = compare(base, lot.subject(name)).b.figures
        moved = figures.hbm_bytes.total
        assert moved is not None
        table[name] = (figures.gpu_ops, figures.backends[0][0], round(moved / 1e9, 2))
    assert table == {
        "naive": (7, "naive", 2.75),
        "naive-inplace": (6, "naive", 2.22),
        "compile": (4, "naive", 1.14),
        "math": (20, "math", 6.39),
        "efficient": (1, "efficient", 0.07),
        "flex": (1, "flex", 0.07),
        "cudnn": (2, "cudnn", 0.07),
        "auto": (2, "cudnn", 0.07),
        "flash": (1, "flash", 0.07),
    }


def test_a_compiled_naive_call_against_eager_keeps_its_products(lot: Forwards) -> None:
    found = lot.compared("naive", "compile")
    assert facts(found.rows) == [
        ("attention forward #1 qk", 1, 1, "both"),
        ("attention forward #1 av", 1, 1, "both"),
        ("attention forward #1 fused", 4, 1, "both"),
        ("attention forward #1 memset", 1, 1, "both"),
    ]


MODELS = pytest.mark.parametrize(
    ("a", "b", "batch", "layers"),
    [
        pytest.param(*pair, batch, layers, id=name_of(pair[0]))
        for batch, layers, pair in (
            (1, 4, where_real(f"prefill-{kind}_l4_b1_h12_s1024_d64_bf16_h200" for kind in KINDS)),
            (4, 12, where_real((), [f"h200/gpt_prefill_stack_{kind}" for kind in KINDS])),
        )
        if pair
    ],
)


def layer(batch: int) -> list[tuple[tuple[str, str | None, list[list[int]]], str]]:
    """What one block of a model of width 768 does with SDPA and without: every pair by name."""
    tokens = batch * 1024
    whole = [batch, 1024, 768]
    norm = (("aten::native_layer_norm", None, [whole, [768], [768]]), "both")
    add = (("aten::add", None, [whole, whole]), "both")

    def product(rows: int, columns: int) -> tuple[str, None, list[list[int]]]:
        return "aten::addmm", None, [[columns], [tokens, rows], [rows, columns]]

    heads, up = [batch, 1024, 12, 64], product(768, 3072)
    return [
        norm,
        (product(768, 2304), "both"),
        (("attention forward", "fused", []), "both"),
        (("attention forward", "memset", []), "both"),
        # Naive attention leaves its output in another layout than the projection wants.
        (("aten::copy_", None, [heads, heads]), "only_a"),
        (product(768, 768), "both"),
        add,
        norm,
        # The kernel that cuBLAS takes for the larger product wants a cleared workspace.
        *([((up[0], "memset", up[2]), "both")] if batch > 1 else []),
        (up, "both"),
        (("aten::gelu", None, [[batch, 1024, 3072]]), "both"),
        (product(3072, 768), "both"),
        add,
    ]


@MODELS
def test_every_pair_of_a_whole_model(a: Path, b: Path, batch: int, layers: int) -> None:
    found = compare(_subject(a), _subject(b))
    assert found.choice.label == "prefill"

    def pair(row: Row) -> tuple[tuple[str, str | None, list[list[int]]], str]:
        share = row.a or row.b
        assert share is not None
        if row.a and row.b:
            assert row.a.shapes == row.b.shapes
        return (row.name, row.role, [list(shape) for shape in share.shapes or ()]), row.match

    blocks = [pair(row) for row in found.rows]
    if layers == 4:
        # The sample is a whole model: embeddings before its blocks, a norm and the head after.
        names = [name for (name, _, _), _ in (*blocks[:3], *blocks[-2:])]
        assert names == [*["aten::gather"] * 2, "aten::add", "aten::native_layer_norm", "aten::mm"]
        blocks = blocks[3:-2]
    assert blocks == layer(batch) * layers
    calls = [row for row in found.rows if row.role == "fused"]
    assert [row.b_ops for row in calls] == [1] * layers
    # Six operations of a naive call; in the corpus it makes its mask itself, by five more.
    assert [row.a_ops for row in calls] == [6 if layers == 4 else 11] * layers
    # Each call answers to that of the same layer.
    order = [
        [(share.call.start, share.op) for share in shares if share and share.call]
        for shares in ([row.a for row in calls], [row.b for row in calls])
    ]
    assert all(len(side) == layers and side == sorted(side) for side in order)


@MODELS
def test_outside_attention_a_whole_model_hardly_differs(
    a: Path, b: Path, batch: int, layers: int
) -> None:
    found = compare(_subject(a), _subject(b))
    ops = [row for row in found.rows if row.match == "both" and row.role is None]
    in_blocks = Counter(row.name for row in ops)
    assert {name: in_blocks[name] // layers for name in in_blocks if in_blocks[name] > 2} == {
        "aten::addmm": 4,
        "aten::native_layer_norm": 2,
        "aten::add": 2,
        "aten::gelu": 1,
    }
    for row in ops:
        assert (row.a_ops, row.b_ops) == (1, 1)
        # Kernels of two microseconds differ by more than a share from run to run.
        assert abs(row.delta_gpu_ns) < max(1_000, 0.15 * row.a_gpu_ns), row.key


NAIVE_STEP, FLASH_STEP = (
    where_real([f"{kind}_b8_h16_s1024_d64_bf16_bwd_h200"]) for kind in ("naive", "flash")
)


@pytest.mark.parametrize(
    ("a", "b", "operations"),
    [
        pytest.param(*pair, operations, id=name_of(pair[0]))
        for operations, pair in (
            (17, [*NAIVE_STEP, *FLASH_STEP]),
            (25, where_real((), [f"h200/blog_{kind}_fwd_bwd" for kind in KINDS])),
        )
        if pair
    ],
)
def test_forward_with_backward_is_compared_by_step(a: Path, b: Path, operations: int) -> None:
    found = compare(_subject(a), _subject(b))
    assert found.choice.kind is UnitKind.STEP
    assert found.metric("gpu_ops").a == operations
    # FlashAttention clears nothing, the products and cuDNN do.
    assert {row.role for row in found.rows if row.match != "both"} <= {"memset"}
    assert all(row.match != "only_b" for row in found.rows)
    names = [row.name for row in found.rows]
    assert names.count("attention forward") == 2
    assert names.count("attention backward") == 3


PAIRED_SAMPLES = [
    "naive_b8_h16_s1024_d64_bf16_h200", "math_b8_h16_s1024_d64_bf16_h200",
    "naive_b8_h16_s1024_d64_bf16_bwd_h200", "decode-sdpa_l4_b1_h12_s1024_d64_bf16_h200",
    "naive_b1_h4_s256_d64_bf16_cpu", "gaps_h200", "train-sdpa_l2_b1_h4_s256_d64_bf16_h200",
]  # fmt: skip
PAIRED = [
    "h200/blog_naive", "h200/blog_sdpa_math", "h200/blog_naive_fwd_bwd", "h200/gpt_decode_sdpa",
    "hta_a100_nccl", "hta_cpu_only", "hta_mi250_rocm", "hta_sampled_rank0", "hta_sampled_rank1",
    "tracelens_h100_qwen", "tracelens_mi210_gpu_only", "tracelens_mi300_vit",
    "tracelens_rocm_vllm_graph", "tracelens_b200_vllm_eager",
]  # fmt: skip


@pytest.mark.parametrize("path", where_real(PAIRED_SAMPLES, PAIRED), ids=name_of)
def test_any_trace_against_itself_is_all_zero(path: Path) -> None:
    own = _subject(path)
    for choice in available((own, own))[:3]:
        found = compare(own, own, choice)
        assert all(row.match == "both" and row.delta_gpu_ns == 0 for row in found.rows)
        assert all(metric.delta in (0, None) for metric in found.metrics)
        assert found.cautions == ()


@pytest.mark.parametrize(
    "paths",
    [pair for pair in (where_real(PAIRED_SAMPLES), where_real((), PAIRED)) if pair],
    ids=lambda paths: name_of(paths[0]),
)
def test_any_two_traces_add_up_and_mirror(paths: list[Path]) -> None:
    subjects = [AnalysedTrace(load(path)) for path in paths]
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


@pytest.mark.parametrize(
    "path",
    where_real(
        ["decode-naive_l4_b1_h12_s1024_d64_bf16_h200", "gaps_h200"],
        ["h200/gpt_decode_naive", "tracelens_h100_qwen", "hta_a100_nccl"],
    ),
    ids=name_of,
)
def test_idle_of_a_unit_is_what_its_causes_sum_to(path: Path) -> None:
    own = _subject(path)
    figures = take(own, available((own,))[0]).figures
    assert sum(figures.idle_by_cause.values()) == figures.idle_ns > 0
