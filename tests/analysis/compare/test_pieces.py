"""Pieces of a unit: their order, what belongs together, and the names they align by."""

from __future__ import annotations

from made import call, kernel, op, trace_of
from made_script import ADD, FLASH, GEMM, Script

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare.pieces import Piece, cut
from attntui.trace import ABSENT, Trace


def pieces_of(trace: Trace) -> list[Piece]:
    return cut(AnalysedTrace(trace), trace.gpu_ops)


def launched(correlation: int, at: int, begin: int, name: str, *, stream: int = 7) -> list[dict]:
    """A launch at a time, and its kernel of 100 ns."""
    return [
        call("cudaLaunchKernel", at, at + 10, correlation),
        kernel(name, begin, begin + 100, correlation, stream=stream),
    ]


def names(trace: Trace, pieces: list[Piece]) -> list[list[str]]:
    return [[trace.name_of(row) for row in piece.rows.tolist()] for piece in pieces]


def test_pieces_stand_in_order_of_their_first_launch_not_of_their_start() -> None:
    trace = trace_of([
        op("aten::mm", 0, 100), *launched(1, 10, 9_000, "late", stream=8),
        op("aten::add", 200, 300), *launched(2, 210, 1_000, "early"),
    ])  # fmt: skip
    found = pieces_of(trace)
    assert names(trace, found) == [["late"], ["early"]]
    assert [trace.name_of(piece.op) for piece in found] == ["aten::mm", "aten::add"]


def test_an_op_round_another_stands_where_it_launched_first_its_rows_by_start() -> None:
    trace = trace_of([
        op("outer", 0, 500),
        *launched(1, 10, 9_000, "first", stream=8),
        op("inner", 100, 200), *launched(2, 110, 1_000, "second"),
        *launched(3, 300, 2_000, "third"),
    ])  # fmt: skip
    assert names(trace, pieces_of(trace)) == [["third", "first"], ["second"]]


def test_what_no_op_launched_is_a_piece_each_named_by_its_kernel() -> None:
    trace = trace_of([
        op("aten::mm", 0, 100), *launched(1, 10, 3_000, "inside"),
        *launched(2, 200, 4_000, "alone"), *launched(3, 300, 5_000, "alone"),
    ])  # fmt: skip
    found = pieces_of(trace)
    assert names(trace, found) == [["inside"], ["alone"], ["alone"]]
    assert [piece.op == ABSENT for piece in found] == [False, True, True]
    assert [piece.tokens for piece in found[1:]] == [
        (("kernel", "alone"), ("kernel", "alone"), None)
    ] * 2


def test_a_memset_is_a_piece_apart_that_answers_to_memsets_alone() -> None:
    script = Script()
    script.op("aten::bmm", ("memset", 1), (GEMM, 5), ("memset", 2), dims=([2, 3],))
    trace = script.trace()
    memsets, product = pieces_of(trace)
    assert (memsets.memset, product.memset) == (True, False)
    assert memsets.op == product.op
    assert [len(memsets.rows), len(product.rows)] == [2, 1]
    shapes = ((2, 3),)
    assert memsets.tokens[:2] == (("memset", "aten::bmm", shapes), ("memset", "aten::bmm"))
    assert product.tokens[:2] == (("op", "aten::bmm", shapes), ("op", "aten::bmm"))


def test_a_memset_of_an_attention_call_belongs_to_the_call() -> None:
    script = Script()
    with script.inside("aten::scaled_dot_product_attention", "cpu_op"):
        script.op("aten::_flash_attention_forward", ("memset", 1), (FLASH, 5))
    (found,) = pieces_of(script.trace())
    assert found.call is not None
    assert (found.op, found.memset, len(found.rows)) == (ABSENT, False, 2)
    assert found.tokens[1:] == (("attention", found.call.direction), None)


def around(*outer: tuple[str, str]) -> object:
    """What the piece of an `aten::mm` is around, inside these (name, category)."""
    script = Script()

    def within(left: tuple[tuple[str, str], ...]) -> None:
        if not left:
            script.op("aten::mm", (GEMM, 5))
            return
        (name, category), *rest = left
        with script.inside(name, category):
            within(tuple(rest))

    within(outer)
    (found,) = pieces_of(script.trace())
    token = found.tokens[2]
    return None if token is None else token[1]


def test_the_outermost_of_the_aten_ops_directly_around_one_another() -> None:
    linear, matmul = ("aten::linear", "cpu_op"), ("aten::matmul", "cpu_op")
    assert around() == "aten::mm"
    assert around(linear, matmul) == "aten::linear"
    # Any other op ends the climb; what is no op does not.
    assert around(linear, ("mine::wrapper", "cpu_op"), matmul) == "aten::matmul"
    assert around(linear, ("mine::wrapper", "cpu_op")) == "aten::mm"
    assert around(linear, ("block", "user_annotation"), matmul) == "aten::linear"


def test_an_op_that_is_not_of_aten_has_no_aten_op_around() -> None:
    script = Script()
    with script.inside("aten::linear", "cpu_op"):
        script.op("mine::product", (GEMM, 5))
    (found,) = pieces_of(script.trace())
    assert found.tokens == (
        ("op", "mine::product", None),
        ("op", "mine::product"),
        None,
    )


def test_no_operations_no_pieces_and_each_operation_in_one() -> None:
    script = Script()
    script.naive()
    script.op("aten::add", (ADD, 2), (ADD, 2))
    trace = script.trace()
    assert cut(AnalysedTrace(trace), trace.gpu_ops[:0]) == []
    rows = [row for piece in pieces_of(trace) for row in piece.rows.tolist()]
    assert sorted(rows) == trace.gpu_ops.tolist()
