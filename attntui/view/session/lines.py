"""Where on the timeline a selection is drawn, and what stands on a place there."""

from __future__ import annotations

from collections.abc import Sequence

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Range
from attntui.trace.model import ABSENT, Trace
from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.session.selection import (
    CallAt,
    EventAt,
    FindingAt,
    GapAt,
    Nothing,
    Selection,
    event_of,
    gap_at,
)
from attntui.view.session.timeline import Line


def led_to(selected: Selection) -> Selection:
    """What is selected; of a finding where it leads."""
    if isinstance(selected, FindingAt) and selected.place is not None:
        return selected.place
    return selected


def selection_on(analysed: AnalysedTrace, track: Track, number: int) -> Selection:
    """What a number on a track stands for."""
    if track.names_gaps:
        return gap_at(analysed.whole.gaps, number)
    return CallAt(number) if track.names_calls else EventAt(number)


def number_on(analysed: AnalysedTrace, track: Track, selected: Selection) -> int | None:
    """The number of what is selected among those on a track; None where it is not there."""
    chosen = led_to(selected)
    if track.names_calls:
        return chosen.index if isinstance(chosen, CallAt) else None
    if not track.names_gaps:
        return None if isinstance(chosen, CallAt) else event_of(analysed, chosen)
    if not isinstance(chosen, GapAt) or not _bears(analysed.trace, track, chosen):
        return None
    return analysed.whole.gaps.number_of(chosen.device, chosen.start, chosen.end)


def line_of(analysed: AnalysedTrace, tracks: Sequence[Track], selected: Selection) -> Line | None:
    """The line that a selection is drawn on; None for a stretch of time on no lane."""
    chosen = led_to(selected)
    if isinstance(chosen, Nothing | Range):
        return None
    event = event_of(analysed, chosen)
    for number, track in enumerate(tracks):
        if isinstance(chosen, GapAt):
            row = 0 if _bears(analysed.trace, track, chosen) else None
        elif isinstance(chosen, CallAt):
            row = track.row_of_call(chosen.index)
        else:
            row = None if event is None else track.row_of_event(event)
        if row is not None:
            return Line(number, row)
    return None


def _bears(trace: Trace, track: Track, gap: GapAt) -> bool:
    """Whether a track shows a gap: its device's idle strip, or the stream that it is of."""
    if track.device != gap.device or gap.stream == ABSENT:
        return track.device == gap.device and track.names_gaps
    stream = None if track.lane is None else trace.lanes[track.lane].stream
    return track.kind is TrackKind.GPU and stream == gap.stream
