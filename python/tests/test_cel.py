"""Selectors of devices: `libsched.cel` and the command."""

import copy
import csv
import io
import json
import pickle

import pytest

import libsched
import libsched.cel
from manifests import several

GPU = "gpu.example.com"
SLICE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {
    "driver": GPU, "nodeName": "n1", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
    "devices": [
        {"name": "a", "attributes": {"model": {"string": "A100"}, "index": {"int": 0}},
         "capacity": {"memory": {"value": "40Gi"}}},
        {"name": "b", "attributes": {"model": {"string": "<H100>"}, "index": {"int": 1}}},
        {"name": "c", "attributes": {"index": {"int": 2}}}]}}
MODEL = f"device.driver == '{GPU}' && device.attributes['{GPU}'].model == 'A100'"
SUBJECT = f"device.attributes['{GPU}'].model"
DEVICE = {"driver": GPU, "attributes": {"model": {"string": "A100"}, "version": {"version": "1.2.3"}},
          "capacity": {"memory": {"value": "40Gi"}}, "allowMultipleAllocations": True}


def test_a_device_of_a_dict():
    program = libsched.cel.compile(MODEL)
    assert program.type == "bool" and program.match(DEVICE)
    answer = program.evaluate(DEVICE)
    assert answer and answer.match and answer.cost > 0 and answer.because is None and answer.why == ""
    other = program.evaluate({**DEVICE, "attributes": {"model": {"string": "T4"}}})
    assert not other and other.match is False
    assert other.because == libsched.cel.Because(f"{SUBJECT} == 'A100'", "false", SUBJECT, '"T4"')
    assert other.why == f"{SUBJECT} == 'A100' is false: {SUBJECT} is \"T4\""
    assert libsched.cel.compile("device.allowMultipleAllocations").match(DEVICE)
    assert not libsched.cel.compile("device.allowMultipleAllocations").match({})


def test_errors_on_a_device():
    program = libsched.cel.compile(MODEL)
    with pytest.raises(libsched.cel.EvaluationError, match="^no such key: model$"):
        program.match({"driver": GPU})
    answer = program.evaluate({"driver": GPU})
    assert answer.match is None and answer.said == "error" and not answer
    assert answer.why == f"{SUBJECT} == 'A100': no such key: model"
    limited = libsched.cel.compile("[1, 2, 3].all(x, x > 0)", cost_limit=3).evaluate({})
    assert limited.error == "operation cancelled: actual cost limit exceeded"


def test_values():
    program = libsched.cel.compile(f"device.capacity['{GPU}'].memory", any_result=True)
    answer = program.evaluate(DEVICE)
    assert answer.value == answer.said == "quantity(40Gi)" and answer.match is None
    assert answer.to_dict()["value"] == "quantity(40Gi)" and "match" not in answer.to_dict()
    with pytest.raises(libsched.cel.EvaluationError, match="no bool"):
        program.match(DEVICE)
    assert libsched.cel.compile("true", any_result=True).match({})
    lists = {"driver": "d", "attributes": {"all": {"ints": [1, 2]}}}
    sized = "device.attributes['d'].all.size() == 2"
    assert libsched.cel.compile(sized, list_attributes=True).match(lists)
    assert libsched.cel.compile("true", semantics="1.36").evaluate(lists).error
    assert libsched.cel.compile("true").match(lists)


def test_expressions_that_do_not_compile():
    with pytest.raises(libsched.cel.CompileError) as raised:
        libsched.cel.compile("true &&\n'é' == x")
    error = raised.value
    assert isinstance(error, libsched.InvalidError) and (error.line, error.column) == (2, 8)
    assert str(error) == ("compilation failed: ERROR: <input>:2:8: undeclared reference to 'x' "
                          "(in container '')\n | 'é' == x\n | .．.....^")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.line == 2
    with pytest.raises(libsched.cel.CompileError, match="must evaluate to bool") as raised:
        libsched.cel.compile("1")
    assert raised.value.line is None and raised.value.column is None


@pytest.mark.parametrize("device,path", [
    ({"driver": "d", "attributes": {"a": {"int": "x"}}}, "attributes"),
    ({"driver": "d", "capacity": {"a": {"value": "much"}}}, "capacity"),
    ({"driver": "d", "atributes": {}}, "atributes"),
    ({"driver": 3}, "driver"),
])
def test_a_bad_device_is_an_error_with_its_place(device, path):
    with pytest.raises(libsched.InvalidError) as raised:
        libsched.cel.compile("true").evaluate(device)
    assert raised.value.path.startswith(path)


def test_devices_of_slices():
    program = libsched.cel.compile(MODEL)
    found = program.devices([SLICE, {**SLICE, "metadata": {"name": "t"}}])
    assert len(found) == 6 and [one.slice for one in found] == ["s"] * 3 + ["t"] * 3
    assert [one.device for one in found.matching] == ["a", "a"] and len(found.failing) == 2
    assert found.headline == "2 of 6 devices match, 2 errors"
    assert repr(found) == "<Answers 2 of 6 devices match, 2 errors>"
    assert (found[1].driver, found[1].pool, found[1].node) == (GPU, "p", "n1")
    assert [one.device for one in found[:2]] == ["a", "b"]
    page = found._repr_html_()
    assert "&lt;H100&gt;" in page and "<H100>" not in page and "no such key: model" in page
    plain = found.to_dict()
    assert plain["matching"] == 2 and plain["errors"] == 2
    assert plain["devices"][1]["because"]["value"] == '"<H100>"'
    assert program.devices(libsched.Objects(SLICE)).headline == "1 of 3 devices matches, 1 error"
    assert len(program.devices([])) == 0 and program.devices([]).headline == "0 of 0 devices match"


def test_semantics():
    sized = f"device.attributes['{GPU}'].sizes.exists(size, size == 2)"
    lists = {"driver": GPU, "attributes": {"sizes": {"ints": [1, 2]}}}
    assert libsched.cel.compile(sized, semantics="1.37").match(lists)
    assert libsched.cel.compile(sized).match(lists)
    with pytest.raises(libsched.cel.CompileError, match="range of a comprehension"):
        libsched.cel.compile(sized, semantics="1.36")
    with pytest.raises(libsched.cel.CompileError, match="undeclared reference to 'includes'"):
        libsched.cel.compile("[1].includes(1)", semantics="v1.35.2")
    with pytest.raises(libsched.UnsupportedError, match='unknown semantics "1.30"'):
        libsched.cel.compile("true", semantics="1.30")
    program = libsched.cel.compile("duration('1s')", any_result=True, semantics="1.37")
    assert pickle.loads(pickle.dumps(program))._options["semantics"] == "1.37"


def test_programs_are_values():
    program = libsched.cel.compile("device.driver", any_result=True)
    assert repr(program) == "<Program 'device.driver': string>"
    assert copy.copy(program) is program and copy.deepcopy(program) is program
    again = pickle.loads(pickle.dumps(program))
    assert again.expression == program.expression and again.evaluate(DEVICE).value == f'"{GPU}"'


def test_the_command_follows_a_release(run):
    expression = f"device.attributes['{GPU}'].index"
    assert run("cel", expression, "--semantics", "1.36").out == "google.protobuf.Any\n"
    assert run("cel", expression).out == run("cel", expression, "--semantics", "1.37").out == "dyn\n"
    done = run("cel", expression, "--semantics", "1.30")
    assert done.code == 2 and 'unknown semantics "1.30"' in done.err


def test_the_command_compiles(run):
    done = run("cel", "device.driver == 'x'")
    assert (done.code, done.out, done.err) == (0, "bool\n", "")
    assert run("cel", "device.driver", "--any").out == "string\n"
    done = run("cel", "device.drivr == 'x'")
    assert done.code == 2 and done.out == ""
    assert done.err == ("libsched: error: compilation failed: ERROR: <input>:1:7: undefined field 'drivr'\n"
                        " | device.drivr == 'x'\n | ......^\n")
    done = run("cel", "device.drivr == 'x'", "--json")
    assert done.code == 2 and done.err == ""
    line = done.json()
    assert line["valid"] is False and (line["line"], line["column"]) == (1, 7)
    assert run("cel", "true", "-o", "yaml").out.splitlines() == [
        "---", "expression: \"true\"", "valid: true", "type: bool"]


def test_the_command_asks_devices(run):
    files = {"s.json": several(SLICE), "none.json": several()}
    done = run("cel", MODEL, "--slices", "s.json", files=files)
    assert done.code == 0 and done.err == "", done
    rows = done.out.splitlines()
    assert rows[0].split() == [GPU, "p", "a", "n1", "yes"]
    assert rows[1].split()[:5] == [GPU, "p", "b", "n1", "no"] and rows[1].endswith('is "<H100>"')
    assert rows[2].split()[:5] == [GPU, "p", "c", "n1", "error"] and "no such key: model" in rows[2]
    assert rows[3] == "1 of 3 devices match, 1 error".replace("match", "matches")
    done = run("cel", "device.driver == 'x'", "--slices", "-", "--cost", stdin=json.dumps(SLICE))
    assert done.code == 1 and "cost 3" in done.out and "0 of 3 devices match" in done.out
    done = run("cel", f"device.attributes['{GPU}'].index", "--any", "--slices", "s.json", "-o", "csv", files=files)
    assert [row["answer"] for row in csv.DictReader(io.StringIO(done.out))] == ["int(0)", "int(1)", "int(2)"]
    line = run("cel", MODEL, "--slices", "s.json", "--json", files=files).json()
    assert line["type"] == "bool" and line["matching"] == 1 and line["devices"][2]["match"] is None
    done = run("cel", MODEL, "--slices", "s.json", env={"FORCE_COLOR": "1"}, files=files)
    assert "\x1b[32m" in done.out and "\x1b[31m" in done.out
    many = copy.deepcopy(SLICE)
    many["spec"]["devices"] = [{"name": f"d{i}"} for i in range(60)]
    done = run("cel", "true", "--slices", "m.json", files={"m.json": many})
    assert "... and 20 more (-o wide shows all)" in done.out
    assert len(run("cel", "true", "--slices", "m.json", "-o", "wide").out.splitlines()) == 61


def test_the_command_refuses_bad_input(run):
    files = {"none.json": several()}
    for wrong, why in ((["--slices", "none.json"], "there are no devices of ResourceSlices in none.json"),
                       (["--slices", "absent.json"], "absent.json: No such file"),
                       (["--slices", "-", "--slices", "-"], "only once"),
                       (["-o", "csv"], "needs --slices"), (["--cost-limit", "0"], "'0' is no positive number")):
        done = run("cel", "true", *wrong, files=files)
        assert done.code == 2 and why in done.err, done
