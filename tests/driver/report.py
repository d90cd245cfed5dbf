"""What the driver prints: a line per part while it runs, a table at the end."""

import os
import sys

_COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _paint(text, code):
    return f"\033[{code}m{text}\033[0m" if _COLOUR else text


def line(text):
    print(text, flush=True)


def begin(part):
    print(f"{part.name}: {part.title} ...", flush=True)


def end(part, counts, seconds):
    verdict = _paint("FAILED", "31;1") if counts.failed else _paint("ok", "32")
    print(f"{part.name}: {verdict}, {counts.closing_line()} ({seconds:.0f} s)", flush=True)


def show_log(path, tail=150):
    lines = path.read_text().splitlines()
    if len(lines) > tail:
        print(f"  ... {len(lines) - tail} lines before these in {path}")
    for text in lines[-tail:]:
        print("  " + text)


def table(rows):
    print(f"\n{'part':12} {'passed':>8} {'failed':>8} {'skipped':>8} {'time':>8}")
    for part, counts, note, seconds in rows:
        text = (f"{part.name:12} {counts.passed:8} {counts.failed:8} {counts.skipped:8} "
                f"{seconds:6.0f} s  {note}").rstrip()
        print(_paint(text, "31") if counts.failed else text)
    print(f"{'all':12} {'':26} {sum(row[3] for row in rows):6.0f} s\n")
