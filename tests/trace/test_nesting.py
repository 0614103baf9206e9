"""Depth and parents against a plain stack; display rows against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attntui.trace import ABSENT, nest, nesting, pack_rows
from attntui.trace.nesting import swallowing

Spans = list[tuple[int, int]]

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=40)
LOOSE_SPANS = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 12)), max_size=40)


def arrays(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends of (start, duration), sorted as rows are."""
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    start = np.array([start for start, _ in ordered], dtype=np.int64)
    return start, start + np.array([dur for _, dur in ordered], dtype=np.int64)


def by_stack(start: np.ndarray, end: np.ndarray) -> tuple[list[int], list[int]]:
    depths, parents, stack = [], [], []
    for row in range(len(start)):
        while stack and end[stack[-1]] <= start[row]:
            stack.pop()
        depths.append(len(stack))
        parents.append(stack[-1] if stack else ABSENT)
        stack.append(row)
    return depths, parents


@settings(max_examples=1000)
@given(SPANS | LOOSE_SPANS, st.sampled_from([0, 3, 1000]), st.integers(1, 8))
def test_nesting_agrees_with_a_stack(spans: Spans, few: int, rounds: int) -> None:
    start, end = arrays(spans)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nesting, "_FEW", few)
        patch.setattr(nesting, "_ROUNDS", rounds)
        depth, parent = nest(start, end)
    assert (depth.tolist(), parent.tolist()) == by_stack(start, end)
    assert (depth.dtype, parent.dtype) == (np.int16, np.int32)


def check_no_overlap(start: np.ndarray, end: np.ndarray, row: np.ndarray) -> None:
    for number in set(row.tolist()):
        rows = np.flatnonzero(row == number)
        assert np.all(end[rows][:-1] <= start[rows][1:])


@settings(max_examples=300)
@given(SPANS | LOOSE_SPANS)
def test_events_of_one_depth_never_overlap(spans: Spans) -> None:
    start, end = arrays(spans)
    check_no_overlap(start, end, nest(start, end)[0])


@settings(max_examples=300)
@given(SPANS | LOOSE_SPANS)
def test_display_rows_are_the_first_free(spans: Spans) -> None:
    start, end = arrays(spans)
    row = pack_rows(start, end)
    check_no_overlap(start, end, row)
    for at in range(len(start)):
        busy = {int(row[before]) for before in range(at) if end[before] > start[at]}
        assert row[at] == min(set(range(len(busy) + 1)) - busy)


@pytest.mark.parametrize(
    ("spans", "depths", "parents"),
    [
        ([(0, 10), (2, 3), (5, 5), (10, 5)], [0, 1, 1, 0], [-1, 0, 0, -1]),
        ([(0, 10), (0, 10)], [0, 1], [-1, 0]),
        ([(0, 10), (10, 0), (10, 5)], [0, 0, 1], [-1, -1, 1]),
        ([(0, 10), (5, 0), (5, 0)], [0, 1, 1], [-1, 0, 0]),
        ([(0, 10), (5, 10), (12, 2)], [0, 1, 2], [-1, 0, 1]),
        ([], [], []),
        # Two that cross end together; what begins at their end lies in neither.
        ([(0, 10), (5, 15), (8, 12), (20, 5)], [0, 1, 2, 0], [-1, 0, 1, -1]),
        ([(0, 10), (5, 5), (5, 5), (7, 3), (10, 2)], [0, 1, 2, 3, 0], [-1, 0, 1, 2, -1]),
        ([(0, 20), (2, 8), (5, 10), (6, 9), (15, 5)], [0, 1, 2, 3, 1], [-1, 0, 1, 2, 0]),
    ],
    ids=[
        "children", "same span", "touching", "momentary", "outlives its parent", "none",
        "crossing with equal ends", "nested with equal ends", "crossing inside one",
    ],
)  # fmt: skip
def test_by_hand(spans: Spans, depths: list[int], parents: list[int]) -> None:
    depth, parent = nest(*arrays(spans))
    assert depth.tolist() == depths
    assert parent.tolist() == parents


@pytest.fixture
def mended_by_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where many events cross."""
    monkeypatch.setattr(nesting, "_FEW", 0)


def test_a_few_that_cross_cost_no_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nesting, "_mend", None)
    inner = [(1000 * n + 10 * k, 8) for n in range(100) for k in range(1, 50)]
    crossing = [(1000 * n + 5 * k, 1010 - 5 * k) for n in range(0, 100, 9) for k in range(3)]
    start, end = arrays([*inner, *crossing, (50_115, 12), (0, 50_120)])
    depth, parent = nest(start, end)
    assert (depth.tolist(), parent.tolist()) == by_stack(start, end)
    assert any(end[parent[row]] < end[row] for row in range(len(end)) if parent[row] != ABSENT)


@pytest.mark.usefixtures("mended_by_stack")
def test_only_the_events_that_cross_are_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """One crossing deep in a long trace must not cost a walk over all of it."""
    walked = []
    plain = nesting._nest_by_stack

    def watched(start, end, depth, parent, rows, level, owner) -> None:
        walked.append(rows[1] - rows[0])
        plain(start, end, depth, parent, rows, level, owner)

    monkeypatch.setattr(nesting, "_nest_by_stack", watched)
    steps = [(1000 * n, 900) for n in range(1000)]
    inner = [(1000 * n + 10 * k, 8) for n in range(1000) for k in range(1, 50)]
    start, end = arrays([(0, 10**6), *steps, *inner, (500_115, 12)])
    depth, parent = nest(start, end)
    assert (depth.tolist(), parent.tolist()) == by_stack(start, end)
    assert 0 < sum(walked) < 10


@pytest.mark.usefixtures("mended_by_stack")
@pytest.mark.parametrize(
    ("spans", "groups"),
    [
        # Equal ends do not cross.
        ([(0, 10), (2, 8), (5, 5), (10, 5)], []),
        ([(0, 10), (2, 8), (10, 10), (12, 8)], []),
        # Inside one that ends with the last of those that cross in it.
        ([(0, 20), (2, 8), (5, 15)], [(1, 3)]),
        ([(0, 20), (2, 8), (5, 15), (20, 9), (22, 7)], [(1, 3)]),
        ([(0, 9), (5, 9), (6, 8), (20, 9), (21, 8)], [(0, 3)]),
    ],
)
def test_what_ends_together_is_walked_only_where_it_crosses(
    monkeypatch: pytest.MonkeyPatch, spans: Spans, groups: Spans
) -> None:
    walked = []
    plain = nesting._nest_by_stack

    def watched(start, end, depth, parent, rows, level, owner) -> None:
        walked.append(rows)
        plain(start, end, depth, parent, rows, level, owner)

    monkeypatch.setattr(nesting, "_nest_by_stack", watched)
    start, end = arrays(spans)
    depth, parent = nest(start, end)
    assert (depth.tolist(), parent.tolist()) == by_stack(start, end)
    assert walked == groups


@pytest.mark.usefixtures("mended_by_stack")
def test_ends_at_one_time_are_no_crossing_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    mended = []
    monkeypatch.setattr(nesting, "_mend", lambda *given: mended.append(given[-1].tolist()))
    nest(*arrays([(0, 10), (2, 8), (5, 5), (9, 1), (10, 5), (12, 3)]))
    assert mended == []
    nest(*arrays([(0, 10), (2, 8), (5, 6), (12, 3)]))
    assert mended == [[2]]


def test_a_deep_recursion_is_no_problem() -> None:
    count = 40_000
    start = np.arange(count, dtype=np.int64)
    depth, parent = nest(start, 2 * count - start)
    assert depth.max() == nesting.DEEPEST
    assert parent.tolist() == list(range(-1, count - 1))


@pytest.mark.parametrize(
    ("spans", "doubtful"),
    [
        ([(0, 10), (10, 5), (15, 5)], []),
        ([(0, 12), (10, 5), (14, 5)], []),
        ([(0, 20), (10, 5), (25, 5)], []),
        ([(0, 99), (10, 5), (15, 5), (100, 1)], [0]),
        ([(0, 5), (5, 99), (10, 5), (15, 5), (20, 50)], [1]),
    ],
    ids=["in turn", "overlapping a little", "one within", "swallows", "swallows later"],
)
def test_an_operation_that_swallows_several(spans: Spans, doubtful: list[int]) -> None:
    assert swallowing(arrays(spans)[1]).tolist() == doubtful
