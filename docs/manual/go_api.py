"""Pages of the Go packages: what `godoc/main.go` makes of their comments."""

import os
import pathlib
import shutil
import subprocess

NAME = "go"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODULE = (ROOT / "packaging" / "go-module.txt").read_text().strip()
PACKAGES = ((MODULE, "go", "libsched"), (f"{MODULE}/kube", "go/kube", "kube"),
            (f"{MODULE}/kube/snapshot", "go/kube/snapshot", "snapshot"))


def go():
    """The program go: the one of .venv, if setup has installed one there."""
    return shutil.which("go", path=f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}:/usr/local/go/bin")


def pages():
    for path, folder, place in PACKAGES:
        text = subprocess.run([go(), "run", ".", ROOT / folder, path], cwd=HERE / "godoc", check=True,
                              stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"}).stdout
        yield path, f"reference/go/{place}.md", text
