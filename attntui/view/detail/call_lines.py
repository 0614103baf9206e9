"""An attention call's facts as lines."""

from __future__ import annotations

from collections.abc import Iterator

from attntui.analysis.attention import AttentionCall
from attntui.view.detail.items import Item, item
from attntui.view.session.selection import EventAt
from attntui.view.words.attention import call_text, causal_text, ops_text
from attntui.view.words.formats import counted, duration, percent, rate, ratio, size


def call_lines(call: AttentionCall) -> Iterator[Item]:
    """A call's facts, then its roles with their first operation to go to."""
    yield item("call", f"{call_text(call)} {call.dtype or ''}".rstrip())
    told = causal_text(call) if call.causal is not None else "causal or not: not told"
    yield item("mask", told)
    yield item("because", call.evidence)
    memsets = f" ({counted(call.memsets, 'memset')} last)" if call.memsets else ""
    done = f"{ops_text(call.gpu_ops, call.memsets)} operations{memsets}"
    yield item("GPU", f"{duration(call.gpu_ns)} in {done}")
    if call.upcast:
        yield item("precision", f"{call.dtype or '16-bit'} inputs, computed in fp32")
    if call.casts_ns:
        part = percent(ratio(call.casts_ns, call.gpu_ns))
        yield item("casts", f"{duration(call.casts_ns)}, {part}, only to convert data types")
    yield item("CPU", duration(call.cpu_ns))
    if call.flops is not None:
        yield item("work", rate(call.flops, "FLOP"))
    if call.hbm_bytes is not None and call.fused_hbm_bytes is not None:
        factor = ratio(call.hbm_bytes, call.fused_hbm_bytes)
        more = f", {factor:.1f} times" if factor is not None else ""
        fused = f"one fused kernel {size(call.fused_hbm_bytes)}{more}"
        yield item("HBM est.", f"{size(call.hbm_bytes)}; {fused}")
    for share in call.roles:
        moved = "" if share.hbm_bytes is None else f" {size(share.hbm_bytes)}"
        part = percent(ratio(share.gpu_ns, call.gpu_ns))
        times = f" in {share.gpu_ops}" if share.gpu_ops > 1 else ""
        text = f"{duration(share.gpu_ns):>8} {part:>7}{moved}{times}"
        yield item(f" {share.role}", text, EventAt(int(share.rows[0])))
