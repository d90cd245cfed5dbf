"""The Debian packages: lintian's word, hardening, and installation, use and removal in fresh roots."""

import re

import pytest
import roots

FOLDERS = sorted(path for path in (roots.BUILD / "debs").glob("*") if path.is_dir())
PACKAGES = {"libsched0.1", "libsched-net0.1", "libsched-dev", "python3-libsched", "libsched-tools"}
C_PROGRAM = ("gcc", "libc6-dev", "pkgconf", "libcjson-dev")  # what building examples/c/fit.c needs beside libsched-dev

PYTHON = """
import libsched
cluster = libsched.Cluster.load("/shop.yaml")
print(libsched.Framework().fit(cluster, "/train.yaml").nodes)
"""


def test_there_are_packages():
    assert {folder.name for folder in FOLDERS} >= {"bookworm", "trixie"}


@pytest.fixture(name="folder", params=FOLDERS, ids=lambda folder: folder.name)
def packages(request):
    """The packages for one release of Debian."""
    return request.param


@pytest.fixture(name="unpacked", params=FOLDERS, ids=lambda folder: folder.name)
def unpacked_packages(request, tmp_path):
    """A folder into which all packages for a release are unpacked."""
    for package in request.param.glob("*.deb"):
        roots.run("dpkg-deb", "-x", package, tmp_path)
    return tmp_path


def test_all_packages_are_built(folder):
    assert {path.name.split("_")[0] for path in folder.glob("*.deb")} == PACKAGES


def test_lintian_finds_no_error(folder):
    (changes,) = folder.glob("*.changes")
    said = roots.run("lintian", "--fail-on", "error", "--allow-root", changes)
    assert not re.findall("^[EF]: .*", said, re.MULTILINE)


def test_shared_objects_are_hardened(unpacked):
    objects = [path for path in unpacked.rglob("*.so*") if not path.is_symlink()]
    assert len(objects) == 3
    roots.check_hardening(objects)


def test_what_the_tools_bring(unpacked):
    share = unpacked / "usr" / "share"
    assert (share / "man/man1/libsched-fit.1.gz").exists() and (share / "man/man1/kubectl-libsched.1.gz").exists()
    for completion in ("bash-completion/completions/libsched", "zsh/vendor-completions/_libsched",
                       "fish/vendor_completions.d/libsched.fish"):
        assert "capacity" in (share / completion).read_text()


def test_they_install_work_and_leave_no_trace(folder, tmp_path):
    roots.need_roots()
    root = roots.Root(folder.name, tmp_path / "root")
    root.put(*folder.glob("*.deb"), roots.SHOP, roots.TRAIN, roots.ROOT / "examples" / "c" / "fit.c")
    (root.folder / "program.py").write_text(PYTHON)
    names = sorted(f"/{path.name}" for path in folder.glob("*.deb"))
    (root.folder / "etc" / "hosts").touch()  # as on every machine; else Debian's netbase makes it, for good
    root.run("apt-get", "update", "-qq")
    before, packages = root.files(), root.packages()
    # The download, which depends on the network alone, is not timed.
    root.install("--download-only", *names)
    with roots.at_most(30):
        root.install(*names)
        said = root.run("libsched", "fit", "/shop.yaml", "--pod", "/train.yaml")
    assert said.startswith("ml/train: fits 2 of 41 nodes\n")
    assert not list(root.folder.glob("usr/bin/*gcc*")) and not (root.folder / "usr/bin/cc").exists()
    assert root.run("libsched", "--version").startswith("libsched 0.")
    assert "gpu-train-b-1" in root.run("python3", "/program.py")
    assert "kubectl libsched why" in root.run("kubectl-libsched", "--help")

    root.install(*C_PROGRAM)
    root.run("sh", "-c", "cc /fit.c $(pkg-config --cflags --libs libsched libcjson) -o /fit")
    assert "gpu-train-b-1" in root.run("/fit", "/shop.yaml", "/train.yaml")

    # All that came with them goes as well, also what apt would keep because another package suggests it.
    root.run("apt-get", "purge", "-y", "-qq", *sorted(root.packages() - packages))
    (root.folder / "fit").unlink()
    assert root.packages() == packages
    assert root.files() - before == set()
