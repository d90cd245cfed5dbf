"""The fixture `run`: the command line as a process of its own."""

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def run(tmp_path):
    """Runs `libsched` in a folder of its own; files given as keywords are written there first."""

    def go(*arguments, stdin=b"", env=None, files=None):
        for name, content in (files or {}).items():
            data = content if isinstance(content, bytes) else (
                content if isinstance(content, str) else json.dumps(content)).encode()
            (tmp_path / name).write_bytes(data)
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("NO_COLOR", "FORCE_COLOR")}
        done = subprocess.run(
            [sys.executable, "-m", "libsched", *arguments], cwd=tmp_path, check=False,
            input=stdin if isinstance(stdin, bytes) else stdin.encode(), capture_output=True,
            env={**environment, **(env or {})}, timeout=120)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return go


class Done:
    """What a run of the command line came to."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.split("\n") if line]

    def __repr__(self):
        return f"exit code {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"
