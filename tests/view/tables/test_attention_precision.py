"""What an attention call's row and detail say of its operations, memsets apart, and its casts."""

from __future__ import annotations

from pathlib import Path

import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load
from attntui.view.detail.call_lines import call_lines
from attntui.view.tables.attention import attention_table, kinds_of, kinds_table
from attntui.view.tables.model import records


def analysed(samples: Path, variant: str) -> AnalysedTrace:
    return AnalysedTrace(load(samples / f"{variant}_b8_h16_s1024_d64_bf16_h200.json.gz"))


@pytest.mark.parametrize(
    ("variant", "operations"),
    [
        ("naive", "6 + 1"),
        ("naive-inplace", "5 + 1"),
        ("math", "20"),
        ("flash", "1"),
        ("efficient", "1"),
        ("cudnn", "1 + 1"),
    ],
)
def test_operations_a_forward_with_memsets_apart(
    samples: Path, variant: str, operations: str
) -> None:
    found = analysed(samples, variant)
    table = attention_table(found.whole)
    assert {str(table.column("gpu_ops").text(row)) for row in range(len(table))} == {operations}
    kinds = kinds_table(kinds_of(found.attention))
    assert str(kinds.column("mean_gpu_ops").text(0)) == operations


def test_the_math_backend_says_what_it_converts(samples: Path) -> None:
    found = analysed(samples, "math")
    (call, *_) = found.attention
    trace = found.trace
    # Counted by the kernels' own names: three of q, k, v, the softmax's and the output's.
    casts = [
        row
        for row in call.gpu_rows.tolist()
        if "bfloat16_copy" in trace.name_of(row) or "LoadWithCast" in trace.name_of(row)
    ]
    assert len(casts) == 5
    assert call.casts_ns == sum(int(trace.dur[row]) for row in casts)
    row = records(attention_table(found.whole))[0]
    assert (row["upcast"], row["casts_ns"], row["memsets"]) == (True, call.casts_ns, 0)
    said = {str(line.label): str(line.text) for line in call_lines(call)}
    assert said["precision"] == "bf16 inputs, computed in fp32"
    assert said["casts"].endswith("only to convert data types")


@pytest.mark.parametrize("variant", ["naive", "flash", "cudnn"])
def test_where_nothing_is_converted_nothing_is_said(samples: Path, variant: str) -> None:
    found = analysed(samples, variant)
    assert {(call.upcast, call.casts_ns) for call in found.attention} == {(False, 0)}
    said = {str(line.label) for line in call_lines(found.attention[0])}
    assert not said & {"precision", "casts"}
