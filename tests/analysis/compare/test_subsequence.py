"""The longest common subsequence: against the classic table, and on long sequences."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attntui.analysis.compare import subsequence
from attntui.analysis.compare.subsequence import common_subsequence

ITEMS = st.lists(st.integers(0, 4), max_size=40)


def longest(a: list[int], b: list[int]) -> int:
    """The length by the classic quadratic table."""
    row = [0] * (len(b) + 1)
    for x in a:
        above = row
        row = [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
    return row[-1]


def check(a: list[int], b: list[int], pairs: list[tuple[int, int]]) -> None:
    """Pairs ascend strictly in both, and pair equal items."""
    for (i, j), (k, m) in pairwise(pairs):
        assert i < k
        assert j < m
    assert all(a[i] == b[j] for i, j in pairs)


@given(ITEMS, ITEMS)
def test_finds_as_many_pairs_as_the_classic_table(a: list[int], b: list[int]) -> None:
    pairs = common_subsequence(a, b)
    check(a, b, pairs)
    assert len(pairs) == longest(a, b)


@given(a=ITEMS, b=ITEMS)
def test_dividing_finds_as_many_as_walking_back(a: list[int], b: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsequence, "_TABLE_BITS", 4)
        pairs = common_subsequence(a, b)
    check(a, b, pairs)
    assert len(pairs) == longest(a, b)


@given(a=ITEMS, b=ITEMS)
def test_cut_at_anchors_every_pair_is_right(a: list[int], b: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsequence, "_TABLE_BITS", 0)
        patch.setattr(subsequence, "_LARGEST", 20)
        patch.setattr(subsequence, "_ANCHOR", 2)
        check(a, b, common_subsequence(a, b))


def test_anchors_keep_what_lies_on_both_sides_of_a_lost_part() -> None:
    rng = random.Random(5)
    a = [rng.randrange(50) for _ in range(400)]
    b = a[:100] + a[180:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsequence, "_LARGEST", 10_000)
        pairs = common_subsequence([99, *a, 98], [97, *b, 96])
    assert len(pairs) >= len(b) - 1


def test_a_hundred_thousand_items_with_edits_everywhere() -> None:
    rng = random.Random(7)
    layer = [rng.randrange(30) for _ in range(100)]
    a = layer * 1000
    b = [item for item in a if rng.random() > 0.02]
    for _ in range(2000):
        b.insert(rng.randrange(len(b)), rng.randrange(30))
    pairs = common_subsequence(a, b)
    check(a, b, pairs)
    assert len(pairs) >= len(b) - 2000


def test_all_distinct_items() -> None:
    a = list(range(30_000))
    b = a[15_000:] + a[:15_000]
    pairs = common_subsequence(a, b)
    check(a, b, pairs)
    assert len(pairs) == 15_000
