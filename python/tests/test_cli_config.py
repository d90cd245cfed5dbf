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
    assert done.out.startswith("valid: c.json: 2 profiles\nprofile one\n  preEnqueue ")
    first, second = done.out.split("\n\n")
    assert second.startswith("profile two\n")
    rows = [line.split() for line in second.splitlines()]
    assert ["score", "ImageLocality", "17"] in rows
    assert ["filter", "NodeName"] in rows and ["NodeUnschedulable"] in rows
    assert sum("TaintToleration" in line for line in first.splitlines()) == 4


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
        libsched.__version__, "1", libsched.k8s_version]
    assert run("version", "--json").json() == {
        "libsched": libsched.__version__, "abi": 1, "kubernetes": libsched.k8s_version}


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
        assert done.code == 2 and done.err.startswith("libsched") and ": error: " in done.err
        assert done.err.endswith(" --help' tells more\n") and done.err.count("\n") == 2
    # Unknown arguments are the command's error, with its nearest option.
    done = run("fit", "cluster.yaml", "--exlain=a")
    assert done.code == 2 and done.err == (
        "libsched fit: error: unrecognized arguments: --exlain=a; did you mean --explain?\n"
        "'libsched fit --help' tells more\n")
    done = run("config", "check", "one.yaml", "two.yaml")
    assert done.err.startswith("libsched config check: error: unrecognized arguments: two.yaml\n")
    assert run("fits").err.startswith("libsched: error: there is no command 'fits'; did you mean fit?\n")
    done = run("config", "chek", "one.yaml")
    assert done.err.startswith("libsched config: error: there is no command 'chek'; did you mean check?\n")


def config_map(**data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": data}


def test_config_maps(run):
    one = json.dumps(CONFIG)
    bad = json.dumps({**CONFIG, "parallelism": -1})
    files = {"m.json": config_map(**{"a.yaml": one, "other": "kind: Policy"}),
             "n.json": config_map(**{"a.yaml": one, "b": bad}),
             "list.json": several({"apiVersion": "v1", "kind": "Service"}, config_map(c=one)),
             "stream.yaml": "kind: Service\n---\n" + json.dumps(config_map(c=one)),
             "c.yaml": several(node("a")), "p.yaml": pod(schedulerName="two")}
    done = run("config", "check", "m.json", files=files)
    assert done.code == 0 and done.out.startswith('valid: m.json: data["a.yaml"]: 2 profiles\n')
    done = run("config", "check", "n.json", files=files)
    assert done.code == 2 and done.out.startswith('valid: n.json: data["a.yaml"]: 2 profiles\n')
    assert done.err.startswith("n.json: data.b: ") and "parallelism: Invalid value: -1" in done.err
    lines = run("config", "check", "n.json", "--json", files=files).lines()
    assert [(line["valid"], line["place"]) for line in lines] == [(True, 'data["a.yaml"]'), (False, "data.b")]
    assert "list.json: items[1].data.c" in run("config", "check", "list.json", files=files).out
    assert "stream.yaml: documents[1].data.c" in run("config", "check", "stream.yaml", files=files).out
    done = run("fit", "c.yaml", "--pod", "p.yaml", "--config", "m.json", "--json", files=files)
    assert done.code == 0 and done.json()["profile"] == "two"
    done = run("fit", "c.yaml", "--pod", "p.yaml", "--config", "n.json", files=files)
    assert done.code == 2 and 'n.json holds 2 configurations, data["a.yaml"], data.b' in done.err


def test_hints(run):
    head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    inner = "".join(f"    {line}\n" for line in head.splitlines())
    for text, hint in (
            ("apiVersion: x.example/v1\nkind: Wrapper\nspec:\n  rawConfig: |\n" + inner,
             "; spec.rawConfig holds a KubeSchedulerConfiguration; hand over that\n"),
            (head + "profiles:\n- schedulerName: a\n  score: {enabled: [{name: ImageLocality}]}\n",
             "; did you mean profiles[0].plugins.score?\n"),
            (head + "multiPoint: {}\n", "; did you mean profiles[0].plugins.multiPoint?\n"),
            (head + "plugins: {}\n", "; plugins belongs to a profile; did you mean profiles[0].plugins?\n"),
            (head + "profiles: [{plugins: {skore: {}}}]\n", "; did you mean score?\n")):
        done = run("config", "check", "-", stdin=text)
        assert done.code == 2 and done.err.endswith(hint), done
        assert run("config", "check", "-", "--json", stdin=text).json()["hint"] == hint[2:-1]


def test_what_is_disabled_without_effect(run):
    plugins = {"score": {"disabled": [{"name": "NodeResourcesLeastAllocated"}, {"name": "NodePorts"}, {"name": "*"}]},
               "multiPoint": {"disabled": [{"name": "ImageLocality"}, {"name": "Gone"}]}}
    done = run("config", "check", "c.json", files={"c.json": {**CONFIG, "profiles": [{"plugins": plugins}]}})
    assert done.code == 0 and done.err.splitlines() == [
        'warning: c.json: profiles[0].plugins.score.disabled[0]: kube-scheduler has no plugin '
        '"NodeResourcesLeastAllocated"; disabling it has no effect',
        'warning: c.json: profiles[0].plugins.score.disabled[1]: the plugin "NodePorts" does not have this extension '
        "point",
        'warning: c.json: profiles[0].plugins.multiPoint.disabled[1]: kube-scheduler has no plugin "Gone"; disabling it '
        "has no effect"]


POINT_OF_1_37 = {**CONFIG, "profiles": [{"plugins": {"podGroupPostFilter": {"disabled": [{"name": "Gone"}]}}}]}


def check(run, semantics, config, *options):
    return run("config", "check", "c.json", "--semantics", semantics, *options, files={"c.json": config})


def test_releases(run):
    done = check(run, "1.33..1.37", CONFIG)
    assert done.code == 0 and done.err == ""
    lines = done.out.splitlines()
    assert lines[:2] == ["c.json:", "  1.33: valid"]
    assert "  1.34: valid, with other defaults than 1.33" in lines
    assert ("    profiles[0].plugins: also DynamicResources at preEnqueue, preFilter, filter, postFilter, reserve, "
            "preBind") in lines
    at = lines.index("  1.35: valid, with other defaults than 1.33")
    assert "    profiles[0].plugins: also DynamicResources (weight 2) at score" in lines[at:]
    assert check(run, "1.36", CONFIG).out == "c.json:\n  1.36: valid\n"
    assert check(run, "v1.36.3..1.36", CONFIG).out == "c.json:\n  1.36: valid\n"


def test_releases_that_refuse(run):
    done = check(run, "1.35..1.37", POINT_OF_1_37)
    refusal = 'strict decoding error: unknown field "profiles[0].plugins.podGroupPostFilter"'
    assert done.code == 1 and done.out.splitlines() == [
        "c.json:", "  1.35 to 1.36: refused", f"    profiles[0].plugins.podGroupPostFilter: {refusal}", "  1.37: valid",
        '    warning: profiles[0].plugins.podGroupPostFilter.disabled[0]: kube-scheduler has no plugin "Gone"; disabling '
        "it has no effect"]
    found = check(run, "1.37..1.36", POINT_OF_1_37, "--json")
    assert found.code == 1
    assert found.json() == {"valid": False, "comparedWith": "1.37", "releases": [
        {"release": "1.37", "valid": True, "warnings": [
            'profiles[0].plugins.podGroupPostFilter.disabled[0]: kube-scheduler has no plugin "Gone"; disabling it has no '
            "effect"], "cannotRun": [], "differences": []},
        {"release": "1.36", "valid": False, "error": refusal, "path": "profiles[0].plugins.podGroupPostFilter"}]}
    assert check(run, "1.36", POINT_OF_1_37).code == 1
    assert check(run, "1.36", POINT_OF_1_37, "--json").json()["comparedWith"] is None


def test_differences_between_releases(run):
    config = {**CONFIG, "profiles": [{}]}
    old, new = check(run, "1.32..1.33", config, "--json").json()["releases"]
    assert old["differences"] == new["differences"] == []
    *_, new = check(run, "1.34..1.36", config, "--json").json()["releases"]
    paths = {one["path"]: (one["before"], one["after"]) for one in new["differences"]}
    assert paths["profiles[0].pluginConfig[DynamicResources].args.bindingTimeout"] == (None, "10m0s")
    before, after = paths["profiles[0].plugins.score"]
    assert {"name": "DynamicResources", "weight": 2} in after and len(before) == len(after) - 1
    *_, new = check(run, "1.36..1.37", config).out.split("\n  1.37")
    assert "    profiles[0].plugins: in the order NodeName, NodeUnschedulable, " in new


def test_releases_of_a_config_map(run):
    files = {"m.json": config_map(a=json.dumps(CONFIG), b=json.dumps(POINT_OF_1_37))}
    done = run("config", "check", "m.json", "--semantics", "1.36", files=files)
    assert done.code == 1 and done.out.splitlines()[:4] == [
        "m.json: data.a:", "  1.36: valid", "", "m.json: data.b:"]


def test_ranges_that_are_none(run):
    for text, named in (("1.30", "1.30"), ("1.33..1.38", "1.38"), ("..1.37", "..1.37"), ("1.31..", "1.31.."),
                        ("1.31..1.33..1.35", "1.31..1.33..1.35"), ("..", "..")):
        done = check(run, text, CONFIG)
        assert done.code == 2 and done.out == ""
        assert done.err.startswith(f'libsched: error: --semantics: unknown semantics "{named}": choose "1.37", "1.36"')
    assert check(run, "1.36", "").code == 2
    assert run("config", "check", "none.yaml", "--semantics", "1.36").code == 2


def test_semantics_reach_the_configuration(run):
    files = {"c.yaml": several(node("a")), "p.yaml": pod(), "new.json": POINT_OF_1_37}
    asked = "fit", "c.yaml", "--pod", "p.yaml", "--config", "new.json"
    assert run(*asked, "--semantics", "1.37", files=files).code == 0
    assert run(*asked, files=files).code == 0
    done = run(*asked, "--semantics", "1.36", files=files)
    assert done.code == 2 and "unknown field" in done.err


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
