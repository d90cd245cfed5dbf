"""Real shells on a terminal of their own, to which tests type a line and Tab."""

import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

TIMEOUT = 30

# `libsched` is a function that shows its arguments.
SETUP = {
    "bash": """
PS1= ; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'
libsched() { printf '<%s>' "$@"; printf '#%s#\\n' done; }
source ./script
""",
    "zsh": """
PS1= ; unsetopt beep; unset zle_bracketed_paste
autoload -U compinit; compinit -D -u
libsched() { printf '<%s>' "$@"; printf '#%s#\\n' done }
source ./script
""",
}
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


def need(shell):
    """Skips a test whose shell is not installed; fails if REQUIRE_ALL is set."""
    if not shutil.which(shell):
        if os.environ.get("REQUIRE_ALL", "") not in ("", "0"):
            pytest.fail(f"no {shell}, and REQUIRE_ALL is set")
        pytest.skip(f"no {shell}")


class Shell:
    """bash or zsh in a folder, with a completion script; a context manager."""

    def __init__(self, name, folder, script):
        (folder / "script").write_text(script)
        (folder / "setup").write_text(SETUP[name])
        self._terminal, other = pty.openpty()
        self._process = subprocess.Popen(
            START[name], cwd=folder, stdin=other, stdout=other, stderr=other, start_new_session=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"})
        os.close(other)
        self._type("source ./setup; libsched ready\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    def complete(self, line):
        """Types a line, Tab and Enter; returns the arguments that the program gets then."""
        return self._type(f"{line}\t\n")

    def _type(self, text):
        os.write(self._terminal, text.encode())
        said, end = "", time.monotonic() + TIMEOUT
        while "#done#" not in said:
            ready, _, _ = select.select([self._terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"no answer to {text!r}: {said!r}"
            said += os.read(self._terminal, 65536).decode(errors="replace")
        return re.findall(r"<([^<>]*)>", said[:said.index("#done#")])


def fish_offers(folder, script, lines):
    """The words that fish offers for the end of each line."""
    (folder / "script").write_text(script)
    ask = "source ./script; for line in $argv; complete -C $line; echo '#done#'; end"
    done = subprocess.run(["fish", "--no-config", "-c", ask, *lines], cwd=folder, check=True, capture_output=True,
                          text=True, timeout=TIMEOUT, env={**os.environ, "HOME": str(folder)})
    assert not done.stderr, done.stderr
    answers = done.stdout.split("#done#\n")[:-1]
    return [[offer.split("\t")[0] for offer in answer.splitlines()] for answer in answers]
