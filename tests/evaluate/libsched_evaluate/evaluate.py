"""`libsched evaluate`: judges cases and prints the golden result of each as soon as it is ready."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import IO

from libsched.cli.progress import Progress
from libsched.cli.terminal import Terminal, print_json, print_line
from libsched.errors import Error, FileError

from .case_text import BadCase
from .cases import open_cases, read_cases
from .cycles import CyclesProgram
from .judging import Frameworks, judge

DESCRIPTION = """\
Reads cases, {"name", "config", "objects", "pods", "mode", "defaults", "release"}, and prints one line of JSON
for each: the answers of PreEnqueue, PreFilter and Filter for each pod and node, and the scores of the
nodes that fit. Mode "schedule" also chooses a node, on which the pods that follow see the pod; mode
"config" writes the defaulted configuration, mode "trace" records the calls of scripted plugins, and
mode "queue" drives the scheduling queue by a script. Mode "cycles" drives a whole scheduler; it is left
to the program libsched_cycles, as are mode "cel", which asks expressions about devices, and mode
"dra", which claims devices.
A case that cannot be loaded gives {"name", "error"}; the command continues, and exits with 2.
tests/oracle describes both formats."""

EPILOG = """\
examples:
  libsched evaluate case.json
  libsched evaluate cases.jsonl.gz > results.jsonl
  some-generator | libsched evaluate"""


def add(made: argparse.ArgumentParser) -> None:
    """Judge cases, for comparing with the real scheduler."""
    made.description, made.epilog = DESCRIPTION, EPILOG
    made.add_argument("file", nargs="*", metavar="FILE",
                      help="cases, one after the other, gzip or not; standard input if there is "
                      "none, or for -")
    made.add_argument("--cycles", metavar="PROGRAM",
                      help="the program for modes cycles, cel and dra (that of build/release, else of build/dev)")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Judges all cases; returns 0, or 2 if one could not be loaded."""
    with contextlib.closing(Evaluation(options.cycles)) as evaluation:
        return _run(options, evaluation)


def _run(options: argparse.Namespace, evaluation: Evaluation) -> int:
    for name in options.file or ["-"]:
        if name == "-":
            evaluation.stream(sys.stdin.buffer, "standard input", 0)
            continue
        try:
            size = os.stat(name).st_size
            with open_cases(name) as stream:
                evaluation.stream(stream, name, size)
        except OSError as error:
            if isinstance(error, Error):
                raise
            raise FileError(f"{name}: {error.strerror or error}") from None
    if evaluation.bad:
        Terminal(sys.stderr).error(f"{evaluation.bad:,} of {evaluation.cases:,} cases could not be "
                                   "loaded")
        return 2
    return 0


class Evaluation:
    """Judges streams of cases and counts them."""

    def __init__(self, cycles: str | None = None) -> None:
        self.cases = 0
        self.bad = 0
        self._frameworks = Frameworks()
        self._cycles = CyclesProgram(cycles)

    def close(self) -> None:
        """Ends the program that judges mode cycles."""
        self._cycles.close()

    def stream(self, stream: IO[bytes], name: str, size: int) -> None:
        """Judges a stream. `size` is its size for the progress bar, or 0 if it is unknown."""
        done = 0
        compressed = size > 0 and type(stream).__name__ == "GzipFile"
        with Progress(f"evaluating {os.path.basename(name)}",
                      0 if compressed else size) as progress:

            def advance(length: int) -> None:
                nonlocal done
                done += length
                progress.update(done, f"{self.cases:,} cases")

            for case in read_cases(stream, advance):
                self.cases += 1
                if isinstance(case, BadCase):
                    self._refuse(case.name, str(case))
                    continue
                try:
                    if case.mode in ("cycles", "cel", "dra"):
                        print_line(self._cycles.ask(case.line))
                    else:
                        print_json(judge(case, self._frameworks))
                except FileError:  # of the program
                    raise
                except (BadCase, Error) as error:
                    self._refuse(case.name, str(error))

    def _refuse(self, name: str, error: str) -> None:
        self.bad += 1
        print_json({"name": name, "error": error} if name else {"error": error})
