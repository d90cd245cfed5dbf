"""The Debian packages: lintian's word, and installation, use and removal in fresh roots."""

import shutil
import time

import pytest
import roots

FOLDERS = sorted(path for path in (roots.BUILD / "debs").glob("*") if path.is_dir())
PACKAGES = {"libsched0.1", "libsched-net", "libsched-dev", "python3-libsched", "libsched-tools"}


def test_there_are_packages():
    assert FOLDERS


@pytest.fixture(name="folder", params=FOLDERS, ids=lambda folder: folder.name)
def packages(request):
    """The packages for one release of Debian."""
    return request.param


def test_all_packages_are_built(folder):
    assert {path.name.split("_")[0] for path in folder.glob("*.deb")} == PACKAGES


def test_lintian_finds_no_error(folder):
    if not shutil.which("lintian"):
        pytest.skip("no lintian")
    said = roots.run("lintian", "--fail-on", "error", "--allow-root", *folder.glob("*.changes"))
    assert "E: " not in said


def test_they_install_work_and_leave_no_trace(folder, tmp_path):
    roots.need_roots()
    root = roots.Root(folder.name, tmp_path / "root")
    root.run("apt-get", "update", "-qq")
    before = root.files()
    root.put(*folder.glob("*.deb"), roots.SHOP, roots.TRAIN, roots.ROOT / "examples" / "c" / "fit.c")
    names = sorted(f"/{path.name}" for path in folder.glob("*.deb"))
    begin = time.monotonic()
    root.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *names)
    said = root.run("libsched", "fit", "/shop.yaml", "--pod", "/train.yaml")
    assert "gpu-train-b-1" in said
    took = time.monotonic() - begin
    assert not (root.folder / "usr/bin/cc").exists()
    assert root.run("libsched", "--version").startswith("libsched ")
    root.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "gcc", "libc6-dev", "pkgconf", "libcjson-dev")
    root.run("sh", "-c", "cc /fit.c $(pkg-config --cflags --libs libsched libcjson) -o /fit")
    assert "gpu-train-b-1" in root.run("/fit", "/shop.yaml", "/train.yaml")
    root.run("apt-get", "purge", "-y", "-qq", "--auto-remove", *sorted(PACKAGES), "gcc", "libc6-dev", "pkgconf", "libcjson-dev")
    left = {file for file in root.files() - before if "libsched" in file or "sched.so" in file}
    assert not {file for file in left if not file.endswith(".deb")}
    assert took < 60  # most of it is the download of Python
