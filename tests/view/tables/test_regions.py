"""What torch.compile fused, as the overview and the summary tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load
from attntui.view.detail import detail_of
from attntui.view.reports.summary import sections
from attntui.view.reports.text import plain
from attntui.view.session.selection import EventAt, FindingAt
from attntui.view.tables.findings import findings_table, remarks
from attntui.view.tables.regions import check_text, region_lines, regions_table


@pytest.fixture
def compiled(samples: Path) -> AnalysedTrace:
    return AnalysedTrace(load(samples / "compile_b8_h16_s1024_d64_bf16_h200.json.gz"))


def test_a_compiled_region_tells_what_it_fused_and_what_ran_beside(
    compiled: AnalysedTrace,
) -> None:
    (check,) = compiled.fusion
    assert "1 fused kernel" in check_text(check)
    assert "cuBLASLt" in check_text(check)
    lines = list(region_lines(check))
    assert [line.kind for line in lines] == ["fused", "beside", "beside"]
    table = regions_table(compiled.fusion)
    assert [table.target(row) for row in range(len(table))] == [EventAt(n.event) for n in lines]


def test_the_overview_leads_to_its_first_fused_kernel(compiled: AnalysedTrace) -> None:
    part, (check,) = compiled.whole, compiled.fusion
    row = next(i for i, remark in enumerate(remarks(part)) if remark.word == "fusion")
    target = findings_table(part).target(row)
    assert isinstance(target, FindingAt)
    assert isinstance(target.place, EventAt)
    assert target.place.row in check.kernels[0].rows
    told = detail_of(part, target)
    assert "masked_fill" in told[1].text
    assert told[1].leads_to == target.place


def test_the_summary_has_a_table_of_it(compiled: AnalysedTrace) -> None:
    text = "\n".join(plain(sections(compiled)))
    assert "Compiled regions: 1" in text
    assert "Torch-Compiled Region: 0/0" in text


def test_nothing_compiled_is_nothing_told(samples: Path) -> None:
    flash = AnalysedTrace(load(samples / "flash_b8_h16_s1024_d64_bf16_h200.json.gz"))
    assert "Compiled regions" not in "\n".join(plain(sections(flash)))
