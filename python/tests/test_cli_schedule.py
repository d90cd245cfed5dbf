"""`libsched schedule`: placements, their order, what is not placed, the summary, JSON."""

import pytest

import libsched
from libsched.replicas import Replicas
from manifests import GATED, deployment, node, pod, several

POOL = "eks.amazonaws.com/nodegroup"
CLUSTER = several(node("a", cpu="4", labels={POOL: "small"}), node("b", cpu="8", labels={POOL: "big"}),
                  node("c", unschedulable=True),
                  {**pod("busy", cpu="3", node_name="a"), "status": {"phase": "Running"}})


@pytest.fixture
def schedule(run):
    def go(wanted, *arguments, cluster=CLUSTER, **more):
        files = {"cluster.json": cluster, "pod.json": wanted, **more.pop("files", {})}
        return run("schedule", "cluster.json", "--pod", "pod.json", *arguments, files=files, **more)
    return go


def placed(done):
    return [(line["pod"], line.get("node")) for line in done.lines() if "pod" in line]


def test_each_pod_sees_those_before_it(schedule):
    wanted = several(pod("x", cpu="5"), pod("y", cpu="3"), pod("z", cpu="1"), pod("q", cpu="1"))
    done = schedule(wanted, "--json")
    assert done.code == 1 and placed(done) == [
        ("default/x", "b"), ("default/y", "b"), ("default/z", "a"), ("default/q", None)]
    last = done.lines()[3]
    assert last["outcome"] == "unschedulable" and last["fitError"] == (
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.")
    summary = done.lines()[-1]["summary"]
    assert summary["outcomes"] == {"placed": 3, "unschedulable": 1}
    assert summary["nodes"] == {"a": 1, "b": 2} and summary["notTried"] == 0
    assert summary["pools"] == {"label": POOL, "pods": {"big": 2, "small": 1}}
    assert summary["resources"]["cpu"] == {"allocatable": 16000, "before": 3000, "after": 12000}
    assert summary["reasons"] == [{"pods": 1, "outcome": "unschedulable", "text": last["fitError"]}]


def test_text(schedule):
    done = schedule(several(pod("x", cpu="5"), pod("y", cpu="5"), pod("g", **GATED)))
    lines = done.out.splitlines()
    assert done.code == 1 and done.err == ""
    assert lines[0] == "default/x  b  the only one, 1 fit"
    assert lines[1].startswith("default/y  unschedulable: 0/3 nodes are available: ")
    assert lines[2].startswith("default/g  gated: ") and "SchedulingGates" in lines[2]
    assert "1 placed, 1 unschedulable, 1 gated" in lines
    assert any(line.split() == ["cpu", "16", "3", "18.8%", "8", "50.0%"] for line in lines)


def test_pods_that_fare_the_same_are_told_once(schedule):
    wanted = several(*(pod(f"y{index}", cpu="50") for index in range(4)))
    lines = schedule(wanted).out.splitlines()
    assert lines[0].startswith("default/y0  unschedulable: ")
    assert lines[1] == "... and 3 pods that fare like one above (-o wide shows all)" and lines[3] == "4 unschedulable"
    assert schedule(wanted, "-o", "wide").out.count("default/y") == 4


def test_replicas_are_named_like_their_controllers(schedule):
    def names(kind):
        done = schedule(deployment("web", 2, cpu="1", kind=kind), "--json")
        assert done.code == 0
        again = schedule(deployment("web", 2, cpu="1", kind=kind), "--json")
        assert again.out == done.out
        return [pod for pod, _ in placed(done)]

    assert names("StatefulSet") == ["default/web-0", "default/web-1"]
    first, second = names("Deployment")
    assert first != second and first.rsplit("-", 1)[0] == second.rsplit("-", 1)[0]
    assert len(first) == len("default/web-123456789-12345")
    assert len(names("ReplicaSet")[0]) == len("default/web-12345")


def test_many_replicas_have_different_names():
    """So many that short suffixes meet by chance."""
    workload = libsched.Workload("ReplicaSet", 20_000, libsched.Pod(pod("web")))

    def named():
        replicas = Replicas(workload)
        return [replicas.make(index).name for index in range(workload.replicas)]

    names = named()
    assert len(set(names)) == len(names) == 20_000
    assert names == named()
    assert all(len(name) == len("web-12345") for name in names)


def test_a_daemon_set_has_a_pod_for_each_eligible_node(schedule):
    done = schedule(several(deployment("d", kind="DaemonSet"), pod("x")), "--json")
    *lines, last = done.lines()
    count = len(lines) - 1
    assert done.code == 0 and count > 1 and len({line["node"] for line in lines[1:]}) == count
    assert all(line["pod"].startswith("default/d-") for line in lines[1:])
    assert f"DaemonSet default/d: a pod for each of {count} nodes that are eligible" in last["summary"]["notes"][0]


def test_what_the_scheduler_would_not_see(schedule):
    ended = {**pod("done"), "status": {"phase": "Succeeded"}}
    done = schedule(several(ended, pod("busy", cpu="3"), pod("there", cpu="8", node_name="b"),
                            pod("lost", node_name="z"), pod("x", cpu="1")), "--json", "--as-is")
    assert [line["outcome"] for line in done.lines()[:-1]] == [
        "ended", "kept", "bound", "unschedulable", "placed"]
    assert done.lines()[-2]["node"] == "a" and done.lines()[3]["fitError"].endswith("no node here")
    assert done.code == 1


def test_order_and_limit(schedule):
    wanted = several(pod("low", cpu="5", priority=1), pod("high", cpu="5", priority=7))
    assert placed(schedule(wanted, "--json"))[0] == ("default/low", "b")
    done = schedule(wanted, "--json", "--order", "priority")
    assert placed(done) == [("default/high", "b"), ("default/low", None)]
    done = schedule(wanted, "--limit", "1")
    assert done.code == 0 and "1 placed, 1 not tried (--limit)" in done.out
    assert schedule(wanted, "--limit", "-1").code == 2


def test_preemption_is_mentioned(schedule):
    done = schedule(pod("urgent", cpu="64", priority=9))
    assert "1 of the unschedulable pods have a higher priority" in done.out
    assert schedule(pod("urgent", cpu="64", priority=9), "--json").lines()[-1][
        "summary"]["mayPreempt"] == 1


def test_ties(schedule):
    cluster = several(*(node(f"n{index}") for index in range(8)))
    wanted = several(*(pod(f"p{index}") for index in range(6)))
    by_name = placed(schedule(wanted, "--json", "--ties", "name", cluster=cluster))
    assert by_name[0] == ("default/p0", "n0")
    random = [placed(schedule(wanted, "--json", "--ties", "random", "--seed", seed,
                              cluster=cluster)) for seed in ("1", "1", "2")]
    assert random[0] == random[1] != random[2]


def test_pools_and_resources(schedule):
    done = schedule(pod("x", cpu="1"), "--pool-label", "kubernetes.io/hostname", "--json",
                    "--resource", "example.com/none")
    summary = done.lines()[-1]["summary"]
    assert summary["pools"]["label"] == "kubernetes.io/hostname"
    assert summary["resources"]["example.com/none"] == {"allocatable": 0, "before": 0, "after": 0}
    done = schedule(pod("x"), "--pool-label", "none")
    assert done.code == 2 and 'no node has the label "none"' in done.err


def test_profiles_and_bad_input(schedule):
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"schedulerName": "one"}, {"schedulerName": "two"}]}
    files = {"config.json": config}
    done = schedule(pod("x", schedulerName="two"), "--config", "config.json", "--json", files=files)
    assert done.code == 0 and done.lines()[0]["profile"] == "two"
    done = schedule(pod("x", schedulerName="three"), "--config", "config.json", files=files)
    assert done.code == 2 and 'no profile "three"' in done.err
    done = schedule(pod("x", schedulerName="other"))
    assert done.code == 0 and done.out.count("judged by the profile") == 1
    assert schedule("{").code == 2 and schedule(several()).code == 2


def test_replicas_that_fare_the_same_are_one_row(schedule):
    done = schedule(deployment("web", 2_000_000_000, cpu="1"))
    lines = done.out.splitlines()
    assert done.code == 1 and sorted(line.split("  ")[1] for line in lines[:9]) == ["a"] + ["b"] * 8
    assert lines[9].endswith("unschedulable x 1,999,999,991: 0/3 nodes are available: "
                             "1 node(s) were unschedulable, 2 Insufficient cpu.")
    assert lines[10] == "" and "9 placed, 1,999,999,991 unschedulable" in lines
    done = schedule(deployment("web", 2_000_000_000, cpu="1"), "--json")
    *_, last, summary = done.lines()
    assert len(done.lines()) == 11 and last["count"] == 1_999_999_991
    assert summary["summary"]["outcomes"] == {"placed": 9, "unschedulable": 1_999_999_991}
    assert sum(entry["pods"] for entry in summary["summary"]["reasons"]) == 1_999_999_991
    assert "count" not in done.lines()[0]


def test_replicas_are_made_one_by_one(schedule):
    done = schedule(several(deployment("web", 2_000_000_000), pod("late")), "--limit", "3", "--json")
    assert [line["outcome"] for line in done.lines()[:-1]] == ["placed"] * 3
    assert done.lines()[-1]["summary"]["notTried"] == 1_999_999_998


def test_the_next_workload_is_tried(schedule):
    wanted = several(deployment("huge", 100_000, cpu="64"), deployment("small", 2, cpu="1"))
    done = schedule(wanted, "--json", "--limit", "100001")
    assert [(line["outcome"], line.get("count", 1)) for line in done.lines()[:-1]] == [
        ("unschedulable", 100_000), ("placed", 1)]
    gated = deployment("gated", 7)
    gated["spec"]["template"]["spec"].update(GATED)
    assert "gated x 7: " in schedule(gated).out
