#!/usr/bin/env python3
"""Writes the manual pages of the command line into a folder, from what its argparse parsers say.

    packaging/manual.py FOLDER      libsched.1, a page for each command (libsched-fit.1), and kubectl-libsched.1

It imports the package libsched, so PYTHONPATH names where that is. Pages are dated by SOURCE_DATE_EPOCH, or
today. Commands of other packages are left out.
"""

from __future__ import annotations

import datetime
import os
import pathlib
import re
import sys
import textwrap

import libsched.cli
from libsched.cli import grammar, kubectl

NAME = "which nodes take a pod, and why not the others"
# Headings of epilogs, with those of the manual.
HEADINGS = {"exit codes": "EXIT STATUS", "examples": "EXAMPLES", "example": "EXAMPLES"}
TITLES = {"positional arguments": "ARGUMENTS", "options": "OPTIONS"}


def escaped(text: str) -> str:
    """Returns a text in which roff sees nothing special; hyphens can be copied into a shell."""
    for character, name in (("\\", "e"), ("-", "-"), ("^", "(ha"), ("~", "(ti"), ("`", "(ga"), ("'", "(aq")):
        text = text.replace(character, f"\\{name}")
    return re.sub(r"^[.]", r"\\&.", text, flags=re.MULTILINE)


def bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{escaped(text)}\\fR"


def paragraphs(text: str) -> list[str]:
    """Returns roff lines of a text with empty lines between its paragraphs; indented lines are kept as they are."""
    lines: list[str] = []
    for number, part in enumerate(re.split(r"\n\s*\n", text.strip("\n"))):
        if number:
            lines.append(".PP")
        rows = part.splitlines()
        lines += verbatim(rows) if rows[0].startswith("  ") else filled(part)
    return lines


def filled(text: str) -> list[str]:
    """Returns roff lines of a paragraph, none of them long."""
    lines = textwrap.wrap(" ".join(text.split()), 68, break_long_words=False, break_on_hyphens=False)
    return [escaped(line) for line in lines]


def verbatim(rows: list[str]) -> list[str]:
    """Returns roff lines of commands, each on a line of its own."""
    return [".EX", *(escaped(row.removeprefix("  ")) for row in rows), ".EE"]


def value(one: grammar.Argument) -> str:
    """Returns the placeholder of a value, with brackets if it may be left out."""
    shown = "|".join(bold(choice) for choice in one.choices) if one.choices else italic(one.value)
    return f"[{shown}]" if one.optional else shown


def term(one: grammar.Argument) -> str:
    """Returns an argument as it is described: its flags, or its placeholder."""
    if not one.flags:
        return value(one) + (" ..." if one.many else "")
    shown = ", ".join(bold(flag) for flag in one.flags)
    return f"{shown} {value(one)}" if one.value else shown


def synopsis(command: grammar.Command) -> list[str]:
    words = [bold(" ".join(command.words))]
    if command.options:
        words.append(f"[{italic('OPTION')}]...")
    words += [term(one) for one in command.positionals]
    if command.commands:
        words += [italic("COMMAND"), f"[{italic('ARGUMENT')}]..."]
    return [" ".join(words)]


def arguments(command: grammar.Command) -> list[str]:
    """Returns a section for each group of arguments."""
    lines = []
    for group in command.groups:
        lines.append(f".SH {TITLES.get(group.title, group.title.upper())}")
        if group.description:
            lines += paragraphs(group.description[0].upper() + group.description[1:] + ".")
        for one in group.arguments:
            lines += [".TP", term(one), *paragraphs(one.help or "See above.")]
    return lines


def after(epilog: str) -> list[str]:
    """Returns the sections of an epilog: exit codes, examples, and what else there is as notes."""
    lines: list[str] = []
    notes: list[str] = []
    for part in re.split(r"\n\s*\n", epilog.strip("\n")) if epilog else []:
        head, *rows = part.splitlines()
        title = HEADINGS.get(head.removesuffix(":"))
        if not title or not head.endswith(":"):
            notes += [".SH NOTES", *paragraphs(part)]
        elif title == "EXAMPLES":
            lines += [f".SH {title}", *verbatim(rows)]
        else:
            lines.append(f".SH {title}")
            for row in rows:
                code = re.fullmatch(r"  (\d+)  (.*)", row)
                lines += [".TP", bold(code[1]), *filled(code[2])] if code else filled(row)
    return lines + notes


def head(name: str, date: str, version: str, summary: str) -> list[str]:
    return ['.\\" Made by packaging/manual.py of libsched.',
            f'.TH {name.upper()} 1 {date} "libsched {version}" "User Commands"', ".SH NAME", f"{escaped(name)} \\-", *filled(summary[0].lower() + summary[1:])]


def also(names: list[str]) -> list[str]:
    lines = [f".BR {escaped(name)} (1)," for name in names]
    return [".SH SEE ALSO", *lines[:-1], lines[-1].removesuffix(",")]


def page(command: grammar.Command, others: list[str], date: str, version: str) -> str:
    """Returns the page of a command."""
    lines = head("-".join(command.words), date, version, command.summary or NAME)
    lines += [".SH SYNOPSIS", *synopsis(command), ".SH DESCRIPTION", *paragraphs(command.description)]
    if command.commands:
        lines.append(".SH COMMANDS")
        for inner in command.commands:
            lines += [".TP", bold(inner.words[-1]), *filled(inner.summary.removesuffix(".") + ("" if inner.summary.endswith("?") else "."))]
    return "\n".join([*lines, *arguments(command), *after(command.epilog), *also(others)]) + "\n"


def kubectl_page(others: list[str], date: str, version: str) -> str:
    """Returns the page of the plugin of kubectl, made from its help."""
    usage, *parts = kubectl.USAGE.split("\n\n")
    lines = head("kubectl-libsched", date, version, "libsched about the cluster that kubectl talks to")
    call = usage.removeprefix("usage: ")
    lines += [".SH SYNOPSIS", bold("kubectl libsched") + escaped(call.removeprefix("kubectl libsched")),
              ".SH DESCRIPTION", *paragraphs("\n\n".join(parts)),
              ".SH EXIT STATUS", escaped("That of the command; 2 if kubectl cannot list what the answer needs.")]
    return "\n".join([*lines, *also(others)]) + "\n"


def pages(date: str, version: str) -> dict[str, str]:
    """Returns all pages by the names of their files."""
    root = grammar.of(libsched.cli.own_parser())
    commands = [one for one in root.walk() if one is not root]
    names = ["-".join(one.words) for one in commands]
    made = {"libsched.1": page(root, [*names, "kubectl-libsched"], date, version),
            "kubectl-libsched.1": kubectl_page(["libsched", "kubectl"], date, version)}
    for name, command in zip(names, commands, strict=True):
        inner = [one for one in names if one.startswith(f"{name}-")]
        made[f"{name}.1"] = page(command, ["libsched", *inner], date, version)
    return made


def main(folder: str) -> None:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    when = (datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch
            else datetime.datetime.now(datetime.timezone.utc))
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in pages(when.strftime("%Y-%m-%d"), libsched.__version__).items():
        (target / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: packaging/manual.py FOLDER")
    main(sys.argv[1])
