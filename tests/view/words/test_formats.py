"""Figures read the same everywhere; an absent one is a dash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attntui.view.words import formats


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"),
        (0, "0 ns"),
        (-0.2, "0 ns"),
        (999, "999 ns"),
        (622.6, "623 ns"),
        (999.7, "1.000 us"),
        (1_000, "1.000 us"),
        (36_200, "36.20 us"),
        (283_211, "283.2 us"),
        (999_949, "999.9 us"),
        (999_960, "1.000 ms"),
        (1_062_000, "1.062 ms"),
        (-1_310_000, "-1.310 ms"),
        (1_000_000_000, "1.000 s"),
        (7_200_000_000_000, "7,200 s"),
    ],
)
def test_duration(ns: float | None, text: str) -> None:
    assert formats.duration(ns) == text


def test_duration_with_fewer_digits() -> None:
    assert formats.duration(36_249, digits=3) == "36.2 us"


@given(st.integers(1, 10**15), st.sampled_from([3, 4, 5]))
def test_duration_is_within_its_rounding(ns: int, digits: int) -> None:
    text = formats.duration(ns, digits)
    assert abs(formats.parse_duration(text.replace(",", "")) - ns) <= ns / 10 ** (digits - 1)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("1.5ms", 1_500_000),
        ("300us", 300_000),
        ("300 µs", 300_000),
        ("2s", 2_000_000_000),
        ("12", 12),
        ("-3us", -3_000),
        ("1712195495.519689047s", 1_712_195_495_519_689_047),
        ("0.0009us", 0),
    ],
)
def test_parse_duration(text: str, ns: int) -> None:
    assert formats.parse_duration(text) == ns


@pytest.mark.parametrize("text", ["", "ms", "1.5 h", "1e3us", "1,5ms", "٣us"])
def test_parse_duration_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="not a time"):
        formats.parse_duration(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0, "0 B"),
        (4, "4 B"),
        (999.6, "1.00 kB"),
        (268_435_456, "268 MB"),
        (1_340_000_000, "1.34 GB"),
        (-2_048, "-2.05 kB"),
    ],
)
def test_size(value: float | None, text: str) -> None:
    assert formats.size(value) == text


def test_rate_count_and_percent() -> None:
    assert formats.rate(1.9e12, "B/s") == "1.90 TB/s"
    assert formats.rate(792e12, "FLOP/s") == "792 TFLOP/s"
    assert formats.rate(None, "B/s") == "-"
    assert formats.count(12_345) == "12,345"
    assert formats.count(None) == "-"
    assert formats.percent(0.3621) == "36.2 %"
    assert formats.percent(0) == "0.0 %"
    assert formats.percent(0.0001) == "<0.1 %"
    assert formats.percent(0.99999) == ">99.9 %"
    assert formats.percent(1) == "100.0 %"
    assert formats.percent(None) == "-"
    assert formats.ratio(1, 4) == 0.25
    assert formats.ratio(1, 0) is None
