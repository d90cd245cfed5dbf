"""Roots of Debian releases, in which programs run as on a machine that has nothing else."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
SHOP = ROOT / "examples" / "clusters" / "shop.yaml"
TRAIN = ROOT / "examples" / "clusters" / "pods" / "train.yaml"


def run(*command, cwd=ROOT, code=0):
    """Runs a program; fails with its output unless it exits with `code`. Returns what it printed."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == code, f"{command} exited with {done.returncode}:\n{done.stdout}"
    return done.stdout


class Root:
    """A fresh root, a copy of one that debootstrap has made once."""

    def __init__(self, codename, folder, *packages):
        name = "-".join((codename, *packages)).replace("/", "_")
        made = BUILD / "roots" / name
        run(ROOT / "packaging" / "root.sh", codename, made, *packages)
        run("cp", "-a", made, folder)
        self.folder = folder

    def put(self, *files):
        """Copies files to /."""
        for file in files:
            shutil.copy(file, self.folder / pathlib.Path(file).name)

    def run(self, *command, code=0):
        """Runs a program in the root, without the variables of this process."""
        return run("env", "-i", "HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                   "DEBIAN_FRONTEND=noninteractive", "chroot", self.folder, *command, code=code)

    def files(self):
        """The files of the root, but logs and caches."""
        skipped = {"proc", "sys", "dev", "tmp", "run", "var"}
        return {str(path.relative_to(self.folder)) for top in self.folder.iterdir() if top.name not in skipped
                for path in top.rglob("*") if "__pycache__" not in path.parts}


def need_roots():
    """Roots can be made by the superuser alone."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("roots need debootstrap and the superuser")
