"""Evaluators of frameworks, which are taken from a pool of the view for one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from . import _core
from ._sources import Source
from .errors import MisuseError
from .objects import Pod
from .view import View


class Taken:
    """An evaluator that goes back to its pool at the end of a ``with`` statement."""

    __slots__ = ("_evaluator", "_pool")

    def __init__(self, pool: list[_core.Evaluator], evaluator: _core.Evaluator) -> None:
        self._pool = pool
        self._evaluator = evaluator

    def __enter__(self) -> _core.Evaluator:
        return self._evaluator

    def __exit__(self, *error: object) -> None:
        self._pool.append(self._evaluator)


class Judge(Protocol):
    """What functions of several profiles need of a `Framework`."""

    def _take(self, view: View) -> Taken: ...


class taken_by:
    """An evaluator of each framework, for a ``with`` statement.

    Raises
    ------
    MisuseError
        There is no framework.
    """

    def __init__(self, frameworks: Iterable[Judge], view: View, name: str = "frameworks") -> None:
        self._taken = [framework._take(view) for framework in frameworks]
        if not self._taken:
            raise MisuseError(f"{name} is empty: give a Framework for each profile")

    def __enter__(self) -> list[_core.Evaluator]:
        return [one.__enter__() for one in self._taken]

    def __exit__(self, *error: object) -> None:
        for one in self._taken:
            one.__exit__()


class Calls:
    """The base of the parts of `Framework`: what they need of it."""

    __slots__ = ()

    _handle: _core.Framework

    def _pod(self, view: View, pod: Source) -> Pod:
        raise NotImplementedError

    def _take(self, view: View) -> Taken:
        raise NotImplementedError
