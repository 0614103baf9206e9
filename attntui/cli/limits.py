"""Getting by in a process whose memory is limited."""

from __future__ import annotations

import os
import resource
from contextlib import suppress

_MOST_ARENAS = -8
"""`M_ARENA_MAX` of glibc's `mallopt`."""


def spare_memory() -> None:
    """Has threads take less memory. To be called before numpy is imported or a thread starts."""
    # numpy's would be as many as there are cores, and none has work here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        _share_one_arena()


def _share_one_arena() -> None:
    """Each thread would else claim 64 MB of addresses; where none are left, the loader of
    libraries ends the process in the middle of a screen.
    """
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_MOST_ARENAS, 1)
