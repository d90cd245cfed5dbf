"""The oracle is built with every release that libsched knows by name: module files, versions and tags agree."""

import re

import sources

ORACLE = sources.ROOT / "tests/oracle"
DEFAULT = "136"  # what go.mod requires; it has no tag


def required(modules):
    return re.search(r"^\tk8s\.io/kubernetes (v\S+)$", (ORACLE / modules).read_text(), re.MULTILINE)[1]


def releases():
    """The module file of each release, by its number."""
    others = {path.stem: f"mods/{path.name}" for path in ORACLE.glob("mods/*.mod")}
    return {**others, DEFAULT: "go.mod"}


def test_every_release_has_an_oracle():
    names = re.search(r"kNames = \{(.*?)\}", (sources.ROOT / "libsched/config/release.cpp").read_text(), re.DOTALL)[1]
    assert {name.replace(".", "") for name in re.findall(r'"([\d.]+)"', names)} == releases().keys()


def test_versions_agree():
    for number, modules in releases().items():
        version = required(modules)
        assert version.startswith(f"v{number[0]}.{number[1:]}.")
        constants = (ORACLE / f"kube/release_{number}.go").read_text()
        assert f'Kubernetes = "{version}"' in constants and f'Minor      = "{number[0]}.{number[1:]}"' in constants
        assert (ORACLE / modules).with_suffix(".sum").is_file()
        assert version in (ORACLE / "README.md").read_text()


def test_a_file_is_for_tags_or_for_all_but_them():
    for path in ORACLE.rglob("*.go"):
        found = re.match(r"//go:build (.*)\n", path.read_text())
        if found:
            tag = r"k(?:" + "|".join(releases()) + ")"
            assert re.fullmatch(rf"{tag}(?: \|\| {tag})*|!{tag}(?: && !{tag})*", found[1]), path
            assert f"k{DEFAULT}" not in found[1], path
