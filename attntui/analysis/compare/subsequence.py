"""The longest common subsequence of two long sequences, without a quadratic table.

The lengths of a row of the classic table lie in the bits of one integer (H. Hyyrö,
"Bit-parallel LCS-length computation revisited", 2004), so that a row costs n / 30 digit
operations, and Hirschberg's division (1975) finds the pairs in linear space.

The standard library's `difflib.SequenceMatcher` does not serve: it takes the longest run
first. Of 100,000 items in layers that repeat, one in fifty edited, it paired 795 in 250 s
where 98,011 were to be paired, in 4 s here; of real steps of a Qwen and a vLLM trace 90
pieces in 0.54 s, where 251 were, in 0.01 s. Trimmed ends and anchors changed that little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from attntui.trace.masks import mask_of
from attntui.trace.model import I64

Pairs = list[tuple[int, int]]

_TABLE_BITS = 1 << 22
"""Up to this size, half a megabyte, the rows of a part are kept and walked back directly."""

_LARGEST = 20_000_000_000
"""Products of lengths beyond this (140,000 each) are cut at anchors first: seconds each."""

_ANCHOR = 16
"""How many equal items in a row make an anchor."""

_VOTERS = 101
"""How many anchors round the middle tell by how much the sequences are shifted there."""

_KEPT = 1024
"""How many masks are kept at a time: twelve megabytes at 100,000 items."""


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


def _masks(b: Sequence[int]) -> Callable[[int], int]:
    """For an item an integer whose bits are the places where it stands in `b`."""
    items, known = np.array(b, np.int64), set(b)

    @lru_cache(maxsize=_KEPT)
    def made(item: int) -> int:
        return int.from_bytes(np.packbits(items == item, bitorder="little").tobytes(), "little")

    return lambda item: made(item) if item in known else 0


def _rows(a: Sequence[int], b: Sequence[int], keep: list[int] | None = None) -> int:
    """The last row of the table, one bit a place of `b`: 0 where the length grows.

    Every row is appended to `keep` where it is given.
    """
    masks, full = _masks(b), (1 << len(b)) - 1
    row = full
    for item in a:
        mask = masks(item)
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
    """Where to cut sequences that are too long: at an anchor near the middle of `a` that is
    shifted as the ones beside it are for the most part, else both in the middle.
    """
    at_a, at_b = _anchors(np.array(a, np.int64), np.array(b, np.int64))
    inner = np.flatnonzero(at_a + at_b)
    if not len(inner):
        return len(a) // 2, len(b) // 2
    near = inner[np.argsort(np.abs(at_a[inner] - len(a) // 2), kind="stable")[:_VOTERS]]
    shift = at_b[near] - at_a[near]
    chosen = near[np.argsort(shift, kind="stable")[len(near) // 2]]
    return int(at_a[chosen]), int(at_b[chosen])


def _anchors(a: I64, b: I64) -> tuple[I64, I64]:
    """Places of runs of `_ANCHOR` items that occur equally often in both, paired in order."""
    runs_a, runs_b = _run_hashes(a), _run_hashes(b)
    items_a, counts_a = np.unique(runs_a, return_counts=True)
    items_b, counts_b = np.unique(runs_b, return_counts=True)
    _, in_a, in_b = np.intersect1d(items_a, items_b, assume_unique=True, return_indices=True)
    equal = counts_a[in_a] == counts_b[in_b]
    found = []
    for runs, counts, chosen in ((runs_a, counts_a, in_a), (runs_b, counts_b, in_b)):
        mask = mask_of(len(counts), chosen[equal])
        found.append(np.argsort(runs, kind="stable")[np.repeat(mask, counts)])
    return found[0], found[1]


def _run_hashes(items: I64) -> I64:
    """A hash of each run of `_ANCHOR` items."""
    number = max(len(items) - _ANCHOR + 1, 0)
    hashes = np.zeros(number, np.int64)
    for offset in range(_ANCHOR if number else 0):
        # Overflow wraps, which is what a polynomial hash wants (Knuth's multiplier).
        hashes = hashes * np.int64(6364136223846793005) + items[offset : offset + number]
    return hashes
