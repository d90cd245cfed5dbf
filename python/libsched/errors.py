"""Exceptions: what goes wrong with a call. That a pod does not fit is no error, but a Status.

All derive from `Error`, and each also from the built-in exception that a Python programmer would
expect in its place, so ``except ValueError`` catches a bad manifest.
"""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """A call that did not happen.

    Attributes
    ----------
    message : str
        What is wrong.
    path : str
        Where in the input, as in ``items[3].spec.nodeName``; empty if it belongs to no place.
    plugin : str
        The plugin concerned, or empty.
    code : int
        The return code of the C API: 0 is success, errors are negative and never change.
    """

    code: int = 0

    def __init__(self, message: str, path: str = "", plugin: str = "") -> None:
        Exception.__init__(self, message)
        self.message = message
        self.path = path
        self.plugin = plugin

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.path, self.plugin)


class InvalidError(Error, ValueError):
    """The input is wrong; `path` says where."""

    code = -1


class NotFoundError(Error, KeyError):
    """A name that does not exist."""

    code = -2


class ExistsError(Error, ValueError):
    """A name that exists already."""

    code = -3


class UnsupportedError(Error, NotImplementedError):
    """Valid, but not available in this version. `plugin` names the plugin that is missing."""

    code = -4


class StateError(Error, RuntimeError):
    """Not allowed in the present state, such as `Cluster.apply` while a fork is open."""

    code = -5


class StaleError(Error, RuntimeError):
    """Made for an older state of the cluster: run PreFilter again."""

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
    """A call that is not allowed here, or an object of the wrong kind."""

    code = -10


class NoMemoryError(Error, MemoryError):
    """There is not enough memory."""

    code = -11


class InternalError(Error, RuntimeError):
    """A bug in libsched, or a plugin that answered with Error."""

    code = -12


class PluginError(InternalError):
    """A method of a plugin raised an exception, which is this one's ``__cause__``.

    What was asked for has no answer; nothing else has changed.
    """


class CancelledError(Error):
    """The call was ended from outside."""

    code = -13


class DeadlineExceeded(Error, TimeoutError):
    """The time that a call was given has passed. Nothing has changed."""

    code = -14


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
    )
}


def from_code(code: int, message: str, path: str, plugin: str) -> Error:
    """The exception for a return code of the C API; called by the extension module."""
    kind = _BY_CODE.get(code)
    if kind is None:
        error = Error(message or f"error {code}", path, plugin)
        error.code = code
        return error
    return kind(message, path, plugin)
