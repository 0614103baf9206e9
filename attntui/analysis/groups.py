"""Columns by group: distinct combinations, sums, and the members of each group."""

from __future__ import annotations

import numpy as np

from attntui.trace.model import I32, I64

_MOST_KINDS = 2**62
"""How many kinds of values can be numbered in 64 bits."""


def distinct(*columns: I64 | I32) -> tuple[I64, I64]:
    """Distinct combinations of some columns: the first index of each, and each entry's number."""
    key, kinds = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        values, more = _from_zero(column)
        if kinds * more > _MOST_KINDS:
            key = np.unique(key, return_inverse=True)[1]
            kinds = int(key.max(initial=0)) + 1
        key, kinds = key * more + values, kinds * more
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return first, number


def _from_zero(column: I64 | I32) -> tuple[I64, int]:
    """Values in the same order that begin with 0, and how many there may be."""
    if not len(column):
        return column.astype(np.int64), 1
    low, high = int(column.min()), int(column.max())
    if high - low < 2**31:
        return column.astype(np.int64) - low, high - low + 1
    values, number = np.unique(column, return_inverse=True)
    return number, len(values)


def sums(group: I64, values: I64, groups: int) -> I64:
    """The sum of the values of each of `groups` groups; `group` tells each value's.

    In integers: the float weights of `bincount` would lose nanoseconds.
    """
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, values)
    return total


def apart(values: I64, group: I64 | I32) -> tuple[I64, list[I64]]:
    """The groups that occur, ascending, and the values of each in their order."""
    order = np.argsort(group, kind="stable")
    groups, first = np.unique(group[order], return_index=True)
    return groups.astype(np.int64), np.split(values[order], first)[1:]
