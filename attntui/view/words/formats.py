"""Figures as people read them: durations, counts, sizes, shares, rates.

An absent figure (None) is `-` everywhere, never 0.
"""

from __future__ import annotations

import re

from attntui.analysis.quantity import Quantity
from attntui.safe import Safe

ABSENT = Safe("-")

_TIME_UNITS = (("us", 1e3), ("ms", 1e6), ("s", 1e9))
_PREFIXES = ("", "k", "M", "G", "T", "P", "E")
_NS_PER_UNIT = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9}
_DURATION = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?\s*(ns|us|µs|μs|ms|s)?", re.ASCII)


def _significant(value: float, digits: int) -> str:
    """`value` (>= 0) with `digits` significant digits, never in exponent form."""
    whole = len(str(int(value)))
    return f"{value:,.{max(0, digits - whole)}f}"


def duration(ns: float | None, digits: int = 4) -> Safe:
    """Nanoseconds in the unit that fits, with `digits` significant digits: `1.062 ms`."""
    if ns is None:
        return ABSENT
    sign = "-" if ns < 0 else ""
    size = abs(ns)
    if round(size) < 1000:
        return Safe(f"{'' if round(size) == 0 else sign}{round(size)} ns")
    for unit, scale in _TIME_UNITS:
        text = _significant(size / scale, digits)
        # What rounds up to 1,000 belongs to the next unit.
        if unit == "s" or float(text.replace(",", "")) < 1000:
            break
    return Safe(f"{sign}{text} {unit}")


_AGES = ((365 * 86400, "y"), (86400, "d"), (3600, "h"), (60, "min"))


def age(seconds: float) -> Safe:
    """How long ago, in its largest unit: `3 d`; of less than a minute `now`."""
    for unit, word in _AGES:
        if seconds >= unit:
            return Safe(f"{int(seconds // unit)} {word}")
    return Safe("now")


def parse_duration(text: str) -> int:
    """Nanoseconds of `1.5ms`, `300us`, `2 s` or `12` (ns without a unit), exactly.

    Raises ValueError where the text is no duration.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a time: {text!r} (write it like 1.5ms or 300us)")
    sign, whole, fraction, unit = match.groups()
    fraction = fraction or ""
    scaled = int(whole + fraction) * _NS_PER_UNIT[unit or "ns"]
    size = scaled // int("1" + "0" * len(fraction))
    return -size if sign == "-" else size


def count(value: int | None) -> Safe:
    """A whole number with thousands marked: `12,345`."""
    return ABSENT if value is None else Safe(f"{value:,}")


def counted(value: int, word: str) -> Safe:
    """A number with its noun: `1 note`, `12,345 notes`."""
    return Safe(f"{value:,} {word}{'' if value == 1 else 's'}")


def _prefixed(value: float, unit: str, digits: int) -> Safe:
    size, step = abs(value), 0
    while step < len(_PREFIXES) - 1 and float(f"{size:.{digits}g}") >= 1000:
        size, step = size / 1000, step + 1
    number = f"{size:,.0f}" if step == 0 and size == int(size) else _significant(size, digits)
    return Safe(f"{'-' if value < 0 else ''}{number} {_PREFIXES[step]}{unit}")


def size(value: float | None, digits: int = 3) -> Safe:
    """Bytes in decimal units, as vendors state memory and bandwidth: `537 MB`."""
    return ABSENT if value is None else _prefixed(value, "B", digits)


def rate(per_second: float | None, unit: str, digits: int = 3) -> Safe:
    """A rate with a decimal prefix: `rate(1.9e12, "B/s")` is `1.90 TB/s`."""
    return ABSENT if per_second is None else _prefixed(per_second, unit, digits)


def ratio(part: float, whole: float) -> float | None:
    """`part / whole`, or None where there is no whole."""
    return part / whole if whole else None


def percent(share: float | None) -> Safe:
    """A share of one as percent with one decimal: `36.2 %`.

    A share that is small, or nearly everything, never reads as nothing or as all.
    """
    if share is None:
        return ABSENT
    value = 100 * share
    if 0 < value < 0.05:
        return Safe("<0.1 %")
    if 99.95 <= value < 100:
        return Safe(">99.9 %")
    return Safe(f"{value:.1f} %")


def figure(value: float | None, quantity: Quantity, digits: int | None = None) -> Safe:
    """A figure of a quantity as people read it; `digits` for times alone."""
    if value is None:
        return ABSENT
    if quantity is Quantity.TIME:
        return duration(value) if digits is None else duration(value, digits)
    if quantity is Quantity.COUNT:
        return count(round(value))
    if quantity is Quantity.SHARE:
        return percent(value)
    if quantity is Quantity.PERCENT:
        return percent(value / 100)
    if quantity is Quantity.BYTES:
        return size(value)
    unit = {Quantity.FLOPS: "FLOP", Quantity.FLOP_RATE: "FLOP/s", Quantity.BYTE_RATE: "B/s"}
    return rate(value, unit[quantity])
