"""Servers of plugins in processes of their own, for the tests of this folder."""

import contextlib
import pathlib
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples" / "remote"
sys.path[:0] = [str(HERE), str(EXAMPLES / "python")]


@contextlib.contextmanager
def running(command, ready="listening"):
    """Runs a server until the end of the block; it says on standard error when it listens."""
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        line = server.stderr.readline()
        assert ready in line, line + (server.stderr.read() if server.poll() is not None else "")
        yield server
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


def python(script, *arguments):
    return [sys.executable, str(script), *map(str, arguments)]


@pytest.fixture
def server(tmp_path):
    """Starts servers; the argument is their command."""
    with contextlib.ExitStack() as stack:
        yield lambda command: stack.enter_context(running(command))


def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def address_of(form, folder):
    """An address of a form that nobody listens at."""
    if form in ("unix", "http+unix"):
        return f"{form}:{folder}/{form}.{time.monotonic_ns()}"
    return f"tcp:127.0.0.1:{free_port()}" if form == "tcp" else f"http://127.0.0.1:{free_port()}/plugin"
