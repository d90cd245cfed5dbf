"""Numbers as options have them, of ASCII, without a space or an underscore."""

from __future__ import annotations

import argparse
from collections.abc import Callable

_LONGEST = 20  # digits of 64 bits


def whole(least: int, most: int, words: str) -> Callable[[str], int]:
    """Returns what parses an option; `words` say what is expected of it."""

    def number(text: str) -> int:
        digits = text.lstrip("0") or text[:1]
        if not (text.isascii() and digits.isdecimal() and len(digits) <= _LONGEST and least <= int(digits) <= most):
            raise argparse.ArgumentTypeError(f"{shown(text)} is no {words}")
        return int(digits)

    return number


def seconds(text: str) -> float:
    """Parses a positive number of seconds."""
    try:
        found = float(text) if text.isascii() and text == text.strip() and "_" not in text else 0.0
    except ValueError:
        found = 0.0
    if not 0 < found < 1e9:
        raise argparse.ArgumentTypeError(f"{shown(text)} is no positive number of seconds")
    return found


def shown(text: str) -> str:
    """Returns the text of an option for an error, cut short."""
    return repr(text if len(text) <= 80 else text[:77] + "...")
