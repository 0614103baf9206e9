"""Findings in words and as JSON, and what the summary says of work and attention."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attntui.view.facts import gather
from attntui.view.reports.summary_json import dumps, summary

from attntui.analysis.findings import Finding, Severity
from attntui.analysis.scope import Range
from attntui.trace import load
from attntui.view.options import Options
from attntui.view.reports.sections import plain
from attntui.view.reports.summary import sections
from attntui.view.words.findings import (
    advice_text,
    figure_text,
    finding_json,
    findings_section,
    title_text,
)

FINDING = Finding(
    id="made-up",
    severity=Severity.MEDIUM,
    cost_ns=1_500_000,
    title="{calls} calls of {op} moved {moved_bytes} in {gpu_ns} ({busy_share}), "
    "at {occupancy_pct}",
    figures={
        "calls": 1_234,
        "moved_bytes": 537_000_000,
        "gpu_ns": 283_200,
        "busy_share": 0.362,
        "occupancy_pct": 12.5,
    },
    evidence=(7, Range(10, 20)),
    advice="Use {op} less.",
    names={"op": "aten::mm"},
)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("idle_ns", 1_062_000, "1.062 ms"),
        ("hbm_bytes", 537_000_000, "537 MB"),
        ("idle_share", 0.362, "36.2 %"),
        ("occupancy_pct", 12.5, "12.5 %"),
        ("calls", 12_345, "12,345"),
    ],
)
def test_the_end_of_a_key_tells_its_unit(key: str, value: float, text: str) -> None:
    assert figure_text(key, value) == text


def test_a_sentence_holds_its_figures() -> None:
    assert (
        title_text(FINDING)
        == "1,234 calls of aten::mm moved 537 MB in 283.2 us (36.2 %), at 12.5 %"
    )
    assert advice_text(FINDING) == "Use aten::mm less."


@pytest.mark.parametrize(("calls", "text"), [(1, "1 call"), (0, "0 calls"), (1_234, "1,234 calls")])
def test_a_count_takes_its_noun_in_the_right_number(calls: int, text: str) -> None:
    told = Finding("i", Severity.LOW, 1, "in {calls:call/calls}", {"calls": calls}, (), "{calls}")
    assert title_text(told) == f"in {text}"
    assert advice_text(told) == text.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    "name",
    ["{calls}", "{calls:call/calls}", "{0.__class__}", "%s{", "\x1b[31m[red]\n\x9b", "x" * 999],
)
def test_hostile_names_stay_text(name: str) -> None:
    hostile = Finding("i", Severity.LOW, 1, "in {op}", {}, (), "see {op}", names={"op": name})
    text = title_text(hostile)
    assert text.isprintable()
    assert len(text) < 200
    if "{" in name:
        assert text == f"in {name}"


def test_a_finding_as_json() -> None:
    told = json.loads(json.dumps(finding_json(FINDING)))
    assert told == {
        "id": "made-up",
        "severity": "medium",
        "cost_ns": 1_500_000,
        "title": title_text(FINDING),
        "figures": dict(FINDING.figures),
        "evidence": [7, [10, 20]],
        "advice": "Use aten::mm less.",
    }


def test_the_table_has_each_finding_with_its_advice() -> None:
    section = findings_section([FINDING])
    assert section.rows == (
        ("medium", "1.500 ms", title_text(FINDING)),
        ("", "", "  try: Use aten::mm less."),
    )


def test_json_tells_kernels_attention_and_findings(corpus: Path) -> None:
    facts = gather(load(corpus / "h200/blog_naive.json.gz"))
    told = json.loads(dumps(summary(facts)))
    assert set(told["attention"][0]) == {
        "backend", "direction", "batch", "heads", "kv_heads", "q_len", "kv_len", "head_dim",
        "dtype", "causal", "flops", "gpu_ops", "gpu_ns", "cpu_ns", "hbm_bytes",
        "fused_hbm_bytes", "evidence", "roles",
    }  # fmt: skip
    for call in told["attention"]:
        assert sum(role["gpu_ns"] for role in call["roles"]) == call["gpu_ns"]
        assert sum(role["gpu_ops"] for role in call["roles"]) == call["gpu_ops"]
        assert call["causal"] is None
    softmax = told["kernels"][0]
    assert (softmax["library"], softmax["tensor_cores"]) == ("ATen", False)
    assert (softmax["bound"], softmax["occupancy_pct"]) == ("memory", 62.5)
    memset = next(kernel for kernel in told["kernels"] if "Memset" in kernel["name"])
    assert memset["occupancy_pct"] is None
    assert [finding["id"] for finding in told["findings"]][:2] == ["naive-attention", "hidden-copy"]


def test_given_roofs_win(corpus: Path) -> None:
    trace = load(corpus / "h200/blog_naive.json.gz")
    plain_share = gather(trace).kernel_facts[0].bound.share
    given = gather(trace, Options(peak_bandwidth=2.4e12)).kernel_facts[0].bound.share
    assert plain_share is not None
    assert given == pytest.approx(2 * plain_share)


def test_the_text_begins_with_the_findings(corpus: Path) -> None:
    facts = gather(load(corpus / "h200/blog_naive.json.gz"))
    titles = [section.title for section in sections(facts)]
    assert titles[1].startswith("Findings")
    text = "\n".join(plain(sections(facts)))
    assert "Naive attention spends 2.686 ms" in text
    assert "roofs: 4.80 TB/s, NVIDIA H200 datasheet" in text
    assert "naive fwd 8x16x1024x64 bf16" in text


def test_a_trace_without_a_gpu_says_so(corpus: Path) -> None:
    facts = gather(load(corpus / "hta_cpu_only.json.gz"))
    text = "\n".join(plain(sections(facts)))
    assert "No GPU operation was recorded" in text
    told = json.loads(dumps(summary(facts)))
    assert (told["kernels"], told["attention"]) == ([], [])
