"""Paths of the built files, and functions that run programs, for the package tests."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build" / "release"
LIBRARY = RELEASE / "lib" / "libsched.so"
NET_LIBRARY = RELEASE / "lib" / "libsched-net.so"
INCLUDE = ROOT / "capi" / "include"
NET_INCLUDE = ROOT / "net" / "include"
GO_MODULE = (ROOT / "packaging" / "go-module.txt").read_text().strip()
HEADERS = sorted(INCLUDE.rglob("*.h"))
NET_HEADERS = sorted(NET_INCLUDE.rglob("*.h"))


def run(*command, cwd=ROOT, env=None, code=0, text=""):
    """Runs a program; fails with its output unless it exits with `code`. Returns what it printed."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, check=False, input=text,
                          env={**os.environ, **(env or {})}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == code, f"{command} exited with {done.returncode}:\n{done.stdout}"
    return done.stdout


def need_net():
    """Skips a test of libsched-net.so where libcurl was missing, or fails if REQUIRE_ALL is set."""
    if not NET_LIBRARY.exists():
        if os.environ.get("REQUIRE_ALL", "") not in ("", "0"):
            pytest.fail("no libsched-net.so, and REQUIRE_ALL is set")
        pytest.skip("libsched-net.so was not built: no libcurl")


def need(tool):
    """The path of a tool; a test without it is skipped, or fails if REQUIRE_ALL is set.

    .venv comes first, because setup installs a tool (Go) there only if the system's is too old.
    """
    found = shutil.which(tool, path=f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    if found:
        return found
    if os.environ.get("REQUIRE_ALL", "") not in ("", "0"):
        pytest.fail(f"no {tool}, and REQUIRE_ALL is set")
    return pytest.skip(f"no {tool}")
