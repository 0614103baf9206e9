"""The longest common subsequence of two long sequences, without a quadratic table.

The lengths of a row of the classic table lie in the bits of one integer (H. Hyyrö,
"Bit-parallel LCS-length computation revisited", 2004), so that a row costs n / 30 digit
operations, and Hirschberg's division (1975) finds the pairs in linear space.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from attntui.trace.model import I64

Pairs = list[tuple[int, int]]

_TABLE_BITS = 1 << 22
"""Up to this size, half a megabyte, the rows of a part are kept and walked back directly."""

_LARGEST = 20_000_000_000
"""Products of lengths beyond this (140,000 each) are cut at anchors first: seconds each."""

_ANCHOR = 16
"""How many equal items in a row make an anchor."""

_FEW = 16
"""An item with more occurrences than this has its mask of places made once and kept."""


def common_subsequence(a: Sequence[int], b: Sequence[int]) -> Pairs:
    """Index pairs (i, j), ascending in both, with `a[i] == b[j]`; as many as possible.

    Where the product of the lengths exceeds `_LARGEST`, runs of equal items anchor the
    parts, and it is the most between the anchors.
    """
    pairs: Pairs = []
    _align(a, b, 0, 0, pairs)
    return pairs


def _align(a: Sequence[int], b: Sequence[int], at_a: int, at_b: int, pairs: Pairs) -> None:
    """Appends the pairs of `a` and `b`, which begin at `at_a` and `at_b` of the whole."""
    shorter = min(len(a), len(b))
    head = 0
    while head < shorter and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < shorter - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    pairs += ((at_a + i, at_b + i) for i in range(head))
    inner_a, inner_b = a[head : len(a) - tail], b[head : len(b) - tail]
    if inner_a and inner_b:
        _divide(inner_a, inner_b, at_a + head, at_b + head, pairs)
    ends = at_a + len(a) - tail, at_b + len(b) - tail
    pairs += ((ends[0] + i, ends[1] + i) for i in range(tail))


def _divide(a: Sequence[int], b: Sequence[int], at_a: int, at_b: int, pairs: Pairs) -> None:
    if len(a) * len(b) <= _TABLE_BITS:
        pairs += ((at_a + i, at_b + j) for i, j in _walk_back(a, b))
        return
    if len(a) * len(b) > _LARGEST:
        cut_a, cut_b = _cut(a, b)
    elif len(a) < 2:
        found = b.index(a[0]) if a[0] in b else None
        if found is not None:
            pairs.append((at_a, at_b + found))
        return
    else:
        cut_a = len(a) // 2
        upper = _lengths(a[:cut_a], b)
        lower = _lengths(a[: cut_a - 1 : -1], b[::-1])[::-1]
        cut_b = int(np.argmax(upper + lower))
    _align(a[:cut_a], b[:cut_b], at_a, at_b, pairs)
    _align(a[cut_a:], b[cut_b:], at_a + cut_a, at_b + cut_b, pairs)


class _Places:
    """For each item of `b` an integer whose bits are the places where it stands."""

    def __init__(self, b: Sequence[int]) -> None:
        self._bytes = len(b) // 8 + 1
        self._places: dict[int, list[int]] = {}
        for place, item in enumerate(b):
            self._places.setdefault(item, []).append(place)
        self._kept: dict[int, int] = {}

    def mask(self, item: int) -> int:
        places = self._places.get(item)
        if places is None:
            return 0
        if len(places) <= _FEW:
            return sum(1 << place for place in places)
        if item not in self._kept:
            bits = bytearray(self._bytes)
            for place in places:
                bits[place >> 3] |= 1 << (place & 7)
            self._kept[item] = int.from_bytes(bits, "little")
        return self._kept[item]


def _rows(a: Sequence[int], b: Sequence[int], keep: list[int] | None = None) -> int:
    """The last row of the table, one bit a place of `b`: 0 where the length grows.

    Every row is appended to `keep` where it is given.
    """
    places, full = _Places(b), (1 << len(b)) - 1
    row = full
    for item in a:
        mask = places.mask(item)
        if mask:
            met = row & mask
            row = ((row + met) | (row - met)) & full
        if keep is not None:
            keep.append(row)
    return row


def _lengths(a: Sequence[int], b: Sequence[int]) -> I64:
    """Lengths of the common subsequence of `a` with every head of `b`, shape [len(b) + 1]."""
    row = _rows(a, b)
    raw = np.frombuffer(row.to_bytes(len(b) // 8 + 1, "little"), np.uint8)
    bits = np.unpackbits(raw, bitorder="little")[: len(b)]
    lengths = np.zeros(len(b) + 1, np.int64)
    np.cumsum(1 - bits.astype(np.int64), out=lengths[1:])
    return lengths


def _walk_back(a: Sequence[int], b: Sequence[int]) -> Pairs:
    """The pairs of a part that is small enough to keep all its rows."""
    rows: list[int] = []
    _rows(a, b, rows)
    width = len(b) // 8 + 1
    i, j = len(a), len(b)
    here = rows[i - 1].to_bytes(width, "little")
    pairs: Pairs = []
    while i and j:
        bit = j - 1
        if here[bit >> 3] >> (bit & 7) & 1:
            j -= 1
            continue
        i -= 1
        above = rows[i - 1].to_bytes(width, "little") if i else None
        # The length grows here in the row above too, so this item of `a` was not needed.
        if above is None or above[bit >> 3] >> (bit & 7) & 1:
            pairs.append((i, j - 1))
            j -= 1
        if above is not None:
            here = above
    return pairs[::-1]


def _cut(a: Sequence[int], b: Sequence[int]) -> tuple[int, int]:
    """Where to cut sequences that are too long: at the anchor nearest the middle of `a`,
    else both in the middle.
    """
    anchors = _anchors(np.array(a, np.int64), np.array(b, np.int64))
    inner = [(i, j) for i, j in anchors if i or j]
    if not inner:
        return len(a) // 2, len(b) // 2
    return min(inner, key=lambda pair: abs(pair[0] - len(a) // 2))


def _anchors(a: I64, b: I64) -> Pairs:
    """Runs of `_ANCHOR` items that occur equally often in both, paired in order: the most
    of them that ascend in both.
    """
    runs_a, runs_b = _run_hashes(a), _run_hashes(b)
    if not len(runs_a) or not len(runs_b):
        return []
    order_a, order_b = np.argsort(runs_a, kind="stable"), np.argsort(runs_b, kind="stable")
    items_a, counts_a = np.unique(runs_a, return_counts=True)
    items_b, counts_b = np.unique(runs_b, return_counts=True)
    _, in_a, in_b = np.intersect1d(items_a, items_b, assume_unique=True, return_indices=True)
    equal = counts_a[in_a] == counts_b[in_b]
    chosen_a, chosen_b = np.zeros(len(items_a), np.bool_), np.zeros(len(items_b), np.bool_)
    chosen_a[in_a[equal]] = chosen_b[in_b[equal]] = True
    at_a, at_b = order_a[np.repeat(chosen_a, counts_a)], order_b[np.repeat(chosen_b, counts_b)]
    same = a[at_a] == b[at_b]
    at_a, at_b = at_a[same], at_b[same]
    order = np.argsort(at_a)
    return _ascending(at_a[order].tolist(), at_b[order].tolist())


def _run_hashes(items: I64) -> I64:
    """A hash of each run of `_ANCHOR` items."""
    number = len(items) - _ANCHOR + 1
    hashes = np.zeros(max(number, 0), np.int64)
    for offset in range(_ANCHOR if number > 0 else 0):
        # Overflow wraps, which is what a polynomial hash wants (Knuth's multiplier).
        hashes = hashes * np.int64(6364136223846793005) + items[offset : offset + number]
    return hashes


def _ascending(first: list[int], second: list[int]) -> Pairs:
    """The longest run of pairs that ascends in `second` too; `first` ascends already."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, value in enumerate(second):
        place = bisect_left(tops, value)
        before.append(ends[place - 1] if place else -1)
        if place == len(tops):
            tops.append(value)
            ends.append(index)
        else:
            tops[place], ends[place] = value, index
    found: Pairs = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append((first[at], second[at]))
        at = before[at]
    return found[::-1]
