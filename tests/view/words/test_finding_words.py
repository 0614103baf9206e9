"""Findings in words and as JSON, and what the summary says of work and attention."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.findings import Evidence, Finding, Severity
from attntui.analysis.scope import Range
from attntui.trace import load
from attntui.view.reports.json_text import dumps
from attntui.view.reports.summary import document, sections
from attntui.view.reports.text import plain
from attntui.view.tables.findings import finding_rows, findings_table
from attntui.view.tables.model import records
from attntui.view.words.findings import advice_text, figure_label, figure_text, title_text

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
    evidence=(Evidence(7, 100), Evidence(Range(10, 20), 10)),
    advice="Use {op} less.",
    names={"op": "aten::mm"},
    gain_ns=750_000,
    gain_share=0.25,
    assumes="half of the {calls} fall away",
    in_use=("a CUDA graph is replayed",),
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


@pytest.fixture
def told(samples: Path, monkeypatch: pytest.MonkeyPatch) -> AnalysedTrace:
    """A trace of which the finding above is all that is found."""
    analysed = AnalysedTrace(load(samples / "gaps_h200.json.gz"))
    monkeypatch.setitem(vars(analysed.whole), "findings", (FINDING,))
    return analysed


def test_a_finding_as_json(told: AnalysedTrace) -> None:
    part = told.whole
    (record,) = json.loads(dumps(records(findings_table(part), finding_rows(part))))
    assert record == {
        "id": "made-up",
        "severity": "medium",
        "cost_ns": 1_500_000,
        "title": title_text(FINDING),
        "figures": dict(FINDING.figures),
        "evidence": [7, [10, 20]],
        "advice": "Use aten::mm less.",
        "gain_ns": 750_000,
        "gain_share": 0.25,
        "assumes": "half of the 1,234 fall away",
        "in_use": ["a CUDA graph is replayed"],
        "under": None,
    }


def test_the_section_has_each_finding_with_its_advice(told: AnalysedTrace) -> None:
    section = next(s for s in sections(told) if s.title.startswith("Findings"))
    assert list(section.lines()) == [
        ("medium", "750.0 us", "1.500 ms", title_text(FINDING)),
        ("", "", "", "  try: Use aten::mm less."),
    ]


def test_a_figure_is_called_by_its_key_without_the_unit() -> None:
    assert figure_label("gpu_time_ns") == "GPU time"
    assert figure_label("idle_share") == "idle"
    assert figure_label("calls") == "calls"


def test_json_tells_kernels_attention_and_findings(corpus: Path) -> None:
    told = json.loads(dumps(document(AnalysedTrace(load(corpus / "h200/blog_naive.json.gz")))))
    assert set(told["attention"][0]) == {
        "backend", "direction", "batch", "heads", "kv_heads", "q_len", "kv_len", "head_dim",
        "dtype", "causal", "flops", "gpu_ops", "gpu_ns", "cpu_ns", "hbm_bytes",
        "fused_hbm_bytes", "evidence", "roles", "start_ns", "label", "mask", "flops_per_s",
        "casts_ns", "upcast", "memsets",
    }  # fmt: skip
    for call in told["attention"]:
        assert sum(role["gpu_ns"] for role in call["roles"]) == call["gpu_ns"]
        assert sum(role["gpu_ops"] for role in call["roles"]) == call["gpu_ops"]
        assert (call["causal"], call["mask"]) == (None, None)
    softmax = told["kernels"][0]
    assert (softmax["library"], softmax["tensor_cores"]) == ("ATen", False)
    assert (softmax["bound"], softmax["occupancy_pct"]) == ("memory", 62.5)
    memset = next(kernel for kernel in told["kernels"] if "Memset" in kernel["name"])
    assert memset["occupancy_pct"] is None
    assert [finding["id"] for finding in told["findings"]][:2] == ["naive-attention", "hidden-copy"]


def test_given_roofs_win(corpus: Path) -> None:
    trace = load(corpus / "h200/blog_naive.json.gz")
    plain_share = AnalysedTrace(trace).whole.kernel_facts[0].bound.share
    given = AnalysedTrace(trace, peak_bandwidth=2.4e12).whole.kernel_facts[0].bound.share
    assert plain_share is not None
    assert given == pytest.approx(2 * plain_share)


def test_the_text_begins_with_the_findings(corpus: Path) -> None:
    facts = AnalysedTrace(load(corpus / "h200/blog_naive.json.gz"))
    titles = [section.title for section in sections(facts)]
    assert titles[1].startswith("Findings")
    text = "\n".join(plain(sections(facts)))
    assert "Naive attention takes 3.189 ms" in text
    assert "roofs: 4.80 TB/s, NVIDIA H200 datasheet" in text
    assert "naive fwd 8x16x1024x64 bf16" in text


def test_a_trace_without_a_gpu_says_so(corpus: Path) -> None:
    facts = AnalysedTrace(load(corpus / "hta_cpu_only.json.gz"))
    text = "\n".join(plain(sections(facts)))
    assert "No GPU operation was recorded" in text
    told = json.loads(dumps(document(facts)))
    assert (told["kernels"], told["attention"]) == ([], [])
