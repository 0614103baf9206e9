"""The sample traces hold what sample_traces/expected.json says, recomputed from the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from trace_facts import annotations, facts, load

FOLDER = Path(__file__).resolve().parents[2] / "sample_traces"
EXPECTED: dict[str, dict[str, Any]] = json.loads(
    (FOLDER / "expected.json").read_text(encoding="utf-8")
)
FORWARD = "_b8_h16_s1024_d64_bf16_h200.json.gz"


def test_every_sample_has_its_facts_and_its_line_of_provenance() -> None:
    held = {path.name for path in FOLDER.glob("*.json.gz")}
    assert held == set(EXPECTED)
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in held if f"`{name}`" not in readme] == []


def test_the_samples_stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3_000_000


@pytest.mark.parametrize("name", EXPECTED)
def test_the_figures_can_be_recomputed(name: str) -> None:
    assert facts(FOLDER / name) == EXPECTED[name]


@pytest.mark.parametrize(
    ("variant", "operations"),
    [
        ("naive", 6),
        ("naive-inplace", 5),
        ("math", 20),
        ("flash", 1),
        ("efficient", 1),
        ("cudnn", 1),
        ("compile", 3),
        ("flex", 1),
        ("triton", 1),
        ("triton-unfused", 3),
    ],
)
def test_operations_of_one_forward(variant: str, operations: int) -> None:
    told = EXPECTED[variant + FORWARD]["operations_per_label"]["attn_fwd"]
    assert told == [operations] * 3


@pytest.mark.parametrize("name", EXPECTED)
def test_every_sample_says_how_it_was_made(name: str) -> None:
    told = load(FOLDER / name)["attntui"]
    device = "NVIDIA H200" if name.endswith("_h200.json.gz") else told["environment"]["device_name"]
    assert told["environment"]["device_name"] == device
    assert told["command"].startswith("python -m capture ")
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert told["command"].split(" --out")[0] in readme


def test_the_planted_idle_is_labelled_at_every_step() -> None:
    name = "gaps_h200.json.gz"
    trace = load(FOLDER / name)
    steps = len(EXPECTED[name]["steps"])
    for one in trace["attntui"]["planted"]:
        assert EXPECTED[name]["planted"][one["label"]] == steps
        assert len(annotations(trace, one["label"])) == steps
