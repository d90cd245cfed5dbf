"""Pending pods of a dump that are nominated to a node: every verb and every question counts them.

The node has 4 cpu, of which 1 is used, and keeps 2 for a pod of priority 100. `CASES` are questions about it, and
nominated.jsonl has the real kube-scheduler's answers (tests/oracle/README.md has the format), recorded by

    .venv/bin/python python/tests/test_nominated.py | build/oracle/oracle-1.37 run -pair -compact > python/tests/nominated.jsonl
"""

import copy
import json
import pathlib
import pickle

import pytest

import libsched
from libsched.cli import OWN
from manifests import node, pod, several
from running import run  # noqa: F401

PHASE = {"phase": "Pending"}


def pending(name, cpu, priority, nominated="", labels=None, **more):
    made = pod(name, cpu=cpu, priority=priority, **more)
    made["metadata"]["labels"] = labels or {}
    made["status"] = {**PHASE, **({"nominatedNodeName": nominated} if nominated else {})}
    return made


def with_terms(name, priority, nominated=""):
    terms = [{"labelSelector": {"matchLabels": {"app": "z"}}, "topologyKey": "kubernetes.io/hostname"}]
    return pending(name, None, priority, nominated, labels={"app": "z"}, affinity={
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}})


def with_port(name, priority, nominated=""):
    made = pending(name, None, priority, nominated)
    made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    return made


RUNNING = pod("p0", cpu="1", node_name="n1")
NOMINATED = pending("p1", "2", 100, "n1")
HIGH, SAME, LOW = (pending(name, "1500m", priority)
                   for name, priority in (("p3", 200), ("p2", 100), ("p4", 5)))
OWNED = pod("moving", cpu="1500m", node_name="n2", priority=5)
OWNED["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "o",
                                         "uid": "u", "controller": True}]
DUMP = several(node("n1"), RUNNING, NOMINATED)
# n2 is full: it has room for nothing but the pod that is drained.
TWO_NODES = several(node("n1"), node("n2", cpu="1500m"), RUNNING, NOMINATED, OWNED)
FILES = {"cluster.json": DUMP, "two.json": TWO_NODES, "high.json": HIGH, "same.json": SAME,
         "low.json": LOW}
TAINTED = node("n1", taints=[{"key": "k", "effect": "NoSchedule"}])
LEAVING, GATED, OTHER = (copy.deepcopy(NOMINATED) for _ in range(3))
LEAVING["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
GATED["spec"]["schedulingGates"] = [{"name": "g"}]
OTHER["spec"]["schedulerName"] = "another"


def evaluate(*pods, objects, mode="evaluate"):
    return {"mode": mode, "objects": objects, "pods": list(pods)}


def whole(nominated):
    """The whole scheduler, with the queue that decides whose nominations count; a pod of low priority arrives."""
    def complete(one):
        one = copy.deepcopy(one)
        one["metadata"]["namespace"] = "default"
        one["spec"].setdefault("schedulerName", "default-scheduler")
        return one

    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
    low = {**LOW, "spec": {**LOW["spec"], "preemptionPolicy": "Never"}}
    return {"mode": "cycles", "objects": [namespace, node("n1"), complete(RUNNING), complete(nominated)],
            "script": [{"do": "create", "object": complete(low)}]}


COPIES = [{**HIGH, "metadata": {"name": f"copy-{i}"}} for i in range(3)]
UNBOUND = {**OWNED, "spec": {**OWNED["spec"], "nodeName": ""}}
CORDONED = node("n2", cpu="1500m", unschedulable=True)
CASES = {
    "one node": evaluate(HIGH, SAME, LOW, objects=DUMP["items"]),
    "two nodes": evaluate(HIGH, SAME, LOW, objects=TWO_NODES["items"]),
    "without it": evaluate(HIGH, SAME, LOW, objects=[node("n1"), RUNNING]),
    "copies": evaluate(*COPIES, objects=DUMP["items"], mode="schedule"),
    "both arrive": evaluate(NOMINATED, LOW, objects=[node("n1"), RUNNING], mode="schedule"),
    "drained": evaluate(UNBOUND, objects=[node("n1"), CORDONED, RUNNING, NOMINATED]),
    "drained without it": evaluate(UNBOUND, objects=[node("n1"), CORDONED, RUNNING]),
    "of priority 4": evaluate(LOW, objects=[node("n1"), RUNNING, pending("p1", "2", 4, "n1")]),
    "of 1 cpu": evaluate(LOW, objects=[node("n1"), RUNNING, pending("p1", "1", 100, "n1")]),
    "node is gone": evaluate(LOW, objects=[node("n3"), NOMINATED]),
    "to another node": evaluate(LOW, objects=[node("n1"), node("n2", cpu="1"), RUNNING, pending("p1", "2", 100, "n2")]),
    "host port": evaluate(with_port("p2", 0), objects=[node("n1"), with_port("p1", 100, "n1")]),
    "anti-affinity": evaluate(pending("p2", None, 0, labels={"app": "z"}), with_terms("p3", 0),
                              objects=[node("n1"), with_terms("p1", 100, "n1")]),
    "taint": evaluate(LOW, objects=[TAINTED, NOMINATED]),
    "is queued": whole(NOMINATED), "is leaving": whole(LEAVING), "is gated": whole(GATED), "of another scheduler": whole(OTHER),
}
RECORDED = [json.loads(line) for line in pathlib.Path(__file__).with_name("nominated.jsonl").read_text().splitlines()]
SAID = {pair["case"]["name"]: pair["golden"] for pair in RECORDED}


def fits(case):
    """The real scheduler's nodes for each pod of a case."""
    return [one.get("feasible", []) for one in SAID[case]["pods"]]


def reasons(case):
    """Its reasons, by pod and node."""
    return [{one["node"]: one.get("reasons", []) for one in judged["nodes"]} for judged in SAID[case]["pods"]]


def bound(case):
    """The pods that it has bound."""
    return [call["name"] for step in SAID[case]["steps"] for call in step.get("api", ()) if call["verb"] == "bind"]


def test_the_recorded_answers_are_those_about_these_cases():
    assert [pair["case"] for pair in RECORDED] == [{"name": name, **case} for name, case in CASES.items()]


FACT = "default/p1 (priority 100) is nominated to n1 and reserves 2 cpu"


# --- the command line ---

def fit(run):
    for name, nodes, why_not in zip(("high", "same", "low"), fits("one node"), reasons("one node"), strict=True):
        done = run("fit", "cluster.json", "--pod", f"{name}.json", files=FILES)
        assert done.code == (not nodes), (name, done.out)
        assert all(reason in done.out for reason in why_not["n1"])
    explained = run("fit", "cluster.json", "--pod", "low.json", "--explain", "n1", files=FILES)
    assert FACT in explained.out


def explain(run):
    high, _, low = fits("one node")
    done = run("explain", "cluster.json", "--pod", "low.json", "--json", files=FILES)
    assert done.code == (not low) and '"nominatedPod"' in done.out and '"default/p1"' in done.out
    assert FACT in run("explain", "cluster.json", "--pod", "low.json", "--node", "n1", files=FILES).out
    assert run("explain", "cluster.json", "--pod", "high.json", files=FILES).code == (not high)


def why(run):
    high, _, low = fits("one node")
    done = run("why", "low.json", "cluster.json", files=FILES)
    assert f"fits {len(low) or 'none'} of 1 node" in done.out and FACT in done.out
    assert f"fits {len(high) or 'none'} of 1 node" in run("why", "high.json", "cluster.json", files=FILES).out


def capacity(run):
    placed = sum("chosen" in one for one in SAID["copies"]["pods"])
    for name, count in (("high", placed), ("low", len(fits("one node")[2]))):
        done = run("capacity", "cluster.json", "--pod", f"{name}.json", "--json", files=FILES)
        assert done.json()["count"] == count, done.out


def schedule(run):
    for name, nodes in zip(("high", "same", "low"), fits("one node"), strict=True):
        assert run("schedule", "cluster.json", "--pod", f"{name}.json", files=FILES).code == (not nodes)


def drain(run):
    done = run("drain", "n2", "two.json", files=FILES)
    assert done.code == (fits("drained") == [[]]) and "pending" in done.out, done.out
    room = several(*(one for one in TWO_NODES["items"] if one is not NOMINATED))
    assert run("drain", "n2", "two.json", files={"two.json": room}).code == (fits("drained without it") == [[]])


def compare(run):
    before = several(*DUMP["items"], LOW)
    after = several(*(one for one in before["items"] if one is not NOMINATED))
    done = run("compare", "before.json", "--after", "after.json", files={"before.json": before, "after.json": after})
    assert done.code == (fits("one node")[2] != fits("without it")[2]) and "p4" in done.out, done.out


def simulate(run):
    # The nominated pod arrives as well and takes its room, so the other one makes room by preemption.
    preempting = [one for one in SAID["both arrive"]["pods"] if one.get("postFilter", {}).get("nominatedNode")]
    done = run("simulate", "cluster.json", "--workload", "low.json", files=FILES)
    assert done.code == 0 and f"{len(preempting)} preemptions" in done.out, done.out + done.err


VERBS = {one.__name__: one for one in (fit, explain, why, capacity, schedule, drain, compare, simulate)}


def test_every_verb_that_places_pods_is_asked():
    assert set(VERBS) | {"cel", "config", "kubectl-line", "completion", "version"} == set(OWN)


@pytest.mark.parametrize("verb", VERBS)
def test_verbs(verb, run):  # noqa: F811
    VERBS[verb](run)


def test_edits_reach_a_nominated_pod(run):  # noqa: F811
    asked = ("fit", "cluster.json", "--pod", "low.json")
    assert run(*asked, files=FILES).code == (not fits("one node")[2])
    assert run(*asked, "--set", "default/p1:priority=4", files=FILES).code == (fits("of priority 4") == [[]])
    assert run(*asked, "--set", "default/p1:requests.cpu=1", files=FILES).code == (fits("of 1 cpu") == [[]])
    # The node that it waits for goes, and other nodes keep no room.
    two = several(*DUMP["items"], node("n3"))
    done = run("fit", "two.json", "--pod", "low.json", "--remove-node", "n1", files={**FILES, "two.json": two})
    assert done.code == (fits("node is gone") == [[]])


# --- Python ---

def answers(view, framework, pods):
    """Whether the pods find room, as each question tells."""
    parsed = [libsched.Pod(one) for one in pods]

    def with_nominated(one):
        state = libsched.CycleState()
        framework.run_pre_filter_plugins(state, view, one)
        return framework.run_filter_plugins_with_nominated_pods(state, view, one, "n1").is_success

    yield "fit", [framework.fit(view, one).fits for one in parsed]
    yield "fit_each", [one.fits for one in framework.fit_each(view, parsed)]
    yield "score", [bool(framework.score(view, one).nodes) for one in parsed]
    yield "cycle", [bool(framework.cycle(view, one).node) for one in parsed]
    yield "first_fit", [bool(framework.first_fit(view, one)) for one in parsed]
    if list(view.nodes) == ["n1"]:
        yield "fit of one node", [framework.fit(view, one, "n1").fits for one in parsed]
        yield "run_filter_plugins_with_nominated_pods", [with_nominated(one) for one in parsed]
    if not isinstance(view, libsched.Cluster):
        return
    yield "capacity", [framework.capacity(view, one).count > 0 for one in parsed]
    yield "why", [framework.why(view, one).fits > 0 for one in parsed]
    yield "schedule", [_placed(view, framework, one) for one in parsed]
    yield "schedule with sampling", [_placed(view, framework, one, sampling=True) for one in parsed]
    yield "compare", [bool(libsched.compare(view, view, [one], [framework]).pods[0].before.node) for one in parsed]


def _placed(view, framework, one, **how):
    with view.fork():
        return framework.schedule(view, one, **how)[0].outcome == "placed"


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["mode"] == "evaluate"])
def test_questions_about_a_cluster_a_copy_and_a_snapshot(name):
    cluster, pods = libsched.Cluster(several(*CASES[name]["objects"])), CASES[name]["pods"]
    framework = libsched.Framework()
    views = [cluster, cluster.clone(), cluster.snapshot(), pickle.loads(pickle.dumps(cluster)),
             pickle.loads(pickle.dumps(cluster.snapshot()))]
    for view in views:
        for judge in (framework, libsched.Framework(services=libsched.Services())):
            for question, found in answers(view, judge, pods):
                assert found == [bool(nodes) for nodes in fits(name)], (question, view)
            for one, why_not in zip(pods, reasons(name), strict=True):
                assert {each.node: sorted(each.status.reasons) for each in judge.fit(view, one)} == why_not


def test_the_pod_itself_and_a_bound_pod_reserve_nothing():
    cluster = libsched.Cluster(DUMP)
    framework = libsched.Framework()
    assert framework.fit(cluster, NOMINATED).fits == ("default/p1" in bound("is queued"))
    assert framework.capacity(cluster, libsched.Pod(NOMINATED)).count == 1  # 3 are free, 2 each
    assert not framework.fit(cluster, LOW)
    with cluster.fork():
        first, = framework.schedule(cluster, libsched.Pod(NOMINATED))
        assert first.node == "n1"
        smaller = pending("p5", "1", 5)
        assert framework.fit(cluster, smaller)
    assert not framework.fit(cluster, LOW)
    cluster.remove_pod("default/p1")
    assert framework.fit(cluster, LOW)


def test_a_nomination_that_changes():
    cluster = libsched.Cluster(several(node("n1"), node("n2", cpu="1"), RUNNING, NOMINATED))
    framework = libsched.Framework()
    assert not framework.fit(cluster, LOW)
    cluster.apply(pending("p1", "2", 100, "n2"))
    assert framework.fit(cluster, LOW).nodes == ["n1"]
    cluster.apply(pending("p1", "2", 100, "n1"))
    assert not framework.fit(cluster, LOW)
    cluster.apply(pending("p1", "2", 100))
    assert framework.fit(cluster, LOW)
    cluster.apply(NOMINATED)
    cluster.services.nominate(libsched.Pod(NOMINATED), "")  # what services say comes first
    assert framework.fit(cluster, LOW)
    cluster.services.remove_nomination(libsched.Pod(NOMINATED))
    assert not framework.fit(cluster, LOW)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["mode"] == "cycles"])
def test_pods_that_are_in_no_queue_of_the_scheduler_reserve_nothing(name):
    cluster = libsched.Cluster(several(*CASES[name]["objects"][1:]))
    assert libsched.Framework().fit(cluster, LOW).fits == ("default/p4" in bound(name))


def test_a_pod_that_has_ended_reserves_nothing():
    """The real scheduler does not ask the API server for such pods."""
    ended = copy.deepcopy(NOMINATED)
    ended["status"]["phase"] = "Failed"
    assert libsched.Framework().fit(libsched.Cluster(several(node("n1"), RUNNING, ended)), LOW)


def test_a_host_port_of_a_nominated_pod_is_taken():
    cluster = libsched.Cluster(several(*CASES["host port"]["objects"]))
    result = libsched.Framework().fit(cluster, with_port("p2", 0), facts=True)
    assert result["n1"].status.plugin == "NodePorts"
    assert [fact.get("nominatedPod") for fact in result["n1"].facts][-1] == "default/p1"


def test_taints_are_told_without_the_nominated_pod():
    result = libsched.Framework().fit(libsched.Cluster(several(TAINTED, NOMINATED)), LOW, facts=True)
    assert [sorted(fact) for fact in result["n1"].facts] == [["effect", "key", "reason", "value"]]


if __name__ == "__main__":
    for each, asked in CASES.items():
        print(json.dumps({"name": each, **asked}))
