"""Compiled regions: the kernels that fused ops, and the library calls left beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attntui.analysis.compiled_regions import FusionCheck
from attntui.safe import Safe, safe
from attntui.view.session.selection import EventAt
from attntui.view.tables.model import Table, data, every_row, figures, texts, times
from attntui.view.words.formats import counted, duration, percent, ratio

REGION_CELLS = 80
OPS_CELLS = 200
REPORTED = ("kind", "gpu_ns", "label", "region")


@dataclass(frozen=True, slots=True)
class RegionLine:
    """One fused kernel, or the library calls of one op: what, its first event, its GPU time."""

    kind: str
    text: Safe
    event: int
    gpu_ns: int
    gpu_ops: int


def region_text(check: FusionCheck) -> Safe:
    """The region's name; Triton kernels that no region of the trace launched say so."""
    if check.region is None:
        return Safe("outside any region")
    return safe(check.region, REGION_CELLS)


def check_text(check: FusionCheck) -> Safe:
    """A region in one line."""
    fused = counted(len(check.kernels), "fused kernel")
    words = f"{region_text(check)}: {fused} take {duration(check.fused_ns)}"
    if not check.library_calls:
        return safe(f"{words}, nothing ran beside them")
    share = percent(ratio(check.library_ns, check.fused_ns + check.library_ns))
    libraries = sorted({_library(call.library) for call in check.library_calls})
    calls = f"library calls {duration(check.library_ns)} ({share}): {', '.join(libraries)}"
    return safe(f"{words}, {calls}")


def _library(name: str | None) -> Safe:
    return safe(name or "unknown", 20)


def region_lines(check: FusionCheck) -> Iterator[RegionLine]:
    """A line for each fused kernel and each library call."""
    for kernel in check.kernels:
        ops = safe(", ".join(kernel.ops) or kernel.name, OPS_CELLS)
        yield RegionLine("fused", ops, int(kernel.rows[0]), kernel.gpu_ns, len(kernel.rows))
    for call in check.library_calls:
        by = safe(call.op, REGION_CELLS) if call.op else "no op"
        text = safe(f"{_library(call.library)} by {by}")
        yield RegionLine("beside", text, int(call.rows[0]), call.gpu_ns, len(call.rows))


def regions_table(checks: Sequence[FusionCheck]) -> Table:
    """The lines of all regions, region after region."""
    pairs = [(check, line) for check in checks for line in region_lines(check)]
    lines = [line for _, line in pairs]
    columns = (
        texts("kind", "", [safe(line.kind) for line in lines]),
        times("gpu_ns", "GPU time", [line.gpu_ns for line in lines]),
        texts("label", "ops fused, or library and op", [line.text for line in lines]),
        texts("region", "region", [region_text(check) for check, _ in pairs]),
        figures("gpu_ops", "GPU ops", [line.gpu_ops for line in lines]),
        data("region_name", [check.region for check, _ in pairs]),
    )
    words = [line.text for line in lines]
    return Table(
        columns,
        words,
        every_row(words),
        sort="gpu_ns",
        target=lambda row: EventAt(lines[row].event),
    )
