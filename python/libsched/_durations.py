"""Durations as nanoseconds, with errors that name the argument.

A timeout may be any number of seconds from 0 on, infinite too; a duration is a finite one, or a timedelta, and
what takes it says whether it may be negative.
"""

from __future__ import annotations

import datetime
import numbers
from typing import Any

from ._arguments import MOST, wrong
from .errors import InvalidError

#: Seconds that are more than 63 bits of nanoseconds can hold.
_BEYOND = 10**10


def timeout_ns(timeout: float | None) -> int | None:
    """Converts a timeout; None means that there is none.

    Raises
    ------
    MisuseError
        It is no number.
    InvalidError
        It is negative, or NaN.
    """
    if timeout is None:
        return None
    if not _is_number(timeout):
        raise wrong("timeout", "a number of seconds", timeout)
    if not timeout >= 0:
        raise InvalidError(f"timeout is a number of seconds from 0 on, not {timeout!r}")
    return round(timeout * 1e9) if timeout < 9e9 else None  # beyond the range of deadlines


def duration_ns(duration: float | datetime.timedelta, name: str = "duration") -> int:
    """Converts seconds or a timedelta.

    Raises
    ------
    MisuseError
        It is neither.
    InvalidError
        It is infinite or NaN, or has more nanoseconds than 63 bits can hold.
    """
    if isinstance(duration, datetime.timedelta):
        found = ((duration.days * 86400 + duration.seconds) * 10**6 + duration.microseconds) * 1000
    elif not _is_number(duration):
        raise wrong(name, "a number of seconds or a timedelta", duration)
    elif duration - duration != 0:
        raise InvalidError(f"{name} is a finite number of seconds, not {duration!r}")
    elif not -_BEYOND < duration < _BEYOND:
        found = MOST + 1  # a float of nanoseconds may be infinite
    else:
        found = duration * 10**9 if isinstance(duration, int) else round(float(duration) * 1e9)
    if not -MOST <= found <= MOST:
        raise InvalidError(f"{name} is less than 292 years, not {duration!r}")
    return found


def later_ns(now_ns: int, duration: float | datetime.timedelta, name: str = "duration") -> int:
    """Adds a duration to a time.

    Raises
    ------
    MisuseError, InvalidError
        Those of `duration_ns`.
    InvalidError
        The time is beyond what 63 bits can hold, in the year 2262.
    """
    time_ns = now_ns + duration_ns(duration, name)
    if not -MOST <= time_ns <= MOST:
        raise InvalidError(f"{name} ends beyond the year 2262: {duration!r}")
    return time_ns


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
