"""Groups of rows, and rows of what no op launched."""

from __future__ import annotations

from made_script import ADD, GEMM, Script

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import Comparison, RowGroup, compare, grouped
from attntui.analysis.compare.units import WINDOW_UNIT
from attntui.trace import ABSENT, Trace


def over(a: Trace, b: Trace) -> Comparison:
    return compare(AnalysedTrace(a), AnalysedTrace(b))


def told(group: RowGroup) -> tuple[object, ...]:
    return (
        group.name,
        group.match,
        len(group.rows),
        (group.a_ops, group.b_ops),
        (group.a_gpu_ns, group.b_gpu_ns, group.delta_gpu_ns),
    )


def script(*ops: tuple[str, int, float]) -> Trace:
    """Ops of one tensor: name, its length, and the time of the kernel."""
    made = Script()
    for name, length, dur in ops:
        made.op(name, (ADD, dur), dims=([length],))
    return made.trace()


def test_rows_of_one_name_are_grouped_by_their_shapes() -> None:
    a = script(("aten::add", 4, 1), ("aten::add", 8, 2), ("aten::mul", 4, 3), ("aten::add", 4, 4))
    b = script(("aten::add", 4, 5), ("aten::add", 8, 6), ("aten::mul", 4, 7), ("aten::add", 4, 8))
    assert [told(group) for group in grouped(over(a, b).rows)] == [
        ("aten::add", "both", 2, (2, 2), (5_000, 13_000, 8_000)),
        ("aten::add", "both", 1, (1, 1), (2_000, 6_000, 4_000)),
        ("aten::mul", "both", 1, (1, 1), (3_000, 7_000, 4_000)),
    ]


def test_the_shapes_of_both_sides_count() -> None:
    a = script(("aten::add", 4, 1), ("aten::add", 4, 1))
    b = script(("aten::add", 5, 1), ("aten::add", 6, 1))
    assert [len(group.rows) for group in grouped(over(a, b).rows)] == [1, 1]
    assert [len(group.rows) for group in grouped(over(b, a).rows)] == [1, 1]


def test_a_memset_and_what_one_side_lacks_are_groups_of_their_own() -> None:
    def products(*counts: int) -> Trace:
        made = Script()
        for memsets in counts:
            made.op("aten::mm", *[("memset", 1)] * memsets, (GEMM, 5), dims=([4, 4],))
        return made.trace()

    found = grouped(over(products(1, 1, 0), products(1, 1)).rows)
    assert sorted((g.role or "", g.match, len(g.rows)) for g in found) == [
        ("", "both", 2),
        ("", "only_a", 1),
        ("memset", "both", 2),
    ]


def test_attention_calls_are_grouped_by_their_sizes() -> None:
    made = Script()
    for length in (128, 256, 128):
        made.sdpa(shape=(2, 4, length, 64))
    subject = made.trace()
    a, b = AnalysedTrace(subject), AnalysedTrace(subject)
    found = grouped(compare(a, b, WINDOW_UNIT).rows)
    assert [(g.name, g.role, len(g.rows)) for g in found] == [
        ("attention forward", "fused", 2),
        ("attention forward", "fused", 1),
    ]


def outside(*kernels: tuple[str, float]) -> Trace:
    """Kernels that no op launched."""
    made = Script()
    with made.inside("region"):
        for kernel in kernels:
            made.op("holder", kernel, dims=([4],))
    made.events = [event for event in made.events if event["name"] != "holder"]
    # The last event has shapes: those of no row.
    made.now = 90_000
    made.op("aten::after", dims=([9],))
    return made.trace()


def test_what_no_op_launched_has_a_row_each_with_the_kernels_name_and_no_shapes() -> None:
    found = over(outside(("one", 3), ("two", 4), ("one", 5)), outside(("one", 7), ("one", 9)))
    assert [(row.key, row.name, row.match) for row in found.rows] == [
        ("one #1", "one", "both"),
        ("two #1", "two", "only_a"),
        ("one #2", "one", "both"),
    ]
    shares = [share for row in found.rows for share in (row.a, row.b) if share is not None]
    assert len(shares) == 5
    assert {(share.op, share.shapes, share.call, share.parts) for share in shares} == {
        (ABSENT, None, None, ())
    }
    assert [told(group) for group in grouped(found.rows)] == [
        ("one", "both", 2, (2, 2), (8_000, 16_000, 8_000)),
        ("two", "only_a", 1, (1, 0), (4_000, 0, -4_000)),
    ]
