"""Columns by group: distinct combinations, sums, and the members of each group."""

from __future__ import annotations

import numpy as np

from attntui.trace.model import I32, I64


def distinct(*columns: I64 | I32) -> tuple[I64, I64]:
    """Distinct combinations of some columns: the first index of each, and each entry's number."""
    number = np.zeros(len(columns[0]), np.int64)
    first = number[:0]
    for column in columns:
        values = np.unique(column, return_inverse=True)[1]
        # Numbered anew after each column, so that the product never overflows.
        key = number * (int(values.max(initial=0)) + 1) + values
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return first, number


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
