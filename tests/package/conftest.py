"""Lets the package tests import their neighbour, and installs the library once for all of them."""

import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import project  # noqa: E402


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """An install tree of the release build, moved after installation: it must be relocatable."""
    first = tmp_path_factory.mktemp("install") / "first"
    project.run("cmake", "--install", project.RELEASE, "--prefix", first)
    moved = first.parent / "moved"
    shutil.move(first, moved)
    return moved
