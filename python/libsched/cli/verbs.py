"""Verbs: the commands of `libsched`, including those of other packages.

A verb is a name and a function that gets an empty `argparse.ArgumentParser`::

    def add(parser: argparse.ArgumentParser) -> None:
        \"""Count the nodes of a cluster.\"""
        parser.description = "Prints how many nodes there are."
        parser.add_argument("cluster")
        parser.set_defaults(run=run)

    def run(options: argparse.Namespace) -> int:
        print(len(libsched.Cluster(options.cluster)))
        return 0

The function declares the arguments and sets the default `run`: a function that gets the parsed
arguments and returns the exit code, or None for 0. If `run` raises a `libsched.Error`, the command
prints it and exits with 2. The first line of the docstring of `add` describes the verb in
``libsched --help``.

A package adds a verb by an entry point of the group `libsched.verbs`; its name is the verb::

    [project.entry-points."libsched.verbs"]
    count = "some_package.count:add"

A package is imported only when its verb runs, or when ``libsched --help`` lists all verbs. A verb
that cannot be loaded is an error that names its package; other verbs still work. Packages cannot
replace the verbs of libsched itself, and a verb that two packages offer is an error. The list warns
of both cases.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..errors import Error, ExistsError, InvalidError

#: The group of entry points that are verbs.
GROUP = "libsched.verbs"

#: Declares the arguments of a verb.
Add = Callable[[argparse.ArgumentParser], None]

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@dataclasses.dataclass(frozen=True)
class OfferedVerb:
    """A verb of another package, with several entry points if several packages offer it."""

    name: str
    entries: tuple[EntryPoint, ...]

    @property
    def packages(self) -> str:
        """The packages that offer the verb, with their versions."""
        return " and ".join(_package(entry) for entry in self.entries)

    def load(self) -> Add:
        """Imports the package and returns the function of the verb.

        Raises
        ------
        ExistsError
            Several packages offer the verb.
        InvalidError
            The package cannot be imported, or the entry point is not a function.
        """
        if len(self.entries) > 1:
            raise ExistsError(f'{self.packages} all offer the verb "{self.name}"; uninstall all '
                              "but one")
        entry = self.entries[0]
        try:
            found = entry.load()
        except Exception as error:
            raise InvalidError(f'the verb "{self.name}" of {self.packages} cannot be loaded: '
                               f"{type(error).__name__}: {error}") from error
        if not callable(found):
            raise InvalidError(f'the verb "{self.name}" of {self.packages} cannot be loaded: '
                               f"{entry.value} is not a function")
        add: Add = found
        return add


def offered(own: Iterable[str]) -> tuple[dict[str, OfferedVerb], list[str]]:
    """Returns the verbs of other packages by name, and warnings about unusable ones.

    `own` holds the names of libsched's verbs.
    """
    kept = frozenset(own)
    found: dict[str, list[EntryPoint]] = {}
    warnings = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        if not _NAME.fullmatch(entry.name):
            warnings.append(f'the verb "{entry.name}" of {_package(entry)} is left out: a name is '
                            "of lower-case letters, digits, - and _")
        elif entry.name in kept:
            warnings.append(f'the verb "{entry.name}" of {_package(entry)} is left out: libsched '
                            "has one of this name")
        else:
            found.setdefault(entry.name, []).append(entry)
    verbs = {name: OfferedVerb(name, tuple(entries)) for name, entries in found.items()}
    warnings += [f'the verb "{verb.name}" cannot be used: {verb.packages} all offer it'
                 for verb in verbs.values() if len(verb.entries) > 1]
    return verbs, warnings


def add_own(commands: Any, own: Mapping[str, Add]) -> None:
    """Adds libsched's verbs to argparse's subparsers."""
    for name, add in own.items():
        _add(commands, name, add)


def add_offered(commands: Any, verbs: Iterable[OfferedVerb], wanted: str, listed: bool) -> None:
    """Adds the verbs of other packages to argparse's subparsers.

    Only the verb `wanted` gets its arguments. With `listed`, all verbs are loaded for their
    descriptions, and a verb that cannot be loaded is described by its error. Otherwise the other
    verbs are added by name alone.

    Raises
    ------
    libsched.Error
        The verb `wanted` cannot be loaded, or sets no function to run.
    """
    for verb in verbs:
        if verb.name == wanted:
            parser = _add(commands, verb.name, verb.load())
            if not callable(parser.get_default("run")):
                raise InvalidError(f'the verb "{verb.name}" of {verb.packages} does not set the '
                                   "default `run`")
        elif listed:
            try:
                text = summary(verb.load())
            except Error as error:
                text = f"({error.message})"
            commands.add_parser(verb.name, help=text.replace("%", "%%"))
        else:
            commands.add_parser(verb.name)


def add_loaded(commands: Any, verbs: Iterable[OfferedVerb]) -> None:
    """Adds the verbs of other packages with their arguments; leaves out those that cannot be loaded."""
    for verb in verbs:
        try:
            add = verb.load()
        except Error:
            continue
        _add(commands, verb.name, add)


def summary(add: Add) -> str:
    """Returns the first line of the function's docstring, without its full stop."""
    lines = (inspect.getdoc(add) or "").splitlines()
    return lines[0].removesuffix(".") if lines else ""


def _add(commands: Any, name: str, add: Add) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary(add).replace("%", "%%"),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add(parser)
    return parser


def _package(entry: EntryPoint) -> str:
    """Returns the name and the version of an entry point's package."""
    found = entry.dist
    return f"{found.name} {found.version}" if found else f"the owner of {entry.value}"
