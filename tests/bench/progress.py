"""Says on standard error how far a run is: a bar on a terminal, else a line a step."""

import shutil
import sys
import time


def _clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Progress:
    """Runs steps one after the other; the bar follows their expected seconds."""

    def __init__(self, steps, stream=sys.stderr):
        self._steps, self._stream = steps, stream
        self._bar = stream.isatty()
        self._begin = time.monotonic()

    def run(self, measured):
        total = sum(step.seconds for step in self._steps) or 1
        done = 0
        for number, step in enumerate(self._steps, 1):
            self._show(done / total, number, step.title)
            step.run(measured)
            done += step.seconds
        if self._bar:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def _show(self, part, number, title):
        spent = _clock(time.monotonic() - self._begin)
        if not self._bar:
            print(f"[{number}/{len(self._steps)}] {spent} {title}", file=self._stream, flush=True)
            return
        width = shutil.get_terminal_size().columns
        cells = 24
        full = int(part * cells)
        line = f"{'█' * full}{'░' * (cells - full)} {part:4.0%} {number}/{len(self._steps)} {spent}  {title}"
        self._stream.write("\r\033[K" + line[:width - 1])
        self._stream.flush()
