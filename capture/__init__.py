"""Capture attention workloads with torch.profiler, in the form attntui reads best.

`python -m capture` is the command; `record` wraps a step of your own script.
The package needs torch and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from capture.recorder import record

__all__ = ["record"]


def __getattr__(name: str) -> Any:
    # Deferred, so that `python -m capture list` and a clear "torch is missing" need no torch.
    if name == "record":
        from capture.recorder import record

        return record
    raise AttributeError(f"module 'capture' has no attribute {name!r}")
