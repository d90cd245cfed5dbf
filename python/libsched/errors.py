"""Exceptions. A pod that does not fit is not an error: its `Status` says why.

All exceptions derive from `Error`, and each also derives from the built-in exception that matches
it, so ``except ValueError`` catches a bad manifest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Error(Exception):
    """The base class of all exceptions of libsched.

    Attributes
    ----------
    message : str
        The text of the error. Those of kube-scheduler's validation begin with the place.
    path : str
        The place in the input, as in ``items[3].spec.nodeName``; empty if there is none.
    plugin : str
        The plugin involved; empty if there is none.
    code : int
        The return code of the C API. Codes of errors are negative and never change.
    """

    code: int = 0

    def __init__(self, message: str, path: str = "", plugin: str = "") -> None:
        Exception.__init__(self, message)
        self.message: str = message
        self.path: str = path
        self.plugin: str = plugin

    def __str__(self) -> str:
        told = self.message.removeprefix("[").startswith(self.path)
        return self.message if told else f"{self.path}: {self.message}"

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.path, self.plugin)


class InputWarning(UserWarning):
    """Input that is accepted, but probably not meant as it is written."""


class InvalidError(Error, ValueError):
    """The input is invalid; `path` names the place."""

    code = -1


class NotFoundError(Error, KeyError):
    """A name does not exist. The text names the one that may have been meant."""

    code = -2

    def __init__(self, message: str, path: str = "", plugin: str = "",
                 hint: Callable[[], str] | None = None) -> None:
        super().__init__(message, path, plugin)
        self._hint = hint  # looks at all names, so only a reader of the text pays for it

    def __str__(self) -> str:
        return super().__str__() + ("" if self._hint is None else self._hint())

    def __reduce__(self) -> Any:
        return type(self), (self.message + ("" if self._hint is None else self._hint()), self.path, self.plugin)


class ExistsError(Error, ValueError):
    """A name exists already."""

    code = -3


class UnsupportedError(Error, NotImplementedError):
    """The input is valid, but needs a feature that is missing; `plugin` names the plugin."""

    code = -4


class StateError(Error, RuntimeError):
    """The call is not allowed in the current state, such as `Cluster.apply` in a fork."""

    code = -5


class StaleError(Error, RuntimeError):
    """Data was prepared for an older state of the cluster. Run PreFilter again."""

    code = -6


class LimitError(Error, ValueError):
    """A size, depth or expansion limit was exceeded."""

    code = -7


class FileError(Error, OSError):
    """A file could not be read."""

    code = -8


class BufferSizeError(Error, BufferError):
    """A buffer was too small."""

    code = -9


class MisuseError(Error, TypeError):
    """The call is not allowed here, or an argument has the wrong type."""

    code = -10


class NoMemoryError(Error, MemoryError):
    """Memory ran out."""

    code = -11


class InternalError(Error, RuntimeError):
    """libsched has a bug."""

    code = -12


class CancelledError(Error):
    """The call was cancelled."""

    code = -13


class DeadlineExceeded(Error, TimeoutError):
    """The call reached its deadline. Nothing has changed."""

    code = -14


class PluginError(Error, RuntimeError):
    """A plugin answered with the code Error, or raised an exception, which is the ``__cause__``.

    The call has no result, and nothing has changed.
    """

    code = -15


_BY_CODE: dict[int, type[Error]] = {
    kind.code: kind
    for kind in (
        InvalidError,
        NotFoundError,
        ExistsError,
        UnsupportedError,
        StateError,
        StaleError,
        LimitError,
        FileError,
        BufferSizeError,
        MisuseError,
        NoMemoryError,
        InternalError,
        CancelledError,
        DeadlineExceeded,
        PluginError,
    )
}


def from_code(code: int, message: str, path: str, plugin: str) -> Error:
    """Makes the exception for a return code of the C API. The extension module calls it."""
    kind = _BY_CODE.get(code)
    if kind is None:
        error = Error(message or f"error {code}", path, plugin)
        error.code = code
        return error
    return kind(message, path, plugin)
