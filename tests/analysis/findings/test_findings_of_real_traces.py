"""Findings on real traces: the expected list of each, and every figure counted again.

`expected.txt` lists what is known to be in each trace. To print it as it is now, to be read
before it is written: `PYTHONPATH=tests:tests/analysis python THIS FILE`. `recount.py` counts
the figures again, `regain.py` the gains.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from builders import SAMPLES
from held import hold
from real_traces import FOLDERS, REAL, every_real_trace, name_of, observed

from attntui.analysis.findings import Finding, Severity, thresholds
from attntui.analysis.scope import Range, Step
from attntui.view.tables.findings import finding_rows, findings_table
from attntui.view.tables.model import records
from attntui.view.words.findings import advice_text, assumes_text, title_text

LIST = Path(__file__).with_name("expected.txt")


@cache
def expected() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in LIST.read_text("utf-8").splitlines():
        if line.startswith(" "):
            found[list(found)[-1]].append(line.strip())
        else:
            found[line] = []
    return found


def listed(finding: Finding) -> str:
    under = "" if finding.under is None else f" < {finding.under}"
    return f"{finding.severity.word} {finding.id}{under}"


def test_every_real_trace_is_listed() -> None:
    names = {name_of(path) for path in REAL}
    assert names == {name for name in expected() if FOLDERS[name.split("/")[0]].is_dir()}


@every_real_trace
def test_the_findings_are_those_and_no_others(path: Path) -> None:
    assert [listed(finding) for finding in observed(path).findings] == expected()[name_of(path)]


@every_real_trace
def test_findings_are_ranked_told_by_their_figures_and_proved(path: Path) -> None:
    seen = observed(path)
    found = seen.findings
    order = [(finding.cost_ns is None, -(finding.gain_ns or 0)) for finding in found]
    assert order == sorted(order)
    ids = [finding.id for finding in found]
    assert len(set(ids)) == len(ids)
    for finding in found:
        is_note = finding.severity is Severity.INFO
        assert (finding.cost_ns is None) == (finding.gain_ns is None) == is_note
        assert finding.under is None or finding.under in ids
        if finding.cost_ns is not None and finding.gain_ns is not None:
            assert 0 <= finding.gain_ns <= finding.cost_ns <= seen.span_ns
            assert finding.gain_share == finding.gain_ns / seen.span_ns
            assert assumes_text(finding)
        keys = set()
        for template in (finding.title, finding.advice, finding.assumes):
            for text, key, _, _ in Formatter().parse(template):
                # No number but a figure: digits only inside words such as fp32.
                assert not re.search(r"(?<![\w.-])\d(?!-bit|6-bit| for 16|\d-bit)", text) or (
                    finding.id == "unaligned-shapes"
                )
                keys |= {key} - {None}
        assert keys >= set(finding.names)
        assert keys <= set(finding.figures) | set(finding.names)
        assert title_text(finding)
        assert advice_text(finding)
        ranked = [piece.ns for piece in finding.evidence]
        assert ranked == sorted(ranked, key=lambda ns: -(ns or 0))
        assert len(finding.evidence) <= thresholds.EVIDENCE_MOST
        for piece in finding.evidence:
            if isinstance(piece.place, Range):
                assert seen.trace.span[0] <= piece.place.start < piece.place.end
                assert piece.place.end <= seen.trace.span[1]
            else:
                assert 0 <= piece.place < len(seen.trace)
    told = json.loads(json.dumps(records(findings_table(seen), finding_rows(seen))))
    assert [entry["figures"] for entry in told] == [dict(finding.figures) for finding in found]
    # Nanoseconds stay whole beside a finding without a cost.
    assert [repr(entry["cost_ns"]) for entry in told] == [repr(f.cost_ns) for f in found]
    assert [entry["under"] for entry in told] == [f.under for f in found]


@every_real_trace
def test_each_ns_has_one_owner_and_every_figure_follows_from_the_trace(path: Path) -> None:
    hold(observed(path))


@every_real_trace
def test_the_labels_of_a_finding_s_figures_differ(path: Path) -> None:
    for finding in observed(path).findings:
        labels = [re.sub("_(ns|bytes|share|pct)$", "", key) for key in finding.figures]
        assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("name", ["naive_b8_h16_s1024_d64_bf16_bwd_h200", "gaps_h200"])
def test_findings_of_one_step_follow_from_its_rows_alone(name: str) -> None:
    whole = observed(SAMPLES / f"{name}.json.gz")
    for step in range(len(whole.analysed.steps)):
        hold(whole.analysed.slice(Step(step)))


# What was planted, and what mending it gained: host time a step without the profiler, in us.

PLANTED = {
    "attention_naive": (9842, 3018, ("naive-attention",)),
    "data_loading": (15562, 628, ("idle-data-loading",)),
    "gqa_repeat": (1180, 904, ("expanded-heads",)),
    "unfused_pointwise": (1210, 331, ("unfused-pointwise",)),
    "grid_too_small": (1689, 49, ("launch-bound", "small-grid")),
    "exposed_copy": (13058, 8204, ("exposed-copies", "fp32-products")),
    "pageable_copy": (6356, 2568, ("pageable-copies",)),
}


def planted(name: str) -> tuple[Finding, ...]:
    path = FOLDERS["planted"] / f"{name}.json.gz"
    if not path.is_file():
        pytest.skip("the planted pairs do not lie beside the project")
    return observed(path).findings


@pytest.mark.parametrize("name", PLANTED)
def test_what_was_planted_comes_first_with_its_gain(name: str) -> None:
    before, after, causes = PLANTED[name]
    found = {finding.id: finding for finding in planted(f"{name}__before")}
    assert next(iter(found)) in causes
    share = found[causes[0]].gain_share
    assert share == pytest.approx(1 - after / before, abs=0.15)
    mended = {finding.id: finding for finding in planted(f"{name}__after")}
    # Launching is what remains of the small grids' whole program.
    cause = causes[-1] if name == "grid_too_small" else causes[0]
    assert cause not in mended or mended[cause].severity >= Severity.LOW


def test_waits_of_a_host_that_is_behind_come_under_it() -> None:
    found = {finding.id: finding for finding in planted("sync_item__before")}
    assert next(iter(found)) == "launch-bound"
    waits = found["sync-stalls"]
    assert waits.under == "launch-bound"
    assert waits.gain_share is not None
    assert waits.gain_share < 0.05
    assert "behind all the same" in title_text(waits)


@pytest.mark.parametrize("name", ["healthy_gpt_prefill", "healthy_gemms"])
def test_a_healthy_trace_has_nothing_above_low(name: str) -> None:
    assert all(finding.severity >= Severity.LOW for finding in planted(name))


if __name__ == "__main__":
    for real in REAL:
        print(name_of(real))
        for finding in observed(real).findings:
            print(f"    {listed(finding)}")
