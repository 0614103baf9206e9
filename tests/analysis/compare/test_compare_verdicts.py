"""Verdicts: by wall time on the device, of units that do like work, on pairs with known gains."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import CORPUS, SAMPLES

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import Comparison, UnitKind, compare
from attntui.trace import load
from attntui.view.words.comparison import (
    pair_line,
    pair_words,
    verdict,
    verdict_lines,
    verdict_text,
)

SHARED = CORPUS.parent


def compared(a: Path, b: Path) -> Comparison:
    if not a.is_file():
        pytest.skip("the traces do not lie beside the project")
    return compare(AnalysedTrace(load(a)), AnalysedTrace(load(b)))


# Host time a step without the profiler, in us.
MEASURED = {
    "attention_naive": (9842, 3018),
    "data_loading": (15562, 628),
    "exposed_copy": (13058, 8204),
    "gqa_repeat": (1180, 904),
    "pageable_copy": (6356, 2568),
    "unfused_pointwise": (1210, 331),
}


@pytest.mark.parametrize("name", MEASURED)
def test_the_span_of_a_step_tells_the_measured_gain(name: str) -> None:
    folder = SHARED / "planted"
    found = compared(folder / f"{name}__before.json.gz", folder / f"{name}__after.json.gz")
    before, after = MEASURED[name]
    span = found.metric("span_ns")
    assert span.a
    assert span.b
    assert span.a / span.b == pytest.approx(before / after, rel=0.15)
    assert found.is_alike
    assert "faster" in verdict_text(found).split(":")[0]


def test_fewer_and_larger_calls_are_compared_as_a_whole() -> None:
    folder = SHARED / "planted"
    names = (f"grid_too_small__{side}.json.gz" for side in ("before", "after"))
    found = compared(*(folder / name for name in names))
    assert found.choice.kind is UnitKind.WINDOW
    assert "over the whole window" in verdict_text(found)
    assert "no step of A has its like in B" in pair_words(found)


def test_calls_of_unlike_shapes_are_no_units_to_compare() -> None:
    folder = SHARED / "public"
    found = compared(folder / "saf_false.json.gz", folder / "saf_true.json.gz")
    assert found.choice.kind is UnitKind.WINDOW
    assert found.passed_over is not None
    # Their own busy times, counted without this project: 1,257 and 515 ms.
    gpu = found.metric("gpu_ns")
    assert gpu.a == pytest.approx(1.257e9, rel=0.001)
    assert gpu.b == pytest.approx(515e6, rel=0.001)
    assert not found.is_alike
    # Not faster: shorter, which says as much as the two have in common.
    assert "faster" not in verdict_text(found)
    assert "whole windows" in pair_words(found)


def test_decoding_leads_with_the_wall_time() -> None:
    names = ("decode-sdpa", "decode-flash")
    paths = (SAMPLES / f"{name}_l4_b1_h12_s1024_d64_bf16_h200.json.gz" for name in names)
    found = compared(*paths)
    span, gpu = found.metric("span_ns"), found.metric("gpu_ns")
    assert span.a
    assert span.b
    assert span.a / span.b > 10
    # The kernels themselves take a little longer.
    assert gpu.a
    assert gpu.b
    assert 1 < gpu.b / gpu.a < 1.1
    assert verdict_text(found).startswith("B is 11.3x faster: span 44.4 → 3.95 ms")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_verdict_is_never_cut(width: int) -> None:
    names = ("naive", "flash")
    found = compared(*(SAMPLES / f"{n}_b8_h16_s1024_d64_bf16_h200.json.gz" for n in names))
    lines = verdict_lines(found, width)
    assert 1 <= len(lines) <= 2
    assert all(len(line) <= width for line in lines)
    assert lines[0].startswith("B is 11.9x faster")
    assert not any("…" in line for line in lines)


def test_bytes_known_of_little_are_not_compared() -> None:
    folder = SHARED / "planted"
    found = compared(folder / "graph_eager.json.gz", folder / "graph_replay.json.gz")
    hbm = found.metric("hbm_bytes")
    # The kernels of a graph have no shapes: a memset is all that is known of it.
    assert hbm.b_share is not None
    assert hbm.b_share < 0.1
    assert hbm.told == (hbm.a, None)
    assert verdict(hbm) == "-"
    assert "HBM 801 MB → -;" in verdict_text(found)
    # So the launches, which a graph is about, have room in 80 columns.
    assert "launches 47 → 1, 47.0x fewer" in " ".join(verdict_lines(found, 78, 3))


def test_the_pair_is_told_before_how_it_was_found() -> None:
    names = ("naive_b8", "flash_b8")
    found = compared(*(next(SAMPLES.glob(f"{name}_*_bf16_h200.json.gz")) for name in names))
    assert pair_line(found, 200) == pair_words(found)
    assert pair_line(found, 78) == (
        "annotation attn_fwd 3 of 3 with 3 of 3: 3 pairs, by order among like shapes"
    )
    assert pair_line(found, 70) == "annotation attn_fwd 3 of 3 with 3 of 3: 3 pairs"
    assert pair_line(found, 40) == "annotation… 3 of 3 with 3 of 3: 3 pairs"
