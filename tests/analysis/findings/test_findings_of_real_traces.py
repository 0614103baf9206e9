"""Findings on real traces: the expected list of each, and every figure counted again.

The lists are read off the traces themselves: what their variant is known to do, what its
idle time is, what was recorded. The figures are counted again event by event.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from attntui.analysis.attention import AttentionCall, within
from attntui.analysis.cpu_time import FatKind, Part, fat_bars
from attntui.analysis.findings import (
    Finding,
    Observed,
    Severity,
    find_findings,
    observe,
    thresholds,
)
from attntui.analysis.gap_causes import Cause, Trigger, cause_finder
from attntui.analysis.queue_depth import launch_bound
from attntui.analysis.runtime_calls import CallKind
from attntui.analysis.scope import Range
from attntui.trace import Trace, load
from attntui.trace.model import ABSENT, Category
from attntui.view.facts import gather
from attntui.view.findings import finding_json

SAMPLE_FOLDER = Path(__file__).parents[3] / "sample_traces"

# Severity and id, the worst first.
CORPUS: dict[str, list[str]] = {
    "hta_a100_alexnet": ["high gpu-idle", "high launch-bound", "low sync-stalls", "info no-shapes"],
    "hta_a100_multi_stream_sync": ["high gpu-idle", "info no-shapes"],
    "hta_a100_nccl": ["high gpu-idle", "high launch-bound", "low opaque-cpu", "info no-shapes"],
    "hta_a100_simple_add": [
        "high gpu-idle",
        "high launch-bound",
        "medium sync-stalls",
        "info no-shapes",
    ],
    "hta_a100_triton": [],
    "hta_cpu_only": ["info no-gpu"],
    "hta_mi250_rocm": [
        "high gpu-idle",
        "high launch-bound",
        "low sync-stalls",
        "info unknown-roofs",
    ],
    "hta_mtia_inference": ["info no-gpu"],
    "hta_sampled_rank0": [
        "high gpu-idle",
        "medium opaque-cpu",
        "medium launch-bound",
        "info unknown-roofs",
    ],
    "hta_sampled_rank1": [
        "high gpu-idle",
        "medium opaque-cpu",
        "medium launch-bound",
        "info unknown-roofs",
    ],
    "hta_v100_ns_resolution": ["high fp32-products", "info no-shapes"],
    "tracelens_b200_vllm_eager": [
        "high gpu-idle",
        "high launch-bound",
        "medium opaque-cpu",
        "info low-occupancy-fine",
    ],
    "tracelens_h100_bert_small": [
        "high gpu-idle",
        "high launch-bound",
        "low sync-stalls",
        "info low-occupancy-fine",
    ],
    "tracelens_h100_qwen": ["low gpu-idle", "info low-occupancy-fine", "info no-launches"],
    "tracelens_mi210_gpu_only": ["medium tiny-kernels", "medium gpu-idle", "info no-cpu-side"],
    "tracelens_mi300_compile_triton": [],
    "tracelens_mi300_vit": ["high gpu-idle", "medium launch-bound"],
    "tracelens_rocm_vllm_graph": ["info unknown-roofs"],
    "h200/blog_flex": ["high gpu-idle"],
    "h200/blog_inplace": ["high naive-attention", "info low-occupancy-fine", "info no-launches"],
    "h200/blog_naive": [
        "high naive-attention",
        "medium hidden-copy",
        "info low-occupancy-fine",
        "info no-launches",
    ],
    "h200/blog_naive_compile": ["high naive-attention", "high gpu-idle", "info low-occupancy-fine"],
    "h200/blog_naive_fwd_bwd": [
        "high naive-attention",
        "low hidden-copy",
        "info low-occupancy-fine",
        "info no-launches",
    ],
    "h200/blog_sdpa_auto": ["high gpu-idle", "info low-occupancy-fine"],
    "h200/blog_sdpa_cudnn": ["high gpu-idle", "info low-occupancy-fine"],
    "h200/blog_sdpa_efficient": ["info low-occupancy-fine"],
    "h200/blog_sdpa_flash": ["medium gpu-idle", "info low-occupancy-fine"],
    "h200/blog_sdpa_fwd_bwd": ["high gpu-idle", "info low-occupancy-fine"],
    "h200/blog_sdpa_math": [
        "high sdpa-math",
        "high fp32-products",
        "info low-occupancy-fine",
        "info no-launches",
    ],
    "h200/gpt_decode_naive": [
        "high gpu-idle",
        "high launch-bound",
        "medium tiny-kernels",
        "info low-occupancy-fine",
    ],
    "h200/gpt_decode_sdpa": [
        "high gpu-idle",
        "high launch-bound",
        "medium tiny-kernels",
        "info low-occupancy-fine",
    ],
    "h200/gpt_prefill_stack_naive": [
        "high gpu-idle",
        "high naive-attention",
        "low launch-bound",
        "low hidden-copy",
        "info low-occupancy-fine",
        "info no-launches",
    ],
    "h200/gpt_prefill_stack_sdpa": [
        "high gpu-idle",
        "high launch-bound",
        "info low-occupancy-fine",
    ],
}
SAMPLES: dict[str, list[str]] = {
    "auto_b8_h16_s1024_d64_bf16_h200": ["high gpu-idle", "info low-occupancy-fine"],
    "compile_b8_h16_s1024_d64_bf16_h200": [
        "high gpu-idle",
        "high naive-attention",
        "info low-occupancy-fine",
    ],
    "cudnn_b8_h16_s1024_d64_bf16_h200": ["high gpu-idle", "info low-occupancy-fine"],
    "decode-flash_l4_b1_h12_s1024_d64_bf16_h200": [
        "high gpu-idle",
        "medium launch-bound",
        "medium tiny-kernels",
        "low sync-stalls",
        "info low-occupancy-fine",
    ],
    "decode-naive_l4_b1_h12_s1024_d64_bf16_h200": [
        "high gpu-idle",
        "high launch-bound",
        "medium tiny-kernels",
        "low sync-stalls",
        "info low-occupancy-fine",
    ],
    "decode-sdpa_l4_b1_h12_s1024_d64_bf16_h200": [
        "high gpu-idle",
        "high launch-bound",
        "high opaque-cpu",
        "info low-occupancy-fine",
    ],
    "efficient_b8_h16_s1024_d64_bf16_h200": ["info low-occupancy-fine"],
    "flash_b1_h4_s256_d64_bf16_cpu": ["info no-gpu"],
    "flash_b8_h16_s1024_d64_bf16_bwd_h200": ["high gpu-idle", "info low-occupancy-fine"],
    "flash_b8_h16_s1024_d64_bf16_h200": ["medium gpu-idle", "info low-occupancy-fine"],
    "flex_b8_h16_s1024_d64_bf16_h200": ["high gpu-idle"],
    "gaps_h200": [
        "high gpu-idle",
        "high launch-bound",
        "high opaque-cpu",
        "medium idle-data-loading",
        "medium sync-stalls",
        "medium pageable-copies",
        "low steady-allocation",
    ],
    "math_b8_h16_s1024_d64_bf16_h200": [
        "high sdpa-math",
        "high fp32-products",
        "low gpu-idle",
        "low launch-bound",
        "info low-occupancy-fine",
    ],
    "naive-inplace_b8_h16_s1024_d64_bf16_h200": ["high naive-attention", "info low-occupancy-fine"],
    "naive_b1_h4_s256_d64_bf16_cpu": ["info no-gpu"],
    "naive_b8_h16_s1024_d64_bf16_bwd_h200": [
        "high naive-attention",
        "medium hidden-copy",
        "info low-occupancy-fine",
    ],
    "naive_b8_h16_s1024_d64_bf16_h200": [
        "high naive-attention",
        "medium hidden-copy",
        "info low-occupancy-fine",
    ],
    "prefill-naive_l4_b1_h12_s1024_d64_bf16_h200": [
        "high gpu-idle",
        "high launch-bound",
        "low naive-attention",
        "info low-occupancy-fine",
    ],
    "prefill-sdpa_l4_b1_h12_s1024_d64_bf16_h200": [
        "high gpu-idle",
        "high launch-bound",
        "info low-occupancy-fine",
    ],
    "train-sdpa_l2_b1_h4_s256_d64_bf16_h200": [
        "high gpu-idle",
        "high launch-bound",
        "low tiny-kernels",
        "low opaque-cpu",
    ],
    "triton-unfused_b8_h16_s1024_d64_bf16_h200": [
        "high gpu-idle",
        "medium naive-attention",
        "info low-occupancy-fine",
    ],
    "triton_b8_h16_s1024_d64_bf16_h200": ["medium gpu-idle"],
}


def place(name: str, corpus: Path) -> Path:
    folder = SAMPLE_FOLDER if name in SAMPLES else corpus
    return folder / f"{name}.json.gz"


@cache
def observed(path: Path) -> Observed:
    return gather(load(path)).observed


def test_every_real_trace_is_listed(corpus: Path) -> None:
    files = {str(path.relative_to(corpus)) for path in corpus.rglob("*.json.gz")}
    assert {f"{name}.json.gz" for name in CORPUS} == files


def test_every_sample_is_listed() -> None:
    assert {f"{name}.json.gz" for name in SAMPLES} == {
        path.name for path in SAMPLE_FOLDER.glob("*.json.gz")
    }


@pytest.mark.parametrize("name", [*CORPUS, *SAMPLES])
def test_the_findings_are_those_and_no_others(name: str, corpus: Path) -> None:
    found = find_findings(observed(place(name, corpus)))
    expected = CORPUS | SAMPLES
    assert [f"{finding.severity.word} {finding.id}" for finding in found] == expected[name]


@pytest.mark.parametrize("name", [*CORPUS, *SAMPLES])
def test_findings_are_ranked_told_by_their_figures_and_proved(name: str, corpus: Path) -> None:
    seen = observed(place(name, corpus))
    found = find_findings(seen)
    order = [(finding.severity, -(finding.cost_ns or 0)) for finding in found]
    assert order == sorted(order)
    assert len({finding.id for finding in found}) == len(found)
    for finding in found:
        assert (finding.cost_ns is None) == (finding.severity is Severity.INFO)
        keys = set()
        for template in (finding.title, finding.advice):
            for text, key, _, _ in Formatter().parse(template):
                # No number but a figure: digits only inside words such as fp32.
                assert not re.search(r"(?<![\w.])\d", text)
                keys |= {key} - {None}
        assert keys == set(finding.figures) | set(finding.names)
        assert len(finding.evidence) <= thresholds.EVIDENCE_MOST
        for piece in finding.evidence:
            if isinstance(piece, Range):
                assert seen.trace.span[0] <= piece.start < piece.end <= seen.trace.span[1]
            else:
                assert 0 <= piece < len(seen.trace)
        assert json.loads(json.dumps(finding_json(finding)))["figures"] == dict(finding.figures)


Figures = dict[str, int | float]


def gaps(seen: Observed) -> list[tuple[int, int, list[int], int, int, int]]:
    """Start, length, split, trigger, its row, and the operation after, of every gap."""
    return [
        row
        for causes in seen.causes
        for row in zip(
            causes.gaps.start.tolist(),
            causes.gaps.length.tolist(),
            causes.split.tolist(),
            causes.trigger.tolist(),
            causes.trigger_row.tolist(),
            causes.gaps.after.tolist(),
            strict=True,
        )
    ]


def recount_idle(seen: Observed) -> Figures:
    found = gaps(seen)
    by_cause = [sum(gap[2][cause] for gap in found) for cause in Cause]
    idle = sum(gap[1] for gap in found)
    span = sum(device.span_ns for device in seen.idle)
    return {
        "idle_ns": idle,
        "span_ns": span,
        "idle_share": idle / span,
        "main_ns": max(by_cause),
    }


def recount_data_loading(seen: Observed) -> Figures:
    parts = [gap[2][Cause.DATA_LOADING] for gap in gaps(seen)]
    return {"idle_ns": sum(parts), "gaps": sum(part > 0 for part in parts)}


def recount_launch_bound(seen: Observed) -> Figures:
    count = stretches = idle = busy = 0
    for device in seen.idle:
        found = launch_bound(seen.trace, device)
        for i in range(len(found)):
            stretches += 1
            count += int(found.gpu_ops[i])
            inside = device.busy.covered_between(int(found.start[i]), int(found.end[i]))
            busy += inside
            idle += int(found.end[i] - found.start[i]) - inside
    return {
        "gpu_ops": count,
        "mean_ns": round(busy / count),
        "stretches": stretches,
        "idle_ns": idle,
    }


def recount_opaque(seen: Observed) -> Figures:
    bars = fat_bars(seen.cpu)
    opaque = idle = count = 0
    for index, row, kind in zip(
        bars.index.tolist(), bars.rows.tolist(), bars.kind.tolist(), strict=True
    ):
        if kind != FatKind.OPAQUE or not seen.cpu.work.gpu_ops[index]:
            continue
        start, end = int(seen.trace.start[row]), int(seen.trace.end[row])
        inside = sum(max(0, min(end, g[0] + g[1]) - max(start, g[0])) for g in gaps(seen))
        if inside:
            own = int(seen.cpu.split[index, Part.DISPATCH])
            count, opaque, idle = count + 1, opaque + own, idle + min(own, inside)
    return {"opaque_ns": opaque, "bars": count, "idle_ns": idle}


def around(trace: Trace, row: int) -> int:
    """The CPU op that encloses a call most closely, by walking up."""
    at = int(trace.parent[row])
    while at != ABSENT and (
        trace.category_of(at) is not Category.CPU_OP or trace.end[at] <= trace.start[row]
    ):
        at = int(trace.parent[at])
    return at


def pageable(seen: Observed) -> list[int]:
    return [
        row
        for row in seen.rows.tolist()
        if "Pageable" in seen.trace.name_of(row)
        and seen.trace.columns.copied_bytes[row] > 64 * 1024
    ]


def after_copies(seen: Observed) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The stalls after copies from pageable memory, and all others: trigger and length."""
    trace = seen.trace
    calls = {int(trace.launch[row]) for row in pageable(seen)} - {ABSENT}
    ops = {around(trace, row) for row in calls} - {ABSENT}
    stalls = [(g[4], g[1]) for g in gaps(seen) if g[3] in (Trigger.SYNC, Trigger.COPY)]
    of_copy = [s for s in stalls if s[0] in calls or around(trace, s[0]) in ops]
    return of_copy, [s for s in stalls if s not in of_copy]


def recount_pageable(seen: Observed) -> Figures:
    rows = pageable(seen)
    return {
        "copies": len(rows),
        "moved_bytes": sum(int(seen.trace.columns.copied_bytes[row]) for row in rows),
        "copy_ns": sum(int(seen.trace.dur[row]) for row in rows),
        "idle_ns": sum(length for _, length in after_copies(seen)[0]),
    }


def recount_syncs(seen: Observed) -> Figures:
    stalls = after_copies(seen)[1]
    calls = {call for call, _ in stalls}
    found: Figures = {"syncs": len(calls), "idle_ns": sum(length for _, length in stalls)}
    if len(seen.steps):
        spans = list(zip(seen.steps.start.tolist(), seen.steps.end.tolist(), strict=True))
        hit = {
            index
            for call in calls
            for index, (start, end) in enumerate(spans)
            if start <= seen.trace.start[call] < end
        }
        found |= {"steps_hit": len(hit), "steps": len(spans)}
    return found


def recount_allocation(seen: Observed) -> Figures:
    since, until = int(seen.steps.start[1]), int(seen.steps.end.max())
    calls = [
        row
        for row, kind in enumerate(seen.host.kinds.tolist())
        if kind == CallKind.MEMORY and since <= seen.trace.start[row] < until
    ]
    return {
        "calls": len(calls),
        "call_ns": sum(int(seen.trace.dur[row]) for row in calls),
        "idle_ns": sum(
            gap[1]
            for gap in gaps(seen)
            if since <= gap[0] < until and gap[2][Cause.MEMORY] == max(gap[2])
        ),
    }


def recount_calls(seen: Observed, backend: str) -> tuple[list[AttentionCall], Figures]:
    calls = [call for call in seen.calls if call.backend == backend]
    found: Figures = {
        "calls": len(calls),
        "gpu_ns": sum(int(seen.trace.dur[call.gpu_rows].sum()) for call in calls),
    }
    moved = [call.hbm_bytes for call in calls]
    if None not in moved:
        found["hbm_bytes"] = sum(b for b in moved if b is not None)
        found["fused_hbm_bytes"] = sum(call.fused_hbm_bytes or 0 for call in calls)
    return calls, found


def recount_naive(seen: Observed) -> Figures:
    calls, found = recount_calls(seen, "naive")
    products = sum(
        int(seen.trace.dur[share.rows].sum())
        for call in calls
        for share in call.roles
        if share.role in ("qk", "av")
    )
    return found | {"outside_ns": found["gpu_ns"] - products}


def recount_math(seen: Observed) -> Figures:
    calls, found = recount_calls(seen, "math")
    return found | {"gpu_ops": max(len(call.gpu_rows) for call in calls)}


def recount_hidden(seen: Observed) -> Figures:
    trace = seen.trace
    count = length = moved = 0
    for row in seen.rows.tolist():
        names = set()
        at = int(trace.launch[row])
        while at != ABSENT:
            names.add(trace.name_of(at))
            at = int(trace.parent[at])
        if {"aten::masked_fill", "aten::clone"} <= names:
            count, length = count + 1, length + int(trace.dur[row])
            # Read and written.
            moved += 2 * int(trace.columns.copied_bytes[row])
    return {"copies": count, "copy_ns": length, "hbm_bytes": moved}


def recount_fp32(seen: Observed) -> Figures:
    rows = [row for row in seen.rows.tolist() if is_fp32_product(seen, row)]
    length = sum(int(seen.trace.dur[row]) for row in rows)
    return {
        "kernels": len(rows),
        "gpu_ns": length,
        "busy_share": length / sum(seen.trace.dur[seen.rows].tolist()),
    }


def is_fp32_product(seen: Observed, row: int) -> bool:
    """By the words of the name: cuBLAS and cuDNN spell fp32 products and convolutions so."""
    fact = seen.facts[seen.table.name.tolist().index(int(seen.trace.name[row]))]
    name = seen.trace.name_of(row)
    words = r"sgemm|f32f32|scudnn|conv.*float|sgemm|implicit_convolve|cgemm|gemmSN_NN_kernel"
    product = re.search(words, name) is not None and "Offsets" not in name
    return product and fact.bound.kind not in ("memory", "latency")


def recount_tiny(seen: Observed) -> Figures:
    trace = seen.trace
    kernels = [r for r in seen.rows.tolist() if trace.category_of(r) is Category.KERNEL]
    tiny = {row for row in kernels if trace.dur[row] < 5_000}
    parts = (Cause.LAUNCH_CALL, Cause.QUEUED)
    return {
        "tiny": len(tiny),
        "kernels": len(kernels),
        "limit_ns": 5_000,
        "gpu_ns": sum(int(trace.dur[row]) for row in tiny),
        "overhead_ns": sum(gap[2][p] for gap in gaps(seen) if gap[5] in tiny for p in parts),
    }


def recount_occupancy(seen: Observed) -> Figures:
    time: dict[int, int] = defaultdict(int)
    for row in seen.rows.tolist():
        time[int(seen.trace.name[row])] += int(seen.trace.dur[row])
    whole = sum(time.values())
    low = {
        name: fact
        for name, fact in zip(seen.table.name.tolist(), seen.facts, strict=True)
        if fact.occupancy_pct is not None
        and fact.occupancy_pct < 30
        and time[name] / whole >= 0.05
        and (fact.decoded.tensor_cores or (fact.bound.share or 0) >= 0.5)
    }
    return {
        "kernels": len(low),
        "occupancy_pct": low[max(low, key=lambda name: time[name])].occupancy_pct or 0,
    }


def recount_launches(seen: Observed) -> Figures:
    alone = [row for row in seen.rows.tolist() if seen.trace.launch[row] == ABSENT]
    return {
        "alone": len(alone),
        "gpu_ops": len(seen.rows),
        "gpu_ns": sum(int(seen.trace.dur[row]) for row in alone),
    }


RECOUNT: dict[str, Callable[[Observed], Figures]] = {
    "gpu-idle": recount_idle,
    "idle-data-loading": recount_data_loading,
    "launch-bound": recount_launch_bound,
    "opaque-cpu": recount_opaque,
    "pageable-copies": recount_pageable,
    "sync-stalls": recount_syncs,
    "steady-allocation": recount_allocation,
    "naive-attention": recount_naive,
    "sdpa-math": recount_math,
    "hidden-copy": recount_hidden,
    "fp32-products": recount_fp32,
    "tiny-kernels": recount_tiny,
    "low-occupancy-fine": recount_occupancy,
    "no-launches": recount_launches,
    "no-cpu-side": lambda seen: {"gpu_ops": len(seen.rows)},
    "no-shapes": lambda seen: {},
    "no-gpu": lambda seen: {},
    "unknown-roofs": lambda seen: {},
}
COST = {
    "gpu-idle": ("idle_ns",),
    "idle-data-loading": ("idle_ns",),
    "launch-bound": ("idle_ns",),
    "opaque-cpu": ("idle_ns",),
    "pageable-copies": ("copy_ns", "idle_ns"),
    "sync-stalls": ("idle_ns",),
    "steady-allocation": ("idle_ns",),
    "naive-attention": ("outside_ns",),
    "sdpa-math": ("gpu_ns",),
    "hidden-copy": ("copy_ns",),
    "fp32-products": ("gpu_ns",),
    "tiny-kernels": ("gpu_ns", "overhead_ns"),
}
"""The figures that a cost is the sum of."""


@pytest.mark.parametrize("name", [*CORPUS, *SAMPLES])
def test_every_figure_follows_from_the_trace(name: str, corpus: Path) -> None:
    seen = observed(place(name, corpus))
    for finding in find_findings(seen):
        assert dict(finding.figures) == RECOUNT[finding.id](seen), finding.id
        assert finding.cost_ns == cost(finding), finding.id


def cost(finding: Finding) -> int | None:
    if finding.severity is Severity.INFO:
        return None
    return round(sum(finding.figures[key] for key in COST[finding.id]))


def test_findings_of_one_step_follow_from_its_rows_alone(corpus: Path) -> None:
    trace = load(corpus / "h200/gpt_prefill_stack_naive.json.gz")
    whole = gather(trace).observed
    rows = whole.steps.owned(2)
    finder = cause_finder(trace)
    step = observe(
        trace,
        rows,
        finder=finder,
        cpu=whole.cpu,
        steps=whole.steps,
        work=whole.work,
        calls=within(whole.calls, rows),
        peaks=whole.peaks,
    )
    found = {finding.id: finding for finding in find_findings(step)}
    assert found["naive-attention"].figures["calls"] == 12
    assert found["hidden-copy"].figures["copies"] == 12
    for finding in found.values():
        assert dict(finding.figures) == RECOUNT[finding.id](step), finding.id
