from __future__ import annotations

from pathlib import Path

import pytest
from attntui.view.document import Document

from attntui.analysis.kernel_names import decode
from attntui.trace import load
from attntui.view.detail.event import event_detail
from attntui.view.drawing.tracks import TrackKind
from attntui.view.session.session import Session
from attntui.view.tables.attention import attention_lines, attention_table, call_text
from attntui.view.tables.order import TableView, layout, line


@pytest.fixture(scope="module")
def naive(corpus: Path) -> Document:
    return Document.build(load(corpus / "h200" / "blog_naive.json.gz"))


def test_the_table_has_a_row_a_call(naive: Document) -> None:
    table = attention_table(naive.trace, naive.attention)
    view = TableView.of(table, 0, descending=False)
    assert len(view) == 3
    text = line(view, 0, layout(table.columns, 140))
    for word in ("naive fwd 8x16x1024x64", "bf16", "1.062 ms", "2.75 GB", "67.1 MB"):
        assert word in text


def test_the_timeline_marks_calls_over_their_gpu_time(naive: Document) -> None:
    track = next(t for t in naive.tracks if t.kind is TrackKind.ATTENTION)
    assert len(track.events) == 3
    call = naive.attention[0]
    assert track.rows[0].start[0] == naive.trace.start[call.gpu_rows].min()
    assert call_text(naive.calls_by_event[int(track.rows[0].rows[0])]) == call_text(call)


def test_an_op_tells_its_call_and_a_kernel_its_role(naive: Document) -> None:
    call = naive.attention[0]
    assert call.op is not None
    labels = [item.label for item in event_detail(naive, call.op)]
    for role in ("qk", "scale", "copy", "mask", "softmax", "av", "memset"):
        assert f" {role}" in labels
    softmax = next(r for r in call.roles if r.role == "softmax").rows[0]
    told = {item.label: item for item in event_detail(naive, int(softmax))}
    assert told["attention"].text == "softmax of naive fwd 8x16x1024x64"
    assert told["attention"].event == call.op


def test_a_kernel_tells_how_it_was_built(naive: Document) -> None:
    product = next(r for r in naive.attention[0].roles if r.role == "qk").rows[0]
    told = {item.label: item.text for item in event_detail(naive, int(product))}
    assert told["kernel"] == "cuBLASLt · gemm · tensor cores"
    facts = decode(naive.trace.name_of(int(product))).facts()
    assert {"tile", "layout", "told by"} <= {label for label, _ in facts}
    assert all(told[label] == text for label, text in facts)


def test_an_absent_fact_is_not_denied(naive: Document) -> None:
    told = dict(attention_lines(naive.attention[0]))
    assert told["mask"] == "causal or not: not told"


def test_a_call_is_gone_to_by_its_op(naive: Document) -> None:
    session = Session.of(naive).resized(100)
    table = attention_table(naive.trace, naive.attention)
    target = table.target(1)
    assert target is not None
    there = session.going_to(target)
    assert there.event == naive.attention[1].op
    line = there.timeline.current(there.tracks)
    assert line is not None
    assert there.tracks[line.track].kind is TrackKind.CPU
