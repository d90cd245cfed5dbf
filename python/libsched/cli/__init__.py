"""The command line `libsched`: one module for each command, and `main`."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from ..errors import Error
from . import config, evaluate, explain, fit, schedule, version
from .terminal import Terminal

COMMANDS = (fit, explain, schedule, evaluate, config, version)

DESCRIPTION = """\
Does this pod fit, on which nodes, and why not on the others?
The verdicts and reasons are those of kube-scheduler v1.36; no cluster is needed."""

EPILOG = """\
examples:
  kubectl get nodes,pods -A -o yaml > cluster.yaml
  libsched fit cluster.yaml --pod train.yaml
  libsched explain cluster.yaml --pod train.yaml --html train.html
  libsched schedule cluster.yaml --pod deployment.yaml

'libsched COMMAND --help' says more about a command."""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    made = argparse.ArgumentParser(
        prog="libsched", description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = made.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Returns
    -------
    int
        The exit code: 0 yes, 1 no, 2 bad input.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names may hold what a locale lacks
    made = parser()
    options = made.parse_args(arguments)
    if options.command is None:
        made.print_help()
        return 0
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except Error as error:
        Terminal(sys.stderr).error(error)
        return 2
    except BrokenPipeError:
        # Whoever reads has seen enough; Python must not complain when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
