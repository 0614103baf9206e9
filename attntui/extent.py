"""Which part of a trace is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extent:
    """What is asked for; None where nothing was.

    `window` is a time from and to, in ns from the trace's origin; what overlaps it is read.
    `last_steps` is how many of the last `ProfilerStep#n`, with all that follows. `memory` is
    how many bytes the load and its analysis may take.
    """

    window: tuple[int, int] | None = None
    last_steps: int | None = None
    memory: int | None = None

    @property
    def takes_a_look(self) -> bool:
        """Whether the file is gone through once before, for its times."""
        return self.window is not None or self.last_steps is not None


WHOLE = Extent()
"""All of it."""
