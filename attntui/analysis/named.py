"""Rows whose name passes a test: each distinct name is tested once, never each row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attntui.trace.masks import mask_of
from attntui.trace.model import I32, I64, Bool, Category, Trace

NameTest = Callable[[str], object]
"""Tells by truth whether a name passes."""


def holding(*words: str) -> NameTest:
    """The test that a name holds one of `words`."""
    return lambda name: any(word in name for word in words)


def names_of(trace: Trace, rows: I64 | I32) -> Bool:
    """Which names the rows bear: a mask over `trace.names`."""
    return mask_of(len(trace.names), trace.name[rows])


def names_passing(trace: Trace, test: NameTest, names: Bool) -> Bool:
    """Which names pass a test, of those in the mask `names`; a mask over `trace.names`."""
    tested = np.flatnonzero(names)
    passed = [bool(test(trace.names[index])) for index in tested.tolist()]
    return mask_of(len(trace.names), tested[np.array(passed, np.bool_)])


def is_named(trace: Trace, rows: I64, test: NameTest) -> Bool:
    """Which of some rows have a name that passes a test."""
    return names_passing(trace, test, names_of(trace, rows))[trace.name[rows]]


def rows_named(trace: Trace, rows: I64, test: NameTest) -> I64:
    """Those of some rows whose name passes a test, in their order."""
    return rows[is_named(trace, rows, test)]


def ops_named(trace: Trace, name: str) -> I64:
    """The CPU ops with a name, in order."""
    return rows_named(trace, np.flatnonzero(trace.category == Category.CPU_OP), name.__eq__)
