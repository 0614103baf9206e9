"""A made-up trace of two devices, one of which pauses three times, each for another reason."""

from __future__ import annotations

from builders import Event, kernel, launched, runtime


def paused() -> list[Event]:
    """GPU 0 runs [10, 20), [30, 40), [50.001, 60) and [80, 100) us; GPU 1 [20, 25) us.

    The first gap is of 10 us to the ns and queued, the second of 10.001 us before a kernel
    without a launch, the third of 20 us after a synchronise: 2 us of it, 8 us unrecorded,
    5 us of the launch call and 5 us in the queue.
    """
    return [
        *launched(1, 0, 10, 10, "first"),
        *launched(2, 12, 30, 10, "second"),
        kernel("stray", 50.001, 9.999),
        runtime("cudaDeviceSynchronize", 41, 21),
        *launched(3, 70, 80, 20, "third"),
        kernel("other", 20, 5, device=1),
    ]
