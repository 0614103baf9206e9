from __future__ import annotations

import pytest

from attntui.trace import Progress
from attntui.view.words.progress import progress_text, seconds_left

MB = 10**6


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (
            Progress(60 * MB, 180 * MB, 12_345, 2.0),
            "60.0 MB of 180 MB   12,345 events   about 4 s left",
        ),
        (Progress(60 * MB, None, 12_345, 2.0), "60.0 MB   12,345 events   2.0 s"),
        (Progress(1 * MB, 180 * MB, 0, 0.1), "1.00 MB of 180 MB   0 events   0.1 s"),
        (Progress(180 * MB, 180 * MB, 9, 6.0), "180 MB of 180 MB   9 events   about 0 s left"),
    ],
)
def test_a_load_tells_how_far_it_is(at: Progress, text: str) -> None:
    assert progress_text(at) == text


def test_a_file_that_has_grown_has_nothing_left() -> None:
    assert seconds_left(Progress(200, 100, 5, 3.0)) == 0


def test_before_the_first_bytes_nothing_is_known() -> None:
    assert seconds_left(Progress(0, 100, 0, 3.0)) is None
