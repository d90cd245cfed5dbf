"""`libsched version`: the installed versions, and the release whose semantics apply."""

from __future__ import annotations

import argparse
import sys

from .. import _core
from .terminal import Terminal, print_json, table


def text() -> str:
    """Returns the versions of the library and of Kubernetes in a line."""
    return f"libsched {_core.version()} (semantics of Kubernetes {_core.k8s_version()})"


def add(made: argparse.ArgumentParser) -> None:
    """Print versions."""
    made.description = ("Prints the versions of the library, of its C ABI, and of the Kubernetes "
                        "whose semantics\nit has.")
    made.add_argument("--json", action="store_true", help="print JSON")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Prints the versions."""
    version = {"libsched": _core.version(), "abi": _core.abi_version(),
               "kubernetes": _core.k8s_version()}
    if options.json:
        print_json(version)
        return 0
    terminal = Terminal(sys.stdout)
    for line in table([["libsched", _core.version()], ["C ABI", str(_core.abi_version())],
                       ["Kubernetes semantics", _core.k8s_version()]], indent=0):
        terminal.line(line)
    return 0
