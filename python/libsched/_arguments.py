"""Checks of arguments, with errors that name the argument and say what it is.

Functions and methods that users call have `names_arguments`, which costs nothing but a call until one fails: it then
compares the arguments with their annotations. What works with a wrong type, but not as meant, such as a text for
a flag, is checked by the function itself.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ._annotations import Misfit, is_flag, misfit
from ._near import hint
from .errors import Error, InvalidError, MisuseError, NotFoundError

_Kind = TypeVar("_Kind")
_Named = TypeVar("_Named")

#: The most that a limit, a position or a number of nanoseconds may be in the C API.
MOST = (1 << 63) - 1
#: Special methods whose arguments are a user's.
_SPECIAL = ("__init__", "__call__", "__getitem__")


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
    """Returns True or False; numpy's are such, too.

    Raises
    ------
    MisuseError
        The value is neither.
    """
    if not is_flag(value):
        raise wrong(name, "True or False", value)
    return bool(value)


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


def names_arguments(named: _Named) -> _Named:
    """Makes a function, or the public methods of a class, name an argument of a wrong type in their errors."""
    if not isinstance(named, type):
        return _naming(named)  # type: ignore[arg-type, return-value]
    return names_arguments_but()(named)


def names_arguments_but(*but: str) -> Callable[[_Named], _Named]:
    """Does so for the public methods of a class but some, which do it by `named_error`: a call more would be felt."""

    def name(kind: _Named) -> _Named:
        for name, member in list(vars(kind).items()):
            if name in but or (name.startswith("_") and name not in _SPECIAL):
                continue
            if isinstance(member, (classmethod, staticmethod)):
                setattr(kind, name, type(member)(_naming(member.__func__)))
            elif isinstance(member, property) and member.fset is not None:
                setattr(kind, name, member.setter(_naming(member.fset)))
            elif inspect.isfunction(member) and len(inspect.signature(member).parameters) > 1:
                setattr(kind, name, _naming(member))
        return kind

    return name


def checks_arguments(function: _Named) -> _Named:
    """Makes a function check its arguments before it begins: one that is not called often, and would take any."""

    @functools.wraps(function)  # type: ignore[arg-type]
    def call(*args: Any, **kwargs: Any) -> Any:
        if (unknown := _unknown_argument(function, args, kwargs)) is not None:
            raise unknown
        if (found := _misfit_of(function, args, kwargs)) is not None:
            raise wrong(*found)
        return function(*args, **kwargs)  # type: ignore[operator]

    return call  # type: ignore[return-value]


def _naming(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, AttributeError, ValueError, LookupError, OverflowError) as error:
            better = named_error(error, function, *args, **kwargs)
            if better is error:
                raise
            raise better from None

    return call


def named_error(error: BaseException, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> BaseException:
    """Returns the error of a call, or a better one that names the argument of a wrong type."""
    if type(error) is TypeError and (unknown := _unknown_argument(function, args, kwargs)) is not None:
        return unknown
    if isinstance(error, NotFoundError) and not kwargs and all(isinstance(arg, str) for arg in args[1:]):
        return error  # of a key, quickly
    if not _is_own(error):
        return error
    if isinstance(error, Error) and (error.path or error.plugin) and not isinstance(error, MisuseError):
        return error  # about what the arguments hold
    found = _misfit_of(function, args, kwargs)
    if found is None:
        return error if isinstance(error, Error) else _value_error(error, function, args, kwargs)
    if isinstance(error, MisuseError) and error.message.startswith((f"{found.name} is ", f"{found.name}[")):
        return error  # which says more, or the same
    return wrong(*found)


def _is_own(error: BaseException) -> bool:
    """Returns whether an error comes from this package, and not from a function that a user has given it."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is None or last.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "libsched"


@functools.lru_cache(maxsize=None)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _unknown_argument(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> MisuseError | None:
    """Returns the error about a named argument that a function does not have; None if it has all."""
    parameters = _signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return None
    for name in kwargs:
        if name not in parameters:
            of = type(args[0]).__name__ if function.__name__ == "__init__" else function.__qualname__
            return MisuseError(f'{of}() has no argument "{name}"{hint(name, parameters)}')
    return None


def _misfit_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Misfit | None:
    """Returns the first argument of a wrong type; None if there is none, or one too many or too few."""
    signature = _signature(function)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None
    for name, value in bound.items():
        parameter = signature.parameters[name]
        if parameter.annotation is parameter.empty or value is parameter.default:
            continue
        each = {name: value}
        if parameter.kind is parameter.VAR_POSITIONAL:
            each = {f"{name}[{index}]": one for index, one in enumerate(value)}
        elif parameter.kind is parameter.VAR_KEYWORD:
            each = value
        for of, one in each.items():
            if found := misfit(parameter.annotation, one, of, function):
                return found
    return None


def _value_error(error: BaseException, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BaseException:
    """Returns an error about an argument of the right type whose value the extension does not take."""
    if not isinstance(error, OverflowError) and not re.search("incompatible (function|constructor) arguments", str(error)):
        return error
    bound = _signature(function).bind(*args, **kwargs).arguments
    for name, value in bound.items():
        if (reason := _not_unicode(value)) is not None:
            return InvalidError(f"{name} is not Unicode: {reason}")
    numbers = {name: value for name, value in bound.items() if isinstance(value, int) and not isinstance(value, bool)}
    for least, most in ((-MOST, MOST), (0, MOST), (0, (1 << 31) - 1)):  # the furthest out is it
        for name, value in numbers.items():
            if not least <= value <= most:
                return InvalidError(f"{name} is out of range: {value}")
    return error


def _not_unicode(value: object) -> str | None:
    """Returns why a text, or one in a list or mapping, cannot be written in UTF-8; None if each can."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            return error.reason
    texts = [*value, *value.values()] if isinstance(value, Mapping) else value
    if not isinstance(texts, (list, tuple)):
        return None
    return next((reason for one in texts if (reason := _not_unicode(one)) is not None), None)


def check_fields(made: Any) -> None:
    """Checks the fields of a dataclass that users make, by their annotations.

    Raises
    ------
    MisuseError
        A field has a value of a wrong type.
    """
    for field in dataclasses.fields(made):
        # Annotations are in the words of the module that has them; a user's own fields are not checked.
        of = next((kind for kind in type(made).__mro__ if field.name in vars(kind).get("__annotations__", {})), type(made))
        if of.__module__.partition(".")[0] != "libsched":
            continue
        if found := misfit(field.type, getattr(made, field.name), field.name, of):
            raise wrong(*found)
