"""What a figure counts: hence how it is written, and which words compare it."""

from __future__ import annotations

from enum import Enum


class Quantity(Enum):
    """The value says in which unit figures of the kind are kept."""

    TIME = "ns"
    COUNT = "count"
    BYTES = "bytes"
    FLOPS = "flops"
    BYTE_RATE = "bytes/s"
    FLOP_RATE = "flops/s"
    PERCENT = "percent"
    SHARE = "of one"
