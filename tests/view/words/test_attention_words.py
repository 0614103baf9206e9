"""An attention call in words."""

from __future__ import annotations

from dataclasses import replace

import builders
import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention import AttentionCall
from attntui.trace import load
from attntui.view.words.attention import causal_text, kind_text, shape_text


@pytest.fixture(scope="module")
def call() -> AttentionCall:
    path = builders.SAMPLES / "naive_b8_h16_s1024_d64_bf16_h200.json.gz"
    return AnalysedTrace(load(path)).attention[0]


def test_a_shape_tells_both_lengths_and_heads_where_they_differ(call: AttentionCall) -> None:
    assert shape_text(replace(call, kv_heads=16, kv_len=1024)) == "8x16x1024x64"
    assert shape_text(replace(call, kv_heads=None, kv_len=None)) == "8x16x1024x64"
    assert shape_text(replace(call, kv_heads=2, kv_len=77)) == "8x16/2x1024/77x64"
    assert shape_text(replace(call, batch=None, head_dim=None)).startswith("?x16")


def test_a_mask_that_is_not_told_is_no_full_one(call: AttentionCall) -> None:
    told = [causal_text(replace(call, causal=causal)) for causal in (True, False, None)]
    assert told == ["causal", "full", "-"]


def test_a_kind_tells_the_data_type_or_that_it_is_not_known(call: AttentionCall) -> None:
    assert kind_text(replace(call, dtype="fp8", causal=True)).endswith("fp8, mask causal")
    assert kind_text(replace(call, dtype=None, causal=False)).endswith("?, mask full")
