"""How the program ends: its exit code, and what standard output and standard error cannot take.

The exit code is an answer, 0 yes and 1 no, so whatever keeps an answer from being found or written
ends with 2 and a line on standard error. A message that standard error does not take is dropped: the
answer is the same without it.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from ..errors import Error
from .terminal import Terminal

#: The codes of a program that SIGPIPE or SIGINT has ended, as shells show them.
READER_LEFT, INTERRUPTED = 141, 130
FAILED = 2
#: The environment variable that asks for the traceback of an exception that is no `libsched.Error`.
TRACEBACK = "LIBSCHED_TRACEBACK"


class _File(io.RawIOBase):
    """The file of a standard stream. It keeps its first failure, and drops what is written after it."""

    def __init__(self, number: int, *, raises: bool) -> None:
        self.failure: OSError | None = None
        self._number = number
        self._raises = raises

    def write(self, data: Any, /) -> int:
        if self.failure is None:
            try:
                return os.write(self._number, data)
            except OSError as error:
                self.failure = error
                if self._raises:
                    raise
        return len(data)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._number >= 0 and os.isatty(self._number)

    def fileno(self) -> int:
        return self._number


def ended(run: Callable[[], int | None]) -> int:
    """Runs a command; returns its exit code, or that of the failure that has ended it.

    Failures are told on standard error, but that the reader of standard output has left, as ``head``
    does, and an interrupt.
    """
    with _streams() as out:
        code = FAILED
        told: BaseException | None = None
        try:
            code = _code_of(run)
            sys.stdout.flush()
        except KeyboardInterrupt:
            return INTERRUPTED
        except Exception as error:
            told, code = error, FAILED
        if out.failure is not None:
            if isinstance(out.failure, BrokenPipeError):
                return READER_LEFT
            told, code = out.failure, FAILED
        if told is not None:
            _tell(told, "standard output" if told is out.failure else "")
        return code


def _code_of(run: Callable[[], int | None]) -> int:
    try:
        return run() or 0
    except SystemExit as end:  # argparse has printed a text; so may verbs of other packages
        if isinstance(end.code, str):
            Terminal(sys.stderr).line(end.code)
            return FAILED
        return end.code or 0


def _tell(error: BaseException, place: str) -> None:
    """Writes a line about a failure, and the traceback of one that is not foreseen, if asked for."""
    foreseen = isinstance(error, Error)
    try:
        if not foreseen and os.environ.get(TRACEBACK):
            sys.stderr.write("".join(traceback.format_exception(error)))
        Terminal(sys.stderr).error(str(error) if foreseen else _text(error, place))
    except MemoryError:
        with contextlib.suppress(OSError):
            os.write(2, b"libsched: error: out of memory\n")


def _text(error: BaseException, place: str) -> str:
    """Describes an exception that is no `libsched.Error` in a line."""
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.strerror:
        if place and error.errno == errno.EBADF:
            return f"{place} is closed"
        name = place or error.filename
        return f"{name}: {error.strerror}" if name else error.strerror
    said = " ".join(str(error).split())
    return (f"{type(error).__name__}{': ' if said else ''}{said} (not foreseen; {TRACEBACK}=1 shows where it "
            "comes from)")


@contextlib.contextmanager
def _streams() -> Iterator[_File]:
    """Puts streams that know of their failures in the place of the program's standard streams.

    A stream that somebody else has put there, such as a notebook, stays.
    """
    before = sys.stdout, sys.stderr
    out = _File(_number(sys.stdout, 1), raises=True)
    err = _File(_number(sys.stderr, 2), raises=False)
    try:
        sys.stdout, sys.stderr = _over(sys.stdout, out), _over(sys.stderr, err)
        yield out
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        sys.stdout, sys.stderr = before


def _number(stream: TextIO | None, usual: int) -> int:
    return -1 if stream is None else usual


def _over(stream: TextIO | None, file: _File) -> TextIO:
    """Returns a text stream over a file, instead of the one that Python has made."""
    encoding = "utf-8"
    if stream is not None:
        buffer = getattr(stream, "buffer", None)
        raw = getattr(buffer, "raw", buffer)
        if not isinstance(raw, io.FileIO) or raw.fileno() != file.fileno():
            return stream
        encoding = stream.encoding
        with contextlib.suppress(OSError):
            stream.flush()
    lines = file.isatty() or not file._raises
    # The locale may lack some characters.
    return io.TextIOWrapper(io.BufferedWriter(file, 1 << 16), encoding, errors="backslashreplace", line_buffering=lines)
