"""Which runtime or driver call launched which GPU operation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I8, I32, I64, Bool

_OWNER_SHARE = 0.1
"""A process owns a device when it made at least this part of the device's sure launches."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The columns that tell launches: see `Columns`; `process` numbers each row's pid."""

    start: I64
    category: I8
    correlation: I64
    external_id: I64
    device: I64
    offset: I64
    process: I32


def find_launches(ops: I64, calls: I64, columns: Linked) -> tuple[I32, I64]:
    """For each row the row of its launch among `calls` if it is one of `ops`, else ABSENT;
    and those of `ops` that several calls may have launched.

    `ops` and `calls` are rows in order of start. The launch is the call with the
    operation's correlation; of a runtime and a driver call the earlier one.

    Where several processes use one correlation (ranks merged into one file), only calls
    of processes that own the operation's device are considered; of several, one with the
    operation's external id comes first, then one whose process was written around the
    operation's place in the file, then one that began before it, then the nearest in the
    file; but no call takes by its place alone what is as likely another's.

    Where a process uses one correlation again and again, calls and operations go by
    external id, else the first with the first, if there are as many of the one as of the
    other.
    """
    correlation, process = columns.correlation, columns.process
    launch = np.full(len(correlation), ABSENT, dtype=np.int32)
    ops = ops[correlation[ops] != ABSENT]
    calls = calls[correlation[calls] != ABSENT]
    if not len(ops) or not len(calls):
        return launch, ops[:0]
    calls, repeats = _of_one_kind(calls, columns)
    first = calls[_heads(process[calls], correlation[calls])]
    ids = correlation[first]
    low = np.searchsorted(ids, correlation[ops], side="left")
    high = np.searchsorted(ids, correlation[ops], side="right")
    single = high - low == 1
    launch[ops[single]] = first[low[single]]
    unsure = ops[:0]
    if (ids[1:] == ids[:-1]).any():
        unsure = _tell_apart(launch, ops, first, low, high, columns)
    if repeats:
        unsure = np.union1d(unsure, _tell_repeats(launch, ops, calls, columns))
    launch[unsure] = ABSENT
    return launch, unsure


def _heads(*keys: I64 | I32) -> Bool:
    """True for each row that differs from the one before it in any key."""
    differs = np.zeros(max(0, len(keys[0]) - 1), np.bool_)
    for key in keys:
        differs |= key[1:] != key[:-1]
    return np.append(np.ones(min(1, len(keys[0])), np.bool_), differs)


def _of_one_kind(calls: I64, columns: Linked) -> tuple[I64, bool]:
    """By correlation, process and time, the calls of the category that called first with
    each; and whether any is not the only one.
    """
    correlation, process = columns.correlation, columns.process
    calls = calls[np.lexsort((calls, process[calls], correlation[calls]))]
    heads = np.flatnonzero(_heads(process[calls], correlation[calls]))
    counts = np.diff(np.append(heads, len(calls)))
    leading = np.repeat(columns.category[calls[heads]], counts)
    calls = calls[columns.category[calls] == leading]
    return calls, len(calls) > len(heads)


def _tell_repeats(launch: I32, ops: I64, calls: I64, columns: Linked) -> I64:
    """Gives the operations of calls with one correlation in one process to each call.

    `launch` names the first call of the process. Gives the operations that go to none.
    """
    heads = np.flatnonzero(_heads(columns.process[calls], columns.correlation[calls]))
    counts = np.diff(np.append(heads, len(calls)))
    group = np.full(len(launch), ABSENT)
    group[calls[heads]] = np.arange(len(heads))
    ops = ops[launch[ops] != ABSENT]
    of_op = group[launch[ops]]
    ops, of_op = ops[counts[of_op] > 1], of_op[counts[of_op] > 1]
    if not len(ops):
        return ops
    calls = calls[np.repeat(counts > 1, counts)]
    of_call = np.repeat(np.flatnonzero(counts > 1), counts[counts > 1])
    launch[ops] = ABSENT
    found = _paired(of_op, columns.external_id[ops], of_call, columns.external_id[calls])
    found[columns.external_id[ops] == ABSENT] = ABSENT
    known = found != ABSENT
    launch[ops[known]] = calls[found[known]]
    taken = mask_of(len(calls), found[known])
    ops, of_op, calls, of_call = ops[~known], of_op[~known], calls[~taken], of_call[~taken]
    # As many calls as operations are left: they are in one order.
    size = len(heads)
    even = np.bincount(of_op, minlength=size) == np.bincount(of_call, minlength=size)
    by_group = ops[np.argsort(of_op, kind="stable")]
    op_even, call_even = even[np.sort(of_op, kind="stable")], even[of_call]
    launch[by_group[op_even]] = calls[call_even]
    return np.sort(by_group[~op_even])


def _paired(of_op: I64, op_id: I64, of_call: I64, call_id: I64) -> I64:
    """For each operation the place of the only call of its group with its id, if it is
    the only operation with that id there too; else ABSENT.
    """
    keys = np.concatenate((np.stack((of_op, op_id), 1), np.stack((of_call, call_id), 1)))
    _, key = np.unique(keys, axis=0, return_inverse=True)
    key = key.reshape(-1)
    op_key, call_key = key[: len(of_op)], key[len(of_op) :]
    size = int(key.max()) + 1
    alone = (np.bincount(op_key, minlength=size) == 1) & (
        np.bincount(call_key, minlength=size) == 1
    )
    place = np.full(size, ABSENT, np.int64)
    place[call_key] = np.arange(len(call_key))
    found: I64 = np.where(alone[op_key], place[op_key], ABSENT)
    return found


def _tell_apart(launch: I32, ops: I64, calls: I64, low: I64, high: I64, columns: Linked) -> I64:
    """Chooses among the calls of several processes, and undoes links across ranks.

    Gives the operations whose place alone would choose, while a call is left without any.
    """
    counts = high - low
    op = np.repeat(ops, counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    call = calls[np.repeat(low, counts) + np.arange(len(op)) - first]
    process, external_id = columns.process[call], columns.external_id
    late = columns.start[op] < columns.start[call]
    distance = np.abs(columns.offset[op] - columns.offset[call])
    other_id = (external_id[op] != external_id[call]) | (external_id[op] == ABSENT)
    around = _written_around(op, calls, process, columns)
    keys = (other_id, ~around, late, distance)
    sure = np.repeat(counts == 1, counts)
    owned = _owned(columns.device[op], process, sure, _best(op, keys))
    best = owned.copy()
    best[owned] = _best(op[owned], tuple(key[owned] for key in keys))
    launch[ops] = ABSENT
    launch[op[best]] = call[best]
    possible = owned | ~np.isin(columns.device[op], columns.device[op[sure]])
    return _crowded(op, call, possible, best, ~other_id, around)


def _crowded(op: I64, call: I64, possible: Bool, best: Bool, same_id: Bool, around: Bool) -> I64:
    """Operations that share a call while another of their candidates has none, and that
    neither an id nor the order of the file gives to theirs alone.
    """
    size, calls = int(op.max(initial=0)) + 1, int(call.max(initial=0)) + 1
    choices = np.bincount(op[possible], minlength=size)
    taken = np.bincount(call[best], minlength=calls)
    idle = np.zeros(size, np.bool_)
    idle[op[possible & (taken[call] == 0)]] = True
    amid = np.bincount(op[possible & around], minlength=size)
    sure = same_id | (around & (amid[op] == 1))
    crowded: I64 = op[best & ~sure & (taken[call] > 1) & (choices[op] > 1) & idle[op]]
    return crowded


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
