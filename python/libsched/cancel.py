"""Cancel: what ends running calls from another thread."""

from __future__ import annotations

from . import _core
from ._arguments import instance


class Cancel:
    """What ends calls that were given it, as `threading.Event` would; any thread may use it.

    They raise `CancelledError`, and so do those that begin while it is set.

    >>> cancel = Cancel()
    >>> cancel.set()
    >>> cancel.is_set()
    True
    """

    __slots__ = ("_handle",)

    def __init__(self) -> None:
        self._handle = _core.Cancel()

    def set(self) -> None:
        """Ends the calls that run, and those that begin from now on."""
        self._handle.set()

    def reset(self) -> None:
        """From now on calls run again."""
        self._handle.reset()

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._handle.is_set()

    def __repr__(self) -> str:
        return f"<Cancel{', set' * self.is_set()}>"


def handle_of(cancel: Cancel | None) -> _core.Cancel | None:
    """As the extension wants it."""
    return None if cancel is None else instance(cancel, Cancel, "cancel")._handle
