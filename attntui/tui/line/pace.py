"""When frames go, so that the terminal is never behind."""

from __future__ import annotations

from collections import deque
from threading import Condition

QUESTION = "\x1b[6n"
"""Where the cursor is: terminals answer when they have drawn what came before."""

UNDER_WAY = 4096
"""Bytes that the terminal may not have drawn yet when a frame goes: 33 ms at 1 Mbit/s."""

SLOW_ANSWER_S = 0.1
"""A terminal that never answers sooner is at the end of a slow line."""

ENOUGH_ANSWERS = 3
"""So many show how fast a terminal can answer: the first ones may wait for the program."""

APART_S = 0.1
"""The least time between two frames on a slow line."""

AGAIN_S = 0.01
"""When to look again whether the terminal is ready."""

PATIENCE_S = 2.0
"""After so long an answer will not come."""

FIRST_PATIENCE_S = 0.5
"""The same of the first answer: there are terminals that give none."""


class Pace:
    """Keeps the questions that were asked behind frames. Times are seconds of one clock; answers
    may come in another thread.

    A line is `slow` where that is set, or where the answers are. A terminal that does not answer
    is not waited for.
    """

    def __init__(self) -> None:
        self.slow = False
        self.answers = 0
        self._last = -APART_S
        self._least = PATIENCE_S
        self._asked: deque[tuple[float, int]] = deque()
        """When, and how many bytes stand before each question."""
        self._changed = Condition()

    def begin(self, now: float) -> str:
        """A terminal of which nothing is known; returns the first question."""
        with self._changed:
            self._asked = deque([(now, 0)])
            self.answers = 0
            self._least = PATIENCE_S
        return QUESTION

    def wait(self, now: float) -> float:
        """How long until the next frame goes, or until that is known; 0: now."""
        with self._changed:
            if self._asked and now - self._asked[0][0] > PATIENCE_S:
                self._asked.clear()
                self.answers = 0
            if sum(size for _, size in self._asked) >= UNDER_WAY:
                return AGAIN_S
        return max(self._last + APART_S - now, 0.0) if self.slow else 0.0

    def wrote(self, now: float, size: int) -> str:
        """Takes note of a frame of so many bytes; returns what has to follow it."""
        self._last = now
        if not self.answers:
            return ""
        with self._changed:
            self._asked.append((now, size))
        return QUESTION

    def answered(self, now: float) -> bool:
        """Takes note of an answer; whether the line is known to be slow since."""
        with self._changed:
            self.answers += 1
            if self._asked:
                self._least = min(self._least, now - self._asked.popleft()[0])
                self._changed.notify_all()
            is_slow = self.answers >= ENOUGH_ANSWERS and self._least > SLOW_ANSWER_S
            is_new = is_slow and not self.slow
            self.slow |= is_slow
        return is_new

    def finish(self, now: float) -> None:
        """Waits for the answers: later they would be keys for whoever has the terminal then."""
        with self._changed:
            if self._asked:
                patience = PATIENCE_S if self.answers else FIRST_PATIENCE_S
                left = self._asked[-1][0] + patience - now
                self._changed.wait_for(lambda: not self._asked, max(left, 0.0))
