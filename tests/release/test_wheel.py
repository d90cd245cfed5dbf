"""The wheels: what is in them, which systems they run on, and that they run where there is Python alone."""

import platform
import re
import shutil
import sys
import zipfile

import pytest
import roots

WHEELS = sorted((roots.BUILD / "wheels").glob("libsched-*.whl"))
GLIBC = (2, 28)
PYTHONS = {"bookworm": "cp311", "trixie": "cp313"}

RECORDED = "basic,config,mixed,nodeaffinity,nominated,podaffinity,ports,preempt,spread,taints,volumes"  # kinds of cases

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
    wheel = [path for path in WHEELS if f"-{PYTHONS[codename]}-" in path.name and path.stem.endswith(platform.machine())]
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


class Foreign:
    """A wheel for another machine, unpacked, and the Python of a Debian release for it, under qemu."""

    machine = "aarch64"

    def __init__(self, codename, folder):
        wheel = [path for path in WHEELS if path.stem.endswith(self.machine) and f"-{PYTHONS[codename]}-" in path.name]
        if not wheel or platform.machine() == self.machine:
            pytest.skip(f"no wheel of another machine for {PYTHONS[codename]} was built")
        with zipfile.ZipFile(wheel[0]) as parts:
            parts.extractall(folder)
        root = roots.unpacked(codename, self.machine)
        self.python = ["env", "-i", f"PYTHONHOME={root}/usr", f"PYTHONPATH={folder}", *roots.start_of(self.machine, codename),
                       root / "usr" / "bin" / "python3"]


@pytest.mark.parametrize("codename", PYTHONS)
def test_that_of_another_machine_runs_under_qemu(codename, tmp_path):
    foreign = Foreign(codename, tmp_path)
    program = PROGRAM.replace("/shop.yaml", str(roots.SHOP)).replace("/train.yaml", str(roots.TRAIN))
    said = roots.run(*foreign.python, "-c", program + "import platform; print(platform.machine())")
    assert "gpu-train-b-1" in said and said.endswith(f"{foreign.machine}\n")


def test_that_of_another_machine_gives_the_recorded_answers(tmp_path):
    """345 cases of the real framework, by the verb `evaluate`, which is put beside the wheel as pip would."""
    foreign = Foreign("bookworm", tmp_path)
    shutil.copytree(roots.ROOT / "tests" / "evaluate" / "libsched_evaluate", tmp_path / "libsched_evaluate")
    described = tmp_path / "libsched_evaluate-0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: libsched-evaluate\nVersion: 0\n")
    (described / "entry_points.txt").write_text("[libsched.verbs]\nevaluate = libsched_evaluate.evaluate:add\n")
    said = roots.run(sys.executable, "tests/conformance/conformance.py", "--goldens", "tests/goldens", "--release", "1.37",
                     "--libsched", " ".join(map(str, [*foreign.python, "-m", "libsched", "evaluate"])), "--kinds", RECORDED, "--first", 15,
                     "--timeout", 600, "--out", tmp_path / "differing")
    assert roots.closing_line(said) == (330, 0), said


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
    if not parts[0].stem.endswith(platform.machine()):
        pytest.skip("its programs are another machine's")
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
