"""Streams of formats that tell a device by names alone: XLA's profiler, rocprof."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from attntui.trace.devices import MOST_DEVICES
from attntui.trace.interned import Interner
from attntui.trace.lanes import LaneTable
from attntui.trace.masks import mask_of
from attntui.trace.model import Category, LaneKind

_DEVICE = re.compile(r"(?:\d+ )?(?:/device:)?GPU[: ]?(\d{1,6})", re.IGNORECASE)
"""The name of a process that is a device."""

_STREAM = re.compile(r"(?:Stream ?#?)?(\d{1,18})\b.*", re.IGNORECASE | re.DOTALL)
"""The name of a thread of it that is a stream, or its number where it has no name."""

_COPY = re.compile(r"mem_?cpy|Copy(?:Host|Device)To", re.IGNORECASE)
_SET = re.compile(r"mem_?set", re.IGNORECASE)


def find_named_streams(
    arrays: dict[str, npt.NDArray[Any]], lanes: LaneTable, names: Interner[str]
) -> None:
    """Makes GPU operations of events without a category in lanes that are named as streams.

    Changes category, device and stream in `arrays`, and the kind of those lanes. Lines that
    sum streams up (`XLA Ops`, `Steps`) stay lanes of no kind: their time is the streams'.
    """
    found = {}
    for number, key in enumerate(lanes.keys):
        if key.kind is not LaneKind.CPU:
            continue
        device = _DEVICE.fullmatch(lanes.process_label(key))
        stream = _STREAM.fullmatch(lanes.label(key) or key.tid)
        if device and stream and int(device[1]) < MOST_DEVICES:
            found[number] = int(device[1]), int(stream[1])
    if not found:
        return
    known = mask_of(len(lanes.keys), arrays["lane"][arrays["category"] != Category.OTHER])
    for number, (device_number, stream_number) in found.items():
        if known[number]:
            continue
        lanes.make_stream(number, device_number, stream_number)
        rows = np.flatnonzero(arrays["lane"] == number)
        arrays["device"][rows] = device_number
        arrays["stream"][rows] = stream_number
        ids, which = np.unique(arrays["name"][rows], return_inverse=True)
        kinds = [_kind(names.values_seen[name]) for name in ids.tolist()]
        arrays["category"][rows] = np.array(kinds, np.int8)[which]


def _kind(name: str) -> Category:
    if _SET.search(name):
        return Category.MEMSET
    return Category.MEMCPY if _COPY.search(name) else Category.KERNEL
