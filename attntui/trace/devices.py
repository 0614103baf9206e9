"""Keeps the devices of ranks merged into one file apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from attntui.trace.model import ABSENT, I32, Columns, Lane, LaneKind

MOST_DEVICES = 2**20
"""A device's number is below this, or it is none."""

_Place = tuple[str, int]
"""A pid and the file's number of a device."""


def devices_apart(
    lanes: Sequence[Lane], lane: I32, device: I32
) -> tuple[tuple[Lane, ...], I32, dict[int, int]]:
    """Numbers the devices of merged ranks apart: what one pid calls device 0 is not what
    another does. The first pid keeps its numbers; others get free ones where they clash.

    `lane` and `device` are columns. Gives lanes and devices as they are numbered now, and
    the file's own number of each device that has another.
    """
    numbers = [lane.device for lane in lanes if lane.device is not None]
    free = max(numbers, default=ABSENT) + 1
    first_pid: dict[int, str] = {}
    moved: dict[_Place, int] = {}
    for each in lanes:
        if each.kind is LaneKind.GPU and each.device is not None:
            place = each.pid, each.device
            if first_pid.setdefault(each.device, each.pid) != each.pid and place not in moved:
                moved[place] = free + len(moved)
    if not moved:
        return tuple(lanes), device, {}
    lanes = [
        each
        if each.device is None
        else replace(each, device=moved.get((each.pid, each.device), each.device))
        for each in lanes
    ]
    pids = {pid: number for number, pid in enumerate({each.pid for each in lanes})}
    process = np.array([pids[each.pid] for each in lanes], dtype=np.int64)[lane]
    places = sorted(
        (pids[pid] * MOST_DEVICES + number, new) for (pid, number), new in moved.items()
    )
    keys, renumbered = np.array(places, dtype=np.int64).T
    wanted = np.where(device == ABSENT, ABSENT, process * MOST_DEVICES + device)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    device = np.where(keys[at] == wanted, renumbered[at], device).astype(np.int32)
    return tuple(lanes), device, {new: number for (_, number), new in moved.items()}


def memory_devices(
    pids: Sequence[str],
    process: I32,
    device: I32,
    launched_on: Mapping[_Place, int],
    moved: Mapping[int, int],
) -> tuple[I32, dict[int, int]]:
    """Numbers the devices of memory events as `devices_apart` did those of kernels.

    `process` indexes `pids` and `device` is the file's number, for each memory event. A
    device that its process launched nothing on keeps its number, unless that is another
    process's device too. Gives the devices as they are numbered now, and `moved` with
    what is new.
    """
    told = device != ABSENT
    places = np.unique(np.stack((process[told], device[told]), axis=1), axis=0).tolist()
    taken = {*launched_on.values(), *moved}
    free = count(max([*taken, *(number for _, number in places)], default=ABSENT) + 1)
    renumbered, moved = device.copy(), dict(moved)
    for own, number in places:
        new = launched_on.get((pids[own], number))
        if new is None:
            new = next(free) if number in taken else number
            taken.add(new)
            if new != number:
                moved[new] = number
        renumbered[(process == own) & (device == number)] = new
    return renumbered, moved


def devices_launched_on(
    lanes: Sequence[Lane], columns: Columns, launch: I32, moved: Mapping[int, int]
) -> dict[_Place, int]:
    """The trace's number of what each host process calls a device, by what it launched.

    `moved` is as `devices_apart` gives it. A kernel stands under a pid of its device, so
    only its launch tells the process. Where links disagree the most common one counts.
    """
    ops = np.flatnonzero((launch != ABSENT) & (columns.device != ABSENT))
    links = np.stack((columns.lane[launch[ops]], columns.device[ops]), axis=1)
    pairs, counts = np.unique(links, axis=0, return_counts=True)
    votes: dict[_Place, Counter[int]] = defaultdict(Counter)
    for (lane, device), number_of_links in zip(pairs.tolist(), counts.tolist(), strict=True):
        votes[lanes[lane].pid, moved.get(device, device)][device] += number_of_links
    return {place: found.most_common(1)[0][0] for place, found in votes.items()}
