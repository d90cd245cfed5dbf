"""Drain: `Framework.drain`, `libsched.drain` and `libsched drain`."""

import pytest

import libsched
from manifests import node, pod, several

NODES = [node("a", cpu="4"), node("b", cpu="4"), node("c", cpu="2")]


def owned(name, on, cpu="1", kind="ReplicaSet", **spec):
    made = pod(name, cpu=cpu, node_name=on, **spec)
    made["metadata"].update(labels={"app": name}, ownerReferences=[
        {"apiVersion": "apps/v1", "kind": kind, "name": "o", "uid": "u", "controller": True}])
    made["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    return made


def budget(name, allowed, app):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": {"app": app}}},
            "status": {"disruptionsAllowed": allowed}}


def told(found):
    return [(one.pod.name, one.outcome, one.to_node) for one in found.pods]


def test_pods_move_in_order_and_the_cluster_stays():
    cluster = libsched.Cluster(several(*NODES, owned("y", "a", cpu="2"), owned("x", "a", cpu="3"),
                                       owned("z", "b", cpu="1"), owned("agent", "a", kind="DaemonSet")))
    before = {key: cluster.node_of(key) for key in cluster.pods}
    framework = libsched.Framework()
    found = framework.drain(cluster, ["a"], ties="name")
    assert told(found) == [("agent", "stays", ""), ("x", "moved", "b"), ("y", "moved", "c")]
    assert found and found.complete and found.nodes == ("a",)
    assert found.outcomes == {"moved": 2, "stays": 1} and found.pods[1].profile == framework.profile
    assert {key: cluster.node_of(key) for key in cluster.pods} == before
    both = framework.drain(cluster, ["b", "a"], ties="name")
    assert told(both) == [("z", "moved", "c"), ("agent", "stays", ""), ("x", "pending", ""),
                          ("y", "pending", "")]
    assert not both
    assert both.pods[2].plugin == ""
    assert both.pods[2].text == "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable."
    assert repr(both) == "<Drain 2 nodes: 1 moved, 2 pending, 1 stays>"


def test_refusals_and_budgets():
    bare = pod("bare", cpu="1", node_name="a")
    scratch = owned("scratch", "b", volumes=[{"name": "v", "emptyDir": {}}])
    cluster = libsched.Cluster(several(*NODES, bare, scratch, owned("db", "c"), budget("two", 0, "db")))
    framework = libsched.Framework()
    assert told(framework.drain(cluster, "a")) == [("bare", "refused", "")]
    (forced,) = framework.drain(cluster, "a", force=True).pods
    assert forced and (forced.outcome, forced.text) == ("deleted", "declares no controller")
    (local,) = framework.drain(cluster, "b").pods
    assert not local and local.text.startswith("Pods with local storage")
    assert framework.drain(cluster, "b", delete_emptydir_data=True).complete
    (blocked,) = framework.drain(cluster, "c").pods
    assert (blocked.outcome, blocked.budget) == ("blocked", "two")
    assert "two" in blocked.text
    assert framework.drain(cluster, "c").to_dict()["pods"] == [
        {"pod": "default/db", "outcome": "blocked", "from": "c", "text": blocked.text, "budget": "two"}]


def test_errors():
    cluster, framework = libsched.Cluster(several(*NODES, owned("x", "a"))), libsched.Framework()
    with pytest.raises(libsched.NotFoundError, match='there is no node "z"'):
        framework.drain(cluster, ["a", "z"])
    with pytest.raises(libsched.InvalidError, match="given twice"):
        framework.drain(cluster, ["a", "a"])
    with pytest.raises(libsched.DeadlineExceeded):
        framework.drain(cluster, "a", timeout=0)
    with pytest.raises(libsched.MisuseError):
        libsched.drain(cluster, "a", [])
    for wrong in ({"ties": "coin"}, {"seed": -1}):
        with pytest.raises(libsched.InvalidError):
            framework.drain(cluster, "a", **wrong)


def test_html():
    cluster = libsched.Cluster(several(*NODES, *(owned(f"p{i:03}", "a", cpu="0") for i in range(104))))
    html = libsched.Framework().drain(cluster, "a")._repr_html_()
    assert "104 moved" in html and html.count("<tr>") == 101 and "and 4 more pods" in html


@pytest.fixture
def drain(run):
    def go(*arguments, cluster, **more):
        return run("drain", *arguments, files={"cluster.json": several(*cluster)}, **more)
    return go


def test_verb(drain):
    cluster = [*NODES, owned("x", "a"), owned("y", "b", kind="DaemonSet")]
    done = drain("a", "b", "cluster.json", cluster=cluster)
    assert done.code == 0 and done.out.splitlines() == [
        "a: 1 pod", "  default/x  moved  c", "b: 1 pod",
        "  default/y  stays  ignoring DaemonSet-managed Pods", "1 moved, 1 stays"]
    (line,) = drain("a", "cluster.json", "--json", cluster=cluster).lines()
    assert line["complete"] and line["outcomes"] == {"moved": 1} and line["cluster"]["nodes"] == 3
    assert line["pods"][0]["to"] in ("b", "c")


def test_verb_exit_codes(drain):
    blocked = [*NODES, owned("db", "a"), budget("two", 0, "db"), pod("bare", node_name="b")]
    done = drain("a", "cluster.json", cluster=blocked)
    assert done.code == 1 and "blocked" in done.out and "1 blocked" in done.out.splitlines()[-1]
    assert drain("b", "cluster.json", cluster=blocked).code == 1
    assert drain("b", "cluster.json", "--force", cluster=blocked).code == 0
    done = drain("nowhere", "cluster.json", cluster=blocked)
    assert done.code == 2 and 'there is no node "nowhere"' in done.err
    assert drain("a", "missing.json", cluster=blocked).code == 2


TOLERANT = [{"operator": "Exists"}]


def test_a_pod_that_tolerates_the_cordon_returns(drain):
    bound = owned("back", "a", tolerations=TOLERANT, nodeSelector={"kubernetes.io/hostname": "a"})
    cluster = [node("a", labels={"pool": "x"}), node("b"), bound, owned("x", "a")]
    found = libsched.Framework().drain(libsched.Cluster(several(*cluster)), "pool=x")
    assert told(found) == [("back", "returned", "a"), ("x", "moved", "b")]
    assert not found and not found.pods[0] and found.nodes == ("a",)
    assert found.to_dict()["pods"][0]["text"] == "comes back: the cordon does not keep it away"
    assert "comes back" in found._repr_html_()
    done = drain("a", "cluster.json", cluster=cluster)
    assert done.code == 1 and done.out.splitlines() == [
        "a: 2 pods", "  default/back  returned  comes back: the cordon does not keep it away",
        "  default/x     moved     b", "1 moved, 1 returned"]
    line = drain("-l", "pool=x", "cluster.json", "--json", "--html", "page.html", cluster=cluster).json()
    assert not line["complete"] and line["outcomes"] == {"moved": 1, "returned": 1}
    assert line["nodes"] == ["a"]


def test_a_drained_node_is_tainted_as_well(drain):
    """With nodeTaintsPolicy Honor a tainted node is no domain; without the taint it would be an empty one."""
    spread = [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
               "labelSelector": {"matchLabels": {"app": "dns"}}, "nodeTaintsPolicy": "Honor"}]
    pods = [owned(f"dns-{name}", name, topologySpreadConstraints=spread) for name in ("a", "b")]
    for one in pods:
        one["metadata"]["labels"] = {"app": "dns"}
    done = drain("a", "cluster.json", cluster=[node("a"), node("b"), *pods])
    assert done.code == 0 and "moved  b" in done.out


def test_nodes_of_the_verb_by_labels(drain):
    cluster = [node("a", labels={"pool": "x"}), node("b", labels={"pool": "x", "spot": ""}), node("c"),
               owned("p", "a"), owned("q", "b")]
    done = drain("--selector", "pool=x", "cluster.json", cluster=cluster)
    assert done.code == 0 and done.out.splitlines()[-1] == "2 moved"
    assert drain("-l", "spot", "cluster.json", cluster=cluster).out.startswith("b: 1 pod")
    for wrong in (["-l", "pool=y"], ["-l", "pool=x", "a"], [], ["-l", ""]):
        assert drain(*wrong, "cluster.json", cluster=cluster).code == 2
