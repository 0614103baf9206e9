"""One joint alignment of two units: which piece of A answers to which piece of B.

The order of both is kept. Pieces are matched first by op and shapes, then between those
matches by name, then by the op around; what no pass matches stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from attntui.analysis.compare.pieces import LEVELS, Piece
from attntui.analysis.compare.subsequence import Pairs, common_subsequence

Aligned = list[tuple[int | None, int | None]]


def align(a: Sequence[Piece], b: Sequence[Piece]) -> Aligned:
    """Indices of pieces that answer to one another, None where there is no counterpart.

    Every piece appears once and both sides ascend; between two matches the pieces of the
    side that sorts first by its names come first. So B against A is A against B mirrored.
    """
    levels = [_numbers(a, b, level) for level in range(LEVELS)]
    swapped = levels[0][1] < levels[0][0]
    if swapped:
        levels = [(second, first) for first, second in levels]
    pairs: Pairs = []
    for numbers in levels:
        pairs = _fill(pairs, *numbers)
    joint = _joint(pairs, len(levels[0][0]), len(levels[0][1]))
    return [(j, i) for i, j in joint] if swapped else joint


def _numbers(a: Sequence[Piece], b: Sequence[Piece], level: int) -> tuple[list[int], list[int]]:
    """The pieces' names at one level as numbers, alike whichever side is called A. A piece
    without a name there gets a number that no other piece has.
    """
    names = {piece.tokens[level] for side in (a, b) for piece in side} - {None}
    number = {name: index for index, name in enumerate(sorted(names, key=repr))}
    found: list[list[int]] = []
    for side, sign in ((a, 1), (b, 2)):
        nameless = iter(range(-sign, -2 * len(side) - 3, -2))
        found.append(
            [
                number[name] if name in number else next(nameless)
                for name in (piece.tokens[level] for piece in side)
            ]
        )
    return found[0], found[1]


def _fill(pairs: Pairs, a: list[int], b: list[int]) -> Pairs:
    """The pairs, and between each two of them those of the numbers `a` and `b`."""
    found: Pairs = []
    last_a, last_b = 0, 0
    for i, j in [*pairs, (len(a), len(b))]:
        if i > last_a and j > last_b:
            between = common_subsequence(a[last_a:i], b[last_b:j])
            found += ((last_a + p, last_b + q) for p, q in between)
        if i < len(a):
            found.append((i, j))
        last_a, last_b = i + 1, j + 1
    return found


def _joint(pairs: Pairs, size_a: int, size_b: int) -> Aligned:
    """The pairs with everything that is unmatched in its place."""
    joint: Aligned = []
    last_a, last_b = 0, 0
    for i, j in [*pairs, (size_a, size_b)]:
        joint += ((at, None) for at in range(last_a, i))
        joint += ((None, at) for at in range(last_b, j))
        if i < size_a:
            joint.append((i, j))
        last_a, last_b = i + 1, j + 1
    return joint
