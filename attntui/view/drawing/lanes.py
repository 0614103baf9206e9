"""The lanes of a trace: its tracks, their colours, and the minimap over all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.groups import apart
from attntui.analysis.kept.fact import Facts, fact
from attntui.analysis.queue_depth import queue_depth
from attntui.safe import safe
from attntui.trace.model import Category
from attntui.view.drawing.paint import CATEGORY_PAINT, Paint, kernel_paint
from attntui.view.drawing.raster import RowIndex
from attntui.view.drawing.tracks import (
    Track,
    TrackKind,
    attention_track,
    curve_track,
    idle_track,
    lane_tracks,
)


@dataclass(frozen=True, eq=False)
class Lanes:
    """What the timeline draws of an analysed trace, each part made once."""

    analysed: AnalysedTrace

    def find_all(self) -> Lanes:
        """Makes what the first frame needs: to be called away from the keys."""
        _ = self.tracks, self.minimap, self._paints
        return self

    @property
    def facts(self) -> Facts | None:
        """What was kept of them."""
        return self.analysed.facts_of("lanes")

    @fact
    def tracks(self) -> tuple[Track, ...]:
        """All tracks but the idle strips: each device's queue before its streams, attention
        calls under the streams, memory last.
        """
        found = list(lane_tracks(self.analysed.labels))
        streams = [i for i, track in enumerate(found) if track.kind is TrackKind.GPU]
        below = streams[-1] + 1 if streams else 0
        found[below:below] = attention_track(self.analysed)
        for queue in self._queues({track.device for track in found if track.device is not None}):
            own = [i for i, track in enumerate(found) if _is_stream(track, queue.device)]
            found[own[0] : own[0]] = [queue]
        return (*found, *self._memory())

    @cached_property
    def _by_threshold(self) -> dict[int, tuple[Track, ...]]:
        """The tracks by gap threshold, as far as they were asked for."""
        return {}

    def at(self, threshold: int) -> tuple[Track, ...]:
        """All tracks at a gap threshold, made once for each."""
        if threshold not in self._by_threshold:
            self._by_threshold[threshold] = tuple(self._with_idle(threshold))
        return self._by_threshold[threshold]

    def _with_idle(self, threshold: int) -> Iterator[Track]:
        """The tracks with each device's gaps over `threshold` before its streams; the events
        of an idle strip are numbers into the gaps of the whole trace.
        """
        gaps = self.analysed.whole.gaps
        chosen = gaps.over(threshold)
        seen: set[int | None] = {None}
        for track in self.tracks:
            device = track.device
            if track.kind is TrackKind.GPU and device is not None and device not in seen:
                seen.add(device)
                own = chosen[gaps.device[chosen] == device]
                labels = self.analysed.labels
                yield idle_track(labels, device, gaps.start[own], gaps.end[own], own)
            yield track

    @fact
    def minimap(self) -> RowIndex:
        """What the minimap shows: the busiest device's union, else the first host lane."""
        devices = self.analysed.whole.devices
        if devices:
            busy = max(devices, key=lambda device: device.busy_ns).busy
            return RowIndex(busy.start, busy.end, np.arange(len(busy), dtype=np.int64))
        rows = next((track.rows for track in self.tracks if track.rows), None)
        none = np.zeros(0, np.int64)
        return rows[0] if rows else RowIndex(none, none, none)

    @fact
    def _paints(self) -> dict[int, Paint]:
        """The class of colour of each GPU operation's name id."""
        decoded = self.analysed.labels.decoded
        return {number: kernel_paint(name) for number, name in decoded.items()}

    def paint_of(self, row: int) -> Paint:
        """An event's class of colour."""
        trace = self.analysed.trace
        category = trace.category_of(row)
        if category is Category.KERNEL:
            return self._paints[int(trace.name[row])]
        return CATEGORY_PAINT.get(category, Paint.OTHER)

    def _queues(self, shown: set[int]) -> Iterator[Track]:
        """A strip a device: how many operations were launched and had not begun."""
        trace = self.analysed.trace
        devices, parts = apart(trace.gpu_ops, trace.device[trace.gpu_ops])
        for device, own in zip(devices.tolist(), parts, strict=True):
            if device not in shown:
                continue
            queue = queue_depth(trace, own)
            label = self.analysed.labels.device(device, "queue")
            yield from curve_track(TrackKind.QUEUE, label, device, queue.time, queue.depth)

    def _memory(self) -> Iterator[Track]:
        """A strip a device for allocated bytes and one for reserved, where recorded."""
        memory = self.analysed.trace.memory
        for device in np.unique(memory.device).tolist():
            where = "host" if device < 0 else self.analysed.labels.device(device)
            for word, values in (("alloc", memory.allocated), ("reserved", memory.reserved)):
                told = (memory.device == device) & (values >= 0)
                yield from curve_track(
                    TrackKind.MEMORY,
                    safe(f"{where} {word}"),
                    max(device, 0),
                    memory.time[told],
                    values[told],
                )


def _is_stream(track: Track, device: int | None) -> bool:
    return track.kind is TrackKind.GPU and track.device == device
