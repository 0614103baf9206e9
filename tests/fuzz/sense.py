"""What holds of the figures of any trace. Each function raises `Nonsense` where it does not."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import Comparison
from attntui.analysis.findings import Finding
from attntui.analysis.roofline import BEYOND
from attntui.analysis.slice import Slice
from attntui.safe import safe
from attntui.trace.model import ABSENT, Category, Trace


class Nonsense(AssertionError):
    """A figure that cannot be."""


def that(holds: object, what: str, *figures: Any) -> None:
    """Raises `Nonsense` where something does not hold."""
    if not holds:
        raise Nonsense(f"{what}: {', '.join(str(figure)[:200] for figure in figures)}")


def sensible_trace(trace: Trace) -> None:
    """Times lie in the span and sum to what 64 bits hold; references lead somewhere."""
    count = len(trace)
    that((trace.dur >= 0).all(), "a duration below 0", trace.dur.min(initial=0))
    total = float(trace.dur.sum(dtype=np.float64))
    that(total < 2**63, "durations that sum beyond 64 bits", total)
    low, high = trace.span
    that(low <= high, "a span below 0", trace.span)
    if count:
        that((np.diff(trace.start) >= 0).all(), "rows out of order")
        ends = int(trace.start.min()), int(trace.end.max())
        that(low <= ends[0] and ends[1] <= high, "events beyond the span", trace.span, ends)
    rows = np.arange(count)
    that((trace.parent < rows).all() and (trace.parent >= ABSENT).all(), "a parent after its child")
    that((trace.depth >= 0).all(), "a depth below 0")
    lanes = trace.lane
    that(((lanes >= 0) & (lanes < len(trace.lanes))).all(), "a lane that is not there")
    launch = trace.launch[trace.launch != ABSENT]
    calls = np.isin(trace.category[launch], (Category.RUNTIME, Category.DRIVER))
    that(calls.all(), "a launch that is no call")
    that((trace.device >= ABSENT).all(), "a device below 0")
    that(all(notice.count > 0 for notice in trace.notices), "a notice of nothing", trace.notices)


def sensible_slice(part: Slice) -> None:
    """Busy and idle time, gaps, own times, tables and findings agree with each other."""
    _devices(part)
    leaves = [leaf.ns for leaf in part.time_tree]
    that(all(ns > 0 for ns in leaves), "a leaf of no time", leaves)
    that(sum(leaves) == part.span_ns, "leaves that are not the span", sum(leaves), part.span_ns)
    that((part.own >= 0).all(), "own time below 0")
    that(int(part.own.sum()) == part.busy_ns, "own times that are not the busy time")
    kernels = part.kernels
    that(int(kernels.total.sum()) == part.gpu_ns, "kernels that are not the GPU time")
    that(((kernels.share >= 0) & (kernels.share <= 1)).all(), "a share of a kernel")
    that(int(kernels.count.sum()) == len(part.gpu_ops), "kernels that are not all operations")
    for fact in part.kernel_facts:
        _share(fact.coverage, "coverage")
        _share(_of_100(fact.occupancy_pct), "occupancy")
        _share(_of_100(fact.profiler_occupancy_pct), "the profiler's occupancy")
        for figure in (fact.flops, fact.moved, fact.bound.share):
            that(figure is None or figure >= 0, "work below 0", fact)
    _share(part.traffic.coverage, "coverage of the traffic")
    ops = part.ops
    that((ops.split >= 0).all() and (ops.awaited_ns >= 0).all(), "self time below 0")
    that((ops.split.sum(axis=1) == ops.self_ns).all(), "parts that are not the self time")
    that((ops.total_ns >= 0).all() and (ops.gpu_ns >= 0).all(), "a total below 0")
    _findings(part)


def _devices(part: Slice) -> None:
    for device, causes in zip(part.devices, part.causes, strict=True):
        that(0 <= device.busy_ns <= device.span_ns, "busy", device.busy_ns, device.span_ns)
        gaps = device.gaps.length
        that((gaps > 0).all(), "a gap of no length")
        that(int(gaps.sum()) == device.idle_ns, "gaps that are not the idle time")
        that((causes.split >= 0).all(), "a part of a gap below 0")
        that((causes.split.sum(axis=1) == gaps).all(), "parts that are not the gap")


def _findings(part: Slice) -> None:
    span = part.span_ns
    for finding in part.findings:
        cost, gain = finding.cost_ns, finding.gain_ns
        if cost is not None:
            that(0 <= cost <= span, "a cost beyond the span", finding.id, cost, span)
            that(
                gain is None or 0 <= gain <= cost, "a gain beyond the cost", finding.id, gain, cost
            )
        _share(finding.gain_share, "gain", finding.id)
        for key, figure in finding.figures.items():
            _figure(key, figure, finding)
    alone = sum(f.cost_ns or 0 for f in part.findings if f.under is None)
    that(alone <= span, "costs that overlap", alone, span)


def _figure(key: str, figure: float, finding: Finding) -> None:
    that(math.isfinite(figure), "a figure that is no number", finding.id, key, figure)
    if key.endswith("_share"):
        # A rate a little over the roof of a device table is told as it is.
        _share(figure / BEYOND if "roof" in key else figure, finding.id, key)
    if key.endswith("_pct"):
        _share(figure / 100, finding.id, key)
    that(figure >= 0, "a figure below 0", finding.id, key, figure)


def _of_100(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _share(share: float | None, *of: str) -> None:
    # A mean of equal figures may lie one rounding above them.
    that(share is None or 0 <= share <= 1 + 1e-9, "a share outside 0 to 100 %", *of, share)


def sensible_calls(analysed: AnalysedTrace) -> None:
    """Roles of attention calls sum to the calls; steps have an extent."""
    for call in analysed.attention:
        that(sum(share.gpu_ns for share in call.roles) == call.gpu_ns, "roles", call.evidence)
        that(sum(share.gpu_ops for share in call.roles) == call.gpu_ops, "roles", call.evidence)
        that(0 <= call.casts_ns <= call.gpu_ns, "casts", call.casts_ns, call.gpu_ns)
        sizes = (call.batch, call.heads, call.kv_heads, call.q_len, call.kv_len, call.head_dim)
        that(all(size is None or size >= 0 for size in sizes), "a size below 0", sizes)
        for figure in (call.cpu_ns, call.flops, call.hbm_bytes, call.fused_hbm_bytes):
            that(figure is None or figure >= 0, "work below 0", call)
    that((analysed.steps.duration >= 0).all(), "a step below 0")
    that((analysed.annotations.cpu_ns >= 0).all(), "an annotation below 0")
    that(min(analysed.edges) >= 0, "a window below 0", analysed.edges)


def sensible_comparison(found: Comparison) -> None:
    """Rows sum to the sides' GPU time, and no figure of a side is below 0."""
    for side, unit in enumerate((found.a, found.b)):
        shares = [row.ends[side] for row in found.rows]
        ops = sum(len(share.rows) for share in shares if share)
        that(ops == unit.figures.gpu_ops, "rows that are not the unit", ops, unit.figures.gpu_ops)
        figures = unit.figures
        for ns in (figures.span_ns, figures.gpu_ns, figures.cpu_ns, figures.idle_ns):
            that(ns is None or ns >= 0, "time below 0", figures)
        that(sum(figures.idle_by_cause.values()) == figures.idle_ns, "causes", figures)
        that(figures.idle_ns <= figures.gpu_span_ns, "idle beyond the span", figures)
        _share(_of_100(figures.occupancy_pct), "occupancy")
        for estimate in (figures.hbm_bytes, figures.flops):
            that(estimate.total is None or estimate.total >= 0, "work below 0", estimate)
            _share(estimate.share(figures.gpu_ns), "coverage")
    for metric in found.metrics:
        for figure in (metric.a, metric.b, metric.delta, metric.ratio):
            that(figure is None or math.isfinite(figure), "no number", metric.name, figure)


def sensible_document(value: Any, key: str = "") -> None:
    """No share outside 0 to 1, no time below 0 but differences, and no number that is none."""
    if isinstance(value, dict):
        for inner, part in value.items():
            sensible_document(part, str(inner))
    elif isinstance(value, list):
        for part in value:
            sensible_document(part, key)
    elif isinstance(value, float):
        that(math.isfinite(value), "no number", key, value)
        if key in ("share", "coverage") or key.endswith(("busy_share", "_covered")):
            _share(value, key)
    elif isinstance(value, int) and key.endswith("_ns") and "delta" not in key:
        that(value >= 0, "time below 0", key, value)


def harmless(lines: Iterable[str]) -> None:
    """Each is one line that a terminal shows as it stands."""
    for line in lines:
        that(safe(line) == line, "text that acts on a terminal", ascii(line))
