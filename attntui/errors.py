"""The errors a person at the terminal sees: one line, exit code 2."""

from __future__ import annotations


class AttntuiError(Exception):
    """Something the user can act on. `str(error)` says what, where and what to do."""


class InputError(AttntuiError):
    """The file given cannot be read as a trace."""


class LoadCancelled(Exception):
    """The user cancelled the load; nothing is wrong with the file."""
