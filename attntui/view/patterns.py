"""Patterns that the user types: regular expressions with one rule for case."""

from __future__ import annotations

import re


class BadPattern(ValueError):
    """The text typed is no regular expression; `str(error)` says why."""


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A regular expression, case ignored unless it holds a capital. Raises BadPattern."""
    flags = 0 if any(c.isupper() for c in pattern) else re.IGNORECASE
    try:
        return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(f"not a regular expression: {error}") from error
