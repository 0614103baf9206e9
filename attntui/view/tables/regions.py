"""The fusion check in words: what a compiled region fused, and what still ran beside it."""

from __future__ import annotations

from collections.abc import Sequence

from attntui.analysis.compiled_regions import FusionCheck
from attntui.safe import safe
from attntui.view.words.formats import counted, duration, percent, ratio
from attntui.view.reports.sections import Column, Section, name_column

REGION_CELLS = 80
OPS_CELLS = 200


def region_text(check: FusionCheck) -> str:
    """The region's name; Triton kernels that no region of the trace launched say so."""
    return "outside any region" if check.region is None else safe(check.region, REGION_CELLS)


def check_text(check: FusionCheck) -> str:
    """A check in one line."""
    fused = counted(len(check.kernels), "fused kernel")
    words = f"{region_text(check)}: {fused} take {duration(check.fused_ns)}"
    if not check.library_calls:
        return f"{words}, nothing ran beside them"
    share = percent(ratio(check.library_ns, check.fused_ns + check.library_ns))
    libraries = sorted({safe(call.library or "unknown", 20) for call in check.library_calls})
    return f"{words}, library calls {duration(check.library_ns)} ({share}): {', '.join(libraries)}"


def check_lines(check: FusionCheck) -> list[tuple[str, str, int | None]]:
    """Label, text and the first event of each fused kernel and each library call."""
    lines: list[tuple[str, str, int | None]] = []
    for kernel in check.kernels:
        ops = safe(", ".join(kernel.ops) or kernel.name, OPS_CELLS)
        lines.append(("fused", f"{duration(kernel.gpu_ns)}  {ops}", int(kernel.rows[0])))
    for call in check.library_calls:
        by = safe(call.op, REGION_CELLS) if call.op else "no op"
        text = f"{duration(call.gpu_ns)}  {safe(call.library or 'unknown', 20)} by {by}"
        lines.append(("beside", text, int(call.rows[0])))
    return lines


def fusion_section(checks: Sequence[FusionCheck]) -> list[Section]:
    """A table of all regions for the summary; none where nothing was compiled."""
    rows = tuple(
        (label, duration_text, text, region_text(check))
        for check in checks
        for label, line, _ in check_lines(check)
        for duration_text, _, text in [line.partition("  ")]
    )
    if not rows:
        return []
    columns = (
        Column("", left=True),
        Column("GPU time"),
        name_column("ops fused, or library and op"),
        name_column("region"),
    )
    return [Section(f"Compiled regions: {len(checks)}", columns, rows)]
