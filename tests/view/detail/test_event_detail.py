"""The detail of an event: what a kernel's name tells of how it was built."""

from __future__ import annotations

from pathlib import Path

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.kernel_names import decode
from attntui.trace import load
from attntui.view.detail import detail_of
from attntui.view.session.selection import EventAt

NAIVE = Path(__file__).parents[3] / "sample_traces/naive_b8_h16_s1024_d64_bf16_h200.json.gz"


def test_a_kernel_tells_how_it_was_built() -> None:
    analysed = AnalysedTrace(load(NAIVE))
    product = int(next(r for r in analysed.attention[0].roles if r.role == "qk").rows[0])
    told = {item.label: item.text for item in detail_of(analysed.whole, EventAt(product))}
    assert told["kernel"] == "cuBLASLt · gemm · tensor cores"
    facts = decode(analysed.trace.name_of(product)).facts()
    assert {"tile", "layout", "told by"} <= {label for label, _ in facts}
    assert all(told[label] == text for label, text in facts)
