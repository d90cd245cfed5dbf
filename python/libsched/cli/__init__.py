"""The command line `libsched`: one module for each verb, and `main`."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputWarning
from . import (capacity, cel, compare, completion, config, drain, dump, explain, fit, schedule, simulate, verbs, version,
               why)
from .ending import ended
from .parsing import Parser
from .terminal import Terminal

#: The verbs of libsched itself; other packages may add more (see `verbs`).
OWN: dict[str, verbs.Add] = {
    "fit": fit.add, "explain": explain.add, "schedule": schedule.add, "capacity": capacity.add,
    "drain": drain.add, "compare": compare.add, "why": why.add,
    "simulate": simulate.add, "cel": cel.add, "config": config.add, "kubectl-line": dump.add,
    "completion": completion.verb(lambda: whole_parser()), "version": version.add}

DESCRIPTION = """\
Does this pod fit, on which nodes, and why not on the others?
The verdicts and reasons are those of kube-scheduler, of the release of the dump; no cluster is needed."""

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
    made = Parser(
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
        The exit code: 0 yes, 1 no, 2 no answer, and above 128 if a signal would have ended it.
    """
    return ended(lambda: run(sys.argv[1:] if arguments is None else arguments))


def run(words: Sequence[str], missing: Mapping[str, str] | None = None,
        server_version: str = "") -> int | None:
    """Runs a command; `missing` says of kinds that are not in the input why, as kubectl names kinds, and
    `server_version` is that of the API server, if it is known.

    Raises
    ------
    libsched.Error
        There is no answer.
    SystemExit
        argparse has printed a text.
    """
    warnings.simplefilter("ignore", InputWarning)  # commands report typos themselves
    made = parser(words)
    options = made.parse_args(words)
    if options.command is None:
        made.print_help()
        return 0
    options.missing = missing or {}
    options.server_version = server_version
    code: int | None = options.run(options)
    return code
