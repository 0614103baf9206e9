"""The errors a person at the terminal sees: one line, exit code 2 unless it is said otherwise."""

from __future__ import annotations

import errno


class AttntuiError(Exception):
    """Something the user can act on. `str(error)` says what, where and what to do."""


class InputError(AttntuiError):
    """The file given cannot be read as a trace."""


class OutputError(AttntuiError):
    """What was printed could not be written; exit code 74."""


class LoadCancelled(Exception):
    """The user cancelled the load; nothing is wrong with the file."""


NO_MEMORY = (
    "the memory that is free, or that a limit leaves, ran out; free some, raise the limit "
    "(ulimit -v, the job's memory), or record fewer steps"
)
"""What is said where an allocation failed."""

_NO_ROOM_SAID = (
    "can't start new thread",
    "failed to map segment",
    "cannot allocate memory",
    "unable to allocate",
)
"""What the runtime and the loader of libraries say, in errors that are of no kind of their own."""


def out_of_memory(error: BaseException) -> bool:
    """Whether an allocation failed, be it of an array, a thread or a library."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, MemoryError) or (
            isinstance(found, OSError) and found.errno == errno.ENOMEM
        ):
            return True
        if isinstance(found, (RuntimeError, ImportError)):
            said = str(found).lower()
            if any(words in said for words in _NO_ROOM_SAID):
                return True
        found = found.__cause__ or found.__context__
    return False
