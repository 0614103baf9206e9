"""The two ways a capture can end without a trace."""

from __future__ import annotations


class CaptureError(Exception):
    """A failure the user can act on: one line that says what, where and what to do."""


class Refusal(Exception):
    """A workload that this machine, backend or shape does not support; the text is the reason.

    Refusals are recorded and skipped: in a suite they are a result, not a failure.
    """
