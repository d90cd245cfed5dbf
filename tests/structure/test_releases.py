"""Releases differ only by tables: no other code compares releases or names an older one."""

import re

import sources

COMPARED = re.compile(r"\bk1_\d+|\brelease\w*(?:\(\))?\s*(?:[=!<>]=|<|>)\s*(?!nullptr)\w"
                      r"|[=!<>]=\s*k(?:Newest|Oldest|Default)Release")
# The files of the tables and of the type itself.
MAY = {"release.hpp", "release.cpp", "default_plugins.cpp", "in_tree_plugins.cpp",
       "extension_point.cpp", "decode_args.cpp", "config_rules.cpp", "metric_families.cpp"}


def comparing(text):
    code = re.sub(r"//[^\n]*", "", text)
    return [found[0] for found in COMPARED.finditer(code)]


def test_releases_are_compared_in_their_tables_alone():
    wrong = {}
    for path in sources.code():
        if path.parts[0] not in ("libsched", "capi") or path.suffix not in (".cpp", ".hpp"):
            continue
        if path.stem.endswith("_test") or path.name in MAY:
            continue
        if found := comparing(sources.text(path)):
            wrong[str(path)] = found
    assert not wrong


def test_the_check_itself_refuses():
    assert comparing("if (semantics == Semantics::k1_31) {")
    assert comparing("x = fw.release() < other;")
    assert comparing("if (release == kNewestRelease) {")
    assert comparing("case Release::k1_35:")
    assert not comparing("Release release = kNewestRelease, // k1_31")
    assert not comparing("fw->behaviours_ = behaviours_of(release);")
