"""What columns are sorted by, and the letters of the bars."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import compare
from attntui.analysis.gap_causes import Cause, CauseStretch
from attntui.analysis.self_time import SelfPart
from attntui.trace import load
from attntui.view.detail import detail_of
from attntui.view.tables.gaps import gaps_table
from attntui.view.tables.kernels import kernels_table
from attntui.view.tables.model import Table
from attntui.view.tables.ops import PART_MARKS, ops_table, part_bar
from attntui.view.tables.order import TableView
from attntui.view.tables.scoreboard import scoreboard_table
from attntui.view.tables.steps import steps_table
from attntui.view.words.causes import CAUSES, split_bar


def sorted_values(table: Table, key: str, descending: bool) -> list[object]:
    """The values of a column with the table sorted by it on the screen."""
    view = TableView.of(table)
    at = next(i for i, column in enumerate(view.columns) if column.key == key)
    view = view.sorted_by(at)
    view = view if view.descending is descending else view.inverted()
    return [table.column(key).value(row) for row in view.order.tolist()]


def test_every_column_of_figures_sorts_by_its_figure(real: AnalysedTrace) -> None:
    part = real.whole
    for table in (kernels_table(part), ops_table(part), gaps_table(part, part.gaps)):
        for column in TableView.of(table).columns if len(table) else ():
            if column.left or column.key in ("", "streams"):
                continue
            for descending in (True, False):
                found = sorted_values(table, column.key, descending)
                known = [v for v in found if v is not None]
                assert known == sorted(known, reverse=descending), column.key  # type: ignore[type-var]
                assert found[len(known) :] == [None] * (len(found) - len(known))


def test_the_occupancy_and_the_gpu_time_have_keys_of_their_own(samples: Path) -> None:
    analysed = AnalysedTrace(load(samples / "naive_b8_h16_s1024_d64_bf16_h200.json.gz"))
    occupancy = sorted_values(kernels_table(analysed.whole), "occupancy_pct", True)
    assert len(set(occupancy)) > 2
    assert None in occupancy
    gpu = sorted_values(ops_table(analysed.whole), "gpu_ns", True)
    assert len(set(gpu)) > 2
    ops, facts = analysed.whole.ops, analysed.whole.kernel_facts
    assert gpu == sorted(ops.gpu_ns.tolist(), reverse=True)
    told = [fact.occupancy_pct for fact in facts if fact.occupancy_pct is not None]
    assert occupancy[: len(told)] == sorted(told, reverse=True)


def test_words_sort_from_the_beginning(samples: Path) -> None:
    analysed = AnalysedTrace(load(samples / "naive_b8_h16_s1024_d64_bf16_h200.json.gz"))
    for table in (kernels_table(analysed.whole), ops_table(analysed.whole)):
        labels = sorted_values(table, "label", False)
        assert labels == sorted(map(str, labels))


def test_the_bar_of_self_time_sorts_by_its_launches(samples: Path) -> None:
    analysed = AnalysedTrace(load(samples / "naive_b8_h16_s1024_d64_bf16_h200.json.gz"))
    table = ops_table(analysed.whole)
    bar = next(column for column in table.columns if column.title == "spent on")
    split = table.column("split_ns").value
    shares = [split(row)["launch"] / max(sum(split(row).values()), 1) for row in range(len(table))]
    np.testing.assert_allclose(bar.order, shares)


def test_outliers_and_verdicts_sort_by_what_they_say(samples: Path) -> None:
    train = AnalysedTrace(load(samples / "train-sdpa_l2_b1_h4_s256_d64_bf16_h200.json.gz"))
    outliers = sorted_values(steps_table(train), "outlier", True)
    assert outliers == sorted(outliers, reverse=True)  # type: ignore[type-var]
    a, b = (
        AnalysedTrace(load(samples / f"{name}_b8_h16_s1024_d64_bf16_h200.json.gz"))
        for name in ("naive", "flash")
    )
    table = scoreboard_table(compare(a, b))
    view = TableView.of(table)
    at = next(i for i, column in enumerate(view.columns) if column.key == "verdict")
    view = view.sorted_by(at) if view.sorted_by(at).descending else view.sorted_by(at).inverted()
    ratios = [table.column("ratio").value(row) for row in view.order.tolist()]
    known = [max(ratio, 1 / ratio) for ratio in ratios if ratio]
    assert known == sorted(known, reverse=True)
    assert not any(ratios[len(known) :])


# Letters


def stretches(*parts: tuple[Cause, int]) -> tuple[CauseStretch, ...]:
    found, at = [], 100
    for cause, length in parts:
        found.append(CauseStretch(at, at + length, cause))
        at += length
    return tuple(found)


def test_a_gap_is_drawn_in_time_by_the_letters_of_its_causes() -> None:
    parts = stretches((Cause.SYNC, 40), (Cause.LAUNCH_CALL, 20), (Cause.QUEUED, 20))
    assert split_bar(parts, 8) == "SSSSLLqq"
    every = stretches(*((cause, 10) for cause in Cause))
    assert split_bar(every, len(Cause)) == "SCMODRdp.LqWG?"


def test_no_two_causes_and_no_two_parts_share_a_letter() -> None:
    assert set(CAUSES) == set(Cause)
    assert len({mark for mark, _ in CAUSES.values()}) == len(Cause)
    assert set(PART_MARKS) == set(SelfPart)
    assert len({mark for mark, _ in PART_MARKS.values()}) == len(SelfPart)
    for cause, (mark, words) in CAUSES.items():
        assert len(mark) == 1, cause
        assert words
    # A letter means one thing in both bars; a launch is L in the self time too.
    for part, cause in ((SelfPart.SYNC, Cause.SYNC), (SelfPart.MEMORY, Cause.MEMORY),
                        (SelfPart.MODULE_LOAD, Cause.MODULE_LOAD),
                        (SelfPart.RUNTIME, Cause.RUNTIME), (SelfPart.DISPATCH, Cause.DISPATCH),
                        (SelfPart.LAUNCH, Cause.LAUNCH_CALL)):  # fmt: skip
        assert PART_MARKS[part][0] == CAUSES[cause][0]


@pytest.mark.parametrize(
    ("split", "bar"),
    [
        ([100, 0, 0, 0, 0, 0], "LLLLLLLLLL"),
        ([0, 100, 0, 0, 0, 0], "SSSSSSSSSS"),
        ([30, 50, 0, 0, 0, 20], "LLLSSSSSdd"),
        ([10, 20, 10, 20, 30, 10], "LSSMOORRRd"),
        ([1, 1, 1, 0, 0, 0], "LLLLSSSMMM"),
        ([0, 0, 0, 0, 0, 0], " " * 10),
    ],
)
def test_self_time_is_drawn_by_the_letters_of_its_parts(split: list[int], bar: str) -> None:
    assert part_bar(split) == bar


def test_the_detail_of_a_gap_names_each_letter_of_its_bar(real: AnalysedTrace) -> None:
    part = real.whole
    table = gaps_table(part, part.gaps)
    for row in TableView.of(table).order[:5].tolist():
        items = detail_of(part, table.target(row))
        bar = next(items[i + 1].text for i, item in enumerate(items) if item.label == "cause")
        named = {item.label.strip() for item in items if len(item.label.strip()) == 1}
        assert set(bar) <= named
