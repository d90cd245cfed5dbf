"""Fork: a what-if of a cluster or of a simulated one."""

from __future__ import annotations

from types import TracebackType
from typing import Any, NoReturn

from .errors import StateError


class Fork:
    """A what-if: a series of changes that can be undone. Made by `Cluster.fork` and `Sim.fork`.

    As a context manager it reverts at the end, unless it was committed.
    """

    __slots__ = ("_before", "_of")

    def __init__(self, of: Forks, before: Any = None) -> None:
        self._of: Forks | None = of  # None: closed
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

    def _opened(self, verb: str) -> Forks:
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


class Forks:
    """The base of what can be forked: `Cluster` and `Sim`."""

    __slots__ = ()

    _handle: Any
    _forks: list[Fork]

    def commit(self) -> None:
        """Keeps the changes since the innermost fork, as part of the fork around it.

        Raises
        ------
        StateError
            No fork is open.
        """
        try:
            self._handle.commit()
        finally:
            self._close_forks()

    def revert(self) -> None:
        """Undoes the changes since the innermost fork.

        Raises
        ------
        StateError
            No fork is open.
        """
        fork = self._forks[-1] if self._forks else None
        try:
            self._handle.revert()
        finally:
            self._close_forks()
            if fork is not None and not fork.is_open:
                self._restore(fork._before)

    @property
    def fork_depth(self) -> int:
        """The number of open forks."""
        depth: int = self._handle.fork_depth
        return depth

    def _opened(self, before: Any = None) -> Fork:
        """Makes the object of a fork that the core has opened."""
        self._forks.append(Fork(self, before))
        return self._forks[-1]

    def _restore(self, before: Any) -> None:
        """Brings back in Python what a fork began with."""

    def _close_forks(self) -> None:
        """Closes the forks that the core has closed, which it does even if a plugin raises."""
        while len(self._forks) > self.fork_depth:
            self._forks.pop()._of = None
