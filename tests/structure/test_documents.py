"""Documents name only what exists: functions and types of the C API, files of the repository, feature gates."""

import re

import pytest

import sources

DOCUMENTS = [path for path in sources.files() if path.suffix == ".md" and path.parts[:2] != ("tests", "fuzz")]
# Names of the build, of packages, and the beginnings of names, are no names of the API.
OTHERS = re.compile(r"libsched_(?:\w+_test|evaluate|cycles|remote|core|repo|shared|static|python|net|\w*_)")
LINKS = re.compile(r"\]\((?!\w+:)([^)#\s]+)(?:#[^)\s]*)?\)")
# The documentation site makes these of the sources, beside its own pages.
MADE = re.compile(r"(?:\.\./)*(?:reference|topics|project)/")


def api_names():
    headers = [path for path in sources.files() if path.suffix in (".h", ".hpp", ".i")
               and path.parts[0] in ("capi", "net", "bindings")]
    return {name for path in headers for name in re.findall(r"\b(?:libsched|LIBSCHED)_\w+", sources.text(path))}


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_names_of_the_api_are_declared(path):
    declared = api_names()
    named = set(re.findall(r"\blibsched_[a-z0-9_]+\b(?=\(\))|(?<=`)libsched_[a-z0-9_]+(?=`)", sources.text(path)))
    assert not [name for name in sorted(named - declared) if not OTHERS.fullmatch(name)]


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_links_lead_to_files(path):
    for target in LINKS.findall(sources.text(path)):
        if not MADE.match(target):
            assert (sources.ROOT / path.parent / target).exists(), target


def test_feature_gates_that_cannot_be_set_are_named():
    default = re.search(r"kDefaultRelease = Release::k1_(\d+);", sources.text("libsched/config/release.hpp"))
    at = 1 + int(default[1]) - 31
    rows = r'\{"(\w+)", "([^"]{%d})[^"]*"\}'
    stages = dict(re.findall(rows % at, sources.text("libsched/config/gate_history.cpp")))
    supports = dict(re.findall(rows % at, sources.text("libsched/config/feature_gate_table.cpp")))
    fixed = {gate: stages[gate][-1] for gate, letters in supports.items() if letters[-1] == "u"}
    assert fixed
    said = re.search(r"gates cannot be enabled:(.*?)cannot be disabled:(.*?)\.\s",
                     sources.text("docs/manual/pages/judged.md"), re.DOTALL)
    for words, unlocked in ((said[1], "abgd"), (said[2], "ABGD")):
        expected = {gate for gate, stage in fixed.items() if stage in unlocked}
        assert set(re.findall(r"\b[A-Z]\w+\b", words)) == expected


def test_the_first_command_of_a_contributor_runs_tests():
    """The layer has a target, and the pattern names a file of its tests: doctest says success to one that finds none."""
    said = re.search(r'--target libsched_(\w+)_test\n    build/dev/unit/libsched_\1_test -sf="([^"]+)"', sources.text("CONTRIBUTING.md"))
    tests = [path for path in sources.files() if path.match(f"libsched/{said[1]}/{said[2]}_test.cpp")]
    assert tests and said[1] in sources.text("CMakeLists.txt") + sources.text("libsched/CMakeLists.txt")
