"""Masks and places, against loops over every entry."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attntui.trace.masks import mask_of, places_of

CHOSEN = st.lists(st.integers(0, 9), unique=True)


@given(CHOSEN)
def test_a_mask_is_true_at_the_chosen_entries_alone(chosen: list[int]) -> None:
    assert mask_of(10, chosen).tolist() == [entry in chosen for entry in range(10)]
    assert mask_of(10, np.array(chosen, np.int32)).tolist() == mask_of(10, chosen).tolist()


@given(CHOSEN)
def test_places_undo_the_choice(chosen: list[int]) -> None:
    places = places_of(10, chosen).tolist()
    assert places == [chosen.index(entry) if entry in chosen else -1 for entry in range(10)]
