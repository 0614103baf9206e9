"""Attention calls of a made-up trace: rates, and the sums and means of each kind."""

from __future__ import annotations

from dataclasses import replace

import made
import pytest
from builders import Event, cpu_op, kernel, launch

from attntui.analysis.analysed import AnalysedTrace
from attntui.view.tables.attention import attention_table, kinds_of, kinds_table
from attntui.view.tables.model import records

BYTES = 4 * 2 * 4 * 128 * 64 * 2
"""What q, k, v and the output of one call hold: 2 x 4 x 128 x 64 numbers of bf16 each."""

LSE = 2 * 4 * 128 * 4
FLOPS = 4 * 2 * 4 * 128 * 128 * 64


def flash(at: float, number: int, dur: float, gpu: float, causal: bool) -> list[Event]:
    shape = [2, 4, 128, 64]
    args = {
        "Input Dims": [shape, shape, shape, [], [], []],
        "Input type": ["c10::BFloat16"] * 3 + ["Scalar", "Scalar", ""],
        "Concrete Inputs": ["", "", "", "0.", str(causal), ""],
    }
    return [
        cpu_op("aten::_scaled_dot_product_flash_attention", at, dur, args=args),
        launch(number, at + 2, 3),
        kernel("void pytorch_flash::flash_fwd_kernel<...>", at + 50, gpu, number),
    ]


@pytest.fixture(scope="module")
def analysed() -> AnalysedTrace:
    events = [
        *flash(0, 1, 10, 90, causal=False),
        *flash(200, 2, 20, 40, causal=True),
        *flash(400, 3, 40, 60, causal=True),
    ]
    return AnalysedTrace(made.trace_of(events))


def test_a_rate_is_the_calls_work_over_its_gpu_time(analysed: AnalysedTrace) -> None:
    table = attention_table(analysed.whole)
    rows = records(table)
    assert [row["flops"] for row in rows] == [FLOPS, FLOPS // 2, FLOPS // 2]
    assert [row["flops_per_s"] for row in rows] == pytest.approx(
        [FLOPS / 90e-6, FLOPS / 2 / 40e-6, FLOPS / 2 / 60e-6]
    )
    shown = ("start_ns", "label", "mask", "dtype", "gpu_ns", "gpu_ops", "cpu_ns")
    sizes = ("hbm_bytes", "fused_hbm_bytes", "flops_per_s")
    assert [str(table.column(key).text(1)) for key in (*shown, *sizes)] == [
        *("250.000 us", "flash fwd 2x4x128x64", "causal", "bf16", "40.00 us", "1", "20.00 us"),
        *("528 kB", "524 kB", "419 GFLOP/s"),
    ]
    assert [(row["mask"], row["causal"]) for row in rows][:2] == [("full", False), ("causal", True)]
    (share,) = rows[2]["roles"]
    assert share == {
        "role": "fused",
        "gpu_ops": 1,
        "gpu_ns": 60_000,
        "hbm_bytes": BYTES + LSE,
    }


def test_a_call_without_work_or_without_time_has_no_rate(analysed: AnalysedTrace) -> None:
    calls = analysed.attention
    untold = AnalysedTrace(analysed.trace)
    changed = (replace(calls[0], flops=None), replace(calls[1], gpu_ns=0), calls[2])
    untold.__dict__["attention"] = changed
    table = attention_table(untold.whole)
    rates = [row["flops_per_s"] for row in records(table)]
    assert rates == [None, None, pytest.approx(FLOPS / 2 / 60e-6)]
    assert str(table.column("flops_per_s").text(0)) == "-"


def test_a_kind_sums_its_calls_and_the_most_gpu_time_comes_first(analysed: AnalysedTrace) -> None:
    kinds = kinds_of(analysed.attention)
    assert [len(own) for own in kinds.values()] == [2, 1]
    table = kinds_table(kinds)
    assert records(table) == [
        {
            "calls": 2,
            "gpu_ns": 100_000,
            "gpu_ops": 2,
            "mean_gpu_ns": 50_000,
            "mean_cpu_ns": 30_000,
            "hbm_bytes": 2 * (BYTES + LSE),
            "fused_hbm_bytes": 2 * BYTES,
            "casts_ns": 0,
            "upcast": False,
            "memsets": 0,
            "mean_gpu_ops": 1.0,
            "label": "flash fwd 2x4x128x64 bf16, mask causal",
        },
        {
            "calls": 1,
            "gpu_ns": 90_000,
            "gpu_ops": 1,
            "mean_gpu_ns": 90_000,
            "mean_cpu_ns": 10_000,
            "hbm_bytes": BYTES + LSE,
            "fused_hbm_bytes": BYTES,
            "casts_ns": 0,
            "upcast": False,
            "memsets": 0,
            "mean_gpu_ops": 1.0,
            "label": "flash fwd 2x4x128x64 bf16, mask full",
        },
    ]
    assert [str(column.text(0)) for column in table.columns[:8]] == [
        *("2", "100.0 us", "2", "1", "50.00 us", "30.00 us", "1.06 MB", "1.05 MB")
    ]


def test_what_one_call_does_not_tell_its_kind_does_not(analysed: AnalysedTrace) -> None:
    _, one, other = analysed.attention
    untold = replace(other, start=None, hbm_bytes=None, fused_hbm_bytes=None)
    (row,) = records(kinds_table(kinds_of([one, untold])))
    assert (row["calls"], row["gpu_ns"]) == (2, 100_000)
    assert [row[key] for key in ("mean_cpu_ns", "hbm_bytes", "fused_hbm_bytes")] == [None] * 3
