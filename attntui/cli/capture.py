"""`attntui capture ...`: runs the capture, which needs torch, as a process of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence

from attntui.errors import AttntuiError


def run(arguments: Sequence[str]) -> int:
    """Hand all arguments to `python -m capture` and give its exit code."""
    if importlib.util.find_spec("torch") is None:
        raise AttntuiError(
            "capture needs torch, which is not installed here: "
            "pip install 'attntui[capture]', or run it where torch is"
        )
    return subprocess.run([sys.executable, "-m", "capture", *arguments], check=False).returncode
