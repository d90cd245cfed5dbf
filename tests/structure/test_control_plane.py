"""docs/control-plane.md says of the control plane what the source does."""

import re

from sources import ROOT

SOURCE = ROOT / "libsched/scheduler/control_plane/imitated.cpp"
PAGE = ROOT / "docs/control-plane.md"


def table_in_source(name):
    text = SOURCE.read_text(encoding="utf-8")
    body = re.search(rf"constexpr \w+ {name}\[\] = {{\n(.*?)\n}};", text, re.DOTALL)[1]
    return [re.findall(r'"([^"]*)"', line) for line in body.splitlines()]


def table_of_page(head):
    text = PAGE.read_text(encoding="utf-8")
    body = re.search(rf"^\| {head} \|.*?\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()]


def test_the_page_has_the_tables_of_the_source():
    assert table_of_page("who") == table_in_source("kImitated")
    assert table_of_page("kind") == [[kind, effect] for _, kind, effect
                                     in table_in_source("kNotImitated")]
