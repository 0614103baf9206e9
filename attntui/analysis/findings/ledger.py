"""Whose time is whose: each ns of the devices' spans goes to one finding at most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.gap_causes import Cause
from attntui.analysis.groups import sums
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, F64, I64, Bool

if TYPE_CHECKING:
    from attntui.analysis.findings.model import Finding
    from attntui.analysis.slice import Slice


@dataclass(frozen=True, slots=True)
class Share:
    """Time that a finding would own: own ns of each GPU operation, and of each gap by cause."""

    busy: I64
    idle: I64

    @property
    def busy_ns(self) -> int:
        return int(self.busy.sum())

    @property
    def idle_ns(self) -> int:
        return int(self.idle.sum())

    @property
    def ns(self) -> int:
        return self.busy_ns + self.idle_ns

    @property
    def ops(self) -> int:
        """How many operations it has time of."""
        return int(np.count_nonzero(self.busy))

    def factor(self, kept: float | F64 = 0.0) -> F64:
        """What part of its own time each operation still takes: `kept` of those of the share,
        all of the others.
        """
        return np.where(self.busy > 0, kept, 1.0)

    def factor_of_ns(self, spared: I64 | F64) -> F64:
        """The same where each of the share's operations takes `spared` ns less."""
        return self.factor(1 - spared / np.maximum(self.busy, 1))


class Ledger:
    """The leaves of a slice's time tree that no finding owns yet.

    `busy` has the own time of each of the slice's GPU operations (`Slice.own`), `idle` the
    split by cause of each of its gaps, shape [gaps, causes]. What is taken is taken once.
    """

    def __init__(self, seen: Slice) -> None:
        self.seen = seen
        self.busy = seen.own.copy()
        self.idle = seen.gaps.causes.split.copy()
        self._owners: list[str] = []
        self._idle_of: dict[str, I64] = {}
        self._owner_of_work = np.full(len(self.busy), ABSENT, np.int64)

    def work(self, rows: I64) -> Share:
        """What is left of some GPU operations of the slice, and of those without a launch
        whose names only these bear: the same work, given out before the recording began.
        """
        return Share(np.where(self._with_unlaunched(rows), self.busy, 0), self._no_idle())

    def idle_of(self, *causes: Cause, gaps: Bool | None = None) -> Share:
        """What is left of some causes, of all gaps or those of a mask."""
        chosen = np.zeros_like(self.idle)
        columns = list(causes)
        chosen[:, columns] = self.idle[:, columns]
        if gaps is not None:
            chosen[~gaps] = 0
        return Share(np.zeros_like(self.busy), chosen)

    def idle_part(self, cause: Cause, most: I64) -> Share:
        """What is left of one cause, of each gap up to `most` ns."""
        chosen = self._no_idle()
        chosen[:, cause] = np.minimum(self.idle[:, cause], np.maximum(most, 0))
        return Share(np.zeros_like(self.busy), chosen)

    def of_work(self, rows: I64) -> tuple[Share, str | None]:
        """The time of some GPU operations for a finding: what is left of it; where others own
        the most of it, the whole of it, and who owns most: the finding is a symptom of that one.
        """
        left = self.work(rows)
        # A call may have operations outside the slice.
        at = np.flatnonzero(np.isin(self.seen.gpu_ops, rows))
        own, owner = self.seen.own[at], self._owner_of_work[at]
        taken = owner != ABSENT
        if 2 * int(own[taken].sum()) <= int(own.sum()) or not self._owners:
            return left, None
        most = int(np.argmax(sums(owner[taken], own[taken], len(self._owners))))
        whole = np.zeros_like(self.busy)
        whole[at] = own
        return Share(whole, self._no_idle()), self._owners[most]

    def charged(self, found: Finding | None, share: Share) -> Iterator[Finding]:
        """The finding, if there is one; unless it is under another it takes its share."""
        if found is None:
            return
        if found.under is None:
            self.take(share, found.id)
        yield found

    def take(self, share: Share, name: str) -> None:
        """From now on a share belongs to the finding of that name."""
        self._owner_of_work[share.busy > 0] = len(self._owners)
        self._owners.append(name)
        self._idle_of[name] = share.idle
        self.busy -= share.busy
        self.idle -= share.idle

    def idle_owned_by(self, name: str) -> I64:
        """The idle time that a finding took, shape [gaps, causes]; none if it took nothing."""
        return self._idle_of.get(name, self._no_idle())

    def _no_idle(self) -> I64:
        return np.zeros_like(self.idle)

    def _with_unlaunched(self, rows: I64) -> Bool:
        trace, ops = self.seen.trace, self.seen.gpu_ops
        chosen = np.isin(ops, rows)
        launched = trace.launch[ops] != ABSENT
        names = len(trace.names)
        of_rows = mask_of(names, trace.name[ops[chosen]])
        of_others = mask_of(names, trace.name[ops[launched & ~chosen]])
        alone = of_rows & ~of_others
        return np.asarray(chosen | (~launched & alone[trace.name[ops]]), np.bool_)


def both(one: Share, other: Share) -> Share:
    """Two shares that have nothing in common, in one."""
    return Share(one.busy + other.busy, one.idle + other.idle)
