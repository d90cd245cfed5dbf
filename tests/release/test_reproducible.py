"""Releases are reproducible: packaging/release.sh --check has made one twice, at two places, the second time without caches."""

import re
import zipfile

import pytest
import roots

FIRST = roots.ROOT / "dist"
PLACE = roots.BUILD / "again" / "libsched"
SECOND = PLACE / "dist"
FILES = sorted(path.name for path in FIRST.glob("*"))
# Names of the files, without versions and architectures; Debian's packages are made for two releases.
WANTED = sorted([
    "NOTES.md", "SHA256SUMS", "libsched.spdx.json", "libsched.tar.gz", "libsched-go.tar.gz",
    *(f"libsched-{python}-{machine}.whl" for python in ("cp311", "cp313") for machine in ("aarch64", "x86_64")),
    *(f"{name}+{release}.deb" for release in ("deb12", "deb13")
      for name in ("libsched0.1", "libsched-net0.1", "libsched-dev", "python3-libsched", "libsched-tools")),
])


def short(name):
    """A name without what changes with a version or a machine."""
    name = re.sub(r"_[\d.]+\+(deb\d+)_\w+\.deb$", r"+\1.deb", name)
    name = re.sub(r"^(libsched)-[\d.]*\d-(cp\d+)-.*(aarch64|x86_64)\.whl$", r"\1-\2-\3.whl", name)
    return re.sub(r"^(libsched(?:-go)?)-[\d.]*\d(\.tar\.gz|\.spdx\.json)$", r"\1\2", name)


def test_both_releases_are_whole():
    assert sorted(map(short, FILES)) == WANTED
    assert sorted(path.name for path in SECOND.iterdir()) == FILES


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_same_both_times(name):
    assert (FIRST / name).read_bytes() == (SECOND / name).read_bytes()


def test_the_sums_are_those_of_the_files():
    said = roots.run("sha256sum", "--strict", "--check", "SHA256SUMS", cwd=FIRST)
    assert said.count(": OK\n") == len(FILES) - 1


@pytest.mark.parametrize("name", FILES)
def test_no_file_tells_where_it_was_made(name, tmp_path):
    path = FIRST / name
    if name.endswith(".whl"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path)
    elif name.endswith(".gz"):
        roots.run("tar", "-C", tmp_path, "-xzf", path)
    elif name.endswith(".deb"):
        roots.run("dpkg-deb", "--raw-extract", path, tmp_path / "tree")
    else:
        (tmp_path / name).write_bytes(path.read_bytes())
    files = [file for file in tmp_path.rglob("*") if file.is_file() and not file.is_symlink()]
    assert files
    # Both releases use the folders of the first one that hold tools and roots, so that equal bytes are not enough.
    places = [roots.BUILD, roots.ROOT / ".venv", (roots.ROOT / ".venv").resolve()]
    if name.endswith(".deb"):
        places += ["/build/libsched-", "/build/again"]  # in a root
    assert not [(file.name, place) for file in files for place in places if str(place).encode() in file.read_bytes()]
