"""Parses a comment into paragraphs, numbered rules, code, and marked facts.

Marks are words that the headers use throughout: "Errors: ...", "@since 0.2". Code is
indented by two more than the comment's text.
"""

import dataclasses
import re

SINCE = re.compile(r"\s*(?:All are |The slots from here on: )?@since (\d+\.\d+)"
                   r"(?:, where nothing else is said)?\.?")
# "Errors: IO, LIMIT.", "Errors of both: ...", "Also errors: ..."; to the end of the sentence.
ERRORS = re.compile(r"\s*((?:Also errors|Errors)(?: of [^:.]+)?:\s.*?[^.]\.)(?=\s+[A-Z@`\"]|\s*$)", re.DOTALL)
RULE = re.compile(r"^\s*(\d+)\. ")


@dataclasses.dataclass
class Block:
    kind: str  # "text", "code" or "rule"
    text: str
    number: int = 0


@dataclasses.dataclass
class Prose:
    blocks: list = dataclasses.field(default_factory=list)
    errors: list = dataclasses.field(default_factory=list)  # sentences
    since: str = ""

    @property
    def text(self):
        return " ".join(block.text for block in self.blocks)


def _lines(piece):
    """The lines of a comment without its delimiters, each with its indentation beyond the text's."""
    inner = piece.text[2:-2]
    base = piece.column + 3
    for number, line in enumerate(inner.rstrip().split("\n")):
        bare = line.strip()
        deep = 0 if number == 0 else max(0, len(line) - len(line.lstrip()) - base)
        yield bare, deep


def _blocks(piece):
    blocks, fresh = [], True
    for line, deep in _lines(piece):
        if not line:
            fresh = True
            continue
        rule = RULE.match(line)
        last = blocks[-1] if blocks else None
        if rule:
            blocks.append(Block("rule", line[rule.end():], int(rule[1])))
        elif last and last.kind == "rule" and deep and not fresh:
            last.text += " " + line
        elif deep >= 2:
            if last and last.kind == "code" and not fresh:
                last.text += "\n" + line
            else:
                blocks.append(Block("code", line))
        elif last and last.kind == "text" and not fresh:
            last.text += " " + line
        else:
            blocks.append(Block("text", line))
        fresh = False
    return blocks


def read(comments):
    """The prose of a list of comments; None is an empty list."""
    prose = Prose()
    for piece in comments or []:
        for block in _blocks(piece):
            if block.kind == "text":
                if since := SINCE.search(block.text):
                    prose.since = since[1]
                    block.text = SINCE.sub("", block.text).strip()
                prose.errors += [found.strip() for found in ERRORS.findall(block.text)]
                block.text = ERRORS.sub("", block.text).strip(" ;")
            if block.text:
                prose.blocks.append(block)
    return prose
