"""Questions that people have asked in public about a scheduler, reduced to small clusters, with the right answers.

Each folder has a cluster, and pods or a configuration. `case.json` names the release whose answers it holds and where the
question was asked. `verdicts` are those of the real kube-scheduler of that release about the pods of `explain`; `commands`
are command lines with their exit code and what they say.
"""

import json
import pathlib

import pytest
from libsched.cli import main

FOLDER = pathlib.Path(__file__).resolve().parent
CASES = {path.parent.name: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*/case.json"))}
COMMANDS = [(name, command) for name, case in CASES.items() for command in case.get("commands", ())]


def verdict(answer):
    """An answer of `libsched explain --json` as the cases write it."""
    if "error" in answer:  # of one node, which ends the pod's cycle
        fitting = [node["node"] for node in answer["explain"] if node["code"] == "Success"]
        return f"fits {' '.join(sorted(fitting))}; best" if fitting else f"error: {answer['error']}"
    if not answer["nodes"]:
        return answer["fitError"]
    totals = {score["node"]: score["total"] for score in answer["scores"]}
    return (f"fits {' '.join(sorted(answer['nodes']))}; best {' '.join(sorted(answer['best']))} "
            f"{' '.join(f'{node}={totals[node]}' for node in sorted(totals))}").rstrip()


def asked(words, release):
    """The words of a command about a release; that about a configuration alone has other answers with it."""
    return words if words[0] == "config" else [*words, "--semantics", release]


def test_there_are_cases_of_known_releases():
    assert len(CASES) > 80
    assert {case["release"] for case in CASES.values()} == {"1.36"}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "verdicts" in case])
def test_verdicts_are_those_of_the_real_scheduler(name, monkeypatch, capsys):
    monkeypatch.chdir(FOLDER / name)
    case = CASES[name]
    main(["explain", *case["explain"], "--json", "--semantics", case["release"]])
    answers = {answer["pod"]: answer for answer in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {pod: verdict(answers[pod]) for pod in case["verdicts"]} == case["verdicts"]


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[f"{name}-{command['run'][0]}" for name, command in COMMANDS])
def test_commands_answer(name, command, monkeypatch, capsys):
    monkeypatch.chdir(FOLDER / name)
    try:
        code = main(asked(command["run"], CASES[name]["release"]))
    except SystemExit as ended:
        code = ended.code
    said = "".join(capsys.readouterr())
    assert code == command["exit"], said
    for text in command["says"]:
        assert text in said
    for text in command.get("never", ()):
        assert text not in said
