"""What packaging/release.sh adds to the files of a release: sources that are the same each time, and the bill of materials."""

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tarfile

import project
import pytest

SCRIPT = project.ROOT / "packaging" / "sbom.py"
EPOCH = "1700000000"
SDIST = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"


def sbom():
    spec = importlib.util.spec_from_file_location("sbom", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", name="sources")
def two_source_archives(tmp_path_factory):
    """The sources, packed twice."""
    made = []
    for name in ("one", "two"):
        folder = tmp_path_factory.mktemp(name)
        project.run(sys.executable, "-c", SDIST, folder, env={"SOURCE_DATE_EPOCH": EPOCH})
        made += folder.glob("*.tar.gz")
    return made


def test_sources_are_the_same_each_time(sources):
    first, second = (path.read_bytes() for path in sources)
    assert first == second


def test_sources_have_what_a_build_needs(sources):
    with tarfile.open(sources[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"CMakeLists.txt", "LICENSE", "capi/libsched.map", "net/libsched_net.map", "bindings/pybind11/module.map",
            "python/libsched/py.typed", "cmake/dependencies.cmake"} <= names
    tracked = {name for name in project.run("git", "ls-files", "libsched", "capi", "net", "cmake", "bindings/pybind11").split()
               if (project.ROOT / name).exists()}
    assert tracked <= names
    assert not [name for name in names if name.startswith(("tests/", "build/", ".venv"))]


@pytest.fixture(name="release")
def files_of_a_release(tmp_path, sources, monkeypatch):
    """A folder with sources, a package, a wheel and Go modules, and the document about it."""
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / sources[0].name).write_bytes(sources[0].read_bytes())
    (folder / "libsched-0.0.1-cp311-cp311-manylinux_2_28_x86_64.whl").write_bytes(b"a wheel")
    (folder / "libsched-go-0.0.1.tar.gz").write_bytes(b"Go modules")
    debian = tmp_path / "tree" / "DEBIAN"
    debian.mkdir(parents=True)
    (debian / "control").write_text("Package: libsched-x\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\n"
                                    "Depends: libsched0.1 (= 1), python3:any, libc6 (>= 2.34) | libc7\nDescription: x\n")
    project.run("dpkg-deb", "--build", tmp_path / "tree", folder / "libsched-x_1_all.deb")
    module = sbom()
    for name in module.INSIDE_WHEELS:
        (tmp_path / "sources" / name / "debian").mkdir(parents=True)
        (tmp_path / "sources" / name / "debian" / "changelog").write_text(f"{name} (1:2.3-4) stable; urgency=low\n")
    monkeypatch.setattr(module, "SOURCES", tmp_path / "sources")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    module.main(str(folder))
    (written,) = folder.glob("*.spdx.json")
    return module, folder, json.loads(written.read_text())


def test_the_document_follows_spdx(release):
    _, _, document = release
    assert document["spdxVersion"] == "SPDX-2.3" and document["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
    assert re.fullmatch(r"https://\S+", document["documentNamespace"])
    elements = [one["SPDXID"] for one in document["packages"] + document["files"]]
    assert len(set(elements)) == len(elements)
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in elements)
    for one in document["relationships"]:
        assert {one["spdxElementId"], one["relatedSpdxElement"]} <= {*elements, "SPDXRef-DOCUMENT"}
    for one in document["packages"]:
        assert one["name"] and one["downloadLocation"] and one["licenseConcluded"]


def test_the_document_lists_every_file(release):
    _, folder, document = release
    listed = {one["fileName"]: {sum_["algorithm"]: sum_["checksumValue"] for sum_ in one["checksums"]} for one in document["files"]}
    there = {f"./{path.name}": path.read_bytes() for path in folder.iterdir() if path.suffix != ".json"}
    assert listed == {name: {"SHA1": hashlib.sha1(content).hexdigest(), "SHA256": hashlib.sha256(content).hexdigest()}
                      for name, content in there.items()}


def test_the_document_tells_what_is_inside(release):
    _, _, document = release
    versions = {one["name"]: one["versionInfo"] for one in document["packages"]}
    assert versions["simdjson"] == "2.3-4" and "nlohmann-json" not in versions
    related = {(one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"]) for one in document["relationships"]}
    wheel = "SPDXRef-File-libsched-0.0.1-cp311-cp311-manylinux-2-28-x86-64.whl"
    assert (wheel, "CONTAINS", "SPDXRef-Package-re2") in related
    modules = "SPDXRef-File-libsched-go-0.0.1.tar.gz"
    assert (modules, "CONTAINS", "SPDXRef-Package-re2") in related and (modules, "CONTAINS", "SPDXRef-Package-libcurl") not in related
    needed = {other for one, kind, other in related if kind == "DEPENDS_ON"}
    assert needed == {"SPDXRef-Package-debian-python3", "SPDXRef-Package-debian-libc6"}


def test_unknown_sources_are_refused(release, tmp_path, monkeypatch):
    module, folder, _ = release
    monkeypatch.setattr(module, "SOURCES", tmp_path / "nothing")
    with pytest.raises(SystemExit, match="no sources of simdjson, "):
        module.main(str(folder))


def test_a_second_document_is_the_same(release):
    module, folder, _ = release
    (written,) = folder.glob("*.spdx.json")
    before = written.read_bytes()
    module.main(str(folder))
    assert written.read_bytes() == before


@pytest.fixture(name="checkout")
def a_checkout(tmp_path):
    """A checkout of which packaging/release.sh may make sources, with so few files that it takes a second."""
    folder = tmp_path / "libsched"
    folder.mkdir()
    project.run("sh", "-c", 'git ls-files -z "$@" | xargs -0 cp --parents -t "$0"', folder,
                "packaging", "capi/include", ".gitignore", "pyproject.toml", "*.md", "LICENSE")
    # Packing looks into every folder, and .venv is large.
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {project.ROOT}/.venv/bin/python "$@"\n')
    python.chmod(0o755)
    project.run("git", "init", "--quiet", cwd=folder)
    project.run("git", "add", "--all", "--force", "--", ".", ":!.venv", cwd=folder)
    return folder


def release_twice(checkout, code):
    return project.run("packaging/release.sh", "--check", "sdist", cwd=checkout, env={"SOURCE_DATE_EPOCH": EPOCH}, code=code)


def test_a_release_is_made_twice_and_compared(checkout):
    said = release_twice(checkout, 0)
    assert said.endswith("release: built twice, all 3 files are equal\n")
    sums = [line.split() for line in (checkout / "dist" / "SHA256SUMS").read_text().splitlines()]
    assert {name.rpartition(".")[2] for _, name in sums} == {"md", "gz", "json"}
    for digest, name in sums:
        for folder in (checkout, checkout / "build" / "again" / "libsched"):
            assert hashlib.sha256((folder / "dist" / name).read_bytes()).hexdigest() == digest


def test_a_release_that_differs_is_refused(checkout):
    (checkout / "capi" / "stray.txt").write_text("a file that git does not know\n")
    said = release_twice(checkout, 1)
    assert said.count("the checkout has changes that are not committed") == 1
    assert re.search(r"^< \w+  libsched-[\d.]+\.tar\.gz$", said, re.MULTILINE)
    assert "release: the second build differs; it is in " in said and "are equal" not in said


def test_an_unknown_part_is_refused():
    done = subprocess.run([project.ROOT / "packaging" / "release.sh", "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "unknown part 'nonsense' (sdist, wheels, go, debs)" in done.stderr
