"""`libsched evaluate` in mode cycles: what it passes on, and a program that is missing, refuses or dies.

What libsched_cycles answers is compared with upstream by the goldens.
"""

import json
import sys

from manifests import node, pod


CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def case(*steps, **more):
    return {"name": "c", "mode": "cycles", "config": CONFIG, "script": list(steps), **more}


def create(kind, thing):
    return {"do": "create", "object": {"apiVersion": "v1", "kind": kind, **thing}}


def program(tmp_path, body):
    path = tmp_path / "program"
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    path.chmod(0o755)
    return str(path)


ECHO = "for line in sys.stdin:\n    print('{\"steps\": ' + line.rstrip() + '}', flush=True)"


def test_a_scheduler_binds_a_pod(run):
    text = json.dumps(case(create("Node", node("n")), create("Pod", pod("a"))), indent=1)
    done = run("evaluate", stdin=text + "\n")
    assert done.code == 0, done
    golden, = done.lines()
    start, made, bound = golden["steps"]
    assert (golden["name"], start["do"], made["do"], bound["do"]) == ("c", "start", "create", "create")
    assert [call["verb"] for call in bound["api"]] == ["bind"]
    assert bound["api"][0]["node"] == "n" and bound["cycles"][0]["pod"] == "default/a"


def test_metrics_are_numbers_by_family_and_labels(run):
    steps = create("Node", node("n")), create("Pod", pod("a"))
    plain, asked = ({**case(*steps), **more} for more in ({}, {"metrics": True}))
    done = run("evaluate", stdin=json.dumps(plain) + "\n" + json.dumps(asked) + "\n")
    without, golden = done.lines()
    assert "metrics" not in without and without["steps"] == golden["steps"]
    metrics = golden["metrics"]
    assert metrics["schedule_attempts_total default-scheduler,scheduled"] == 1
    assert metrics["plugin_evaluation_total Filter,NodeName,default-scheduler"] == 1
    assert metrics["pod_scheduling_attempts"] == metrics["pod_scheduling_attempts le 1"] == 1
    assert metrics["pod_scheduling_attempts sum"] == 1
    assert all(metrics.values())
    assert not {key.split()[0] for key in metrics} & {"cache_size", "plugin_execution_duration_seconds"}


def test_a_case_reaches_the_program_as_it_is_on_one_line(run, tmp_path):
    text = '{"name": "c", "mode":\n"cycles", "script": [ ], "é": 1.50e2}'
    done = run("evaluate", "--cycles", program(tmp_path, ECHO), stdin=text + "\n")
    assert done.code == 0, done
    assert done.out == '{"steps": {"name":"c","mode":"cycles","script":[ ],"é":1.50e2}}\n'


def test_a_refused_case_keeps_no_other(run):
    bad = case(create("Node", node("n")), {"do": "fly"})
    lines = "".join(json.dumps(one) + "\n" for one in (bad, case(), {"objects": [], "pods": []}))
    done = run("evaluate", stdin=lines)
    assert done.code == 2
    refused, empty, other = done.lines()
    assert refused == {"name": "c", "error": "unknown step fly"}
    assert [step["do"] for step in empty["steps"]] == ["start"] and other["pods"] == []


def test_a_program_that_is_missing_or_dies_ends_the_run(run, tmp_path):
    done = run("evaluate", "--cycles", str(tmp_path / "nonesuch"), stdin=json.dumps(case()) + "\n")
    assert done.code == 2 and "nonesuch: No such file" in done.err
    done = run("evaluate", "--cycles", program(tmp_path, "sys.stdin.readline()\nsys.exit(7)"),
               stdin=json.dumps(case()) + "\n" + json.dumps(case()) + "\n")
    assert done.code == 2 and "program has ended with exit code 7" in done.err
    assert done.out == ""
