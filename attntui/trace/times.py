"""Microseconds as trace files write them, to integer nanoseconds, without loss."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from attntui.trace.model import I64

EXACT_BELOW_US = 2.0**43
"""Under this a float64 of microseconds lies within 0.0005 us of the number written."""

NO_TIME = np.iinfo(np.int64).min
"""Stands for a time that is absent, no number, or out of bounds."""

EARLIEST_NS = -(2**61)
LATEST_NS = 2**62
LONGEST_NS = 2**61 - 1
"""Bounds on times (about the years 1896 to 2116 by the epoch) and durations: with them
no difference of two ends overflows 64 bits."""

_PLAIN = re.compile(rb"(-?)(\d{1,18})(?:\.(\d{1,3}))?")
# Up to sixteen digits, and below `LATEST_NS`.
_WHOLE = rb"(?:[1-3]\d{15}|\d{1,15})"
_THREE_DECIMALS = re.compile(rb"%b\.\d{3}(?:,%b\.\d{3})*" % (_WHOLE, _WHOLE))
_NO_DECIMALS = re.compile(rb"%b(?:,%b)*" % (_WHOLE, _WHOLE))
_NUMBER = re.compile(rb"-?\d{1,400}(\.\d{0,400})?([eE][-+]?\d{1,3})?")


def ns_from_floats(microseconds: npt.NDArray[np.float64]) -> I64:
    """Rounds to the nearest nanosecond; exact for numbers under `EXACT_BELOW_US`."""
    good = (microseconds > EARLIEST_NS / 1000) & (microseconds < LATEST_NS / 1000)
    us = microseconds if good.all() else np.where(good, microseconds, 0.0)
    whole = np.floor(us)
    ns: I64 = whole.astype(np.int64) * 1000 + np.rint((us - whole) * 1000.0).astype(np.int64)
    return ns if us is microseconds else np.where(good, ns, NO_TIME)


def durations_from_floats(microseconds: npt.NDArray[np.float64]) -> I64:
    """As `ns_from_floats`, but what is too long becomes `LONGEST_NS`."""
    return ns_from_floats(np.clip(microseconds, None, LONGEST_NS // 1000))


def ns_from_text(text: bytes) -> int:
    """The nanoseconds of a number's digits, which may stand in quotes; else `NO_TIME`."""
    ns = _number(text)
    return ns if ns is not None and EARLIEST_NS < ns < LATEST_NS else NO_TIME


def _number(text: bytes) -> int | None:
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        sign, whole, fraction = plain.groups()
        ns = int(whole) * 1000
        if fraction:
            ns += int(fraction) * (1, 100, 10, 1)[len(fraction)]
        ns = -ns if sign else ns
    else:
        bare = text.strip(b'" \t\r\n')
        if _NUMBER.fullmatch(bare) is None:
            return None
        ns = int((Decimal(bare.decode()) * 1000).to_integral_value())
    return ns


def ns_from_texts(texts: Iterable[Any]) -> I64:
    """`ns_from_text` of each text, given as bytes or as something that holds bytes."""
    numbers = [bytes(text) for text in texts]
    alike = _all_alike(numbers)
    if alike is not None:
        return alike
    return np.array([ns_from_text(number) for number in numbers], dtype=np.int64)


def durations_from_texts(texts: Iterable[Any]) -> I64:
    """As `ns_from_texts`, but what is too long becomes `LONGEST_NS`."""
    numbers = [bytes(text) for text in texts]
    alike = _all_alike(numbers)
    if alike is not None:
        return np.minimum(alike, LONGEST_NS)
    exact = [_number(number) for number in numbers]
    return np.array(
        [NO_TIME if ns is None else max(-1, min(ns, LONGEST_NS)) for ns in exact], np.int64
    )


def _all_alike(numbers: list[bytes]) -> I64 | None:
    """The nanoseconds where all numbers have three decimals, or all have none."""
    joined = b",".join(numbers)
    if _THREE_DECIMALS.fullmatch(joined):
        return np.fromstring(joined.replace(b".", b"").decode(), dtype=np.int64, sep=",")
    if _NO_DECIMALS.fullmatch(joined):
        return np.fromstring(joined.decode(), dtype=np.int64, sep=",") * 1000
    return None
