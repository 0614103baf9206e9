"""Argument parsing that ends in one clear line."""

from __future__ import annotations

import argparse
from typing import NoReturn

from attntui.errors import AttntuiError
from attntui.view.formats import parse_duration


class Parser(argparse.ArgumentParser):
    """Raises AttntuiError instead of printing usage and leaving."""

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


def whole_number(text: str) -> int:
    """A whole number, 0 or more."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"not a whole number: {text!r}")
    return int(text)
