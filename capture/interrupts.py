"""Ctrl-C that cannot get lost: compilers swallow a KeyboardInterrupt now and then."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_asked = False


def _ask(number: int, frame: FrameType | None) -> None:
    global _asked  # noqa: PLW0603 - a signal handler has no other place to leave word
    _asked = True
    raise KeyboardInterrupt


@contextlib.contextmanager
def watch() -> Iterator[None]:
    """Turn SIGINT, SIGTERM and SIGHUP into KeyboardInterrupt and remember that one came."""
    global _asked  # noqa: PLW0603
    _asked = False
    before = {number: signal.signal(number, _ask) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def check() -> None:
    """Raise the KeyboardInterrupt again that someone in between has swallowed."""
    if _asked:
        raise KeyboardInterrupt
