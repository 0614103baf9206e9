"""Labels side by side on one line, each as near its place as those beside it allow."""

from __future__ import annotations

from collections.abc import Sequence

SHORTENED = (8, 4, 2)
"""To how many cells labels are cut, one after the other, where longer ones have no room; two
letters still tell every role.
"""


def placed(labels: Sequence[str], wanted: Sequence[int], width: int) -> str | None:
    """The labels in `width` cells with a blank between them, `wanted[i]` the cell at which
    label i begins if it can; None where they have no room however short.
    """
    for most in SHORTENED:
        short = [label[:most] for label in labels]
        places = _places([len(label) for label in short], wanted, width)
        if places is not None:
            line = ""
            for label, place in zip(short, places, strict=True):
                line = line.ljust(place) + label
            return line.ljust(width)
    return None


def _places(lengths: Sequence[int], wanted: Sequence[int], width: int) -> list[int] | None:
    """Where labels of these lengths begin: pushed right by those before, then left by the end."""
    places: list[int] = []
    free = 0
    for length, want in zip(lengths, wanted, strict=True):
        places.append(max(want, free))
        free = places[-1] + length + 1
    end = width
    for i in range(len(places) - 1, -1, -1):
        places[i] = min(places[i], end - lengths[i])
        end = places[i] - 1
    return places if not places or places[0] >= 0 else None
