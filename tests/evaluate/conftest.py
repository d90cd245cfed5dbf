"""Makes fixtures of the package's tests available: the command line as a process, and manifests."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"))

from running import run  # noqa: E402

__all__ = ["run"]
