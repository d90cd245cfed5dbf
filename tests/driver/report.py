"""Prints a line per part during a run, and a table at the end."""

import os
import sys

from . import ahead

_COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _paint(text, code):
    return f"\033[{code}m{text}\033[0m" if _COLOUR else text


def line(text):
    print(text, flush=True)


def begin(part):
    print(f"{part.name}: {part.title} ...", flush=True)


def end(part, counts, cost):
    verdict = _paint("FAILED", "31;1") if counts.failed else _paint("ok", "32")
    print(f"{part.name}: {verdict}, {counts.closing_line()} ({cost.wall:.0f} s, CPU {cost.cpu:.0f} s)", flush=True)


def recall(part, path, tail):
    """Repeats the end of a failed part's log beside the counts."""
    if path.exists():
        print(f"{part.name} ended with:")
        show_log(path, tail)
        print()


def show_log(path, tail):
    lines = path.read_text().splitlines()
    if len(lines) > tail:
        print(f"  ... {len(lines) - tail} lines before these in {path}")
    for text in lines[-tail:]:
        print("  " + text)


def table(rows):
    print(f"\n{'part':12} {'passed':>8} {'failed':>8} {'skipped':>8} {'time':>8} {'CPU':>8}")
    for part, counts, note, cost in rows:
        text = (f"{part.name:12} {counts.passed:8} {counts.failed:8} {counts.skipped:8} "
                f"{cost.wall:6.0f} s {cost.cpu:6.0f} s  {note}").rstrip()
        print(_paint(text, "31") if counts.failed else text)
    if ahead.cpu():
        print(f"{'builds ahead':12} {'':35} {ahead.cpu():8.0f} s")
    wall, cpu = sum(row[3].wall for row in rows), sum(row[3].cpu for row in rows) + ahead.cpu()
    print(f"{'all':12} {'':26} {wall:6.0f} s {cpu:6.0f} s\n")
