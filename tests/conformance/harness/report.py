"""Prints progress during a run, a table of the kinds, and the closing line of counts."""

import collections
import dataclasses
import shutil
import sys
import time


class Progress:
    """Shows a bar on a terminal, and nothing elsewhere."""

    def __init__(self, total, stream=None):
        self.total, self.done, self.wrong = total, 0, 0
        self.stream = stream or sys.stderr
        self.shown = self.stream.isatty() and total > 0
        self.begin, self.last = time.monotonic(), 0.0

    def step(self, kind, wrong):
        self.done += 1
        self.wrong += wrong
        now = time.monotonic()
        if not self.shown or (now - self.last < 0.1 and self.done < self.total):
            return
        self.last = now
        width = max(10, min(40, shutil.get_terminal_size().columns - 50))
        full = width * self.done // self.total
        rate = self.done / max(now - self.begin, 1e-9)
        text = f"[{'#' * full}{'.' * (width - full)}] {self.done}/{self.total} {kind}, {rate:.0f}/s"
        if self.wrong:
            text += f", {self.wrong} differ"
        self.stream.write(f"\r\x1b[K{text}")
        self.stream.flush()

    def clear(self):
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


@dataclasses.dataclass
class KindCounts:
    """Sums over the cases of one kind."""
    cases: int = 0
    different: int = 0
    untouched: int = 0  # cases without a compared pod
    pods: int = 0
    compared: int = 0
    skipped_upstream: int = 0
    left_out: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    fields: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    refused: int = 0  # cases that both sides refused
    legitimate: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def add(self, verdict):
        self.cases += 1
        self.different += bool(verdict.differences)
        self.untouched += not verdict.differences and verdict.pods > 0 and not verdict.compared
        self.pods += verdict.pods
        self.compared += verdict.compared
        self.skipped_upstream += verdict.skipped_upstream
        self.left_out.update(verdict.left_out)
        self.refused += verdict.refused
        if verdict.legitimate:
            self.legitimate[verdict.legitimate] += 1
        self.fields.update(difference.field for difference in verdict.differences)

    def left_out_percent(self):
        """The number of pods compared."""
        left_out = sum(self.left_out.values())
        return 100 * left_out / self.pods if self.pods else 0.0


def table(kinds):
    """Lines: cases, pods compared, left out per plugin, differences."""
    rows = [("kind", "cases", "pods", "compared", "left out", "differ", "")]
    for kind, c in kinds.items():
        notes = [f"{plugin} {number} ({100 * number / c.pods:.1f} %)"
                 for plugin, number in c.left_out.most_common()]
        if c.skipped_upstream:
            notes.append(f"{c.skipped_upstream} of them skip that plugin's Filter upstream")
        if c.refused:
            notes.append(f"{c.refused} refused by both")
        notes += [f"{number} {name}" for name, number in c.legitimate.most_common()]
        notes += [f"{field} differs {number} times" for field, number in c.fields.most_common()]
        rows.append((kind, str(c.cases), str(c.pods), str(c.compared),
                     f"{c.left_out_percent():.1f} %", str(c.different), ", ".join(notes)))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    return ["  ".join([row[0].ljust(widths[0]), *(row[i].rjust(widths[i]) for i in range(1, 6)),
                       row[6]]).rstrip() for row in rows]


def closing_line(kinds):
    cases = sum(c.cases for c in kinds.values())
    failed = sum(c.different for c in kinds.values())
    skipped = sum(c.untouched for c in kinds.values())
    line = f"{cases - failed - skipped} passed, {failed} failed"
    return line + (f", {skipped} skipped" if skipped else "")
