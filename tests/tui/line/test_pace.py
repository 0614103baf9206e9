"""Frames go when the terminal has drawn those before, and rarely where it answers slowly."""

from __future__ import annotations

from collections import deque
from threading import Thread

import pytest

from attntui.tui.line.pace import (
    APART_S,
    FIRST_PATIENCE_S,
    PATIENCE_S,
    QUESTION,
    SLOW_ANSWER_S,
    UNDER_WAY,
    Pace,
)

SMALL = UNDER_WAY // 4


def begun() -> Pace:
    """A terminal that answered the first question at once."""
    pace = Pace()
    assert pace.begin(0.0) == QUESTION
    pace.answered(0.0)
    return pace


def test_small_frames_go_together_and_large_ones_wait_for_the_answer() -> None:
    pace = begun()
    for _ in range(3):
        assert not pace.wait(1.0)
        assert pace.wrote(1.0, SMALL) == QUESTION
    assert not pace.wait(1.0)
    pace.wrote(1.0, 50 * UNDER_WAY)
    for answered in range(4):
        assert pace.wait(1.1), answered
        pace.answered(1.1)
    assert not pace.wait(1.1)


def test_a_terminal_that_never_answers_is_not_asked_again() -> None:
    pace = Pace()
    pace.begin(0.0)
    assert pace.wrote(0.1, 10 * UNDER_WAY) == ""
    assert not pace.wait(0.1)


def test_an_answer_that_is_lost_is_not_waited_for_and_a_late_one_counts() -> None:
    pace = begun()
    pace.wrote(1.0, UNDER_WAY)
    assert pace.wait(1.0 + PATIENCE_S)
    assert not pace.wait(1.1 + PATIENCE_S)
    assert pace.wrote(4.0, UNDER_WAY) == ""
    assert not pace.wait(4.0)
    pace.answered(5.0)
    assert pace.wrote(5.0, UNDER_WAY) == QUESTION


def test_a_slow_line_has_few_frames() -> None:
    pace = begun()
    pace.slow = True
    assert not pace.wait(10.0)
    pace.wrote(10.0, SMALL)
    assert pace.wait(10.0) == pytest.approx(APART_S)
    assert not pace.wait(10.0 + APART_S)


@pytest.mark.parametrize(
    ("seconds", "slow"),
    [
        ((0.3, 0.3), False),  # too few to tell
        ((0.3, 0.3, 0.3), True),
        ((0.5, 0.6, 0.01), False),  # it was the program that was busy
        ((0.5, 0.6, SLOW_ANSWER_S / 2), False),
        ((0.01, 0.5, 0.5, 0.5), False),
    ],
)
def test_a_line_is_slow_where_no_answer_was_quick(seconds: tuple[float, ...], slow: bool) -> None:
    pace = Pace()
    pace.begin(0.0)
    pace.answered(seconds[0])
    for now, taken in enumerate(seconds[1:], 1):
        pace.wrote(now, SMALL)
        pace.answered(now + taken)
    assert pace.slow is slow


def test_at_the_end_the_answers_are_waited_for() -> None:
    pace = begun()
    pace.wrote(1.0, SMALL)
    pace.wrote(1.0, SMALL)

    def answer() -> None:
        pace.answered(1.1)
        pace.answered(1.1)

    thread = Thread(target=answer)
    thread.start()
    pace.finish(1.0)
    thread.join()
    assert pace.answers == 3
    # Nothing is open any more, and what never comes is not waited for.
    pace.finish(1.0)
    pace.wrote(2.0, SMALL)
    pace.finish(2.0 + PATIENCE_S)
    silent = Pace()
    silent.begin(0.0)
    silent.finish(FIRST_PATIENCE_S)


def test_another_terminal_is_measured_anew() -> None:
    pace = begun()
    pace.wrote(1.0, UNDER_WAY)
    assert pace.begin(2.0) == QUESTION
    assert not pace.wait(2.0)
    assert pace.wrote(2.0, UNDER_WAY) == ""


class Line:
    """A line of so many bytes a second, both ways with a delay, by a clock of its own. A frame
    of `size` bytes is wanted with each key; those that wait become one.
    """

    def __init__(self, pace: Pace, rate: float, delay: float, size: int) -> None:
        self.pace, self.rate, self.delay, self.size = pace, rate, delay, size
        self.now = self.free = 0.0
        self.answers: deque[float] = deque()
        self.waiting: list[float] = []
        self.frames = 0
        self.latest = 0.0
        """The longest from a key to the screen that shows it."""

    def send(self, size: int) -> float:
        """When all of it has arrived."""
        self.free = max(self.free, self.now) + size / self.rate
        return self.free + self.delay

    def key(self) -> None:
        self.waiting.append(self.now)

    def tick(self, seconds: float) -> None:
        self.now += seconds
        while self.answers and self.answers[0] <= self.now:
            self.pace.answered(self.answers.popleft())
        if self.waiting and not self.pace.wait(self.now):
            shown = self.send(self.size)
            if self.pace.wrote(self.now, self.size):
                self.answers.append(shown + self.delay)
            self.latest = max(self.latest, shown - self.waiting[0])
            self.waiting.clear()
            self.frames += 1


@pytest.mark.parametrize("size", [100, 2_000, 10_000, 40_000])
def test_held_keys_on_a_thin_line_are_never_far_behind(size: int) -> None:
    rate, delay = 125_000.0, 0.15
    pace = Pace()
    pace.begin(0.0)
    line = Line(pace, rate, delay, size)
    line.answers.append(2 * delay)
    for moment in range(10_000):
        if moment >= 400 and moment % 33 == 0:
            line.key()
        line.tick(0.001)
    one = size / rate
    assert line.frames > 15
    assert pace.slow
    # A frame that must be answered, and the frame itself.
    assert line.latest <= UNDER_WAY / rate + 2 * (one + delay) + APART_S + delay
    # Without waiting, ten seconds of keys of the largest frame would take a minute and a half.
    assert line.free - line.now <= 2 * one + UNDER_WAY / rate
