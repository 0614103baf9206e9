"""B against A: a comparison turned round is the one that aligning anew would give."""

from __future__ import annotations

from typing import Any

import pytest
from made_script import ADD, FLASH, GEMM, Script, stack

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import (
    Caution,
    Comparison,
    Row,
    Share,
    UnitChoice,
    UnitKind,
    compare,
    grouped,
    mirrored,
    take,
)
from attntui.analysis.compare.units import WINDOW_UNIT
from attntui.trace import Trace


def made(device: str, torch: str, *ops: str, **more: Any) -> Trace:
    """Ops of one kernel each, on a device, by a version of torch."""
    script = Script()
    for number, name in enumerate(ops):
        script.op(name, (ADD, 3 + number), dims=([8, 8], [8, 8]))
    return script.trace(torch_version=torch, deviceProperties=[{"id": 0, "name": device}], **more)


def told(row: Row) -> tuple[object, ...]:
    def side(share: Share | None) -> object:
        return None if share is None else (share.rows.tolist(), share.gpu_ns, share.shapes)

    return row.key, row.name, row.role, side(row.a), side(row.b), row.match


def check_equal(found: Comparison, expected: Comparison) -> None:
    assert found.choice == expected.choice
    for one, other in ((found.a, expected.a), (found.b, expected.b)):
        assert one.slice.trace is other.slice.trace
        assert (one.index, one.rows.tolist()) == (other.index, other.rows.tolist())
    assert found.metrics == expected.metrics
    assert found.cautions == expected.cautions
    assert list(map(told, found.rows)) == list(map(told, expected.rows))


A = AnalysedTrace(made("H100", "2.4", "aten::mm", "aten::gelu", "aten::add"))
B = AnalysedTrace(made("H200", "2.5", "aten::mm", "aten::add", "aten::relu", "aten::sum"))


def test_turned_round_it_is_b_against_a() -> None:
    there, back = compare(A, B), compare(B, A)
    check_equal(mirrored(there), back)
    check_equal(mirrored(back), there)
    check_equal(mirrored(mirrored(there)), there)


def test_turned_round_many_to_one_and_memsets_keep_their_sides() -> None:
    naive, fused = AnalysedTrace(stack(fused=False)), AnalysedTrace(stack(fused=True))
    check_equal(mirrored(compare(naive, fused)), compare(fused, naive))


def test_turned_round_every_caution_names_the_other_side_first() -> None:
    there = compare(A, B)
    assert there.cautions == (
        Caution("device", "H100", "H200"),
        Caution("torch version", "2.4", "2.5"),
    )
    assert mirrored(there).cautions == (
        Caution("device", "H200", "H100"),
        Caution("torch version", "2.5", "2.4"),
    )
    assert [caution.text for caution in mirrored(there).cautions] == [
        "device: H200 against H100",
        "torch version: 2.5 against 2.4",
    ]


def test_what_stands_in_one_side_alone_says_in_which() -> None:
    there = compare(A, B)
    matches = {row.name: row.match for row in there.rows}
    assert matches == {
        "aten::mm": "both",
        "aten::gelu": "only_a",
        "aten::add": "both",
        "aten::relu": "only_b",
        "aten::sum": "only_b",
    }
    gelu = next(row for row in there.rows if row.name == "aten::gelu")
    assert (gelu.a_ops, gelu.b_ops, gelu.a_gpu_ns, gelu.b_gpu_ns) == (1, 0, 4_000, 0)
    assert gelu.delta_gpu_ns == -4_000
    turned = {row.name: row.match for row in mirrored(there).rows}
    assert (turned["aten::gelu"], turned["aten::relu"]) == ("only_b", "only_a")


def test_groups_sum_each_side_of_their_rows() -> None:
    def script(*durations: float) -> Trace:
        made = Script()
        for dur in durations:
            made.op("aten::mm", (GEMM, dur), dims=([8, 8], [8, 8]))
        return made.trace()

    groups = grouped(compare(AnalysedTrace(script(5, 6)), AnalysedTrace(script(1, 2, 3))).rows)
    sums = {g.match: (g.a_ops, g.b_ops, g.a_gpu_ns, g.b_gpu_ns, g.delta_gpu_ns) for g in groups}
    matched = sums["both"]
    assert (matched[0], matched[1], matched[2]) == (2, 2, 11_000)
    assert sums["only_b"][:3] == (0, 1, 0)
    assert matched[3] + sums["only_b"][3] == 6_000
    assert matched[4] + sums["only_b"][4] == 6_000 - 11_000


def test_metrics_are_differences_and_ratios_of_b_to_a() -> None:
    gpu = compare(A, B).metric("gpu_ns")
    assert (gpu.a, gpu.b, gpu.delta, gpu.ratio) == (12_000, 18_000, 6_000, 1.5)
    with pytest.raises(KeyError, match="no such metric"):
        compare(A, B).metric("no such metric")


def test_the_unit_may_be_chosen_and_the_first_that_both_have_is_taken_else() -> None:
    naive, fused = AnalysedTrace(stack(fused=False)), AnalysedTrace(stack(fused=True))
    assert compare(naive, fused).choice.kind is UnitKind.ANNOTATION
    step = UnitChoice(UnitKind.STEP, "ProfilerStep#*")
    for choice in (step, WINDOW_UNIT):
        found = compare(naive, fused, choice)
        assert (found.choice, found.a.units.choice, found.b.units.choice) == (choice,) * 3


def test_a_side_spans_its_host_part_and_all_its_gpu_operations() -> None:
    script = Script()
    with script.inside("fwd"):
        script.op("aten::mm", (GEMM, 400), (FLASH, 5))
    side = take(AnalysedTrace(script.trace()), UnitChoice(UnitKind.ANNOTATION, "fwd"))
    trace = side.slice.trace
    annotated = trace.names.index("fwd")
    ended = int(trace.end[trace.name == annotated][0])
    assert side.host == (0, ended)
    assert (side.start, side.end) == (0, int(trace.end[side.rows].max()))
    assert side.end > ended
    assert side.figures.cpu_ns == ended
