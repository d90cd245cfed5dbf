"""The exit code is an answer: 0 and 1 are said only by a command whose answer has been written."""

import json
import os
import subprocess
import sys

import pytest

import libsched.cli
from libsched.cli import capacity, cel, compare, config, drain, dump, explain, fit, main, schedule, simulate, version, why
from manifests import node, pod, several

SLICE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
         "spec": {"driver": "d.example", "nodeName": "a", "devices": [{"name": "0"}],
                  "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}}
FILES = {
    "c.json": several(node("a"), node("b"), SLICE,
                      {**pod("run", cpu="1", node_name="a"), "metadata": {"name": "run", "ownerReferences": [
                          {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u",
                           "controller": True}]}}),
    "p.json": pod("web", cpu="1"), "huge.json": pod("huge", cpu="100"),
    "k.json": {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}}
#: Each verb with arguments to which it says yes.
YES = {
    "fit": ["c.json", "--pod", "p.json"], "explain": ["c.json", "--pod", "p.json"],
    "schedule": ["c.json", "--pod", "p.json"], "capacity": ["c.json", "--pod", "p.json", "--max", "3"],
    "drain": ["a", "c.json"], "compare": ["c.json", "--add-node", "a=1"], "why": ["p.json", "c.json"],
    "simulate": ["c.json", "--workload", "p.json"], "cel": ["true", "--slices", "c.json"],
    "config": ["check", "k.json"], "kubectl-line": [], "completion": ["bash"], "version": []}
#: Those that read a file, with standard input in its place.
FROM_INPUT = {verb: ["-" if word in ("c.json", "k.json") else word for word in words]
              for verb, words in YES.items() if {"c.json", "k.json"} & set(words)}
NO = {verb: ["huge.json" if word == "p.json" else word for word in words]
      for verb, words in YES.items() if "p.json" in words}
RUN_ALL = """
import json, sys
from libsched.cli import main
asked, told = sys.argv[1:]
codes = {verb: main([verb, *words]) for verb, words in json.loads(asked).items()}
with open(told, "w") as file:
    json.dump(codes, file)
"""


@pytest.fixture
def codes(tmp_path):
    """Runs commands with redirected streams; returns their exit codes by verb, and standard error."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(json.dumps(content))

    def go(asked, redirections):
        command = f'exec "$0" -c "$1" "$2" told {redirections}'
        done = subprocess.run(["sh", "-c", command, sys.executable, RUN_ALL, json.dumps(asked)], cwd=tmp_path,
                              check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads((tmp_path / "told").read_text()), done.stderr
    return go


def test_every_verb_is_here():
    assert set(YES) == set(libsched.cli.OWN)


def test_yes_and_no(codes):
    assert codes(YES, "") == ({verb: 0 for verb in YES}, "")
    said, _ = codes(NO, "2> /dev/null")
    assert said == {verb: 1 for verb in NO}


@pytest.mark.parametrize(("redirections", "text"), [
    ("> /dev/full", "libsched: error: standard output: No space left on device"),
    (">&-", "libsched: error: standard output is closed"),
    ("1< /dev/null", "libsched: error: standard output is closed")])
def test_an_answer_that_cannot_be_written_is_none(codes, redirections, text):
    asked = {**YES, "--help": [], **{f"{verb}": [*words] for verb, words in NO.items()}}
    said, err = codes(asked, redirections)
    assert said == {verb: 2 for verb in asked}
    assert err.splitlines() == [text] * len(asked)


@pytest.mark.parametrize("redirections", ["2>&-", "2> /dev/full"])
def test_messages_that_cannot_be_written_change_no_answer(codes, redirections):
    asked = {**YES, "nonsense": [], "--nonsense": []}
    said, _ = codes(asked, redirections)
    assert said == {**{verb: 0 for verb in YES}, "nonsense": 2, "--nonsense": 2}


def test_closed_standard_input(codes):
    said, err = codes(FROM_INPUT, "<&-")
    assert said == {verb: 2 for verb in FROM_INPUT}
    assert err.splitlines() == ["libsched: error: standard input is closed"] * len(FROM_INPUT)
    said, err = codes(FROM_INPUT, "0> /dev/null")  # it is open, but not for reading
    assert said == {verb: 2 for verb in FROM_INPUT} and "Traceback" not in err


def test_a_reader_that_has_left_is_told_nothing(tmp_path, codes):
    del codes  # has written the files
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run([sys.executable, "-c", RUN_ALL, json.dumps({**YES, **NO, "--help": []}), "told"],
                          cwd=tmp_path, stdout=theirs, stderr=subprocess.PIPE, check=False, timeout=300)
    os.close(theirs)
    assert done.stderr == b""
    assert set(json.loads((tmp_path / "told").read_text()).values()) == {141}


@pytest.mark.parametrize("option", ["--html", "--tables", "--plot"])
def test_files_that_cannot_be_written(codes, option):
    if option == "--plot":
        pytest.importorskip("matplotlib")
    verbs = [verb for verb in YES if verb == "simulate" or option == "--html" and verb in (
        "explain", "schedule", "capacity", "drain", "compare", "why")]
    said, err = codes({verb: [*YES[verb], option, "/dev/null/x.svg"] for verb in verbs}, "> /dev/null")
    assert said == {verb: 2 for verb in verbs}
    assert err.count("libsched: error: /dev/null/x.svg") == len(verbs) and "Traceback" not in err


MODULES = {"fit": fit, "explain": explain, "schedule": schedule, "capacity": capacity, "drain": drain,
           "compare": compare, "why": why, "simulate": simulate, "cel": cel, "config": config,
           "kubectl-line": dump, "version": version}


@pytest.mark.parametrize(("error", "code", "text"), [
    (KeyboardInterrupt(), 130, ""),
    (MemoryError(), 2, "libsched: error: out of memory\n"),
    (OSError(28, "No space left on device", "x"), 2, "libsched: error: x: No space left on device\n"),
    (BrokenPipeError(32, "Broken pipe"), 2, "libsched: error: Broken pipe\n"),  # not that of standard output
    (RecursionError("too\ndeep"), 2, "libsched: error: RecursionError: too deep (not foreseen; LIBSCHED_TRACEBACK=1 "
     "shows where it comes from)\n"),
    (SystemExit("sentence"), 2, "sentence\n"),
    (SystemExit(7), 7, "")])
def test_exceptions_that_are_not_foreseen(monkeypatch, capsys, error, code, text):
    def fail(options):
        raise error

    for verb, module in MODULES.items():
        monkeypatch.setattr(module, "run", fail)
        assert main([verb, *YES[verb]]) == code, verb
        assert capsys.readouterr().err == text


def test_the_traceback_is_there_for_those_who_ask(monkeypatch, capsys):
    monkeypatch.setattr(version, "run", lambda options: [][1])
    monkeypatch.setenv("LIBSCHED_TRACEBACK", "1")
    assert main(["version"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback ") and "\nlibsched: error: IndexError: " in err


def test_the_streams_are_put_back(capsys):
    before = sys.stdout, sys.stderr
    assert main(["version"]) == 0 and (sys.stdout, sys.stderr) == before
    assert "Kubernetes" in capsys.readouterr().out
