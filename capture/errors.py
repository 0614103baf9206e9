"""The two ways a capture can end without a trace, and how they are shown."""

from __future__ import annotations


class CaptureError(Exception):
    """A failure the user can act on: one line that says what, where and what to do."""


class Refusal(Exception):
    """A workload that this machine, backend or shape does not support; the text is the reason.

    Refusals are recorded and skipped: in a suite they are a result, not a failure.
    """


def shown(text: str) -> str:
    """`text` as one line that a terminal shows literally: arguments and paths may hold what it
    would act on, which is written as its Python escape.
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
