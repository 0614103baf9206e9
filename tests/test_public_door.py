"""`attntui.load`: what a script gets, and what importing the package costs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import attntui

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_traces"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
NAIVE = SAMPLES / "naive_b8_h16_s1024_d64_bf16_h200.json.gz"


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_figures_are_those_told_beside_the_samples(name: str) -> None:
    told = EXPECTED[name]
    found = attntui.load(SAMPLES / name)
    assert len(found.trace.gpu_ops) == told["gpu_operations"]
    # A trace without a GPU has no device, so sums over its devices are 0.
    assert found.whole.span_ns == (told["span_ns"] or 0)
    assert found.whole.busy_ns == (told["busy_ns"] or 0)
    assert found.whole.idle_ns == (told["idle_ns"] or 0)


def test_the_naive_sample_has_its_calls_and_findings() -> None:
    found = attntui.load(str(NAIVE))
    # The labels' counts leave memsets of 4 bytes aside; they are a role of their own here.
    real = [
        sum(share.gpu_ops for share in call.roles if str(share.role) != "memset")
        for call in found.attention
    ]
    assert real == EXPECTED[NAIVE.name]["operations_per_label"]["attn_fwd"]
    assert {str(call.backend) for call in found.attention} == {"naive"}
    assert found.whole.findings


def test_given_roofs_win() -> None:
    found = attntui.load(NAIVE, peak_bandwidth=4e12, peak_flops=8e14)
    assert found.peaks is not None
    assert (found.peaks.hbm, found.peaks.bf16) == (4e12, 8e14)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("option", ["peak_bandwidth", "peak_flops"])
def test_a_roof_that_is_none_is_refused(option: str, rate: float) -> None:
    with pytest.raises(ValueError, match=option):
        attntui.load(NAIVE, **{option: rate})


def test_what_is_no_trace_raises_one_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no trace", encoding="utf-8")
    with pytest.raises(attntui.InputError, match=r"notes\.txt") as raised:
        attntui.load(path)
    assert "\n" not in str(raised.value)


def test_importing_the_package_loads_no_arrays() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys, attntui; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=ROOT,
    )
    imported = set(done.stdout.split())
    assert "attntui" in imported
    assert not {"numpy", "msgspec", "orjson", "rich", "textual", "torch"} & imported


def test_every_public_name_is_there() -> None:
    assert all(hasattr(attntui, name) for name in attntui.__all__)


def test_the_mark_of_types_ships_with_the_package() -> None:
    mark = Path(attntui.__file__).with_name("py.typed")
    assert mark.read_bytes() == b""
    # The wheel takes the package's folder as it is, but for what git ignores.
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'packages = ["attntui", "capture"]' in project
    assert "exclude" not in project
