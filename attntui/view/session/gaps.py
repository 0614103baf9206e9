"""From one gap to the next."""

from __future__ import annotations

from attntui.analysis.slice import Slice
from attntui.trace.model import ABSENT
from attntui.view.session.selection import GapAt, gap_at
from attntui.view.session.timeline import Timeline


def gap_beside(
    part: Slice, here: GapAt | None, timeline: Timeline, threshold: int, direction: int
) -> GapAt | None:
    """The next (1) or previous (-1) gap of a slice of at least `threshold` ns, by time, inside
    the timeline's bounds: from the gap of a stream one of that stream, else one of any device.
    None where there is none.
    """
    view = timeline.viewport
    of_stream = here is not None and here.stream != ABSENT
    gaps = part.stream_gaps if of_stream else part.gaps
    chosen = gaps.over(threshold, view.low, view.high)
    number = None
    if here is not None:
        number = gaps.number_of(here.device, here.start, here.end, here.stream)
        if of_stream:
            same = (gaps.device == here.device) & (gaps.stream == here.stream)
            chosen = chosen[same[chosen]]
    found = gaps.beside(chosen, number, timeline.cursor, direction)
    return None if found is None else gap_at(gaps, found)
