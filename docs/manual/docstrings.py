"""A griffe extension: makes Markdown of the habits of the docstrings that Markdown does not know.

Two colons at the end of a line, before code, become one. Examples (`>>> `) outside of a section become code blocks, tables between lines of `=` become tables, and names of the
package's classes become links.
"""

import re

import griffe

RULE = re.compile(r"^=+(?:  +=+)+$")


class Markdown(griffe.Extension):
    """Rewrites each docstring before it is parsed. `names` has the classes of the package, separated by spaces."""

    def __init__(self, names=""):
        super().__init__()
        self._names = re.compile(rf"(?<![`\w])`({'|'.join(names.split())})`(?![`\w])")

    def on_instance(self, *, obj, **_):
        if not obj.is_alias and obj.docstring:
            lines = markdown(obj.docstring.value).split("\n")
            obj.docstring.value = "\n".join(line if line.startswith((">>> ", "... ")) else
                                            self._names.sub(r"[`\1`][libsched.\1]", line) for line in lines)


def markdown(text):
    out, lines = [], text.splitlines()
    at, section = 0, ""
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()):
            section = line.strip()
        if line.startswith(">>> ") and section != "Examples":
            end = at
            while end < len(lines) and lines[end].strip():
                end += 1
            out += ["```pycon", *lines[at:end], "```"]
            at = end
        elif RULE.match(line.strip()):
            end = next(i for i in range(at + 1, len(lines)) if RULE.match(lines[i].strip()))
            out += table(lines[at], lines[at + 1:end])
            at = end + 1
        else:
            out.append(line[:-1] if line.endswith("::") else line)
            at += 1
    return "\n".join(out)


def table(rule, lines):
    """A table of Markdown; a line whose first column is empty belongs to the row before."""
    start = re.search(r"  +", rule.strip()).end()
    rows = []
    for line in lines:
        first, rest = line[:start].strip(), line[start:].strip()
        if line[:start].strip() and start > 2 and line[start - 2:start].strip():
            first, _, rest = (part.strip() for part in line.partition("  "))
        if first:
            rows.append([first, rest])
        elif rows:
            rows[-1][1] += " " + rest
    return ["", "| | |", "|---|---|", *(f"| {first} | {rest.replace('|', chr(92) + '|')} |" for first, rest in rows), ""]
