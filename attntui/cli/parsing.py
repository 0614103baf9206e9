"""Argument parsing that ends in one clear line."""

from __future__ import annotations

import argparse
from typing import NoReturn

from attntui.cli.output import flush, put_all
from attntui.errors import AttntuiError
from attntui.safe import safe
from attntui.view.words.formats import parse_duration


class Parser(argparse.ArgumentParser):
    """Raises AttntuiError instead of printing usage and leaving; help is printed as reports are."""

    def _print_message(self, message: str, file: object = None) -> None:
        """What `--help` and `--version` print; argparse would pass over a failure."""
        put_all(safe(line) for line in message.splitlines())
        flush()

    def error(self, message: str) -> NoReturn:
        raise AttntuiError(f"{message} (see {self.prog} --help)")


def time_argument(text: str) -> int:
    """A time such as `1.5ms` or `300us`, in ns."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def positive(text: str) -> float:
    """A number above zero."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"not a number above zero: {text!r}")
    return value


def add_peaks(parser: argparse.ArgumentParser) -> None:
    """The options that give the roofs of the device."""
    parser.add_argument(
        "--peak-bw", type=positive, metavar="TB/S", help="the device's memory bandwidth"
    )
    parser.add_argument(
        "--peak-tflops",
        type=positive,
        metavar="TFLOPS",
        help="the device's peak rate of bf16 and fp16 on tensor cores",
    )


def peaks_of(parsed: argparse.Namespace) -> tuple[float | None, float | None]:
    """The roofs that were given, in bytes/s and FLOP/s."""
    bandwidth, tflops = parsed.peak_bw, parsed.peak_tflops
    return (
        None if bandwidth is None else bandwidth * 1e12,
        None if tflops is None else tflops * 1e12,
    )


def whole_number(text: str) -> int:
    """A whole number, 0 or more."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"not a whole number: {text!r}")
    return int(text)
