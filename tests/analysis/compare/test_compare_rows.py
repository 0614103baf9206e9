"""Rows: what answers to what, many to one, and that everything adds up."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_script import ADD, GEMM, Script, stack

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention.model import Role
from attntui.analysis.compare import Comparison, Row, compare, compare_units, grouped
from attntui.analysis.compare.rows import _match_roles
from attntui.analysis.compare.units import WINDOW_UNIT
from attntui.trace import Trace


def compared(a: Trace, b: Trace) -> Comparison:
    return compare(AnalysedTrace(a), AnalysedTrace(b))


def facts(rows: Sequence[Row]) -> list[tuple[object, ...]]:
    return [(row.name, row.role, row.a_ops, row.b_ops, row.match) for row in rows]


def check_sums(found: Comparison) -> None:
    """Every GPU operation of both units is in one row, and rows sum to the scoreboard."""
    for side, share_of in ((found.a, lambda r: r.a), (found.b, lambda r: r.b)):
        shares = [share for row in found.rows if (share := share_of(row)) is not None]
        rows = [row for share in shares for row in share.rows.tolist()]
        assert sorted(rows) == side.rows.tolist()
        assert sum(share.gpu_ns for share in shares) == side.figures.gpu_ns
        assert len(rows) == side.figures.gpu_ops
        for share in shares:
            if share.parts:
                assert sum(part.gpu_ns for part in share.parts) == share.gpu_ns
                assert sum(part.gpu_ops for part in share.parts) == share.gpu_ops
    deltas = sum(row.delta_gpu_ns for row in found.rows)
    assert deltas == found.metric("gpu_ns").delta
    keys = [row.key for row in found.rows]
    assert len(set(keys)) == len(keys)


def mirrored(row: Row) -> tuple[object, ...]:
    swap = {"both": "both", "only_a": "only_b", "only_b": "only_a"}
    a, b = row.a_gpu_ns, row.b_gpu_ns
    return (row.key, row.role, row.b_ops, row.a_ops, b, a, -row.delta_gpu_ns, swap[row.match])


def told(row: Row) -> tuple[object, ...]:
    a, b = row.a_gpu_ns, row.b_gpu_ns
    return (row.key, row.role, row.a_ops, row.b_ops, a, b, row.delta_gpu_ns, row.match)


def test_naive_against_one_kernel_is_many_to_one_with_the_memset_apart() -> None:
    found = compared(stack(fused=False, layers=1), stack(fused=True, layers=1))
    check_sums(found)
    assert facts(found.rows) == [
        ("aten::native_layer_norm", None, 1, 1, "both"),
        ("aten::addmm", None, 1, 1, "both"),
        ("attention forward", "fused", 4, 1, "both"),
        ("attention forward", "memset", 1, 0, "only_a"),
        ("aten::addmm", "memset", 1, 1, "both"),
        ("aten::addmm", None, 1, 1, "both"),
        ("aten::add", None, 1, 1, "both"),
    ]
    many = found.rows[2]
    assert many.a is not None
    assert many.b is not None
    assert [(p.role, p.gpu_ns) for p in many.a.parts] == [
        ("qk", 10_000),
        ("scale", 20_000),
        ("softmax", 30_000),
        ("av", 11_000),
    ]
    assert [(p.role, p.gpu_ns) for p in many.b.parts] == [("fused", 9_000)]
    assert many.delta_gpu_ns == -62_000


def test_every_layer_answers_to_its_own() -> None:
    found = compared(stack(fused=False, layers=5), stack(fused=True, layers=5))
    check_sums(found)
    assert [g.match for g in grouped(found.rows)].count("only_a") == 1
    fused = [row for row in found.rows if row.role == "fused"]
    assert [row.key for row in fused] == [f"attention forward #{n} fused" for n in range(1, 6)]
    begun = [
        [int(side.slice.trace.start[share.rows[0]]) for share in shares if share is not None]
        for side, shares in (
            (found.a, [row.a for row in fused]),
            (found.b, [row.b for row in fused]),
        )
    ]
    assert all(times == sorted(times) and len(times) == 5 for times in begun)


def test_of_equal_names_the_one_with_equal_shapes() -> None:
    """One fused projection against three: the output projection keeps its partner."""

    def script(shapes: Sequence[Sequence[int]]) -> Trace:
        made = Script()
        for shape in shapes:
            made.op("aten::addmm", (GEMM, 5), dims=([shape[0]], [128, 64], shape))
        return made.trace()

    a = script([[64, 192], [64, 64]])
    b = script([[64, 48], [64, 48], [64, 48], [64, 64]])
    found = compared(a, b)
    check_sums(found)
    last = found.rows[-1]
    assert last.match == "both"
    assert last.a is not None
    assert last.b is not None
    assert last.a.shapes == last.b.shapes
    assert [row.match for row in found.rows].count("only_b") == 2


def test_an_aten_op_around_matches_what_it_dispatched_to() -> None:
    a, b = Script(), Script()
    a.op("aten::addmm", (GEMM, 5), outer="aten::linear")
    b.op("aten::mm", (GEMM, 4), outer="aten::linear")
    found = compared(a.trace(), b.trace())
    assert [(row.key, row.match) for row in found.rows] == [
        ("aten::addmm / aten::mm #1", "both"),
    ]


@pytest.mark.parametrize("kernels", [("Memcpy DtoD (Device -> Device)", GEMM), ("k", "l")])
def test_ops_that_do_other_things_are_not_paired(kernels: tuple[str, str]) -> None:
    """Nor those of which nothing tells what they do."""
    a, b = Script(), Script()
    a.op("aten::copy_", (kernels[0], 5), outer="aten::matmul")
    b.op("aten::bmm", (kernels[1], 4), outer="aten::matmul")
    found = compared(a.trace(), b.trace())
    assert sorted(row.match for row in found.rows) == ["only_a", "only_b"]


def test_kernels_launched_outside_any_op_are_matched_by_name() -> None:
    def script(*names: str) -> Trace:
        made = Script()
        with made.inside("region"):
            for name in names:
                made.op("holder", (name, 3))
        made.events = [event for event in made.events if event["name"] != "holder"]
        return made.trace()

    found = compared(script("one", "two", "three"), script("one", "three"))
    check_sums(found)
    assert [(row.name, row.match) for row in found.rows] == [
        ("one", "both"),
        ("two", "only_a"),
        ("three", "both"),
    ]


def test_a_trace_against_itself() -> None:
    subject = AnalysedTrace(stack(fused=False))
    found = compare(subject, subject)
    check_sums(found)
    assert found.rows
    assert all(row.match == "both" and row.delta_gpu_ns == 0 for row in found.rows)
    assert all(metric.delta in (0, None) for metric in found.metrics)
    assert found.cautions == ()


def test_two_units_of_the_users_choice() -> None:
    subject = AnalysedTrace(stack(fused=False, steps=3))
    choice = compare(subject, subject).choice
    found = compare_units(subject, 0, subject, 2, choice)
    assert (found.a.index, found.b.index) == (0, 2)
    check_sums(found)
    assert all(row.match == "both" for row in found.rows)
    with pytest.raises(ValueError, match="unit 4 of 3"):
        compare_units(subject, 0, subject, 3, choice)


def test_without_gpu_operations_there_are_no_rows() -> None:
    script = Script()
    script.op("aten::mm")
    found = compared(script.trace(), stack(fused=True, layers=1))
    assert found.choice == WINDOW_UNIT
    check_sums(found)
    assert {row.match for row in found.rows} == {"only_b"}
    assert found.metric("gpu_ns").ratio is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (["qk", "softmax", "av"], ["qk", "mask", "softmax", "av"],
         [("qk", 1, 1), ("mask", 0, 1), ("softmax", 1, 1), ("av", 1, 1)]),
        # Compiled: the products stay, the middle is one kernel.
        (["qk", "scale", "copy", "softmax", "av", "memset"], ["qk", "av", "fused", "memset"],
         [("qk", 1, 1), ("av", 1, 1), ("fused", 3, 1), ("memset", 1, 1)]),
        (["qk", "av", "fused"], ["fused"], [("fused", 3, 1)]),
        (["fused", "other"], ["fused"], [("fused", 1, 1), ("other", 1, 0)]),
        ([], ["fused", "memset"], [("fused", 0, 1), ("memset", 0, 1)]),
        (["qk", "av"], ["softmax"], [("qk", 1, 0), ("softmax", 0, 1), ("av", 1, 0)]),
    ],
)  # fmt: skip
def test_which_roles_answer_to_which(
    a: list[str], b: list[str], expected: list[tuple[str, int, int]]
) -> None:
    for first, second, turn in ((a, b, 1), (b, a, -1)):
        found = _match_roles([Role(r) for r in first], [Role(r) for r in second])
        assert [(role, len(x), len(y)) for role, x, y in found] == [
            (role, *sizes[::turn]) for role, *sizes in expected
        ]
        assert sorted(role for _, x, _ in found for role in x) == sorted(first)
        assert sorted(role for _, _, y in found for role in y) == sorted(second)


OPS = ("aten::mm", "aten::add", "aten::mul", "naive", "sdpa", "nothing")
CALLS = st.lists(st.sampled_from(OPS), min_size=1, max_size=8)


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A script, and the same with some calls dropped, doubled or moved."""
    calls = draw(CALLS)
    other = list(calls)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(other) - 1, 0)))
        edit = draw(st.sampled_from(("drop", "double", "move", "change")))
        if not other:
            continue
        call = other.pop(at)
        if edit == "double":
            other[at:at] = [call, call]
        elif edit == "move":
            other.insert(draw(st.integers(0, len(other))), call)
        elif edit == "change":
            other.insert(at, draw(st.sampled_from(OPS)))
    return calls, other


def written(calls: Sequence[str]) -> Trace:
    script = Script()
    script.leaked()
    with script.inside("ProfilerStep#0"):
        for number, call in enumerate(calls):
            if call == "naive":
                script.naive(scale=1 + number)
            elif call == "sdpa":
                script.sdpa(scale=1 + number)
            elif call == "nothing":
                script.op("aten::view")
            else:
                script.op(call, ("memset", 1), (ADD, 2 + number), dims=([8, 8], [8, 8]))
    return script.trace()


@settings(max_examples=60, deadline=None)
@given(edited())
def test_after_any_edit_rows_add_up_and_mirror(scripts: tuple[list[str], list[str]]) -> None:
    a, b = (AnalysedTrace(written(calls)) for calls in scripts)
    there, back = compare(a, b), compare(b, a)
    check_sums(there)
    check_sums(back)
    assert [told(row) for row in back.rows] == [mirrored(row) for row in there.rows]
    for forth, reverse in zip(there.metrics, back.metrics, strict=True):
        assert (forth.name, forth.a, forth.b) == (reverse.name, reverse.b, reverse.a)
    if scripts[0] == scripts[1]:
        assert all(row.match == "both" for row in there.rows)
