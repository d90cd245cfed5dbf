"""The command line as plain data, read from its argparse parsers.

Completion scripts (`completion`) and manual pages (packaging/manual.py) are made from it.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Iterator

_FILES = re.compile(r"(?:.*\W)?(?:CLUSTER|FILE|MANIFEST|PATH|POD)(?:\W.*)?")
_FOLDERS = re.compile(r"DIR|DIRECTORY|FOLDER")


@dataclasses.dataclass(frozen=True)
class Argument:
    """An option, or a positional argument if it has no `flags`."""

    flags: tuple[str, ...]
    value: str  # the placeholder of the value, such as FILE; "" if there is no value
    optional: bool  # the value may be left out
    many: bool  # there may be several values in a row, or the option may be repeated
    choices: tuple[str, ...]
    help: str

    @property
    def takes_files(self) -> bool:
        """Whether the placeholder says that the value is the name of a file."""
        return not self.choices and bool(_FILES.fullmatch(self.value.upper()))

    @property
    def takes_folders(self) -> bool:
        """Whether the placeholder says that the value is the name of a folder."""
        return not self.choices and bool(_FOLDERS.fullmatch(self.value.upper()))

    @property
    def brief(self) -> str:
        """The help in a few words: what comes before a semicolon, a full stop or a bracket."""
        return re.split(r"; |\. | \(", self.help, maxsplit=1)[0]


@dataclasses.dataclass(frozen=True)
class Group:
    """Arguments under a title of the help."""

    title: str
    description: str
    arguments: tuple[Argument, ...]


@dataclasses.dataclass(frozen=True)
class Command:
    """The program or one of its commands; `words` begin with the program's name."""

    words: tuple[str, ...]
    summary: str
    description: str
    epilog: str
    groups: tuple[Group, ...]
    commands: tuple[Command, ...]

    @property
    def options(self) -> list[Argument]:
        """All options, in the order of the help."""
        return [one for group in self.groups for one in group.arguments if one.flags]

    @property
    def positionals(self) -> list[Argument]:
        """All positional arguments, in their order."""
        return [one for group in self.groups for one in group.arguments if not one.flags]

    def walk(self) -> Iterator[Command]:
        """Yields the command and, below it, all of its commands."""
        yield self
        for command in self.commands:
            yield from command.walk()


def of(parser: argparse.ArgumentParser, summary: str = "",
       words: tuple[str, ...] = ()) -> Command:
    """Returns what a parser says about its command."""
    words = words or (parser.prog,)
    commands: list[Command] = []
    groups = []
    for group in parser._action_groups:
        arguments = []
        for action in group._group_actions:
            if isinstance(action, argparse._SubParsersAction):
                said = {choice.dest: choice.help or "" for choice in action._choices_actions}
                commands += [of(inner, said.get(name, "").replace("%%", "%"), (*words, name))
                             for name, inner in action.choices.items()]
            elif action.help != argparse.SUPPRESS:
                arguments.append(_argument(parser, action))
        if arguments:
            groups.append(Group(group.title or "", group.description or "", tuple(arguments)))
    return Command(words, summary, parser.description or "", parser.epilog or "", tuple(groups),
                   tuple(commands))


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> Argument:
    """Converts an action; its help gets the values that argparse would put into it."""
    # Flags such as --json have an nargs of 0, or their class has.
    takes = action.nargs != 0
    choices = tuple(str(choice) for choice in action.choices or ())
    metavar = action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar or ())
    name = metavar or (action.dest.upper() if action.option_strings else action.dest)
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    return Argument(
        flags=tuple(action.option_strings), value=name if takes else "",
        optional=action.nargs in ("?", "*"),
        many=action.nargs in ("+", "*") or isinstance(action, argparse._AppendAction),
        choices=choices if takes else (), help=text)
