"""`libsched evaluate` in mode queue: small scripts, and scripts that cannot be run.

The expected results are upstream's.
"""

import json

import pytest

from manifests import node, pod

GATED = {"name": "Gate", "events": [{"resource": "Node", "actions": ["Add"]}],
         "rules": {"preEnqueue": [{"pod": "g", "code": "Unschedulable", "reasons": ["not yet"]}]}}
HINTED = {"name": "Hinted", "events": [{"resource": "Node", "actions": ["Add"], "hint": [
    {"pod": "a", "times": 1, "hint": "QueueSkip"}, {"pod": "b", "error": "hint failed"},
    {"object": "n", "hint": "Queue"}]}]}
PROFILE = {"plugins": {"preEnqueue": {"enabled": [{"name": "Gate"}]},
                       "filter": {"enabled": [{"name": "Hinted"}]}}}
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [PROFILE], "podInitialBackoffSeconds": 2}
YAML = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration"


def queue(run, *steps, code=0, **more):
    case = {"name": "q", "mode": "queue", "plugins": [GATED, HINTED], "config": CONFIG,
            "script": list(steps), **more}
    done = run("evaluate", stdin=json.dumps(case) + "\n")
    assert done.code == code, done
    golden, = done.lines()
    return golden["steps"] if code == 0 else golden["error"]


def add(name, **more):
    return {"do": "add", "pod": pod(name, **more)}


def event(**more):
    return {"do": "move", "resource": "Node", "actions": ["Add"], "new": node("n"), **more}


FAIL = {"do": "fail", "unschedulable": ["Hinted"]}


def test_a_pod_comes_back_after_its_backoff(run):
    added, popped, failed, moved, early, late = queue(
        run, add("a"), {"do": "pop"}, FAIL, event(new=node("m")),
        event(), {"do": "advance", "by": "3s"}, gates={"SchedulerPopFromBackoffQ": False})
    info = {"rv": "1", "timestamp": 300001000, "initialAttempt": 300001000}
    assert added == {"do": "add", "now": 300001000, "active": ["default/a"], "cycle": 0,
                     "moveRequest": -1, "changed": {"default/a": info}}
    assert popped == {"do": "pop", "now": 300002000, "popped": "default/a", "inFlight": ["pod default/a"],
                      "info": {**info, "attempts": 1}, "cycle": 1, "moveRequest": -1}
    assert failed["of"] == "default/a" and failed["unschedulable"] == ["default/a"]
    assert failed["changed"]["default/a"]["unschedulablePlugins"] == ["Hinted"]
    assert moved["unschedulable"] == ["default/a"] and "changed" not in moved  # by the rule of one use
    assert early["backoff"] == ["default/a"]
    assert early["changed"]["default/a"]["backoffExpiration"] == 2300003000  # 2 s by the configuration
    assert late["now"] == 3300006000 and late["backoff"] == ["default/a"]  # no timer runs


def test_pods_pop_from_the_backoff_and_timers_run(run):
    script = [{"do": "run"}, add("a"), {"do": "pop"}, FAIL, event(), event()]
    *_, popped = queue(run, *script, {"do": "pop"})
    assert popped["popped"] == "default/a" and popped["info"]["attempts"] == 2
    *_, late = queue(run, *script, {"do": "advance", "by": "4s"}, options={"initialBackoffSeconds": 3})
    assert late["active"] == ["default/a"]
    *_, early = queue(run, *script, {"do": "advance", "by": "4s"}, options={"initialBackoffSeconds": 9})
    assert early["backoff"] == ["default/a"]


def test_an_error_of_a_hint_queues_the_pod(run):
    *_, moved = queue(run, add("b"), {"do": "pop"}, FAIL, event(new=node("m")))
    assert moved["backoff"] == ["default/b"] and moved["moveRequest"] == 1


def test_gates_open_by_rules(run):
    gated, update, opened = queue(
        run, add("g"), {"do": "rules", "plugin": "Gate", "point": "preEnqueue", "rules": []}, event())
    assert gated["gated"] == gated["unschedulable"] == ["default/g"]
    assert gated["changed"]["default/g"]["gatingPlugin"] == "Gate"
    assert "changed" not in update and opened["active"] == ["default/g"]


def test_a_pop_that_waits(run):
    steps = queue(run, {"do": "pop"}, {"do": "pop", "wait": True}, {"do": "pop"}, add("a"),
                  {"do": "pop", "wait": True}, {"do": "close"}, {"do": "pop"})
    assert [step.get("popped") for step in steps] == [
        "(blocks)", "(waits)", "(busy)", "default/a", "(waits)", "(nil)", "(nil)"]


def test_a_pop_drops_what_is_in_flight_and_waits(run):
    steps = queue(run, add("a"), {"do": "pop"}, add("a"), {"do": "pop"}, {"do": "pop"}, add("b"))
    assert [step.get("popped") for step in steps[3:]] == [None, "(busy)", "default/b"]
    assert "active" not in steps[3] and steps[5]["inFlight"] == ["pod default/a", "pod default/b"]


def test_held_pods_are_bound_or_done(run):
    steps = queue(run, add("a"), add("b"), {"do": "pop"}, {"do": "pop"}, {"do": "bound", "held": 3, "node": "n"},
                  {"do": "fail"}, {"do": "done"}, {"do": "list"})
    assert [step.get("of") for step in steps[4:]] == ["default/b", "default/a", None, None]
    assert steps[4]["inFlight"] == ["pod default/a", "AssignedPodAdd"]
    assert steps[5]["errorBackoff"] == ["default/a"]
    assert steps[7]["listing"] == {
        "summary": "activeQ:0; backoffQ:1; unschedulableEntities:0", "pending": ["default/a"],
        "podsInActiveQ": [], "podsInBackoffQ": ["default/a"], "unschedulablePods": [], "inFlightPods": []}


def test_versions_of_a_pod(run):
    changed = pod("a")
    changed["metadata"]["labels"] = {"x": "y"}
    steps = queue(run, add("a"), {"do": "update", "pod": changed}, {"do": "pop"},
                  {"do": "delete", "name": "default/a"}, FAIL)
    assert steps[1]["changed"]["default/a"]["rv"] == "2" and steps[2]["info"]["rv"] == "2"
    assert "inFlight" in steps[3] and "inFlight" not in steps[4]


def test_nominations(run):
    steps = queue(run, add("a"), {"do": "nominate", "name": "default/a", "node": "n", "mode": "override"},
                  {"do": "nominate", "name": "default/a", "node": "m"}, {"do": "deleteNominated", "name": "default/a"})
    assert [step.get("nominated") for step in steps] == [None, {"n": ["default/a"]}, None, None]


@pytest.mark.parametrize(("step", "text"), [
    ({"do": "dance"}, "script[0] dance: unknown step"),
    ({"do": "delete", "name": "default/x"}, 'script[0] delete: no pod "default/x"'),
    ({"do": "add"}, "script[0] add: needs a pod"),
    ({"do": "update", "pod": pod("x")}, "script[0] update: pod default/x has no earlier version"),
    ({"do": "move", "new": node("n")}, "script[0] move: a move without resource needs two nodes"),
    ({"do": "move", "resource": "Node", "actions": ["Fly"]}, 'script[0] move: move: unknown action "Fly"'),
    ({"do": "rules", "plugin": "X", "point": "filter"}, 'script[0] rules: no plugin "X"'),
    ({"do": "rules", "point": "sing"}, 'script[0]: unknown point "sing"'),
    ({"do": "advance", "by": "soon"}, 'script[0].by: invalid duration "soon"'),
    ({"do": 3}, "script[0].do: expected a text"), (3, "script[0]: expected a JSON object"),
    ({"do": "add", "pod": {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": 3}}},
     "script[0] add: pod: "),
])
def test_scripts_that_cannot_be_run(run, step, text):
    assert queue(run, step, code=2).startswith(text)


@pytest.mark.parametrize(("member", "text"), [
    ({"script": {}}, "script: expected a list"), ({"gates": {"NoSuchGate": True}}, 'profile "default-scheduler": '),
    ({"gates": {"SchedulerPopFromBackoffQ": 1}}, "gates.SchedulerPopFromBackoffQ: expected true or false"),
    ({"options": {"tick": 5}}, "options.tick: expected a text"),
    ({"plugins": [{}]}, "plugins[0].name: missing"),
    ({"plugins": [{"name": "X", "rules": {"sing": []}}]}, 'plugins[0].rules: unknown point "sing"'),
    ({"plugins": [{"name": "X", "events": [{"actions": ["Fly"]}]}]}, 'plugins[0].events: unknown action "Fly"'),
    ({"config": "kind: X"}, "config: "), ({"config": YAML}, "config: mode queue takes only JSON"),
])
def test_cases_that_cannot_be_loaded(run, member, text):
    assert queue(run, code=2, **member).startswith(text)


def test_an_empty_script(run):
    assert queue(run) is None


def test_a_release_has_its_own_events_and_words(run):
    changed = {**pod("a"), "metadata": {**pod("a")["metadata"], "labels": {"x": "y"}}}
    steps = [add("a"), {"do": "pop"}, {"do": "update", "pod": changed}, {"do": "list"}]
    older, newer = (queue(run, *steps, **more) for more in ({"release": "1.36"}, {"release": "1.37"}))
    assert older[2]["inFlight"] == ["pod default/a", "UnschedulablePodUpdatePodLabel"]
    assert newer[2]["inFlight"] == ["pod default/a", "TargetPodUpdatePodLabel"]
    assert older[3]["listing"]["summary"] == "activeQ:0; backoffQ:0; unschedulablePods:0"
    assert newer[3]["listing"]["summary"] == "activeQ:0; backoffQ:0; unschedulableEntities:0"
