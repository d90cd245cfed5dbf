"""What another release makes of pods: `compare_releases`, and the command with a range of releases."""

import json

import pytest

from libsched import Cluster, Framework, Pod, compare_releases
from libsched.differences import between, differences
from manifests import GATED, node, pod, several

TAINTED = [{"key": "gpu", "value": "a100", "effect": "NoSchedule"}]
NODES = [node("a", cpu="4"), node("b", cpu="8"), node("t", taints=TAINTED)]


def frameworks(*releases):
    return {release: Framework(semantics=release) for release in releases}


def test_reasons_and_scores_by_plugin():
    cluster = Cluster(several(*NODES, pod("run", cpu="2", node_name="a")))
    found = compare_releases(cluster, pod("p", cpu="1"), frameworks("1.33", "1.34", "1.35", "1.36"))
    reason, *scores = found
    assert (reason.before, reason.after, reason.kind, reason.plugins, reason.nodes) == (
        "1.33", "1.34", "reason", ("TaintToleration",), ("t",))
    assert (reason.was, reason.now) == ("node(s) had untolerated taint {gpu: a100}",
                                        "node(s) had untolerated taint(s)")
    assert reason.differences == ("The reason names the taint",)
    assert {(one.before, one.after, one.plugins) for one in scores} == {
        ("1.35", "1.36", ("NodeResourcesBalancedAllocation",))}
    assert scores[0].kind == "score" and "The balance itself is scored" in scores[0].differences
    assert scores[0].to_dict()["nodes"] == scores[0].nodes
    assert compare_releases(cluster, pod("p"), frameworks("1.36")) == []


def test_a_verdict():
    ports = {"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always",
                                 "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    cluster = Cluster(several(node("a"), pod("run", node_name="a", **ports)))
    found = [one for one in compare_releases(cluster, pod("p", **ports), frameworks("1.32", "1.33"))
             if one.kind == "verdict"]
    assert [(one.plugins, one.nodes, one.was, one.now, one.differences) for one in found] == [
        (("NodePorts",), ("a",), "fits", "node(s) didn't have free ports for the requested pod ports",
         ("Host ports of sidecars do not count",))]


def test_a_gated_pod_has_no_changes():
    cluster = Cluster(several(*NODES))
    assert compare_releases(cluster, pod("p", **GATED), frameworks("1.31", "1.36")) == []


def test_the_headings_of_differences():
    assert between("1.36", "1.36", ["TaintToleration"], "reason") == ()
    assert between("1.34", "1.33", ["TaintToleration"], "reason") == ("The reason names the taint",)
    assert between("1.33", "1.34", ["TaintToleration"], "score") == ()
    plugins = {plugin for one in differences() for plugin in one.plugins}
    newest = Framework(semantics="1.37", feature_gates={"GenericWorkload": True})
    known = {name for point in newest.plugins.values() for name, _ in point}
    assert plugins <= known


FILES = {"c.json": several(*NODES, pod("run", cpu="2", node_name="a"), pod("x", cpu="1"), pod("y", cpu="1"))}


def test_the_command(run):
    done = run("compare", "c.json", "--semantics", "1.33..1.36", files=FILES)
    lines = done.out.splitlines()
    assert done.err == "" and "nodes in use" in done.out
    at = lines.index("default/x and 1 pod like it")
    assert lines[at + 1:at + 3] == [
        "  1.33 to 1.34  TaintToleration  reason on 1 node: node(s) had untolerated taint {gpu: a100} -> "
        "node(s) had untolerated taint(s)", "      The reason names the taint"]
    assert any("  1.35 to 1.36  NodeResourcesBalancedAllocation  score on " in line for line in lines)
    line = json.loads(run("compare", "c.json", "--semantics", "v1.33.2..1.34", "--json", "--all", files=FILES).out)
    assert line["sides"] == ["1.33", "1.34"] and line["releases"] == ["1.33", "1.34"]
    assert [one["pod"] for one in line["changes"]] == ["default/run", "default/x", "default/y"]
    assert line["changes"][0]["differences"] == ["The reason names the taint"]
    same = run("compare", "c.json", "--semantics", "1.35..1.34", files=FILES)
    assert "no plugin makes anything else of any pod" in same.out


def test_many_pods_are_told_of_as_one_by_one(run):
    # Host ports of sidecars count since 1.33, so each release counts the pods of the cluster otherwise.
    ports = {"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always",
                                 "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    running = [pod(f"r{i:02}", cpu="100m", node_name="ab"[i % 2], **(ports if i % 9 < 2 else {})) for i in range(18)]
    waiting = [pod(f"w{i:02}", cpu="1", **(ports if i % 3 == 0 else {})) for i in range(18)]
    files = {"c.json": several(*NODES, *running, *waiting)}
    span = "1.31", "1.32", "1.33", "1.34", "1.35", "1.36"
    told = json.loads(run("compare", "c.json", "--semantics", "1.31..1.36", "--all", "--json", files=files).out)["changes"]
    cluster, wanted = Cluster(files["c.json"]), []
    for one in [*cluster.pods.values(), *map(Pod, waiting)]:
        key = one.key
        with cluster.fork():
            if key in cluster.pods:
                where = cluster.pods[key].node_name
                cluster.remove_pod(key)
                others = cluster.nodes[where].pods
                for other in others:  # whose ports are in use
                    cluster.remove_pod(other.key)
                cluster.add_pods(others)
            made = compare_releases(cluster, one.copy(node_name=""), frameworks(*span))
            wanted += [{"pod": key, **json.loads(json.dumps(change.to_dict()))} for change in made]
    assert told == wanted and any(one["kind"] == "verdict" for one in told)


@pytest.mark.parametrize(("span", "why"), [
    ("1.36..1.36", "the two sides are the same"), ("1.36", "the two sides are the same"),
    ("1.30..1.36", 'unknown semantics "1.30"'), ("1.33..", 'unknown semantics "1.33.."')])
def test_ranges_that_are_none(run, span, why):
    done = run("compare", "c.json", "--semantics", span, files=FILES)
    assert done.code == 2 and why in done.err


def test_a_pod_is_judged_as_it_is():
    cluster = Cluster(several(*NODES))
    assert compare_releases(cluster, Pod(pod("p", node_name="zz")), frameworks("1.35", "1.36")) == []
