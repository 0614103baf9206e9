"""The alignment: order kept, every piece once, mirrored, and fast on long units."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attntui.analysis.compare.alignment import Aligned, align
from attntui.analysis.compare.pieces import Piece, Token

NONE = np.zeros(0, np.int64)


def piece(name: str, shapes: object = None, around: str | None = None) -> Piece:
    strict: Token = ("op", name, repr(shapes))
    outer: Token | None = None if around is None else ("around", around)
    return Piece(NONE, None, 0, False, (strict, ("op", name), outer))


def pieces(text: str) -> list[Piece]:
    """A piece a word: `mm`, `mm:64` with shapes, `mm@linear` inside another op."""
    found = []
    for word in text.split():
        head, _, around = word.partition("@")
        name, _, shapes = head.partition(":")
        found.append(piece(name, shapes or None, around or None))
    return found


def pairs(a: str, b: str) -> list[tuple[str, str]]:
    words = a.split(), b.split()
    joint = align(pieces(a), pieces(b))
    return [
        ("-" if i is None else words[0][i], "-" if j is None else words[1][j]) for i, j in joint
    ]


def check(joint: Aligned, size_a: int, size_b: int) -> None:
    assert [i for i, _ in joint if i is not None] == list(range(size_a))
    assert [j for _, j in joint if j is not None] == list(range(size_b))
    assert (None, None) not in joint


def test_in_order_and_what_is_missing_stands_in_its_place() -> None:
    assert pairs("norm mm gelu mm", "norm mm mm") == [
        ("norm", "norm"),
        ("mm", "mm"),
        ("gelu", "-"),
        ("mm", "mm"),
    ]


def test_shapes_decide_before_names_do() -> None:
    assert pairs("mm:1 mm:2", "mm:2 mm:3") == [("mm:1", "-"), ("mm:2", "mm:2"), ("-", "mm:3")]
    assert pairs("mm:1 mm:2", "mm:3 mm:4") == [("mm:1", "mm:3"), ("mm:2", "mm:4")]


def test_the_op_around_decides_last() -> None:
    assert pairs("norm addmm@linear gelu", "norm mm@linear gelu") == [
        ("norm", "norm"),
        ("addmm@linear", "mm@linear"),
        ("gelu", "gelu"),
    ]
    assert pairs("addmm@linear", "mm@matmul") in (
        [("addmm@linear", "-"), ("-", "mm@matmul")],
        [("-", "mm@matmul"), ("addmm@linear", "-")],
    )


WORDS = st.lists(st.sampled_from(["a", "b", "c:1", "c:2", "d@x", "e@x", "f@y"]), max_size=20).map(
    " ".join
)


@given(WORDS, WORDS)
def test_every_piece_once_in_order_and_mirrored(a: str, b: str) -> None:
    there = align(pieces(a), pieces(b))
    check(there, len(a.split()), len(b.split()))
    back = align(pieces(b), pieces(a))
    assert [(j, i) for i, j in back] == there
    names = {(x.split("@")[0].split(":")[0], y.split("@")[0].split(":")[0]) for x, y in pairs(a, b)}
    assert all(x == y or "-" in (x, y) or {x, y} == {"d", "e"} for x, y in names)


@given(WORDS)
def test_against_itself_everything_answers_to_itself(a: str) -> None:
    assert align(pieces(a), pieces(a)) == [(i, i) for i in range(len(a.split()))]


def test_a_hundred_thousand_pieces_with_edits() -> None:
    rng = random.Random(3)
    layer = [f"op{rng.randrange(12)}:{rng.randrange(3)}" for _ in range(100)]
    kinds = {word: pieces(word)[0] for word in layer}
    a = [kinds[word] for word in layer * 1000]
    b = [item for item in a if rng.random() > 0.01]
    for _ in range(1000):
        at = rng.randrange(len(b) - 1)
        b[at], b[at + 1] = b[at + 1], b[at]
    joint = align(a, b)
    check(joint, len(a), len(b))
    assert sum(None not in pair for pair in joint) > len(b) - 1100
