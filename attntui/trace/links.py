"""Which runtime or driver call launched which GPU operation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I32, I64, Bool

_OWNER_SHARE = 0.1
"""A process owns a device when it made at least this part of the device's sure launches."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The columns that tell launches: see `Columns`; `process` numbers each row's pid."""

    start: I64
    correlation: I64
    external_id: I64
    device: I64
    offset: I64
    process: I32


def find_launches(ops: I64, calls: I64, columns: Linked) -> I32:
    """For each row the row of its launch among `calls` if it is one of `ops`, else ABSENT.

    `ops` and `calls` are rows in order of start. The launch is the earliest call with
    the operation's correlation. Where several processes use one correlation (ranks
    merged into one file), only calls of processes that own the operation's device are
    considered; of several, one with the operation's external id comes first, then one
    whose process was written around the operation's place in the file, then one that
    began before it, then the nearest in the file.
    """
    correlation, process = columns.correlation, columns.process
    launch = np.full(len(correlation), ABSENT, dtype=np.int32)
    ops = ops[correlation[ops] != ABSENT]
    calls = calls[correlation[calls] != ABSENT]
    if not len(ops) or not len(calls):
        return launch
    calls = _first_of_each(calls, correlation, process)
    ids = correlation[calls]
    low = np.searchsorted(ids, correlation[ops], side="left")
    high = np.searchsorted(ids, correlation[ops], side="right")
    single = high - low == 1
    launch[ops[single]] = calls[low[single]]
    if (ids[1:] == ids[:-1]).any():
        _tell_apart(launch, ops, calls, low, high, columns)
    return launch


def _first_of_each(calls: I64, correlation: I64, process: I32) -> I64:
    """The earliest call of each process and correlation, by correlation."""
    calls = calls[np.lexsort((calls, process[calls], correlation[calls]))]
    same = (correlation[calls[1:]] == correlation[calls[:-1]]) & (
        process[calls[1:]] == process[calls[:-1]]
    )
    return calls[np.concatenate(([True], ~same))]


def _tell_apart(launch: I32, ops: I64, calls: I64, low: I64, high: I64, columns: Linked) -> None:
    """Chooses among the calls of several processes, and undoes links across ranks."""
    counts = high - low
    op = np.repeat(ops, counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    call = calls[np.repeat(low, counts) + np.arange(len(op)) - first]
    process, external_id = columns.process[call], columns.external_id
    late = columns.start[op] < columns.start[call]
    distance = np.abs(columns.offset[op] - columns.offset[call])
    other_id = (external_id[op] != external_id[call]) | (external_id[op] == ABSENT)
    keys = (other_id, ~_written_around(op, calls, process, columns), late, distance)
    sure = np.repeat(counts == 1, counts)
    owned = _owned(columns.device[op], process, sure, _best(op, keys))
    best = owned.copy()
    best[owned] = _best(op[owned], tuple(key[owned] for key in keys))
    launch[ops] = ABSENT
    launch[op[best]] = call[best]


def _written_around(op: I64, calls: I64, process: I32, columns: Linked) -> Bool:
    """True where the operation stands amid the calls of a process: ranks are often
    merged one after another."""
    count = int(columns.process[calls].max()) + 1
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.full(count, ABSENT)
    np.minimum.at(first, columns.process[calls], columns.offset[calls])
    np.maximum.at(last, columns.process[calls], columns.offset[calls])
    at = columns.offset[op]
    return (at >= first[process]) & (at <= last[process])


def _best(op: I64, keys: tuple[I64 | Bool, ...]) -> Bool:
    """True for the one candidate of each operation that comes first by `keys`."""
    order = np.lexsort((*reversed(keys), op))
    heads = np.concatenate(([True], op[order[1:]] != op[order[:-1]])) if len(op) else order == 0
    return mask_of(len(op), order[heads])


def _owned(device: I64, process: I32, sure: Bool, best: Bool) -> Bool:
    """True where the candidate's process owns the operation's device.

    The only candidates of their operations vote; for a device without such, the best do.
    """
    owned = np.zeros(len(device), dtype=np.bool_)
    for each in np.unique(device):
        here = device == each
        voters = here & sure
        if not voters.any():
            voters = here & best
        processes, votes = np.unique(process[voters], return_counts=True)
        owners = processes[votes >= _OWNER_SHARE * votes.sum()]
        owned |= here & np.isin(process, owners)
    return owned
