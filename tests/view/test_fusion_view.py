"""What torch.compile fused, as the overview and the summary tell it."""

from __future__ import annotations

from pathlib import Path

from attntui.view.document import Document
from attntui.view.facts import gather

from attntui.trace import load
from attntui.view.reports.sections import plain
from attntui.view.reports.summary import sections
from attntui.view.tables.findings import overview_table, remark_detail, remarks
from attntui.view.tables.regions import check_lines, check_text

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def test_a_compiled_region_tells_what_it_fused_and_what_ran_beside() -> None:
    document = Document.build(load(SAMPLES / "compile_b8_h16_s1024_d64_bf16_h200.json.gz"))
    (check,) = document.fusion
    assert "1 fused kernel" in check_text(check)
    assert "cuBLASLt" in check_text(check)
    labels = [label for label, _, _ in check_lines(check)]
    assert labels == ["fused", "beside", "beside"]
    found = remarks(document, document.whole)
    row = next(i for i, remark in enumerate(found) if remark.word == "fusion")
    target = overview_table(document, document.whole).target(row)
    assert target is not None
    assert target.event in check.kernels[0].rows
    told = remark_detail(document, document.whole, row)
    assert "masked_fill" in told[1].text
    assert told[1].event == target.event


def test_the_summary_has_a_table_of_it() -> None:
    facts = gather(load(SAMPLES / "compile_b8_h16_s1024_d64_bf16_h200.json.gz"))
    text = "\n".join(plain(sections(facts)))
    assert "Compiled regions: 1" in text
    assert "Torch-Compiled Region: 0/0" in text


def test_nothing_compiled_is_nothing_told() -> None:
    facts = gather(load(SAMPLES / "flash_b8_h16_s1024_d64_bf16_h200.json.gz"))
    assert "Compiled regions" not in "\n".join(plain(sections(facts)))
