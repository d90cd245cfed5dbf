"""Cuts a header into comments, preprocessor lines and statements, each with its line numbers.

The headers are regular (C11 declarations, block comments, no macros around declarations), so cutting
at `;` outside of brackets is enough. Anything else is refused with its line.
"""

import dataclasses
import re

COMMENT_BEHIND = re.compile(r"\s*/\*(?:[^*]|\*(?!/))*\*/\s*$")


class HeaderError(ValueError):
    """A header is not regular enough for the generator."""


@dataclasses.dataclass
class Piece:
    kind: str  # "comment", "directive" or "code"
    text: str
    first: int  # line numbers in the scanned text
    last: int
    column: int


def _end_of_code(text, at, separators):
    """The index after the statement that begins at `at`; comments and brackets are skipped."""
    depth = 0
    while at < len(text):
        if text.startswith("/*", at):
            at = text.index("*/", at) + 2
            continue
        if text[at] in "({[":
            depth += 1
        elif text[at] in ")}]":
            depth -= 1
        elif depth == 0 and text[at] in separators:
            return at + 1
        at += 1
    return at


def _end_of_line(text, at):
    """The index of the end of a preprocessor line, continuation lines and comments included."""
    while at < len(text) and text[at] != "\n":
        if text.startswith("/*", at):
            break
        at += 2 if text.startswith("\\\n", at) else 1
    return at


def pieces(text, separators=";", name="header"):
    """The pieces of a text in order; `separators` end a statement (`,` in an enum)."""
    at, line, start_of_line = 0, 1, 0
    while at < len(text):
        if text[at].isspace():
            if text[at] == "\n":
                line, start_of_line = line + 1, at + 1
            at += 1
            continue
        if text.startswith("/*", at):
            end, kind = text.find("*/", at) + 2, "comment"
            if end < 2:
                raise HeaderError(f"{name}:{line}: a comment without an end")
        elif text[at] == "#":
            end, kind = _end_of_line(text, at), "directive"
        elif text.startswith('extern "C" {', at):
            at += len('extern "C" {')
            continue
        elif text[at] == "}":  # of extern "C"
            at += 1
            continue
        else:
            end, kind = _end_of_code(text, at, separators), "code"
            if text[end - 1] not in separators:  # the last of a list: a comment behind it is its own
                end = at + len(COMMENT_BEHIND.sub("", text[at:end]))
        cut = text[at:end]
        lines = cut.rstrip().count("\n")
        yield Piece(kind, cut.rstrip().rstrip(separators) if kind == "code" else cut.rstrip(),
                    line, line + lines, at - start_of_line)
        line += cut.count("\n")
        if "\n" in cut:
            start_of_line = at + cut.rindex("\n") + 1
        at = end


def attach(all_pieces):
    """(piece, own comment, group's comment) of each statement and directive, and section comments.

    A comment on the line where a statement ends, or directly above the statement, is the statement's own.
    A statement without a comment that follows without an empty line belongs to the group above it.
    A comment with an empty line below it is a section comment: (None, comment, None).
    """
    found, pending, group, last = [], None, None, None
    for piece in all_pieces:
        if last and piece.first > last.last + 1:  # an empty line ends the group
            if pending:
                found.append([None, pending, None])
            pending = group = None
        if piece.kind == "comment":
            if last and last.kind != "comment" and piece.first == last.last and found:
                entry = found[-1]
                entry[1] = [*(entry[1] or []), piece]
            else:
                if pending:  # two comments in a row: the first is a section's
                    found.append([None, pending, None])
                pending = group = [piece]
        else:
            found.append([piece, pending, group])
            if piece.kind == "code" or piece.text.startswith("#define"):
                pending = None
        last = piece
    if pending:
        found.append([None, pending, None])
    return found
