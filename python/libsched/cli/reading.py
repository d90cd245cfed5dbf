"""Input of commands: manifests in files or on standard input, and warnings about them."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from typing import Any

from ..errors import FileError
from ..objects import Objects
from .progress import Progress, size_text
from .terminal import Terminal

MOST_WARNINGS = 10
#: More than the limit of a document, which may come from a pipe without end.
_MOST_BYTES = (4 << 30) + 1
_NO_TEXT = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def read(name: str, *, defaults: bool, strict: bool, classes: Objects | None = None,
         keep_annotations: bool = False, keep_raw: bool = False) -> Objects:
    """Reads the objects of a file, or of standard input for ``-``, with validation warnings.

    Raises
    ------
    libsched.Error
        The file cannot be read. The error names it.
    """
    if name == "-":
        source: Any = standard_input()
        what = "reading standard input"
    elif not name:
        raise FileError("the name of a file is empty; is a variable of the shell not set?")
    else:
        try:
            size = os.stat(name).st_size
        except (OSError, ValueError) as error:
            raise FileError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
        if os.path.isdir(name):
            raise FileError(f"{name}: is a directory; name the files in it")
        source = path(name)
        what = f"reading {os.path.basename(name)} ({size_text(size)})"
    with Progress(what):
        return Objects(source, defaults=defaults, strict=strict, validate=True, classes=classes,
                       keep_annotations=keep_annotations, keep_raw=keep_raw)


def standard_input(most: int = _MOST_BYTES) -> bytes:
    """Returns what standard input holds, at most so many bytes.

    Raises
    ------
    FileError
        It is closed, or cannot be read.
    """
    if sys.stdin is None:
        raise FileError("standard input is closed")
    try:
        return sys.stdin.buffer.read(most)
    except (OSError, ValueError) as error:
        raise FileError(f"standard input: {getattr(error, 'strerror', None) or error}") from None


def tell(name: str, objects: Objects, terminal: Terminal, each_field: bool) -> None:
    """Writes the warnings about an input, and a line about the objects that were not read.

    Unknown fields get a warning each with `each_field`, and are counted otherwise.
    """
    shown_name = shown(name)
    warnings = [warning for warning in objects.warnings
                if each_field or not warning["message"].startswith("unknown field")]
    for warning in warnings[:MOST_WARNINGS]:
        place = f"{warning['path']}: " if warning.get("path") else ""
        terminal.warn(f"{shown_name}: {place}{warning['message']}")
    if len(warnings) > MOST_WARNINGS:
        terminal.warn(f"{shown_name}: and {len(warnings) - MOST_WARNINGS:,} more like these "
                      "(--json lists them all)")
    skipped = skipped_text(objects, 0 if each_field else objects.unknown_fields)
    if skipped:
        terminal.note(f"{shown_name}: not read: {skipped}")


def skipped_text(objects: Objects, fields: int) -> str:
    """Formats skipped kinds and unknown fields on a line; empty if there are none."""
    counts: Counter[str] = Counter()
    for entry in objects.skipped:
        counts[str(entry["kind"]).rsplit(" ", 1)[-1]] += int(entry["count"])
    parts = [f"{count:,} {kind}"
             for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    if fields:
        parts.append(f"{fields:,} unknown field{'s' * (fields != 1)}")
    return ", ".join(parts)


def not_text(data: bytes) -> str:
    """Says where a file has a byte that no YAML or JSON has; empty if it is text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "the file is UTF-16 text; save it as UTF-8"
    found = _NO_TEXT.search(data)
    at = found.start() if found else len(data)
    try:
        data[:at].decode()
    except UnicodeDecodeError as error:
        at = error.start
    if at == len(data):
        return ""
    line = data.count(b"\n", 0, at) + 1
    column = at - data.rfind(b"\n", 0, at)
    return (f"the file is not text, it has the byte 0x{data[at]:02x} at line {line}, column {column}; "
            "give a file in YAML or JSON")


def shown(name: str) -> str:
    """Returns the name of an input for messages."""
    return "standard input" if name == "-" else name


def path(name: str) -> os.PathLike[str]:
    """Returns a name as a path, which is never taken for a document."""
    return _Path(name)


class _Path(os.PathLike[str]):
    def __init__(self, name: str) -> None:
        self._name = name

    def __fspath__(self) -> str:
        return self._name
