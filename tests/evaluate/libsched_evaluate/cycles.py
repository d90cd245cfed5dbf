"""Modes cycles, cel and dra: the program libsched_cycles (tests/cycles) runs the scripts.

A process of it is started once and answers case after case, a line each.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

from libsched.errors import FileError

from .case_text import BadCase

_PRESETS = ("release", "dev")


def find_program() -> str:
    """Returns the program in the build folders of the checkout that .venv belongs to.

    Raises
    ------
    BadCase
        It has not been built.
    """
    root = pathlib.Path(sys.prefix).parent
    for preset in _PRESETS:
        program = root / "build" / preset / "cycles" / "libsched_cycles"
        if program.exists():
            return str(program)
    raise BadCase('mode "cycles" needs the program libsched_cycles: run packaging/build.sh release, '
                  "or give --cycles")


class CyclesProgram:
    """The process, which is started with the first case."""

    def __init__(self, program: str | None = None) -> None:
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, case: bytes) -> bytes:
        """Returns the result of a case. Both are a line of JSON without its end.

        Raises
        ------
        BadCase
            The program is not there, or refuses the case.
        FileError
            The program cannot be started, or has died.
        """
        if self._process is None:
            if self._program is None:
                self._program = find_program()
            try:
                self._process = subprocess.Popen([self._program], stdin=subprocess.PIPE,
                                                 stdout=subprocess.PIPE)
            except OSError as error:
                raise FileError(f"{self._program}: {error.strerror or error}") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(case + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            raise FileError(f"{self._program} has ended with exit code {self._process.wait()}")
        result = json.loads(line)
        if result.keys() <= {"name", "error"}:
            raise BadCase(result["error"])
        return line[:-1]

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
