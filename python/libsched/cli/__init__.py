"""The command line `libsched`: one module for each verb, and `main`."""

from __future__ import annotations

import argparse
import difflib
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import Error, InputWarning
from . import (capacity, cel, compare, completion, config, drain, dump, explain, fit, schedule, simulate, verbs, version,
               why)
from .terminal import Terminal

#: The verbs of libsched itself; other packages may add more (see `verbs`).
OWN: dict[str, verbs.Add] = {
    "fit": fit.add, "explain": explain.add, "schedule": schedule.add, "capacity": capacity.add,
    "drain": drain.add, "compare": compare.add, "why": why.add,
    "simulate": simulate.add, "cel": cel.add, "config": config.add, "kubectl-line": dump.add,
    "completion": completion.verb(lambda: whole_parser()), "version": version.add}

DESCRIPTION = """\
Does this pod fit, on which nodes, and why not on the others?
The verdicts and reasons are those of kube-scheduler v1.36; no cluster is needed."""

EPILOG = """\
examples:
  $(libsched kubectl-line) > cluster.json
  libsched fit cluster.json --pod shop/web-0      # a pod of the dump, or a file
  libsched fit cluster.yaml --pod train.yaml
  libsched explain cluster.yaml --pod train.yaml --html train.html
  libsched schedule cluster.yaml --pod deployment.yaml
  libsched capacity cluster.yaml --pod web.yaml
  libsched drain node-a cluster.yaml
  libsched why default/web cluster.yaml
  libsched compare cluster.yaml --config old.yaml --config new.yaml
  libsched simulate cluster.yaml --workload pods.yaml
  libsched cel 'device.driver == "gpu.example.com"' --slices cluster.yaml

'libsched COMMAND --help' says more about a command."""


class _Parser(argparse.ArgumentParser):
    """A parser whose commands report unknown arguments themselves, with their own usage and names.

    argparse hands these to the parser of the whole program, whose usage says nothing about them.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Ends the program with an error if arguments are left over."""
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            near = difflib.get_close_matches(rest[0].partition("=")[0], self._option_string_actions, 1)
            hint = f"; did you mean {near[0]}?" if near and rest[0].startswith("--") else ""
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return options, rest

    def _parse_optional(self, arg_string: str) -> Any:
        """Takes "-l spot" for the value of an option, although a command may have an option -l."""
        return None if arg_string.startswith("-l ") else super()._parse_optional(arg_string)


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Makes the parser of the command line, with the parts that these arguments need.

    Raises
    ------
    libsched.Error
        The arguments name a verb of another package that cannot be loaded.
    """
    made, commands = _own_parser()
    verb = words[0] if words else ""
    if verb in OWN:
        return made
    offered, warnings = verbs.offered(OWN)
    listed = verb in ("", "-h", "--help")
    if listed:
        for text in warnings:
            Terminal(sys.stderr).warn(text)
    verbs.add_offered(commands, offered.values(), verb, listed)
    return made


def whole_parser() -> argparse.ArgumentParser:
    """Makes a parser with all arguments of all verbs, also those of other packages, if they can be loaded."""
    made, commands = _own_parser()
    verbs.add_loaded(commands, verbs.offered(OWN)[0].values())
    return made


def own_parser() -> argparse.ArgumentParser:
    """Makes a parser with all arguments of libsched's own verbs."""
    return _own_parser()[0]


def _own_parser() -> tuple[argparse.ArgumentParser, Any]:
    """Makes a parser of libsched's own verbs; returns argparse's subparsers as well."""
    made = _Parser(
        prog="libsched", description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--version", action="version", version=version.text(),
                      help="print the version and exit")
    commands = made.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    verbs.add_own(commands, OWN)
    return made, commands


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Returns
    -------
    int
        The exit code: 0 yes, 1 no, 2 bad input.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # the locale may lack some characters
    warnings.simplefilter("ignore", InputWarning)  # commands report typos themselves
    words = sys.argv[1:] if arguments is None else arguments
    try:
        made = parser(words)
        options = made.parse_args(words)
        if options.command is None:
            made.print_help()
            return 0
        code: int | None = options.run(options)
        sys.stdout.flush()
        return code or 0
    except Error as error:
        Terminal(sys.stderr).error(error)
        return 2
    except BrokenPipeError:
        # The reader has left early; Python must not complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
