"""The documentation site, built once for all tests of this folder."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / name) for name in ("docs", "package", "page")]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site. mkdocs fails at a broken link within it."""
    out = tmp_path_factory.mktemp("site") / "docs"
    done = subprocess.run([sys.executable, "-m", "manual", "--out", out], cwd=ROOT / "docs", check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return out
