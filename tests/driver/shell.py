"""Runs the commands of one part from the project's root, with their output in the part's log."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import threading

from . import ahead

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
VENV_BIN = ROOT / ".venv" / "bin"


FAILED_TAIL = 20  # lines of a failed command, repeated at the end of the log


class Failure(Exception):
    """A part cannot continue, because a build failed or a file is missing."""


@dataclasses.dataclass(frozen=True)
class Result:
    code: int
    output: str


def environment(extra=None):
    """The environment of every command; .venv comes before the system's folders in PATH."""
    env = dict(os.environ)
    env["PATH"] = f"{VENV_BIN}{os.pathsep}{env.get('PATH', '')}"
    env["GOTOOLCHAIN"] = "local"
    env.update(extra or {})
    return env


class Shell:
    """Runs commands with one log for all of them."""

    def __init__(self, part):
        self.verbose = os.environ.get("VERBOSE", "") not in ("", "0")
        self.log_path = self.log_of(part)
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._failed = []
        self.log_path.write_text("")

    @staticmethod
    def log_of(part):
        return BUILD / "test-logs" / f"{part}.log"

    def note(self, text):
        """Adds to the log, and to the terminal when verbose."""
        with self._lock:
            with self.log_path.open("a") as log:
                log.write(text if text.endswith("\n") else text + "\n")
            if self.verbose:
                print(text, flush=True)

    def run(self, command, env=None, cwd=ROOT, timeout=1800, log_output=True):
        """Runs a command to its end; the result holds its exit code and its output."""
        command = [str(word) for word in command]
        try:
            done = subprocess.run(command, cwd=cwd, env=environment(env), timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, check=False)
            code, output = done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as expired:
            code = 124
            output = (expired.stdout or b"").decode(errors="replace")
            output += f"\nstopped after {timeout} seconds"
        except OSError as error:
            code, output = 127, str(error)
        return self.ended(command, code, output, log_output)

    def ended(self, command, code, output, log_output=True):
        """Logs a command that has ended."""
        self.note(f"$ {' '.join(command)}")
        if log_output or code != 0:
            self.note(output)
        if code != 0:
            self.note(f"exit code {code}")
            self._failed.append((" ".join(command), code, output.splitlines()[-FAILED_TAIL:]))
        return Result(code, output)

    def note_failed(self):
        """Ends the log with the commands that failed, because concurrent commands may have ended later."""
        for command, code, tail in self._failed:
            self.note("\n".join([f"failed: {command} (exit code {code}):", *tail]))

    def must(self, command, what, **options):
        """Runs a step that the rest depends on."""
        result = self.run(command, **options)
        if result.code != 0:
            raise Failure(f"{what} failed")
        return result


_done = set()


def once(shell, name, command, **options):
    """Runs a step that several parts need, once per run of the driver. Options are those of Shell.run()."""
    if name in _done:
        return
    early = ahead.take(name)
    if early is None:
        shell.must(command, name, **options)
    elif shell.ended(command, *early).code != 0:
        raise Failure(f"{name} failed")
    _done.add(name)


def _build_step(preset, targets=()):
    return f"build of preset {preset}", ["packaging/build.sh", preset, *targets]


def build(shell, preset, targets=()):
    """Builds all of a preset, or some of its targets."""
    once(shell, *_build_step(preset, targets))


def build_ahead(builds):
    """Begins to build what later parts need; `builds` are arguments of build() but for the shell."""
    steps = (_build_step(*arguments) for arguments in builds)
    ahead.start({name: command for name, command in steps if name not in _done}, cwd=ROOT, env=environment())


def install_python(shell):
    once(shell, "installation of the Python package", ["packaging/install_python.sh"])


if not ROOT.joinpath("CMakeLists.txt").exists():
    sys.exit("tests/run: not in a checkout of the project")
