"""The forms of output of the commands: text, or what `-o` asks for."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..errors import FileError, InvalidError
from .terminal import Terminal, print_json, print_line, visible

_PLAIN = re.compile(r"[A-Za-z_/][\w ./()-]*(?<! )")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
_NUMBER = re.compile(r"[+-]?[0-9.]+")
#: A key of YAML that is longer than this is written with a question mark.
_LONGEST_KEY = 1000
_HELP = {"json": "a line of JSON for each answer, as --json", "yaml": "the same as YAML",
         "csv": "a table with a head", "wide": "text with all rows and columns"}


class _Form(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
                 values: str | Sequence[Any] | None, option_string: str | None = None) -> None:
        form = self.const or values
        if namespace.output not in ("", form):
            parser.error(f"{option_string}: the output is {namespace.output} already")
        namespace.output = form
        namespace.json = form in ("json", "yaml")


def add(made: argparse.ArgumentParser, json_help: str, *, table: bool = True) -> None:
    """Adds `--json` and `-o`, with the forms of a table if the verb has one."""
    forms = ("yaml", "json", "csv", "wide") if table else ("yaml", "json")
    made.add_argument("--json", action=_Form, nargs=0, const="json", help=json_help)
    made.add_argument("-o", "--output", action=_Form, choices=forms, dest="output",
                      help="; ".join(f"{form}: {_HELP[form]}" for form in forms))
    made.set_defaults(json=False, output="")


def add_page(made: argparse.ArgumentParser) -> None:
    """Adds `--html`."""
    made.add_argument("--html", metavar="FILE",
                      help="also write a self-contained page to be opened in a browser")


def write_page(name: str, page: str) -> None:
    """Writes a page to a file.

    Raises
    ------
    FileError
        The file cannot be written.
    """
    try:
        with open(name, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(page)
    except (OSError, ValueError) as error:
        raise FileError(f"{name}: {getattr(error, 'strerror', None) or error}") from None


def tell_page(options: argparse.Namespace) -> None:
    """Tells people that the page is written."""
    if options.html and not options.json:
        Terminal(sys.stderr).note(f"written: {options.html}")


def answer(options: argparse.Namespace, notes: Iterable[str], *, page: Callable[[], str],
           document: Callable[[], dict[str, Any]], rows: Callable[[], Sequence[Sequence[object]]],
           text: Callable[[Terminal], None]) -> None:
    """Writes an answer in the form that is asked for, after its notes, and its page."""
    if options.html:  # before the text, whose reader may stop early
        write_page(options.html, page())
    if options.json:
        print_document(document(), options.output)
    else:
        out = Terminal(sys.stderr if options.output == "csv" else sys.stdout)
        for note in notes:
            out.note(note)
        if options.output == "csv":
            print_csv(rows())
        else:
            text(out)
    tell_page(options)


def print_document(document: dict[str, Any], form: str) -> None:
    """Writes a document to standard output, as a line of JSON or as a document of YAML."""
    if form != "yaml":
        print_json(document)
        return
    text = "\n".join(["---", *yaml_lines(document)])
    print_line(text.encode("utf-8", "replace"))


def print_csv(rows: Sequence[Sequence[object]]) -> None:
    """Writes rows as CSV to standard output, in UTF-8 in any locale.

    Control characters are shown as escapes, and an apostrophe stands before a text that a
    spreadsheet would take for a formula.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.getvalue().encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def counted(count: int, what: str) -> str:
    """Returns a number of things in words.

    >>> counted(1, "pod"), counted(1200, "pod")
    ('1 pod', '1,200 pods')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def refuse(option: str, form: str, wanted: str) -> None:
    """Refuses an option that has no effect on a form of output."""
    if form == wanted:
        raise InvalidError(f"{option} has no effect on -o {form}")


def yaml_lines(value: Any, indent: str = "") -> Iterator[str]:
    """Yields the lines of plain data as YAML in block style.

    >>> list(yaml_lines({"a": [1, {"b": "x: y"}], "c": {}}))
    ['a:', '- 1', '- b: "x: y"', 'c: {}']
    """
    if isinstance(value, dict) and value:
        for key, part in value.items():
            name = _scalar(key)
            if len(name) > _LONGEST_KEY:
                yield f"{indent}? {name}"
                name = ""
            yield from _entry(f"{indent}{name}:", part, indent)
    elif isinstance(value, (list, tuple)) and value:
        for part in value:
            if isinstance(part, (dict, list, tuple)) and part:
                first, *rest = yaml_lines(part, indent + "  ")
                yield f"{indent}- {first[len(indent) + 2:]}"
                yield from rest
            else:
                yield f"{indent}- {_scalar(part)}"
    else:
        yield indent + _scalar(value)


def _entry(head: str, part: Any, indent: str) -> Iterator[str]:
    if isinstance(part, dict) and part:
        yield head
        yield from yaml_lines(part, indent + "  ")
    elif isinstance(part, (list, tuple)) and part:
        yield head
        yield from yaml_lines(part, indent)
    else:
        yield f"{head} {_scalar(part)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(ord(char)) for char in text)


def _escape(code: int) -> str:
    """Returns a character of a double-quoted text of YAML, where it would be a line break or invalid."""
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _cell(value: object) -> object:
    """Returns a cell of CSV.

    >>> [_cell(value) for value in ("=1+1", "-2", "-", -2, "a\\x1b[m")]
    ["'=1+1", '-2', '-', -2, 'a\\\\x1b[m']
    """
    if not isinstance(value, str):
        return value
    formula = len(value) > 1 and value[0] in "=+-@\t" and not _NUMBER.fullmatch(value)
    return visible("'" + value if formula else value)
