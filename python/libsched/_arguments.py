"""Checks of arguments, with errors that name the argument and say what it is."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from .errors import InvalidError, MisuseError

_Kind = TypeVar("_Kind")


def wrong(name: str, what: str, value: object) -> MisuseError:
    """Makes the error about an argument: what it is, and what was given instead."""
    given = repr(value)
    return MisuseError(f"{name} is {what}, not {given if len(given) <= 80 else type(value).__name__}")


def whole(value: Any, name: str, least: int, most: int) -> int:
    """Returns a whole number within bounds; numpy's integers are such, too.

    Raises
    ------
    MisuseError
        The value is no whole number.
    InvalidError
        It is out of bounds.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(name, "a whole number", value) from None
    if not least <= number <= most:
        top = "2**64 - 1" if most == (1 << 64) - 1 else most
        raise InvalidError(f"{name} is a number from {least} to {top}, not {number}")
    return number


def mapping(value: Any, name: str, of: str) -> Mapping[str, Any]:
    """Returns a mapping with texts as keys; `of` describes it.

    Raises
    ------
    MisuseError
        The value is none.
    """
    if not isinstance(value, Mapping):
        raise wrong(name, f"a mapping of {of}", value)
    for key in value:
        if not isinstance(key, str):
            raise wrong(f"a key of {name}", "a text", key)
    return value


def texts(value: Any, name: str) -> Mapping[str, str]:
    """Returns a mapping of texts to texts.

    Raises
    ------
    MisuseError
        The value is none.
    """
    for key, item in mapping(value, name, "texts to texts").items():
        if not isinstance(item, str):
            raise wrong(f"{name}[{key!r}]", "a text", item)
    return value  # type: ignore[no-any-return]


def items(value: Any, name: str, of: str) -> list[Any]:
    """Returns the items of an iterable that is no text and no mapping; `of` describes them.

    Raises
    ------
    MisuseError
        The value is none.
    """
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise wrong(name, f"an iterable of {of}", value)
    return list(value)


def text(value: Any, name: str) -> str:
    """Returns a text.

    Raises
    ------
    MisuseError
        The value is none.
    """
    if not isinstance(value, str):
        raise wrong(name, "a text", value)
    return value


def flag(value: Any, name: str) -> bool:
    """Returns True or False.

    Raises
    ------
    MisuseError
        The value is neither.
    """
    if not isinstance(value, bool):
        raise wrong(name, "True or False", value)
    return value


def instance(value: Any, kind: type[_Kind], name: str) -> _Kind:
    """Returns an object of a class.

    Raises
    ------
    MisuseError
        The value is of another.
    """
    if not isinstance(value, kind):
        raise wrong(name, f"a {kind.__name__}", value)
    return value
