"""Wherever chunks are cut, the same events come out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import cpu_op
from hypothesis import given, settings
from hypothesis import strategies as st

from attntui.trace import batch as batches
from attntui.trace import chunks
from attntui.trace.notices import Notices
from attntui.trace.scan import ValueEnd, Window, find_end
from attntui.trace.trace_text import Restart, TraceText

TRICKY = st.text(alphabet='{}[],":\\ \n\tapxé😀\x00', max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TRICKY,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TRICKY, inner, max_size=3),
    max_leaves=6,
)
EVENTS = st.lists(
    st.fixed_dictionaries({"ph": st.just("X"), "name": TRICKY, "args": VALUES}), max_size=30
)
STYLES = st.sampled_from(
    [{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": 0}, {"ensure_ascii": False}]
)


def parse(text: bytes, block: int, **options: Any) -> tuple[list[str], list[bytes], TraceText]:
    """Names and texts of all events, read in blocks of so many bytes."""
    blocks = [text[at : at + block] for at in range(0, len(text), block)]
    window = Window(lambda: blocks.pop(0) if blocks else b"")
    document = TraceText("t", window, Notices(), search=False, **options)
    names: list[str] = []
    texts: list[bytes] = []
    for batch in document.batches():
        assert not isinstance(batch, Restart)
        names += [event.name for event in batch.decoded.events]
        places = zip(batch.offsets.tolist(), batch.lengths.tolist(), strict=True)
        texts += [text[offset : offset + length] for offset, length in places]
    return names, texts, document


@pytest.fixture(autouse=True, scope="module")
def small_chunks() -> Any:
    """Chunks so small that every test cuts many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "BLOCK", 100)
        patch.setattr(batches, "_SHORT", 60)
        yield


@settings(max_examples=300)
@given(EVENTS, STYLES, st.integers(1, 300), st.dictionaries(TRICKY, VALUES, max_size=3))
def test_chunks_agree_with_json(
    events: list[dict[str, Any]], style: dict[str, Any], block: int, fields: dict[str, Any]
) -> None:
    fields.pop("traceEvents", None)
    before = dict(list(fields.items())[:1])
    after = dict(list(fields.items())[1:])
    text = json.dumps({**before, "traceEvents": events, **after}, **style).encode()
    names, texts, document = parse(text, block)
    assert names == [event["name"] for event in events]
    assert [json.loads(part) for part in texts] == events
    assert document.fields == fields
    assert document.whole


@settings(max_examples=200)
@given(EVENTS.filter(bool), STYLES, st.integers(1, 300), st.data())
def test_text_cut_anywhere_keeps_the_whole_events(
    events: list[dict[str, Any]], style: dict[str, Any], block: int, data: st.DataObject
) -> None:
    text = json.dumps({"traceEvents": events}, **style).encode()
    first = text.index(b"[") + 1
    cut = data.draw(st.integers(first, len(text)))
    _, all_texts, _ = parse(text, block)
    ends = [text.index(b"[") + 1]
    for part in all_texts:
        ends.append(text.index(part, ends[-1]) + len(part))
    whole = sum(end <= cut for end in ends[1:])
    names, texts, document = parse(text[:cut], block)
    assert texts == all_texts[:whole]
    assert names == [event["name"] for event in events][:whole]
    assert document.cut_short == (cut < len(text))


@settings(max_examples=300)
@given(VALUES, STYLES, st.integers(1, 20), st.text(alphabet=" ,]}", min_size=1, max_size=3))
def test_the_end_of_a_value_is_found_across_blocks(
    value: Any, style: dict[str, Any], block: int, rest: str
) -> None:
    text = json.dumps(value, **style).encode()
    whole = text + rest.encode()
    assert find_end(whole, 0) == len(text)
    ending = ValueEnd()
    found = -1
    for size in range(block, len(whole) + block, block):
        found = ending.find(whole[:size], 0)
        if found >= 0:
            break
    assert found == len(text)


BROKEN = ['{"ph": "X", "name": "a"b"}', '{"ph": "X", "name": }', '{"ph": "X", "name": "a\\"}', "7"]


@settings(max_examples=200)
@given(EVENTS.filter(bool), st.sampled_from(BROKEN), st.integers(1, 300), st.data())
def test_a_broken_event_costs_no_other(
    events: list[dict[str, Any]], broken: str, block: int, data: st.DataObject
) -> None:
    """One alone: of two in a row the wrong quotes may cancel out, and count as one."""
    at = data.draw(st.integers(0, len(events)))
    parts = [json.dumps(event) for event in events]
    text = '{"traceEvents": [' + ", ".join([*parts[:at], broken, *parts[at:]]) + '], "a": 1}'
    names, _, document = parse(text.encode(), block)
    assert names == [event["name"] for event in events]
    assert document.left_out == 1
    assert document.fields == {"a": 1}


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("block", [1, 7, 64, 300])
def test_an_event_cut_off_behind_a_broken_one_is_not_lost_for_an_object_in_it(
    broken: str, block: int
) -> None:
    inner = {"name": "::\n\n", "ph": "X", "args": [None, {}, {"": None, ":": None, "[": None}]}
    events = [cpu_op(":", 0, 1), inner, {**inner, "name": "last"}]
    parts = [json.dumps(event) for event in events]
    for at in range(len(parts) + 1):
        text = "[" + ", ".join([*parts[:at], broken, *parts[at:]]) + "]"
        names, _, document = parse(text.encode(), block)
        assert names == [":", "::\n\n", "last"]
        assert document.left_out == 1
