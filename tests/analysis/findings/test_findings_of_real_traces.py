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
from builders import SAMPLES, name_of, where_real

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention import AttentionCall
from attntui.analysis.findings import (
    Finding,
    Severity,
    thresholds,
)
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.queue_depth import launch_bound
from attntui.analysis.runtime_calls import CallKind
from attntui.analysis.scope import Range, Step
from attntui.analysis.self_time import FatKind, SelfPart, fat_bars
from attntui.analysis.slice import Slice
from attntui.trace import Trace, load
from attntui.trace.model import ABSENT, Category
from attntui.view.tables.findings import finding_rows, findings_table
from attntui.view.tables.model import records
from attntui.view.words.findings import title_text

# Severity and id, the worst first.
OF_CORPUS: dict[str, list[str]] = {
    "hta_a100_alexnet": [
        "high gpu-idle",
        "high launch-bound",
        "high idle-module-load",
        "low sync-stalls",
        "info no-shapes",
    ],
    "hta_a100_multi_stream_sync": ["high gpu-idle", "info no-shapes"],
    "hta_a100_nccl": [
        "high gpu-idle",
        "high launch-bound",
        "low opaque-cpu",
        "info collectives",
        "info no-shapes",
    ],
    "hta_a100_simple_add": [
        "high gpu-idle",
        "high launch-bound",
        "high idle-module-load",
        "medium sync-stalls",
        "info no-shapes",
    ],
    "hta_a100_triton": [],
    "hta_cpu_only": ["info no-gpu"],
    "hta_mi250_rocm": [
        "high gpu-idle",
        "high launch-bound",
        "high idle-module-load",
        "low sync-stalls",
        "info unknown-roofs",
    ],
    "hta_mtia_inference": ["info other-accelerator"],
    "hta_sampled_rank0": [
        "high gpu-idle",
        "medium opaque-cpu",
        "medium launch-bound",
        "info collectives",
        "info unknown-roofs",
    ],
    "hta_sampled_rank1": [
        "high gpu-idle",
        "medium opaque-cpu",
        "medium launch-bound",
        "info collectives",
        "info unknown-roofs",
    ],
    "hta_v100_ns_resolution": ["high fp32-products", "info no-shapes"],
    "tracelens_b200_vllm_eager": [
        "high gpu-idle",
        "high launch-bound",
        "low idle-module-load",
        "info collectives",
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
    "tracelens_rocm_vllm_graph": ["info graph-replays", "info unknown-roofs"],
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
OF_SAMPLES: dict[str, list[str]] = {
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
        "high idle-module-load",
        "info low-occupancy-fine",
    ],
    "efficient_b8_h16_s1024_d64_bf16_h200": ["info low-occupancy-fine"],
    "flash_b1_h4_s256_d64_bf16_cpu": ["info no-gpu"],
    "flash_b8_h16_s1024_d64_bf16_bwd_h200": ["high gpu-idle", "info low-occupancy-fine"],
    "flash_b8_h16_s1024_d64_bf16_h200": ["medium gpu-idle", "info low-occupancy-fine"],
    "flex_b8_h16_s1024_d64_bf16_h200": ["high gpu-idle"],
    "gaps_h200": [
        "high gpu-idle",
        "high idle-module-load",
        "high launch-bound",
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


REAL = where_real(OF_SAMPLES, OF_CORPUS)
every_real_trace = pytest.mark.parametrize("path", REAL, ids=name_of)


@cache
def observed(path: Path) -> Slice:
    return AnalysedTrace(load(path)).whole


def test_every_real_trace_is_listed(corpus: Path) -> None:
    files = {str(path.relative_to(corpus)) for path in corpus.rglob("*.json.gz")}
    assert {f"{name}.json.gz" for name in OF_CORPUS} == files


def test_every_sample_is_listed() -> None:
    assert {f"{name}.json.gz" for name in OF_SAMPLES} == {
        path.name for path in SAMPLES.glob("*.json.gz")
    }


@every_real_trace
def test_the_findings_are_those_and_no_others(path: Path) -> None:
    found = observed(path).findings
    expected = OF_CORPUS | OF_SAMPLES
    assert [f"{finding.severity.word} {finding.id}" for finding in found] == expected[name_of(path)]


@every_real_trace
def test_findings_are_ranked_told_by_their_figures_and_proved(path: Path) -> None:
    seen = observed(path)
    found = seen.findings
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
    told = json.loads(json.dumps(records(findings_table(seen), finding_rows(seen))))
    assert [entry["figures"] for entry in told] == [dict(finding.figures) for finding in found]
    # Nanoseconds stay whole beside a finding without a cost.
    assert [repr(entry["cost_ns"]) for entry in told] == [repr(f.cost_ns) for f in found]


Figures = dict[str, int | float]


def gaps(seen: Slice) -> list[tuple[int, int, list[int], int, int, int]]:
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


def recount_idle(seen: Slice) -> Figures:
    found = gaps(seen)
    by_cause = [sum(gap[2][cause] for gap in found) for cause in Cause]
    idle = sum(gap[1] for gap in found)
    span = sum(device.span_ns for device in seen.devices)
    return {
        "idle_ns": idle,
        "span_ns": span,
        "of_span_share": idle / span,
        "main_cause_ns": max(by_cause),
    }


def recount_data_loading(seen: Slice) -> Figures:
    return recount_cause(seen, Cause.DATA_LOADING)


def recount_cause(seen: Slice, cause: Cause) -> Figures:
    parts = [gap[2][cause] for gap in gaps(seen)]
    return {"idle_ns": sum(parts), "gaps": sum(part > 0 for part in parts)}


def recount_launch_bound(seen: Slice) -> Figures:
    count = stretches = idle = busy = 0
    for device in seen.devices:
        found = launch_bound(seen.trace, device)
        for i in range(len(found)):
            stretches += 1
            count += int(found.gpu_ops[i])
            inside = device.busy.covered_between(int(found.start[i]), int(found.end[i]))
            busy += inside
            idle += int(found.end[i] - found.start[i]) - inside
    return {
        "operations": count,
        "mean_operation_ns": round(busy / count),
        "stretches": stretches,
        "idle_ns": idle,
    }


def recount_opaque(seen: Slice) -> Figures:
    bars = fat_bars(seen.analysed.cpu)
    opaque = idle = count = 0
    for index, row, kind in zip(
        bars.index.tolist(), bars.rows.tolist(), bars.kind.tolist(), strict=True
    ):
        if kind != FatKind.OPAQUE or not seen.analysed.cpu.work.gpu_ops[index]:
            continue
        start, end = int(seen.trace.start[row]), int(seen.trace.end[row])
        inside = sum(max(0, min(end, g[0] + g[1]) - max(start, g[0])) for g in gaps(seen))
        if inside:
            inner = seen.trace.parent == row
            bare = end - start - int(seen.trace.dur[inner].sum())
            own = min(bare, int(seen.analysed.cpu.split[index, SelfPart.DISPATCH]))
            count, opaque, idle = count + 1, opaque + own, idle + min(own, inside)
    return {"unexplained_ns": opaque, "cpu_ops": count, "idle_meanwhile_ns": idle}


def around(trace: Trace, row: int) -> int:
    """The CPU op that encloses a call most closely, by walking up."""
    at = int(trace.parent[row])
    while at != ABSENT and (
        trace.category_of(at) is not Category.CPU_OP or trace.end[at] <= trace.start[row]
    ):
        at = int(trace.parent[at])
    return at


def pageable(seen: Slice) -> list[int]:
    return [
        row
        for row in seen.gpu_ops.tolist()
        if "Pageable" in seen.trace.name_of(row)
        and seen.trace.columns.copied_bytes[row] > 64 * 1024
    ]


def after_copies(seen: Slice) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The stalls after copies from pageable memory, and all others: trigger and length."""
    trace = seen.trace
    calls = {int(trace.launch[row]) for row in pageable(seen)} - {ABSENT}
    ops = {around(trace, row) for row in calls} - {ABSENT}
    stalls = [(g[4], g[1]) for g in gaps(seen) if g[3] in (Trigger.SYNC, Trigger.COPY)]
    of_copy = [s for s in stalls if s[0] in calls or around(trace, s[0]) in ops]
    return of_copy, [s for s in stalls if s not in of_copy]


def recount_pageable(seen: Slice) -> Figures:
    rows = pageable(seen)
    return {
        "copies": len(rows),
        "moved_bytes": sum(int(seen.trace.columns.copied_bytes[row]) for row in rows),
        "copying_ns": sum(int(seen.trace.dur[row]) for row in rows),
        "idle_afterwards_ns": sum(length for _, length in after_copies(seen)[0]),
    }


def recount_syncs(seen: Slice) -> Figures:
    stalls = after_copies(seen)[1]
    calls = {call for call, _ in stalls}
    idle = sum(length for _, length in stalls)
    found: Figures = {"waits": len(calls), "idle_afterwards_ns": idle}
    if len(seen.analysed.steps):
        spans = list(
            zip(seen.analysed.steps.start.tolist(), seen.analysed.steps.end.tolist(), strict=True)
        )
        hit = {
            index
            for call in calls
            for index, (start, end) in enumerate(spans)
            if start <= seen.trace.start[call] < end
        }
        found |= {"steps_with_waits": len(hit), "steps": len(spans)}
    return found


def recount_allocation(seen: Slice) -> Figures:
    since, until = int(seen.analysed.steps.start[1]), int(seen.analysed.steps.end.max())
    calls = [
        row
        for row, kind in enumerate(seen.analysed.finder.host.kinds.tolist())
        if kind == CallKind.MEMORY and since <= seen.trace.start[row] < until
    ]
    return {
        "calls": len(calls),
        "in_calls_ns": sum(int(seen.trace.dur[row]) for row in calls),
        "idle_ns": sum(
            gap[1]
            for gap in gaps(seen)
            if since <= gap[0] < until and gap[2][Cause.MEMORY] == max(gap[2])
        ),
    }


def recount_calls(seen: Slice, backend: str) -> tuple[list[AttentionCall], Figures]:
    calls = [call for call in seen.attention if call.backend == backend]
    found: Figures = {
        "calls": len(calls),
        "gpu_time_ns": sum(int(seen.trace.dur[call.gpu_rows].sum()) for call in calls),
    }
    moved = [call.hbm_bytes for call in calls]
    if None not in moved:
        found["moved_bytes"] = sum(b for b in moved if b is not None)
        found["moved_if_fused_bytes"] = sum(call.fused_hbm_bytes or 0 for call in calls)
    return calls, found


def recount_naive(seen: Slice) -> Figures:
    calls, found = recount_calls(seen, "naive")
    products = sum(
        int(seen.trace.dur[share.rows].sum())
        for call in calls
        for share in call.roles
        if share.role in ("qk", "av")
    )
    return found | {"outside_products_ns": found["gpu_time_ns"] - products}


def recount_math(seen: Slice) -> Figures:
    calls, found = recount_calls(seen, "math")
    return found | {"operations_in_longest": max(len(call.gpu_rows) for call in calls)}


def recount_hidden(seen: Slice) -> Figures:
    trace = seen.trace
    count = length = moved = 0
    for row in seen.gpu_ops.tolist():
        names = set()
        at = int(trace.launch[row])
        while at != ABSENT:
            names.add(trace.name_of(at))
            at = int(trace.parent[at])
        if {"aten::masked_fill", "aten::clone"} <= names:
            count, length = count + 1, length + int(trace.dur[row])
            # Read and written.
            moved += 2 * int(trace.columns.copied_bytes[row])
    return {"copies": count, "copying_ns": length, "moved_bytes": moved}


def recount_fp32(seen: Slice) -> Figures:
    rows = [row for row in seen.gpu_ops.tolist() if is_fp32_product(seen, row)]
    length = sum(int(seen.trace.dur[row]) for row in rows)
    return {
        "kernels": len(rows),
        "gpu_time_ns": length,
        "of_gpu_time_share": length / sum(seen.trace.dur[seen.gpu_ops].tolist()),
    }


def is_fp32_product(seen: Slice, row: int) -> bool:
    """By the words of the name: cuBLAS and cuDNN spell fp32 products and convolutions so."""
    fact = seen.kernel_facts[seen.kernels.name.tolist().index(int(seen.trace.name[row]))]
    name = seen.trace.name_of(row)
    words = r"sgemm|f32f32|scudnn|conv.*float|sgemm|implicit_convolve|cgemm|gemmSN_NN_kernel"
    product = re.search(words, name) is not None and "Offsets" not in name
    return product and fact.bound.kind not in ("memory", "latency")


def recount_tiny(seen: Slice) -> Figures:
    trace = seen.trace
    kernels = [r for r in seen.gpu_ops.tolist() if trace.category_of(r) is Category.KERNEL]
    tiny = {row for row in kernels if trace.dur[row] < 5_000}
    parts = (Cause.LAUNCH_CALL, Cause.QUEUED)
    return {
        "tiny_kernels": len(tiny),
        "all_kernels": len(kernels),
        "tiny_below_ns": 5_000,
        "running_ns": sum(int(trace.dur[row]) for row in tiny),
        "launching_ns": sum(gap[2][p] for gap in gaps(seen) if gap[5] in tiny for p in parts),
    }


def recount_occupancy(seen: Slice) -> Figures:
    time: dict[int, int] = defaultdict(int)
    for row in seen.gpu_ops.tolist():
        time[int(seen.trace.name[row])] += int(seen.trace.dur[row])
    whole = sum(time.values())
    low = {
        name: fact
        for name, fact in zip(seen.kernels.name.tolist(), seen.kernel_facts, strict=True)
        if fact.occupancy_pct is not None
        and fact.occupancy_pct < 30
        and time[name] / whole >= 0.05
        and (fact.decoded.tensor_cores or (fact.bound.share or 0) >= 0.5)
    }
    return {
        "kernel_names": len(low),
        "occupancy_pct": low[max(low, key=lambda name: time[name])].occupancy_pct or 0,
    }


def recount_collectives(seen: Slice) -> Figures:
    """By the words of the names, the time swept from edge to edge."""
    trace, found = seen.trace, 0
    running = beside = 0
    for device in seen.devices:
        edges = []
        for row in device.rows.tolist():
            if trace.category_of(row) is Category.KERNEL:
                talks = re.search("nccl|all_reduce", trace.name_of(row)) is not None
                found += talks
                edges += [(int(trace.start[row]), talks, 1), (int(trace.end[row]), talks, -1)]
        open_now = {True: 0, False: 0}
        last = 0
        for time, talks, step in sorted(edges):
            running += (time - last) * (open_now[True] > 0)
            beside += (time - last) * (open_now[True] > 0 and open_now[False] > 0)
            open_now[talks] += step
            last = time
    return {
        "collectives": found,
        "running_ns": running,
        "beside_compute_ns": beside,
        "overlap_share": beside / running,
    }


def recount_graphs(seen: Slice) -> Figures:
    trace, ops = seen.trace, seen.gpu_ops.tolist()
    calls = {row: int(trace.launch[row]) for row in ops if trace.launch[row] != ABSENT}
    graph = {row: call for row, call in calls.items() if "GraphLaunch" in trace.name_of(call)}
    return {
        "in_graphs": len(graph),
        "operations": len(ops),
        "running_ns": sum(int(trace.dur[row]) for row in graph),
        "graph_launches": len(set(graph.values())),
    }


def recount_launches(seen: Slice) -> Figures:
    alone = [row for row in seen.gpu_ops.tolist() if seen.trace.launch[row] == ABSENT]
    return {
        "without_launch": len(alone),
        "operations": len(seen.gpu_ops),
        "running_ns": sum(int(seen.trace.dur[row]) for row in alone),
    }


RECOUNT: dict[str, Callable[[Slice], Figures]] = {
    "gpu-idle": recount_idle,
    "idle-data-loading": recount_data_loading,
    "first-use-load": lambda seen: recount_cause(seen, Cause.MODULE_LOAD),
    "graph-replays": recount_graphs,
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
    "collectives": recount_collectives,
    "no-launches": recount_launches,
    "no-cpu-side": lambda seen: {"operations": len(seen.gpu_ops)},
    "no-shapes": lambda seen: {},
    "no-gpu": lambda seen: {},
    "other-accelerator": lambda seen: {"events": seen.trace.category_counts["mtia_ccp_events"]},
    "unknown-roofs": lambda seen: {},
}
COST = {
    "gpu-idle": ("idle_ns",),
    "idle-data-loading": ("idle_ns",),
    "first-use-load": ("idle_ns",),
    "launch-bound": ("idle_ns",),
    "opaque-cpu": ("idle_meanwhile_ns",),
    "pageable-copies": ("copying_ns", "idle_afterwards_ns"),
    "sync-stalls": ("idle_afterwards_ns",),
    "steady-allocation": ("idle_ns",),
    "naive-attention": ("outside_products_ns",),
    "sdpa-math": ("gpu_time_ns",),
    "hidden-copy": ("copying_ns",),
    "fp32-products": ("gpu_time_ns",),
    "tiny-kernels": ("running_ns", "launching_ns"),
}
"""The figures that a cost is the sum of."""


@every_real_trace
def test_every_figure_follows_from_the_trace(path: Path) -> None:
    seen = observed(path)
    for finding in seen.findings:
        assert dict(finding.figures) == RECOUNT[finding.id](seen), finding.id
        assert finding.cost_ns == cost(finding), finding.id


def cost(finding: Finding) -> int | None:
    if finding.severity is Severity.INFO:
        return None
    return round(sum(finding.figures[key] for key in COST[finding.id]))


SENTENCES = {
    "tracelens_mi300_vit gpu-idle": "GPU idle for 5.153 ms of 6.869 ms (75.0 %), 2.204 ms of "
    "that while the host dispatched CPU ops",
    "tracelens_mi300_vit launch-bound": "Launch-bound: 27 operations of 11.34 us on average "
    "found the GPU drained, in 3 stretches; 1.194 ms of the GPU's idle time lies between them",
    "hta_a100_simple_add launch-bound": "Launch-bound: 19 operations of 2.115 ms on average "
    "found the GPU drained, in 1 stretch; 15.63 s of the GPU's idle time lies between them",
    "hta_a100_simple_add sync-stalls": "GPU idle for 2.451 s after the host had waited for it "
    "(10 waits); the most after cudaDeviceSynchronize",
    "tracelens_h100_bert_small sync-stalls": "GPU idle for 153.9 us after the host had waited "
    "for it (1 wait, in 1 of 1 step); the most after aten::_local_scalar_dense",
    "hta_a100_nccl opaque-cpu": "168 CPU ops took 48.36 ms that nothing recorded explains, "
    "the GPU idle for 46.75 ms of it; the longest is aten::_foreach_add_",
    "gaps_h200 idle-data-loading": "GPU idle for 14.05 ms while the host waited for the data "
    "loader, in 8 gaps",
    "gaps_h200 pageable-copies": "4 copies from or to pageable memory, 67.1 MB together: "
    "11.55 ms of copying, and the GPU idle for 316.9 us afterwards",
    "gaps_h200 steady-allocation": "Allocating and freeing memory after the first step (8 calls, "
    "1.145 ms in all) left the GPU idle for 1.693 ms",
    "h200/gpt_prefill_stack_naive naive-attention": "Naive attention spends 28.61 ms of 33.22 ms "
    "outside its products, in 72 calls; it moves 77.3 GB where fused kernels would move 1.81 GB",
    "h200/gpt_prefill_stack_naive hidden-copy": "Out-of-place masked_fill makes 72 hidden "
    "copies: 3.483 ms in all; 14.5 GB moved",
    "math_b8_h16_s1024_d64_bf16_h200 fp32-products": "fp32 products off the tensor cores take "
    "2.892 ms in 6 kernels, 36.5 % of the GPU time; the most in xmma_gemm fp32 128x128x8 tn",
    "math_b8_h16_s1024_d64_bf16_h200 low-occupancy-fine": "Low occupancy that is fine: xmma_gemm "
    "fp32 128x128x8 tn at 12.5 %, limited by registers (2 kernel names in all)",
    "tracelens_mi210_gpu_only tiny-kernels": "330 of 562 kernels are shorter than 5.000 us: they "
    "run for 1.241 ms, and launching them adds 125.8 us",
    "tracelens_mi210_gpu_only no-cpu-side": "No CPU op was recorded: of 562 GPU operations no "
    "op, shape or cause is known",
    "tracelens_h100_qwen no-launches": "Without a launch in the trace: 509 of 1,707 GPU "
    "operations, 13.74 ms in all",
}


@pytest.mark.parametrize(
    ("path", "finding_id"),
    [
        pytest.param(path, finding_id, id=key)
        for key in SENTENCES
        for name, finding_id in [key.split()]
        for path in REAL
        if name_of(path) == name
    ],
)
def test_sentences(path: Path, finding_id: str) -> None:
    found = {f.id: f for f in observed(path).findings}
    assert title_text(found[finding_id]) == SENTENCES[f"{name_of(path)} {finding_id}"]


@pytest.mark.parametrize(
    ("path", "told"),
    list(
        zip(
            where_real(["math_b8_h16_s1024_d64_bf16_h200"], ["h200/blog_sdpa_math"]),
            ("7.926 ms", "7.863 ms"),
            strict=False,
        )
    ),
)
def test_the_sentence_about_the_math_backend(path: Path, told: str) -> None:
    found = {f.id: f for f in observed(path).findings}
    assert title_text(found["sdpa-math"]).startswith(
        f"SDPA on its math backend takes {told} in 3 calls (20 GPU operations in the longest); "
        "it moves 19.2 GB where fused kernels would move 201 MB; told by aten::scaled"
    )


@every_real_trace
def test_the_labels_of_a_finding_s_figures_differ(path: Path) -> None:
    for finding in observed(path).findings:
        labels = [re.sub("_(ns|bytes|share|pct)$", "", key) for key in finding.figures]
        assert len(set(labels)) == len(labels)
        # Not a word that says nothing without its sentence.
        assert not {"main", "mean", "moved_hbm", "hbm", "gpu", "alone", "limit"} & set(labels)


@pytest.mark.parametrize(
    ("path", "calls"),
    list(
        zip(
            where_real(["naive_b8_h16_s1024_d64_bf16_bwd_h200"], ["h200/gpt_prefill_stack_naive"]),
            ({"naive-attention": 2, "hidden-copy": 2}, {"naive-attention": 12, "hidden-copy": 12}),
            strict=False,
        )
    ),
)
def test_findings_of_one_step_follow_from_its_rows_alone(path: Path, calls: dict[str, int]) -> None:
    whole = observed(path)
    step = whole.analysed.slice(Step(2))
    found = {finding.id: finding for finding in step.findings}
    assert found["naive-attention"].figures["calls"] == calls["naive-attention"]
    assert found["hidden-copy"].figures["copies"] == calls["hidden-copy"]
    for finding in found.values():
        assert dict(finding.figures) == RECOUNT[finding.id](step), finding.id
