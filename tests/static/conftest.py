"""The static library under test, for the C library that LIBSCHED_STATIC_LIBC names, and compilers for it."""

import gzip
import importlib.util
import lzma
import os
import pathlib
import platform
import shutil
import subprocess

import pyarrow
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
CLUSTERS = ROOT / "examples" / "clusters"
LIBC = os.environ.get("LIBSCHED_STATIC_LIBC", "gnu")


def run(*command, env=None, code=0, **options):
    """Runs a program; fails with its output unless it exits with `code`. Returns what it printed."""
    done = subprocess.run([str(word) for word in command], check=False, text=True, env={**os.environ, **(env or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, **options)
    assert done.returncode == code, f"{command} exited with {done.returncode}:\n{done.stdout}"
    return done.stdout


class Static:
    """The archive for a C library, and what is needed to link to it."""

    def __init__(self, libc):
        self.libc = libc
        self.prefix = ROOT / "build" / "static" / libc
        self.archive = self.prefix / "lib" / "libsched.a"
        self.pkg_config = {"PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig")}
        if libc == "musl":
            zig = os.environ.get("ZIG") or str(
                pathlib.Path(importlib.util.find_spec("ziglang").origin).parent / "zig")
            target = f"{platform.machine()}-linux-musl"
            self.cc, self.cxx = [zig, "cc", "-target", target], [zig, "c++", "-target", target]
        else:
            self.cc, self.cxx = ["gcc"], ["g++"]

    def flags(self):
        return run("pkg-config", "--cflags", "--libs", "libsched-static", env=self.pkg_config).split()

    def link(self, out, *arguments, cxx=False, static=True):
        """Compiles and links a program as a user does, by the flags of pkg-config."""
        compiler = [*self.cxx, "-std=c++20"] if cxx else [*self.cc, "-std=gnu11"]
        run(*compiler, *(["-static"] if static else []), "-O1", *arguments, "-o", out, *self.flags())
        return out


@pytest.fixture(scope="session")
def static():
    return Static(LIBC)


@pytest.fixture(scope="session")
def dumps(tmp_path_factory):
    """The shop with two more pods that have no node, in each form that files may have."""
    pods = [(CLUSTERS / "pods" / f"{name}.yaml").read_text() for name in ("train", "huge")]
    text = "---\n".join([(CLUSTERS / "shop.yaml").read_text(), *pods]).encode()
    folder = tmp_path_factory.mktemp("dumps")
    forms = {"yaml": text, "yaml.gz": gzip.compress(text, 1), "yaml.xz": lzma.compress(text, preset=0),
             "yaml.zst": pyarrow.compress(text, codec="zstd", asbytes=True)}
    for form, content in forms.items():
        (folder / f"dump.{form}").write_bytes(content)
    return folder


@pytest.fixture
def alone(tmp_path):
    """Runs a program in a root folder that holds nothing but the program and the given files."""
    def in_empty_root(program, *arguments, files=(), code=0):
        root = tmp_path / "root"
        root.mkdir()
        for file in (program, *files):
            shutil.copy(file, root)
        enter = ["chroot"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot"]
        said = run(*enter, root, f"/{pathlib.Path(program).name}", *arguments, code=code)
        shutil.rmtree(root)
        return said
    return in_empty_root
