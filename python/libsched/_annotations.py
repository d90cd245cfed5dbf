"""What annotations of arguments accept, in words.

Annotations are evaluated after an error alone, so they may name what only type checkers import: such names stand
for arrays.
"""

from __future__ import annotations

import builtins
import collections.abc
import functools
import numbers
import operator
import os
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ._sources import SOURCE_WORDS, Source, is_source


class Misfit(NamedTuple):
    """A value that is of a wrong type: its name, what is expected there, and the value."""

    name: str
    what: str
    value: object


class _Array:
    """Stands for numpy's arrays."""


class _Names(dict[str, Any]):
    """The names of a module and Python's own; an unknown one is an array of numpy."""

    def __missing__(self, name: str) -> Any:
        return _Array


#: Words for classes whose names say too little.
_WORDS = {"View": "a Cluster or Snapshot", "Judge": "a Framework", "CapacityJudge": "a Framework",
          "_Deliverable": "a Cluster", "timedelta": "a timedelta", "PathLike": "a path", "Verdicts": "a FitResult",
          "type": "a class", "_Readable": "an open file", "_Array": "a numpy array"}
_PROTOCOLS = {"Judge": "_take", "CapacityJudge": "_take", "_Deliverable": "_handle", "PathLike": "__fspath__",
              "_Readable": "read"}
_BYTES = (bytes, bytearray, memoryview)
_ITERABLES = (Iterable, Sequence, collections.abc.Set, list, tuple, set, frozenset)


def _evaluated(annotation: Any, module: str) -> Any:
    """Returns what an annotation of a module stands for; Any if that cannot be said."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {}, _Names({**vars(builtins), "os": os, **vars(sys.modules[module])}))
    except Exception:
        return Any


def misfit(annotation: Any, value: Any, name: str, function: Any) -> Misfit | None:
    """Returns what is wrong with a value, or with an item of it; None if nothing is."""
    wanted = _members(annotation, function)
    if not any(_accepts(one, value) for one in wanted):
        return Misfit(name, _either([_words(one, function) for one in wanted if one is not type(None)]), value)
    if isinstance(value, (list, tuple)):
        return _misfit_of_items(wanted, value, name, function)
    if isinstance(value, Mapping):
        return _misfit_of_entries(wanted, value, name, function)
    return None


def _misfit_of_items(wanted: list[Any], value: Iterable[Any], name: str, function: Any) -> Misfit | None:
    if any(one is _Source for one in wanted):
        for index, item in enumerate(value):
            if not any(_accepts(one, item) for one in wanted):
                words = [_words(one, function) for one in wanted if one is not type(None)]
                return Misfit(f"{name}[{index}]", _either(words), item)
        return None
    of = [one for one in wanted if typing.get_origin(one) in _ITERABLES and _accepts(one, value)]
    if len(of) != 1:
        return None
    of_item = typing.get_args(of[0])
    if typing.get_origin(of[0]) is tuple:
        if Ellipsis not in of_item:
            return next((found for index, (one, item) in enumerate(zip(of_item, value))
                         if (found := misfit(one, item, f"{name}[{index}]", function))), None)
        of_item = of_item[:1]
    return next((found for index, item in enumerate(value)
                 if of_item and (found := misfit(of_item[0], item, f"{name}[{index}]", function))), None)


def _misfit_of_entries(wanted: list[Any], value: Mapping[Any, Any], name: str, function: Any) -> Misfit | None:
    of = [one for one in wanted if typing.get_origin(one) in (Mapping, dict)]
    if len(of) != 1 or any(one is _Source for one in wanted):
        return None
    of_key, of_value = typing.get_args(of[0])
    for key, item in value.items():
        if misfit(of_key, key, name, function):
            return Misfit(f"a key of {name}", _either([_words(one, function) for one in _members(of_key, function)]),
                          key)
        if found := misfit(of_value, item, f"{name}[{key!r}]", function):
            return found
    return None


class _Source:
    """Stands for a source of objects, which is a union of nearly everything."""


def _members(annotation: Any, function: Any) -> list[Any]:
    """Returns the types of a union, without repetition."""
    return _members_in(annotation, function.__module__)


@functools.lru_cache(maxsize=None)
def _members_in(annotation: Any, module: str) -> list[Any]:
    annotation = _evaluated(annotation, module)
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return [annotation]
    members: list[Any] = []
    for one in typing.get_args(annotation):
        for member in _members_in(one, module):
            if member not in members:
                members.append(member)
    if object in members:  # a source, perhaps among others
        of_source = [_evaluated(one, module) for one in typing.get_args(Source)]
        return [_Source, *(one for one in members if one not in of_source)]
    return members


def _accepts(kind: Any, value: Any) -> bool:
    if kind in (Any, object) or isinstance(kind, typing.TypeVar):
        return True
    if kind in (None, type(None)):
        return value is None
    if kind is _Source:
        return is_source(value)
    if kind is _Array:
        return hasattr(value, "dtype") or isinstance(value, _BYTES)
    if kind is bool:
        return is_flag(value)
    if kind is int:
        return _is_whole(value)
    if kind is float:
        return isinstance(value, numbers.Real) and not isinstance(value, bool)
    origin = typing.get_origin(kind) or kind
    if origin is Literal:
        return isinstance(value, str)
    if origin is Callable:
        return callable(value)
    if origin in _ITERABLES:
        return isinstance(value, Iterable) and not isinstance(value, (str, *_BYTES, Mapping))
    if protocol := _PROTOCOLS.get(getattr(origin, "__name__", "")):
        return hasattr(value, protocol)
    return not isinstance(origin, type) or isinstance(value, origin)


def is_flag(value: object) -> bool:
    """Returns whether a value is True or False; numpy's are such, too."""
    return isinstance(value, bool) or (
        getattr(getattr(value, "dtype", None), "kind", "") == "b" and getattr(value, "shape", None) == ())


def _is_whole(value: Any) -> bool:
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _words(kind: Any, function: Any, plural: bool = False) -> str:
    origin = typing.get_origin(kind) or kind
    args = typing.get_args(kind)
    if kind is _Source:
        return SOURCE_WORDS
    if kind is bool:
        return "True or False"
    if origin is Literal:
        return _either([f'"{one}"' for one in args])
    if origin in (Mapping, dict):
        return "a mapping" + (f" of {_plural(args[0], function)} to {_plural(args[1], function)}"
                              if args and Any not in args else "")
    if origin in _ITERABLES:
        return "an iterable" + (f" of {_plural(args[0], function)}" if args and args[0] is not Any else "")
    if origin is Callable:
        return "a function"
    if kind in _BYTES:
        return "bytes"
    name = getattr(origin, "__name__", str(origin))
    plain = {"str": "a text", "int": "a whole number", "float": "a number"} | _WORDS
    return plain.get(name) or f"a{'n' * (name[:1] in 'AEIO')} {name}"


def _plural(annotation: Any, function: Any) -> str:
    """Returns words for several values."""
    one = [_words(kind, function) for kind in _members(annotation, function) if kind is not bool]
    if not one:
        return "True or False"
    return " and ".join(
        f"{word}s" for word in dict.fromkeys(word.removeprefix("a ").removeprefix("an ") for words in one
                                             for word in words.split(" or ")))


def _either(words: Sequence[str]) -> str:
    """Returns alternatives as a text."""
    words = list(dict.fromkeys(words))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
