"""Fork: a what-if of a cluster or of a simulated one."""

from __future__ import annotations

from types import TracebackType
from typing import Any, NoReturn, Protocol

from .errors import StateError


class Forked(Protocol):
    """What can be forked: `Cluster` and `Sim`."""

    _forks: list[Fork]

    def commit(self) -> None: ...
    def revert(self) -> None: ...


class Fork:
    """A what-if: a series of changes that can be undone. Made by `Cluster.fork` and `Sim.fork`.

    As a context manager it reverts at the end, unless it was committed.
    """

    __slots__ = ("_before", "_of")

    def __init__(self, of: Forked, before: Any = None) -> None:
        self._of: Forked | None = of  # None: closed
        self._before = before  # what a revert brings back in Python

    @property
    def is_open(self) -> bool:
        """Whether the fork was neither committed nor reverted."""
        return self._of is not None

    def commit(self) -> None:
        """Keeps the changes.

        Raises
        ------
        StateError
            The fork is closed, or a fork that was opened after it is still open.
        """
        of = self._opened("commit")
        if of._forks[-1] is not self:
            raise StateError("cannot commit: a fork that was opened after this one is still open")
        of.commit()

    def revert(self) -> None:
        """Undoes all changes since the fork was opened, including those in later forks.

        Raises
        ------
        StateError
            The fork is closed.
        """
        of = self._opened("revert")
        while self._of is not None:
            of.revert()

    def _opened(self, verb: str) -> Forked:
        if self._of is None:
            raise StateError(f"cannot {verb}: the fork is closed already")
        return self._of

    def __enter__(self) -> Fork:
        self._opened("enter")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if self.is_open:
            self.revert()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Fork cannot be copied or pickled: it belongs to its cluster")

    def __repr__(self) -> str:
        return f"<Fork, {'open' if self.is_open else 'closed'}>"
