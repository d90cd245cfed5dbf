"""Capacity: `Framework.capacity`, `libsched.capacity` and `libsched capacity`."""

import pytest

import libsched
from manifests import GATED, deployment, node, pod, several

NODES = [node("a", cpu="4"), node("b", cpu="8"), node("c", unschedulable=True)]


def cluster_of(*more):
    return libsched.Cluster(several(*NODES, *more))


def test_capacity_is_what_schedule_places():
    cluster, framework = cluster_of(pod("busy", cpu="3", node_name="a")), libsched.Framework()
    found = framework.capacity(cluster, pod("web", cpu="1500m", node_name="c"))
    assert list(cluster.pods) == ["default/busy"]
    placed = framework.schedule(cluster, deployment("web", 1000, cpu="1500m"))
    assert found.count == len(placed) - 1 == 5 and found.end == "stopped" and found.is_exact
    assert found.nodes == {"a": 0, "b": 5, "c": 0} and list(found.nodes) == ["a", "b", "c"]
    assert found.counts == (5,)
    assert found.next.text == placed[-1].text and found.next.pod.key == "default/web-5"
    assert found.next.outcome == "unschedulable" and found.next.count == 1
    assert found.verdicts.fit_error == found.next.text and not found.verdicts
    assert found.verdicts["c"].status.plugin == "NodeUnschedulable"


def test_several_pods_take_turns():
    found = libsched.Framework().capacity(cluster_of(), [pod("x", cpu="1"), pod("y", cpu="2")])
    assert found.count == 7 and found.counts == (4, 3)
    assert found.next.pod.name == "y-7"


def test_bounds():
    framework, cluster, web = libsched.Framework(), cluster_of(), pod("web", cpu="1")
    most = framework.capacity(cluster, web, max=3)
    assert (most.count, most.end, most.next, most.verdicts) == (3, "maximum", None, None)
    assert repr(most) == "<Capacity at least 3 more pods fit (maximum)>" and not most.is_exact
    late = framework.capacity(cluster, web, timeout=0)
    assert (late.count, late.end) == (0, "deadline") and not late
    cancel = libsched.Cancel()
    cancel.set()
    assert framework.capacity(cluster, web, cancel=cancel).end == "cancelled"
    for wrong in ({"max": 0}, {"ties": "coin"}, {"seed": -1}):
        with pytest.raises(libsched.InvalidError):
            framework.capacity(cluster, web, **wrong)
    with pytest.raises(libsched.InvalidError, match="capacity needs a pod"):
        framework.capacity(cluster, [])
    with pytest.raises(libsched.MisuseError):
        libsched.capacity(cluster, web, [framework, framework])


def test_a_gated_pod_has_no_verdicts():
    found = libsched.Framework().capacity(cluster_of(), pod("g", **GATED))
    assert not found and found.next.outcome == "gated" and found.verdicts is None
    assert "SchedulingGates" in found.explain()


def test_nodes_that_pre_filter_excludes_have_verdicts():
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["a"]}]}]}}}
    found = libsched.Framework().capacity(cluster_of(), pod("pinned", cpu="3", affinity=affinity))
    assert found.nodes == {"a": 1, "b": 0, "c": 0}
    assert [verdict.node for verdict in found.verdicts] == ["a", "b", "c"]


def test_texts():
    found = libsched.Framework().capacity(cluster_of(), pod("web", cpu="5"))
    assert found.explain().splitlines() == [
        "1 more pod fits",
        "the next is unschedulable: 0/3 nodes are available: 1 node(s) were unschedulable, "
        "2 Insufficient cpu. preemption: 0/3 nodes are available: 1 Preemption is not helpful for "
        "scheduling, 2 No preemption victims found for incoming pod."
        if "preemption" in found.next.text else f"the next is unschedulable: {found.next.text}",
        "does not fit:",
        "  2  NodeResourcesFit   Insufficient cpu",
        "  1  NodeUnschedulable  node(s) were unschedulable",
        "  nearest: a: cpu: asks 5, free 4 of 4",
        "  nearest: c: taint node.kubernetes.io/unschedulable:NoSchedule",
        "on 1 of 3 nodes:",
        "  1  b"]
    html = found._repr_html_()
    assert "1 more pod fits" in html and html.count("<tr>") == 4
    assert found.to_dict()["reasons"][0] == {
        "nodes": 2, "plugin": "NodeResourcesFit", "reason": "Insufficient cpu", "nearest": {
            "node": "a", "fact": dict(found.verdicts["a"].facts[0])}}
    assert [fact["free"] for fact in found.verdicts["b"].facts] == [3000]


@pytest.fixture
def count(run):
    def go(wanted, *arguments, **more):
        files = {"cluster.json": several(*NODES), "pod.json": wanted, **more.pop("files", {})}
        return run("capacity", "cluster.json", "--pod", "pod.json", *arguments, files=files, **more)
    return go


def test_verb(count):
    done = count(pod("web", cpu="2"))
    lines = done.out.splitlines()
    assert done.code == 0 and lines[0] == "default/web: 6 more pods fit"
    assert lines[1].startswith("the next is unschedulable: 0/3 nodes are available: ")
    assert lines[-3:] == ["on 2 of 3 nodes:", "  4  b", "  2  a"]
    assert count(pod("web", cpu="64")).code == 1


def test_verb_as_json(count):
    done = count(deployment("web", 3, cpu="2"), "--json", "--max", "5")
    (line,) = done.lines()
    assert done.code == 0 and line["count"] == 5 and line["end"] == "maximum"
    assert "next" not in line and line["nodes"] == {"a": 1, "b": 4, "c": 0}
    (line,) = count(pod("web", cpu="2"), "--json").lines()
    assert line["next"]["outcome"] == "unschedulable" and line["next"]["pod"] == "default/web-6"
    assert line["cluster"]["nodes"] == 3 and line["pods"] == ["default/web"]


def test_verb_lists_the_nodes_with_most_pods(count):
    many = several(*(node(f"n{i:02}", cpu=str(i + 1)) for i in range(12)))
    done = count(pod("web", cpu="1"), files={"cluster.json": many})
    assert done.out.splitlines()[-12:] == [
        "on 12 of 12 nodes:", *(f"  {i + 1:>2}  n{i:02}" for i in range(11, 1, -1)),
        "  ... and 3 on 2 more"]
    done = count(pod("web", cpu="1"), "--all-nodes", files={"cluster.json": many})
    assert done.out.splitlines()[-1] == "   1  n00"


def test_verb_refuses(count):
    done = count(deployment("agent", 1, kind="DaemonSet"))
    assert done.code == 2 and "DaemonSet default/agent: each node gets one" in done.err
    for wrong in (["--max", "0"], ["--max", "x"], ["--deadline", "-1"], ["--deadline", "soon"]):
        assert count(pod("web"), *wrong).code == 2


def test_verb_judges_by_the_profile(count):
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"schedulerName": "only"}]}
    done = count(pod("web", cpu="2"), "--config", "config.json", files={"config.json": config})
    assert done.code == 0
    assert 'default/web asks for the scheduler "default-scheduler"; judged by the profile "only"' in (
        done.out)
