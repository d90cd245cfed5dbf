"""argparse's parser, with errors of a line and a hint instead of the whole usage."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from .._near import near
from .terminal import Terminal


class Parser(argparse.ArgumentParser):
    """A parser whose commands report unknown arguments themselves, with their own names.

    argparse hands these to the parser of the whole program, which knows nothing about them.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Ends the program with an error if arguments are left over."""
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            hint = nearest(rest[0].partition("=")[0], self._option_string_actions) if rest[0].startswith("--") else ""
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return options, rest

    def _parse_optional(self, arg_string: str) -> Any:
        """Takes "-l spot" for the value of an option, although a command may have an option -l."""
        return None if arg_string.startswith("-l ") else super()._parse_optional(arg_string)

    def error(self, message: str) -> NoReturn:
        """Ends the program with an error of a line, and a line that says where to read more."""
        errors = Terminal(sys.stderr)
        errors.line(f"{self.prog}: {errors.paint('bad', 'error')}: {message}")
        errors.note(f"'{self.prog} --help' tells more")
        sys.exit(2)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            names = list(action.choices)
            raise argparse.ArgumentError(None, f"there is no command {str(value)!r}" + (
                nearest(value, names) or f"; the commands are {', '.join(names)}"))
        super()._check_value(action, value)

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:  # argparse of some versions ignores that it cannot be written
            (file or sys.stderr).write(message)


def nearest(word: str, known: Iterable[str]) -> str:
    """Returns a question about the known word that is most like another; empty if none is."""
    found = near(str(word), known)
    return f"; did you mean {found}?" if found else ""
