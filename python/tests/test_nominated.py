"""Pending pods of a dump that are nominated to a node: every verb and every question counts them.

The node has 4 cpu, of which 1 is used, and keeps 2 for a pod of priority 100. The real kube-scheduler
says of pods that ask for 1500m: one of priority 200 fits, those of priority 100 and 5 do not.
"""

import copy
import pickle

import pytest

import libsched
from libsched.cli import OWN
from manifests import node, pod, several
from running import run  # noqa: F401

PHASE = {"phase": "Pending"}


def pending(name, cpu, priority, nominated="", **more):
    made = pod(name, cpu=cpu, priority=priority, **more)
    made["status"] = {**PHASE, **({"nominatedNodeName": nominated} if nominated else {})}
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
FACT = "default/p1 (priority 100) is nominated to n1 and reserves 2 cpu"


# --- the command line ---

def fit(run):
    for name, code in (("high", 0), ("same", 1), ("low", 1)):
        done = run("fit", "cluster.json", "--pod", f"{name}.json", files=FILES)
        assert done.code == code, (name, done.out)
        assert ("Insufficient cpu" in done.out) == bool(code)
    explained = run("fit", "cluster.json", "--pod", "low.json", "--explain", "n1", files=FILES)
    assert FACT in explained.out


def explain(run):
    done = run("explain", "cluster.json", "--pod", "low.json", "--json", files=FILES)
    assert done.code == 1 and '"nominatedPod"' in done.out and '"default/p1"' in done.out
    assert FACT in run("explain", "cluster.json", "--pod", "low.json", "--node", "n1", files=FILES).out
    assert run("explain", "cluster.json", "--pod", "high.json", files=FILES).code == 0


def why(run):
    done = run("why", "low.json", "cluster.json", files=FILES)
    assert "fits none of 1 node" in done.out and FACT in done.out
    assert "fits 1 of 1 node" in run("why", "high.json", "cluster.json", files=FILES).out


def capacity(run):
    for name, count in (("high", 2), ("low", 0)):
        done = run("capacity", "cluster.json", "--pod", f"{name}.json", "--json", files=FILES)
        assert done.json()["count"] == count, done.out


def schedule(run):
    for name, code in (("high", 0), ("low", 1)):
        assert run("schedule", "cluster.json", "--pod", f"{name}.json", files=FILES).code == code


def drain(run):
    done = run("drain", "n2", "two.json", files=FILES)
    assert done.code == 1 and "pending" in done.out, done.out
    room = several(*(one for one in TWO_NODES["items"] if one is not NOMINATED))
    assert run("drain", "n2", "two.json", files={"two.json": room}).code == 0


def compare(run):
    before = several(*DUMP["items"], LOW)
    after = several(*(one for one in before["items"] if one is not NOMINATED))
    done = run("compare", "before.json", "--after", "after.json", files={"before.json": before, "after.json": after})
    assert done.code == 1 and "p4" in done.out, done.out


def simulate(run):
    # The nominated pod arrives as well and takes its room, so the other one makes room by preemption.
    done = run("simulate", "cluster.json", "--workload", "low.json", files=FILES)
    assert done.code == 0 and "1 preemptions" in done.out, done.out + done.err


VERBS = {one.__name__: one for one in (fit, explain, why, capacity, schedule, drain, compare, simulate)}


def test_every_verb_that_places_pods_is_asked():
    assert set(VERBS) | {"cel", "config", "kubectl-line", "completion", "version"} == set(OWN)


@pytest.mark.parametrize("verb", VERBS)
def test_verbs(verb, run):  # noqa: F811
    VERBS[verb](run)


def test_edits_reach_a_nominated_pod(run):  # noqa: F811
    asked = ("fit", "cluster.json", "--pod", "low.json")
    assert run(*asked, files=FILES).code == 1
    assert run(*asked, "--set", "default/p1:priority=4", files=FILES).code == 0
    assert run(*asked, "--set", "default/p1:requests.cpu=1", files=FILES).code == 0
    # The node that it waits for goes, and other nodes keep no room.
    two = several(*DUMP["items"], node("n3"))
    done = run("fit", "two.json", "--pod", "low.json", "--remove-node", "n1", files={**FILES, "two.json": two})
    assert done.code == 0


# --- Python ---

def answers(view, framework):
    """Whether the pods of priority 200, 100 and 5 find room, as each question tells."""
    parsed = [libsched.Pod(one) for one in (HIGH, SAME, LOW)]

    def with_nominated(one):
        state = libsched.CycleState()
        framework.run_pre_filter_plugins(state, view, one)
        return framework.run_filter_plugins_with_nominated_pods(state, view, one, "n1").is_success

    yield "fit", [framework.fit(view, one).fits for one in parsed]
    yield "fit of one node", [framework.fit(view, one, "n1").fits for one in parsed]
    yield "fit_each", [one.fits for one in framework.fit_each(view, parsed)]
    yield "score", [bool(framework.score(view, one).nodes) for one in parsed]
    yield "cycle", [framework.cycle(view, one).node == "n1" for one in parsed]
    yield "first_fit", [bool(framework.first_fit(view, one)) for one in parsed]
    yield "run_filter_plugins_with_nominated_pods", [with_nominated(one) for one in parsed]
    if not isinstance(view, libsched.Cluster):
        return
    yield "capacity", [framework.capacity(view, one).count > 0 for one in parsed]
    yield "why", [framework.why(view, one).fits > 0 for one in parsed]
    yield "schedule", [_placed(view, framework, one) for one in parsed]
    yield "schedule with sampling", [_placed(view, framework, one, sampling=True) for one in parsed]
    yield "compare", [libsched.compare(view, view, [one], [framework]).pods[0].before.node == "n1"
                      for one in parsed]


def _placed(view, framework, one, **how):
    with view.fork():
        return framework.schedule(view, one, **how)[0].outcome == "placed"


def test_questions_about_a_cluster_a_copy_and_a_snapshot():
    cluster = libsched.Cluster(DUMP)
    framework = libsched.Framework()
    views = [cluster, cluster.clone(), cluster.snapshot(), pickle.loads(pickle.dumps(cluster)),
             pickle.loads(pickle.dumps(cluster.snapshot()))]
    for view in views:
        for judge in (framework, libsched.Framework(services=libsched.Services())):
            for question, found in answers(view, judge):
                assert found == [True, False, False], (question, view)


def test_the_pod_itself_and_a_bound_pod_reserve_nothing():
    cluster = libsched.Cluster(DUMP)
    framework = libsched.Framework()
    assert framework.fit(cluster, NOMINATED).nodes == ["n1"]
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


@pytest.mark.parametrize("change", [
    {"schedulingGates": [{"name": "g"}]}, {"schedulerName": "another"}])
def test_pods_that_are_in_no_queue_of_the_scheduler_reserve_nothing(change):
    cluster = libsched.Cluster(several(node("n1"), RUNNING, pending("p1", "2", 100, "n1", **change)))
    assert libsched.Framework().fit(cluster, LOW)


def test_a_terminating_pod_reserves_and_one_that_has_ended_does_not():
    leaving, ended = copy.deepcopy(NOMINATED), copy.deepcopy(NOMINATED)
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    ended["status"]["phase"] = "Failed"
    for one, fits in ((leaving, False), (ended, True)):
        cluster = libsched.Cluster(several(node("n1"), RUNNING, one))
        assert libsched.Framework().fit(cluster, LOW).fits == fits


def test_a_host_port_of_a_nominated_pod_is_taken():
    with_port = {"containers": [{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    holder, asking = pod("holder", priority=100), pod("asking", priority=0)
    for one in (holder, asking):
        one["spec"].update(with_port)
    holder["status"] = {**PHASE, "nominatedNodeName": "n1"}
    result = libsched.Framework().fit(libsched.Cluster(several(node("n1"), holder)), asking, facts=True)
    assert result["n1"].status.plugin == "NodePorts"
    assert [fact.get("nominatedPod") for fact in result["n1"].facts][-1] == "default/holder"


def test_anti_affinity_of_a_nominated_pod_does_not_count_as_in_kube_scheduler():
    terms = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "z"}}, "topologyKey": "kubernetes.io/hostname"}]}}}
    holder = pending("p1", None, 100, "n1", **terms)
    asking = pending("p2", None, 0)
    for one in (holder, asking):
        one["metadata"]["labels"] = {"app": "z"}
    assert libsched.Framework().fit(libsched.Cluster(several(node("n1"), holder)), asking)


def test_taints_are_told_without_the_nominated_pod():
    tainted = node("n1", taints=[{"key": "k", "effect": "NoSchedule"}])
    result = libsched.Framework().fit(libsched.Cluster(several(tainted, NOMINATED)), LOW, facts=True)
    assert [sorted(fact) for fact in result["n1"].facts] == [["effect", "key", "reason", "value"]]
