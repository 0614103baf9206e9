"""Findings of parts of real traces: of any step or range, whatever it cuts through."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import SAMPLES, name_of
from hypothesis import given, settings
from hypothesis import strategies as st

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Range, Step
from attntui.analysis.slice import Slice
from attntui.trace import load

PATHS = sorted(SAMPLES.glob("*.json.gz"))


def holds(part: Slice) -> None:
    roots = [each for each in part.findings if each.under is None]
    assert sum(each.cost_ns or 0 for each in roots) <= part.span_ns
    ids = {each.id for each in part.findings}
    for each in part.findings:
        assert each.under is None or each.under in ids
        if each.cost_ns is not None:
            assert each.gain_ns is not None
            assert 0 <= each.gain_ns <= each.cost_ns
            assert each.gain_share == each.gain_ns / part.span_ns


@pytest.mark.parametrize("path", PATHS, ids=name_of)
def test_every_step_has_findings_of_its_own_time(path: Path) -> None:
    analysed = AnalysedTrace(load(path))
    for step in range(len(analysed.steps)):
        holds(analysed.slice(Step(step)))


@pytest.mark.parametrize("path", PATHS, ids=name_of)
def test_a_range_may_cut_through_anything(path: Path) -> None:
    analysed = AnalysedTrace(load(path))
    low, high = analysed.trace.span

    @settings(max_examples=15, deadline=None)
    @given(st.tuples(st.integers(low, high), st.integers(low, high)))
    def cut(ends: tuple[int, int]) -> None:
        start, end = sorted(ends)
        if end > start:
            holds(analysed.slice(Range(start, end)))

    cut()
