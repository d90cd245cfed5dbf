"""`libsched config check`, `libsched version`, and the command line as a whole."""

import json

import libsched
from manifests import node, pod, several

CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [{"schedulerName": "one"}, {"schedulerName": "two", "plugins": {
              "score": {"disabled": [{"name": "*"}],
                        "enabled": [{"name": "ImageLocality", "weight": 17}]}}}]}


def test_table(run):
    done = run("config", "check", "c.json", files={"c.json": CONFIG})
    assert done.code == 0 and done.err == ""
    assert done.out.startswith("profile one\n  preEnqueue ")
    first, second = done.out.split("\n\n")
    assert second.startswith("profile two\n")
    rows = [line.split() for line in second.splitlines()]
    assert ["score", "ImageLocality", "17"] in rows
    assert ["filter", "NodeUnschedulable"] in rows and ["NodeName"] in rows
    assert sum("TaintToleration" in line for line in first.splitlines()) == 3


def test_json(run):
    done = run("config", "check", "-", "--json", stdin=json.dumps(CONFIG))
    described = done.json()
    assert done.code == 0 and described["valid"] is True
    assert described["profiles"][1]["plugins"]["score"] == [{"name": "ImageLocality", "weight": 17}]
    args = {entry["name"]: entry["args"] for entry in described["profiles"][0]["pluginConfig"]}
    assert args["NodeResourcesFit"]["scoringStrategy"]["type"] == "LeastAllocated"


def test_upstreams_messages(run):
    bad = {**CONFIG, "parallelism": -3}
    done = run("config", "check", "c.json", files={"c.json": bad})
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("c.json: ") and "parallelism: Invalid value: -3" in done.err
    done = run("config", "check", "c.json", "--json", files={"c.json": bad})
    assert done.code == 2 and done.err == ""
    assert done.json()["valid"] is False and "Invalid value: -3" in done.json()["error"]


def test_files_that_are_not_there(run):
    done = run("config", "check", "none.yaml")
    assert done.code == 2 and "none.yaml: No such file" in done.err
    assert run("config", "check", "-", stdin=b"\xff").code == 2


def test_empty_files_are_no_configurations(run):
    missing = "kind: Object 'Kind' is missing in ''"
    done = run("config", "check", "empty.yaml", files={"empty.yaml": ""})
    assert done.code == 2 and done.err == f"empty.yaml: {missing}\n"
    assert run("config", "check", "-").err == f"standard input: {missing}\n"
    done = run("fit", "c.yaml", "--pod", "p.yaml", "--config", "empty.yaml", files={
        "c.yaml": several(node("a")), "p.yaml": pod()})
    assert done.code == 2 and done.err == f"libsched: error: empty.yaml: {missing}\n"


def test_version(run):
    done = run("version")
    assert done.code == 0
    assert [line.split()[-1] for line in done.out.splitlines()] == [
        libsched.__version__, "1", "1.36"]
    assert run("version", "--json").json() == {
        "libsched": libsched.__version__, "abi": 1, "kubernetes": "1.36"}


def test_help(run):
    for arguments in ((), ("--help",)):
        done = run(*arguments)
        assert done.code == 0 and "libsched fit cluster.yaml --pod train.yaml" in done.out
    for command in ("fit", "explain", "schedule", "config", "version"):
        done = run(command, "--help")
        assert done.code == 0 and done.out.startswith(f"usage: libsched {command}")
    assert "exit codes:" in run("fit", "--help").out


def test_usage_errors(run):
    for arguments in (("nonsense",), ("fit",), ("config",), ("version", "--nonsense")):
        done = run(*arguments)
        assert done.code == 2 and done.err.startswith("usage: ")
    # Unknown arguments are the command's error, with its usage and its nearest option.
    done = run("fit", "cluster.yaml", "--exlain=a")
    assert done.code == 2 and done.err.startswith("usage: libsched fit ")
    assert done.err.endswith("libsched fit: error: unrecognized arguments: --exlain=a; did you mean --explain?\n")
    done = run("config", "check", "one.yaml", "two.yaml")
    assert done.err.endswith("libsched config check: error: unrecognized arguments: two.yaml\n")


def test_a_file_that_is_no_text(run):
    files = {"c.yaml": several(node("a")), "p.yaml": pod()}
    for text, byte, place in ((b"kind: x\nab\x00c", "0x00", "line 2, column 3"),
                              (b"\x7fELF\x02", "0x7f", "line 1, column 1"),
                              (b"\xff", "0xff", "line 1, column 1"), (b"a: \xc3", "0xc3", "line 1, column 4")):
        hint = (f"; the file is not text, it has the byte {byte} at {place}; give a file in YAML or JSON\n")
        done = run("config", "check", "-", stdin=text)
        assert done.code == 2 and done.err.startswith("standard input: yaml: ") and done.err.endswith(hint)
        done = run("config", "check", "-", "--json", stdin=text)
        assert done.code == 2 and done.json()["hint"] == hint[2:-1] and done.json()["error"].startswith("yaml: ")
        done = run("fit", "c.yaml", "--pod", "p.yaml", "--config", "bin.dat", files={**files, "bin.dat": text})
        assert done.code == 2 and done.err.startswith("libsched: error: bin.dat: yaml: ") and done.err.endswith(hint)
    done = run("config", "check", "-", stdin="kind: X".encode("utf-16"))
    assert done.code == 2 and done.err.endswith("; the file is UTF-16 text; save it as UTF-8\n")
    done = run("config", "check", "-", stdin="kind: caf\u00e9\n")
    assert done.code == 2 and "not text" not in done.err
