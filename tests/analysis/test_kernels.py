"""Statistics by kernel name."""

from __future__ import annotations

from made import kernel, trace_of

from attntui.analysis.kernels import kernel_table


def test_figures_by_name() -> None:
    trace = trace_of(
        [
            kernel("b", 0, 100, stream=9),
            kernel("a", 200, 500),
            kernel("b", 600, 900, stream=7),
            kernel("b", 1_000, 1_300, stream=7),
            kernel("c", 2_000, 2_700),
        ]
    )
    table = kernel_table(trace)
    # b and c have the same total: then the name decides.
    assert [trace.names[i] for i in table.name] == ["b", "c", "a"]
    assert table.count.tolist() == [3, 1, 1]
    assert table.total.tolist() == [700, 700, 300]
    assert table.min.tolist() == [100, 700, 300]
    assert table.max.tolist() == [300, 700, 300]
    assert table.mean.tolist() == [700 / 3, 700.0, 300.0]
    assert table.share.tolist() == [700 / 1700, 700 / 1700, 300 / 1700]
    assert table.streams == ((7, 9), (7,), (7,))
    assert trace.start[table.longest].tolist() == [600, 2_000, 200]
    assert trace.start[table.instances(0)].tolist() == [0, 600, 1_000]


def test_over_some_rows_and_over_none() -> None:
    trace = trace_of([kernel("a", 0, 100), kernel("b", 200, 500)])
    only = kernel_table(trace, trace.gpu_ops[1:])
    assert [trace.names[i] for i in only.name] == ["b"]
    assert only.share.tolist() == [1.0]
    none = kernel_table(trace, trace.gpu_ops[:0])
    assert len(none) == 0
    assert none.share.tolist() == []


def test_operations_without_length_have_no_share() -> None:
    table = kernel_table(trace_of([kernel("a", 5, 5)]))
    assert table.share.tolist() == [0.0]
