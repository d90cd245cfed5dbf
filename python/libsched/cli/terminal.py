"""Output for people: colour on terminals, warnings, notes, errors and tables.

NO_COLOR switches colour off and FORCE_COLOR switches it on; otherwise terminals have colour.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from ..errors import Error

_COLOURS = {"good": "32", "bad": "31", "note": "33", "strong": "1", "faint": "2"}
_PAINT = re.compile("(\x1b\\[(?:0|" + "|".join(_COLOURS.values()) + ")m)")
_PIPE_WIDTH = 100


class Terminal:
    """An output stream with its width and colours."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_terminal: bool = stream.isatty() and os.environ.get("TERM") != "dumb"
        self.has_colour: bool = not os.environ.get("NO_COLOR") and (
            self.is_terminal or bool(os.environ.get("FORCE_COLOR")))

    @property
    def width(self) -> int:
        """The number of columns; a fixed one if the stream is no terminal."""
        return shutil.get_terminal_size().columns if self.is_terminal else _PIPE_WIDTH

    def paint(self, kind: str, text: str) -> str:
        """Returns a text in the colour of "good", "bad", "note", "strong" or "faint"."""
        return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if self.has_colour and text else text

    def line(self, text: str = "") -> None:
        """Writes a line. Control characters are shown as escapes."""
        parts = _PAINT.split(text) if self.has_colour else [text]
        clean = [part if number % 2 else visible(part) for number, part in enumerate(parts)]
        self.stream.write("".join(clean) + "\n")

    def note(self, text: str) -> None:
        self.line(self.paint("faint", text))

    def warn(self, text: str) -> None:
        self.line(f"{self.paint('note', 'warning')}: {text}")

    def error(self, error: Error | str) -> None:
        self.line(f"{self.paint('bad', 'libsched: error')}: {error}")


def print_json(document: dict[str, Any]) -> None:
    """Writes a line of JSON to standard output, in UTF-8 in any locale, and flushes it."""
    line = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    if not line.isprintable():  # all of these are in strings
        line = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in line)
    print_line(line.encode("utf-8", "replace"))


def print_line(line: bytes) -> None:
    """Writes a line to standard output, in UTF-8 in any locale, and flushes it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def visible(text: str) -> str:
    """Returns a text in which control characters are replaced by \\x.. escapes."""
    if text.isprintable():
        return text
    return "".join(
        char if char in "\t\n" or unicodedata.category(char) not in ("Cc", "Cf")
        else char.encode("unicode_escape").decode() for char in text)


def table(rows: Sequence[Sequence[str]], right: Iterable[int] = (), indent: int = 2) -> list[str]:
    """Formats rows as lines with aligned columns; the columns in `right` are right-aligned."""
    if not rows:
        return []
    to_right = set(right)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [text.rjust(width) if column in to_right else text.ljust(width)
                 for column, (text, width) in enumerate(zip(row, widths, strict=True))]
        lines.append((" " * indent + "  ".join(cells)).rstrip())
    return lines
