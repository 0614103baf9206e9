"""How far a load has come, and how long it will take from here."""

from __future__ import annotations

import math

from attntui.safe import Safe, safe
from attntui.trace.loading import Progress
from attntui.view.words.formats import count, size

GUESSED_FROM_S = 0.3
"""Seconds before which the speed of a load is no measure of what is left."""


def progress_text(at: Progress) -> Safe:
    """Bytes of how many, events, and the seconds left where they can be told."""
    done = size(at.bytes_done)
    read = done if at.bytes_total is None else f"{done} of {size(at.bytes_total)}"
    left = seconds_left(at)
    time = f"{at.seconds:.1f} s" if left is None else f"about {left} s left"
    return safe(f"{read}   {count(at.events)} events   {time}")


def seconds_left(at: Progress) -> int | None:
    """Whole seconds that the rest of the file takes at the speed so far; None where the size of
    the file or the speed is not known.
    """
    if at.bytes_total is None or not at.bytes_done or at.seconds < GUESSED_FROM_S:
        return None
    left = max(at.bytes_total - at.bytes_done, 0)
    return math.ceil(at.seconds * left / at.bytes_done)
