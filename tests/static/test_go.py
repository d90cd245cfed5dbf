"""A Go program links to the static library by default; without shared objects, it answers in a root folder that holds
nothing but itself and a dump. The module is fetched from a proxy, by a path as a public repository has one.
"""

import json
import os
import shutil
import subprocess
import zipfile

import pytest
from conftest import HERE, ROOT, run

# No tag chooses the library.
LINK = ["-tags", "netgo osusergo", "-ldflags", "-linkmode external -extldflags -static"]
PUBLIC = "example.org/someone/libsched/go"
PATH = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
# Go's own cache of modules is left alone; a C++ compiler is not needed.
ENV = {"PATH": PATH, "CGO_ENABLED": "1", "GOTOOLCHAIN": "local", "GOSUMDB": "off", "GOWORK": "off", "CXX": "/bin/false"}


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    """(a copy of the sources with the public path, the folder of a proxy that has the module, its version)."""
    top = tmp_path_factory.mktemp("public")
    copy = top / "copy"
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "go", "tests/static/program", "packaging",
                             "capi/include/libsched/base.h"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split("\n"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    run("packaging/go_module.py", PUBLIC, "--in", copy, cwd=ROOT)
    require = next(line for line in (copy / "tests/static/program/go.mod").read_text().splitlines() if "require" in line)
    version = require.split()[-1]
    there = top / "proxy" / PUBLIC / "@v"
    there.mkdir(parents=True)
    (there / f"{version}.info").write_text(json.dumps({"Version": version}))
    (there / f"{version}.mod").write_text((copy / "go" / "go.mod").read_text())
    with zipfile.ZipFile(there / f"{version}.zip", "w") as archive:
        for path in sorted((copy / "go").rglob("*")):
            if path.is_file() and "kube" not in path.relative_to(copy).parts:  # a module of its own
                archive.write(path, f"{PUBLIC}@{version}/{path.relative_to(copy / 'go')}")
    return copy, top / "proxy", version


@pytest.fixture(scope="module")
def program(static, public, tmp_path_factory):
    folder = tmp_path_factory.mktemp("go")
    copy, proxy, version = public
    source = folder / "source"
    shutil.copytree(copy / "tests" / "static" / "program", source)
    (source / "go.mod").write_text("module program\n\ngo 1.24\n")
    env = {**ENV, **static.pkg_config, "CC": " ".join(static.cc), "GOPROXY": f"file://{proxy}", "GOFLAGS": "-modcacherw",
           "GOMODCACHE": str(folder / "modules")}
    run("go", "get", f"{PUBLIC}@{version}", cwd=source, env=env)
    run("go", "build", *LINK, "-o", folder / "program", ".", cwd=source, env=env)
    return folder / "program"


@pytest.mark.parametrize("tags,library", [("", "libsched-go"), ("libsched_static", "libsched-static"),
                                          ("libsched_shared", "libsched"), ("libsched_repo", "")])
def test_a_tag_chooses_the_library(tags, library):
    said = run("go", "list", "-tags", tags, "-f", "{{join .CgoPkgConfig \" \"}}", ".", cwd=ROOT / "go",
               env={**ENV, "GOFLAGS": ""})
    assert said.strip() == library


def test_the_default_is_the_archive_where_there_is_one(static):
    flags = {name: run("pkg-config", "--cflags", "--libs", name, env=static.pkg_config).split()
             for name in ("libsched-go", "libsched-static")}
    assert set(flags["libsched-go"]) == set(flags["libsched-static"])
    assert str(static.archive) in [os.path.normpath(flag) for flag in flags["libsched-go"]]


def test_it_needs_no_shared_object(program):
    assert "There is no dynamic section" in run("readelf", "-d", program)
    assert "INTERP" not in run("readelf", "-lW", program)


@pytest.mark.parametrize("form", ["yaml", "yaml.gz", "yaml.xz", "yaml.zst"])
def test_it_answers_in_an_empty_root(program, dumps, alone, form):
    said = json.loads(alone(program, f"/dump.{form}", "gpu-train-b-1", files=[dumps / f"dump.{form}"]))
    train, huge = said["pods"]["ml/train"], said["pods"]["batch/huge"]
    assert train["nodes"] == ["gpu-train-b-2"]
    assert train["reasons"] == {
        "node(s) were to be left alone": 1, "Insufficient nvidia.com/gpu": 2, "node(s) were unschedulable": 1,
        "node(s) didn't match Pod's node affinity/selector": 18, "node(s) had untolerated taint(s)": 18}
    assert huge["nodes"] == [] and huge["reasons"]["Insufficient memory"] == 41
    assert "static library" in said["load"] and "linked to libsched.a" in said["remote"]


def test_a_missing_file_is_an_error(program, alone):
    assert "no-such-dump.yaml" in alone(program, "/no-such-dump.yaml", "x", code=1)
