"""The wheels: what is in them, which systems they run on, and that they run where there is Python alone."""

import re
import shutil
import sys
import zipfile

import pytest
import roots

WHEELS = sorted((roots.BUILD / "wheels").glob("libsched-*.whl"))
GLIBC = (2, 28)
PYTHONS = {"bookworm": "cp311", "trixie": "cp313"}

PROGRAM = """
import libsched
cluster = libsched.Cluster.load("/shop.yaml")
fit = libsched.Framework().fit(cluster, "/train.yaml")
print(fit.nodes, fit["gpu-train-a-1"].status)
"""


@pytest.fixture(name="parts", params=WHEELS, ids=lambda wheel: wheel.name)
def unpacked(request, tmp_path):
    """A wheel and the shared objects in it."""
    with zipfile.ZipFile(request.param) as wheel:
        wheel.extractall(tmp_path)
    return request.param, sorted(tmp_path.rglob("*.so*"))


def test_there_are_wheels():
    assert WHEELS


def test_nothing_but_the_c_library_is_needed(parts):
    own = {library.name for library in parts[1]}
    system = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+)\.so\.\d+")
    for library in parts[1]:
        needed = re.findall(r"NEEDED.*\[(.*)\]", roots.run("readelf", "-dW", library))
        assert not [name for name in needed if name not in own and not system.fullmatch(name)], library.name


def test_the_c_library_may_be_old(parts):
    for library in parts[1]:
        versions = re.findall(r"GLIBC_(\d+)\.(\d+)", roots.run("objdump", "-T", library))
        assert max((int(a), int(b)) for a, b in versions) <= GLIBC, library.name


def test_auditwheel_agrees(parts):
    said = roots.run(sys.executable, "-m", "auditwheel", "show", parts[0])
    tag = re.search(r'"(manylinux_(\d+)_(\d+)_\w+)"', " ".join(said.split()))
    assert tag and (int(tag[2]), int(tag[3])) <= GLIBC, said


def test_libraries_show_their_own_names_alone(parts):
    for library in parts[1]:
        names = [line.split()[-1].split("@")[0]
                 for line in roots.run("nm", "-D", "--defined-only", library).splitlines()]
        others = [name for name in names if not re.match(r"libsched_|LIBSCHED_\d|PyInit__core|_(init|fini)$", name)]
        assert not others, library.name
        assert "no symbols" in roots.run("nm", library), "it is not stripped"


def test_shared_objects_are_hardened(parts):
    roots.check_hardening(parts[1])


def test_licences_are_inside(parts):
    with zipfile.ZipFile(parts[0]) as wheel:
        notices = [name for name in wheel.namelist() if name.endswith("NOTICES.txt")]
        text = wheel.read(notices[0]).decode()
    for name in ("zlib", "libyaml", "xz-utils", "libzstd", "simdjson", "re2", "curl", "openssl", "libcxx", "pybind11"):
        assert f"==== {name}" in text


@pytest.mark.parametrize("codename", PYTHONS)
def test_it_runs_where_there_is_python_alone(codename, tmp_path):
    roots.need_roots()
    wheel = [path for path in WHEELS if f"-{PYTHONS[codename]}-" in path.name]
    if not wheel:
        pytest.skip(f"no wheel for {PYTHONS[codename]} was built")
    root = roots.Root(codename, tmp_path / "root", "python3-venv")
    root.put(wheel[0], roots.SHOP, roots.TRAIN)
    (root.folder / "program.py").write_text(PROGRAM)
    with roots.at_most(30):
        root.run("python3", "-m", "venv", "/venv")
        root.run("/venv/bin/pip", "install", "--no-index", f"/{wheel[0].name}")
        assert "gpu-train-b-1" in root.run("/venv/bin/python", "/program.py")
        said = root.run("/venv/bin/libsched", "fit", "/shop.yaml", "--pod", "/train.yaml")
        assert "gpu-train-b-1" in said
    assert not (root.folder / "usr/bin/cc").exists()


# Debian 11 has Python 3.9, older than the package allows (requires-python), but a glibc that is new enough.
LOAD = """
import ctypes, glob
for path in sorted(glob.glob("/libsched*/libsched*.so.*"), key=len):
    library = ctypes.CDLL(path)
    version = library.libsched_net_version if "-net" in path else library.libsched_version
    version.restype = ctypes.c_char_p
    print(version().decode())
"""


def test_the_libraries_run_on_an_older_debian(parts, tmp_path):
    roots.need_roots()
    root = roots.Root("bullseye", tmp_path / "root", "python3", "python3-pip")
    (root.folder / "libsched").mkdir()
    for library in parts[1]:
        if not library.name.startswith("_core"):
            shutil.copy(library, root.folder / "libsched")
    (root.folder / "load.py").write_text(LOAD)
    version = roots.run(roots.ROOT / "packaging" / "version.sh")
    assert root.run("python3", "/load.py") == 2 * version
    root.put(parts[0])
    said = root.run("python3", "-m", "pip", "install", "--no-index", f"/{parts[0].name}", code=1)
    assert "is not a supported wheel on this platform" in said
