"""Argument parsing that ends in one clear line."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from attntui.cli.output import flush, put_all
from attntui.errors import AttntuiError
from attntui.extent import Extent
from attntui.safe import safe
from attntui.view.words.formats import parse_duration

_SIZE = re.compile(r"(\d{1,12}(?:\.\d+)?)\s*([kKMGT]?)(?:i?B)?")


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


def window_argument(text: str) -> tuple[int, int]:
    """Two times such as `100ms..1.5s`, the later one last, in ns."""
    low, dots, high = text.partition("..")
    if not dots:
        raise argparse.ArgumentTypeError(f"not two times: {text!r} (write it like 100ms..200ms)")
    window = time_argument(low), time_argument(high)
    if not 0 <= window[0] < window[1]:
        raise argparse.ArgumentTypeError(f"ends before it begins: {text!r}")
    return window


def size_argument(text: str) -> int:
    """A size such as `500M` or `2.5GB`, in bytes."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"not a size: {text!r} (write it like 500M or 2G)")
    return int(float(match[1]) * 1000 ** (" KMGT".index(match[2].upper() or " ")))


def at_least_one(text: str) -> int:
    """A whole number, 1 or more."""
    number = whole_number(text)
    if number == 0:
        raise argparse.ArgumentTypeError("0 is none: give 1 or more")
    return number


def add_extent(parser: argparse.ArgumentParser) -> None:
    """The options that read a part of a trace."""
    part = parser.add_argument_group(
        "a part of a trace that is too large",
        "Times stay those of the whole. The file is gone through twice.",
    )
    part.add_argument(
        "--window", type=window_argument, metavar="A..B", help="what overlaps 100ms..200ms"
    )
    part.add_argument(
        "--last-steps", type=at_least_one, metavar="N", help="from the Nth step before the end"
    )
    part.add_argument(
        "--max-memory",
        type=size_argument,
        metavar="SIZE",
        help="stop reading where the rest needs more than 2G (default: what is free)",
    )


def add_no_cache(parser: argparse.ArgumentParser) -> None:
    """The option that reads the file itself."""
    parser.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        help="read the file itself, and keep nothing of it (so does ATTNTUI_NO_CACHE=1)",
    )


def extent_of(parsed: argparse.Namespace) -> Extent:
    """The part that is asked for."""
    return Extent(parsed.window, parsed.last_steps, parsed.max_memory)


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
