"""The sections of the summary about work: rates and bounds of kernels, traffic, attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attntui.analysis.attention import AttentionCall
from attntui.analysis.kernel_facts import KernelFact, Traffic, traffic
from attntui.safe import safe
from attntui.view.tables.attention import call_text, causal_text
from attntui.view.facts import Facts
from attntui.view.words.formats import ABSENT, count, duration, percent, rate, ratio, size
from attntui.view.reports.sections import Column, Section, name_column

NAME_CELLS = 60


def work_sections(facts: Facts, top: int) -> list[Section]:
    """What bounds the kernels with the most time, how they fill the device, and what the
    trace and its steps moved.
    """
    shown = list(zip(facts.kernels.share.tolist(), facts.kernel_facts, strict=True))[:top]
    return [_bounds(facts, shown), _occupancies(shown), _traffic(facts, top)]


Ranked = Sequence[tuple[float, KernelFact]]
"""Kernel names with their share of the GPU time, the most first."""


def _bounds(facts: Facts, shown: Ranked) -> Section:
    peaks = facts.observed.peaks
    roofs = "not known" if peaks is None else f"{rate(peaks.hbm, 'B/s')}, {safe(peaks.source)}"
    rows = tuple(
        (
            percent(share),
            fact.bound.kind or ABSENT,
            rate(None if fact.bound.tflops is None else fact.bound.tflops * 1e12, "FLOP/s"),
            rate(None if fact.bound.gbps is None else fact.bound.gbps * 1e9, "B/s"),
            percent(fact.bound.share),
            percent(fact.coverage),
            safe(fact.decoded.short, NAME_CELLS),
        )
        for share, fact in shown
    )
    headings = ("share", "bound", "rate", "traffic", "of roof", "known")
    title = f"What bounds the GPU operations; roofs: {roofs}"
    return Section(title, (*map(Column, headings), name_column("name")), rows)


def _occupancies(shown: Ranked) -> Section:
    rows = tuple(
        (
            percent(share),
            _percent(fact.occupancy_pct),
            _percent(fact.profiler_occupancy_pct),
            _tensor_cores(fact),
            safe(fact.decoded.library or ABSENT, NAME_CELLS),
            safe(" and ".join(fact.limited_by) or ABSENT),
            safe(fact.decoded.short, NAME_CELLS),
        )
        for share, fact in shown
    )
    columns = (
        *map(Column, ("share", "occupancy", "profiler's", "tensor")),
        Column("library", left=True),
        name_column("limited by"),
        name_column("name"),
    )
    title = "How they fill the device: theoretical occupancy, the profiler's beside it"
    return Section(title, columns, rows)


def _percent(value: float | None) -> str:
    return percent(None if value is None else value / 100)


def _tensor_cores(fact: KernelFact) -> str:
    told = fact.decoded.tensor_cores
    return ABSENT if told is None else ("yes" if told else "no")


def _traffic(facts: Facts, top: int) -> Section:
    """Estimated traffic of the trace and of its first steps."""
    work, steps = facts.observed.work, facts.steps
    rows = [_traffic_row("all", traffic(work, facts.observed.rows))]
    for index, row in enumerate(steps.rows[:top].tolist()):
        name = safe(facts.trace.name_of(row), NAME_CELLS)
        rows.append(_traffic_row(name, traffic(work, steps.owned(index))))
    columns = (Column("moved"), Column("known"), Column("GPU time"), name_column("of"))
    title = "Device memory moved, estimated from shapes for the known share of GPU time"
    return Section(title, columns, tuple(rows))


def _traffic_row(name: str, found: Traffic) -> tuple[str, ...]:
    return size(found.moved), percent(found.coverage), duration(found.gpu_ns), name


@dataclass(frozen=True, slots=True)
class _Group:
    """Attention calls of one kind and shape."""

    text: str
    calls: tuple[AttentionCall, ...]

    @property
    def gpu_ns(self) -> int:
        return sum(call.gpu_ns for call in self.calls)

    @property
    def gpu_ops(self) -> int:
        return sum(call.gpu_ops for call in self.calls)


def _groups(calls: Sequence[AttentionCall]) -> list[_Group]:
    """Calls by what is told of them, the most GPU time first."""
    by_text: dict[str, list[AttentionCall]] = {}
    for call in calls:
        text = f"{call_text(call)} {call.dtype or '?'}, mask {causal_text(call)}"
        by_text.setdefault(text, []).append(call)
    groups = [_Group(text, tuple(own)) for text, own in by_text.items()]
    return sorted(groups, key=lambda group: -group.gpu_ns)


def attention_sections(facts: Facts, top: int) -> list[Section]:
    """Attention calls by kind, and the roles that their GPU time went into."""
    groups = _groups(facts.attention)
    shown = groups[:top]
    headings = ("calls", "GPU time", "GPU ops", "mean", "CPU mean", "HBM est.", "if fused")
    columns = (*map(Column, headings), name_column("call"))
    rows = tuple(
        (
            count(len(group.calls)),
            duration(group.gpu_ns),
            count(group.gpu_ops),
            duration(group.gpu_ns / len(group.calls)),
            duration(_mean([call.cpu_ns for call in group.calls])),
            size(_sum([call.hbm_bytes for call in group.calls])),
            size(_sum([call.fused_hbm_bytes for call in group.calls])),
            safe(group.text),
        )
        for group in shown
    )
    number = (
        f"{len(shown):,} of {len(groups):,}" if len(shown) < len(groups) else f"{len(groups):,}"
    )
    return [Section(f"Attention calls by kind: {number}", columns, rows), _roles(shown)]


def _sum(values: Sequence[int | None]) -> int | None:
    """The sum, None where a part is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _mean(values: Sequence[int | None]) -> float | None:
    whole = _sum(values)
    return None if whole is None else whole / len(values)


def _roles(groups: Sequence[_Group]) -> Section:
    rows = []
    for group in groups:
        shares = [share for call in group.calls for share in call.roles]
        for role in dict.fromkeys(share.role for share in shares):
            own = [share for share in shares if share.role == role]
            gpu_ns = sum(share.gpu_ns for share in own)
            rows.append(
                (
                    role,
                    percent(ratio(gpu_ns, group.gpu_ns)),
                    duration(gpu_ns),
                    count(sum(share.gpu_ops for share in own)),
                    size(_sum([share.hbm_bytes for share in own])),
                    safe(group.text),
                )
            )
    headings = ("share", "GPU time", "GPU ops", "HBM est.")
    columns = (Column("role", left=True), *map(Column, headings), name_column("call"))
    return Section("Roles of attention's GPU operations", columns, tuple(rows))
