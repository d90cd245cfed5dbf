"""The Go modules of a release: a program that fetches them needs no installed library, on each of their platforms."""

import importlib.util
import json
import os
import pathlib
import platform
import shutil
import sys
import tarfile
import zipfile

import pytest
import roots

sys.path.insert(0, str(roots.ROOT / "packaging"))
from go_module import version_of  # noqa: E402
from go_release import PLATFORMS  # noqa: E402

PUBLIC = "example.org/someone/libsched/go"
VERSION = version_of(roots.ROOT, PUBLIC)
# The proxy of the tests has no other modules, pkg-config finds nothing, and there is no C++ compiler.
SETTINGS = {"PATH": f"{roots.ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": os.environ.get("HOME", "/root"),
            "GOTOOLCHAIN": "local", "GOSUMDB": "off", "GOWORK": "off", "GOFLAGS": "-modcacherw", "CGO_ENABLED": "1", "CXX": "/bin/false",
            "PKG_CONFIG": "/bin/false"}
SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libresolv.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def run_clean(settings, *command, **options):
    """Runs a program with these settings alone."""
    return roots.run("env", "-i", *(f"{name}={value}" for name, value in settings.items()), *command, **options)


def compiler(arch):
    """A C compiler for a platform."""
    if PLATFORMS[arch] == platform.machine():
        return "gcc"
    zig = os.environ.get("ZIG") or pathlib.Path(importlib.util.find_spec("ziglang").origin).parent / "zig"
    return f"{zig} cc -target {PLATFORMS[arch]}-linux-gnu.2.28"


def publish(modules, proxy):
    """Puts modules into the folder of a proxy, each as one that is tagged in a repository."""
    folders = [path.parent for path in modules.rglob("go.mod")]
    for folder in folders:
        module = (folder / "go.mod").read_text().split("module ")[1].split()[0]
        there = proxy / module / "@v"
        there.mkdir(parents=True)
        (there / "list").write_text(f"{VERSION}\n")
        (there / f"{VERSION}.info").write_text(json.dumps({"Version": VERSION}))
        shutil.copy(folder / "go.mod", there / f"{VERSION}.mod")
        inner = [other for other in folders if other != folder and other.is_relative_to(folder)]
        with zipfile.ZipFile(there / f"{VERSION}.zip", "w") as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not any(path.is_relative_to(other) for other in inner):
                    archive.write(path, f"{module}@{VERSION}/{path.relative_to(folder)}")


@pytest.fixture(scope="module", name="public")
def of_a_public_repository(tmp_path_factory):
    """(a program that has fetched the modules, the modules, the settings to build it)."""
    top = tmp_path_factory.mktemp("public")
    copy = top / "copy"
    listed = roots.run("git", "ls-files", "-co", "--exclude-standard", "go", "tests/static/program", "packaging", "capi/include", "LICENSE")
    for name in listed.splitlines():
        if (roots.ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(roots.ROOT / name, copy / name)
    roots.run("git", "init", "-q", copy)
    (copy / "build").symlink_to(roots.BUILD)
    roots.run("packaging/go_module.py", PUBLIC, "--in", copy)
    roots.run(copy / "packaging" / "go_release.py", top / "modules")
    publish(top / "modules" / "go", top / "proxy")
    program = copy / "tests" / "static" / "program"
    (program / "go.mod").write_text("module program\n\ngo 1.24\n")
    settings = {**SETTINGS, "GOPROXY": f"file://{top / 'proxy'}", "GOMODCACHE": top / "cache"}
    run_clean(settings, "go", "get", f"{PUBLIC}@{VERSION}", cwd=program)
    return program, top / "modules" / "go", settings


@pytest.mark.parametrize("arch", PLATFORMS)
def test_a_program_needs_the_c_library_alone(public, arch, tmp_path):
    source, _, settings = public
    program = tmp_path / "program"
    run_clean({**settings, "GOARCH": arch, "CC": compiler(arch)}, "go", "build", "-o", program, ".", cwd=source)
    needed = {line.split("[")[1].rstrip("]") for line in roots.run("readelf", "-dW", program).splitlines() if "(NEEDED)" in line}
    assert needed <= SYSTEM
    dump = tmp_path / "dump.yaml"
    dump.write_text(roots.SHOP.read_text() + "---\n" + roots.TRAIN.read_text())
    said = json.loads(roots.run(*roots.start_of(PLATFORMS[arch]), program, dump, "gpu-train-b-1"))
    assert said["pods"]["ml/train"]["nodes"] == ["gpu-train-b-2"]


def test_an_installed_library_is_taken_by_a_tag(public):
    source, _, settings = public
    listed = run_clean(settings, "go", "list", "-tags", "libsched_installed", "-f", '{{join .CgoPkgConfig " "}}', PUBLIC, cwd=source)
    assert listed.strip() == "libsched-go"


def test_modules_require_each_other_and_have_licences(public):
    _, modules, _ = public
    for arch in PLATFORMS:
        folder = modules / "prebuilt" / f"linux_{arch}"
        assert f"{PUBLIC}/prebuilt/linux_{arch} {VERSION}\n" in (modules / "go.mod").read_text()
        assert (folder / "LICENSE").read_bytes() == (roots.ROOT / "LICENSE").read_bytes()
        text = (folder / "NOTICES.txt").read_text()
        for name in ("zlib", "libyaml", "xz-utils", "libzstd", "simdjson", "re2", "libcxx", "libcxxabi", "libunwind"):
            assert f"==== {name}\n" in text
    assert f"{PUBLIC} {VERSION}\n" in (modules / "kube" / "go.mod").read_text()


def test_a_release_has_them():
    found = sorted((roots.ROOT / "dist").glob("libsched-go-*.tar.gz"))
    if not found:
        pytest.skip("no release was made: packaging/release.sh go")
    with tarfile.open(found[-1]) as archive:
        names = archive.getnames()
    for arch in PLATFORMS:
        for name in ("go.mod", "link.go", "libsched.a", "LICENSE", "NOTICES.txt"):
            assert f"go/prebuilt/linux_{arch}/{name}" in names
    assert "go/include/libsched/base.h" in names and "go/kube/go.mod" in names
