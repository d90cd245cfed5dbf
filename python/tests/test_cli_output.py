"""The forms of output with names and reasons that are not meant well: each is read back, and nothing in it steers a
terminal or a spreadsheet."""

import csv
import io
import json

import pytest

from libsched.cli.output import _cell, yaml_lines
from libsched.cli.terminal import print_json, visible

yaml = pytest.importorskip("yaml")

ODD = ["\u2028x", "a\u2029", "\x85", "\x1b[31mred\x1b]0;title\x07", "\x9b31m", "a\rb", "a\nb", "\ufeff", "\u202egnp.exe",
       "\U0001f600", "\U000e0041", "\x7f", "a\u00a0b", "null", "- x", "k: v", "#", "'", '"', "\\", "x" * 2000, "\u00e9" * 1500, ""]


@pytest.mark.parametrize("odd", ODD)
def test_yaml_is_read_back(odd):
    document = {odd: {odd: [odd, {odd: odd}, []]}, "list": [[odd], {"k": odd, odd + "2": 1}]}
    text = "\n".join(["---", *yaml_lines(document)])
    assert list(yaml.safe_load_all(text)) == [document]
    assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize("odd", ODD)
def test_json_is_read_back(odd, capfdbinary):
    print_json({odd: [odd]})
    line = capfdbinary.readouterr().out.decode()
    assert json.loads(line) == {odd: [odd]}
    assert line.endswith("\n") and line[:-1].isprintable()


@pytest.mark.parametrize("formula", ["=cmd|'/c calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "=1"])
def test_a_cell_is_no_formula(formula):
    assert _cell(formula) == "'" + formula


@pytest.mark.parametrize("plain", ["", "-", "+", "=", "-2", "+1.5", "web-1", "a=b", 3, -3, 1.5, None, True])
def test_a_cell_stays(plain):
    assert _cell(plain) is plain or _cell(plain) == plain


NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n\x1b[31m\x07\u2028"},
        "status": {"allocatable": {"cpu": "1", "pods": "9"}}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "=1+1\x9b"},
       "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}}


@pytest.mark.parametrize("verb", [
    ["fit", "n.json", "--pod", "p.json"], ["explain", "n.json", "--pod", "p.json"], ["capacity", "n.json", "--pod", "p.json"],
    ["schedule", "n.json", "--pod", "p.json"], ["why", "p.json", "n.json"],
    ["compare", "n.json", "--all", "--cordon", NODE["metadata"]["name"]]], ids=lambda verb: verb[0])
def test_no_verb_writes_controls(run, verb):
    for form in ("csv", "yaml", "json", "wide"):
        done = run(*verb, "-o", form, files={"n.json": NODE, "p.json": POD})
        assert done.code in (0, 1), done
        assert visible(done.out) == done.out, form
        if form == "yaml":
            assert list(yaml.safe_load_all(done.out))
        if form == "csv":
            cells = [cell for row in csv.reader(io.StringIO(done.out)) for cell in row]
            assert not [cell for cell in cells if cell[:1] in "=+@" and len(cell) > 1], cells
