"""Writes YAML as kubectl does: keys sorted, lists not indented, strings quoted where they must be."""

import json
import re

_PLAIN = re.compile(r"[A-Za-z0-9_./\\<(~+][^\n]*\Z")
# Matches plain text that YAML would not read as a string: numbers of all kinds, times, words.
_LOOKS_OTHERWISE = re.compile(
    r"(true|false|yes|no|on|off|y|n|null|~|<<|[-+]?\.(inf|nan)|[-+]?0[xob]?[0-9a-f_]+"
    r"|[-+]?[0-9_]*\.?[0-9_]+\.?(e[-+]?[0-9]+)?|[0-9]+(:[0-9]+)+|[0-9]{4}-[0-9]+-[0-9]+.*)\Z",
    re.IGNORECASE)


def scalar(value):
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    plain = (_PLAIN.match(value) and not _LOOKS_OTHERWISE.match(value)
             and ": " not in value and " #" not in value and not value.endswith((":", " ")))
    if plain:
        return value
    if value and value.isprintable() and not _LOOKS_OTHERWISE.match(value):
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=False)


def _lines(value, indent):
    """The lines of a non-empty mapping or list."""
    pad = " " * indent
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _entry(pad + scalar(key) + ":", value[key], indent)
        return
    for item in value:
        if isinstance(item, (dict, list)) and item:
            first, *rest = _lines(item, indent + 2)
            yield pad + "- " + first[indent + 2:]
            yield from rest
        else:
            yield from _entry(pad + "-", item, indent)


def _entry(head, value, indent):
    if isinstance(value, dict) and value:
        yield head
        yield from _lines(value, indent + 2)
    elif isinstance(value, list) and value:
        yield head
        yield from _lines(value, indent)
    elif isinstance(value, (dict, list)):
        yield head + (" {}" if isinstance(value, dict) else " []")
    elif isinstance(value, str) and "\n" in value:
        yield head + (" |" if value.endswith("\n") else " |-")
        for line in value.rstrip("\n").split("\n"):
            yield " " * (indent + 2) + line if line else ""
    else:
        yield head + " " + scalar(value)


def dump(document):
    return "\n".join(_lines(document, 0)) + "\n"
