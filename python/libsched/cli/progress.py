"""Progress of long work on standard error, if that is a terminal.

Nothing is shown within the first half second, so quick commands stay quiet.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

_DELAY = 0.5
_INTERVAL = 0.1
_BAR = 24


class Progress:
    """A progress bar from 0 to `total`, or a moving mark if `total` is 0; a context manager.

    A thread draws the bar, so it also moves during a long call of the library.
    """

    def __init__(self, what: str, total: int = 0) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._detail = ""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._shown = False

    def update(self, done: int, detail: str = "") -> None:
        """Sets the progress, in the units of `total`."""
        self._done = done
        self._detail = detail

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._thread = threading.Thread(target=self._draw_until_stopped, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _draw_until_stopped(self) -> None:
        begin = time.monotonic()
        if self._stop.wait(_DELAY):
            return
        self._shown = True
        while True:
            sys.stderr.write("\r\x1b[K" + self.text(time.monotonic() - begin))
            sys.stderr.flush()
            if self._stop.wait(_INTERVAL):
                return

    def text(self, seconds: float) -> str:
        """Returns the line for an elapsed time."""
        if self._total:
            share = min(1.0, self._done / self._total)
            bar = ("#" * int(share * _BAR)).ljust(_BAR, ".") + f" {share:4.0%}"
        else:
            place = int(seconds / _INTERVAL) % (2 * _BAR - 6)
            place = min(place, 2 * _BAR - 6 - place)
            bar = ("." * place + "###").ljust(_BAR, ".")
        detail = f"  {self._detail}" if self._detail else ""
        return f"{self._what}  {bar}  {seconds:.0f} s{detail}"


def size_text(size: int) -> str:
    """Formats a number of bytes."""
    if size >= 1 << 30:
        return f"{size / (1 << 30):.1f} GB"
    return f"{size / (1 << 20):.1f} MB" if size >= 1 << 20 else f"{max(1, size >> 10)} KB"
