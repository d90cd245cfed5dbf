"""`libsched explain`: tables, one node, JSON, the page, and what it refuses."""

import json

import pytest

from manifests import GATED, deployment, node, pod, several

CLUSTER = several(
    node("a"), node("b", cpu="8"), node("c", unschedulable=True),
    {**pod("busy", cpu="3", node_name="a"), "status": {"phase": "Running"}})
# Only NodeAffinity scores, with weight 5.
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [{"plugins": {
              "preScore": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeAffinity"}]},
              "score": {"disabled": [{"name": "*"}],
                        "enabled": [{"name": "NodeAffinity", "weight": 5}]}}}]}
LIKES = {"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
    {"weight": weight, "preference": {"matchExpressions": [
        {"key": "kubernetes.io/hostname", "operator": "In", "values": [name]}]}}
    for name, weight in (("a", 10), ("b", 40))]}}}
TABLE = """\
default/x: fits 2 of 3 nodes, best b (500)
  node  total   NA
  b       500  500
  a       125  125
  weighted scores: NA NodeAffinity x5
does not fit:
  c  NodeUnschedulable  node(s) were unschedulable
"""
NODE = """\
  score         raw  normalised  weight  weighted
  NodeAffinity   10          25       5       125
  total                                       125
rank 2 of 2; the highest total is 500
"""


@pytest.fixture
def explain(run):
    def go(wanted, *arguments, cluster=CLUSTER, **more):
        files = {"cluster.json": cluster, "pod.json": wanted, "config.json": CONFIG}
        return run("explain", "cluster.json", "--pod", "pod.json", "--config", "config.json",
                   *arguments, files=files, **more)
    return go


def test_table(explain):
    done = explain(pod("x", **LIKES))
    assert (done.code, done.out, done.err) == (0, TABLE, "")
    assert "  a       125   10/25/125\n" in explain(pod("x", **LIKES), "--values", "all").out
    assert "  raw scores: " in explain(pod("x", **LIKES), "--values", "raw").out
    done = explain(pod("x"))
    assert done.code == 0 and "  skipped: NodeAffinity\n" in done.out


def test_facts(explain):
    done = explain(pod("x", cpu="2"), "--node", "a")
    line = next(line for line in done.out.splitlines() if "Insufficient cpu" in line)
    assert line.startswith("  no    NodeResourcesFit")
    assert done.out.splitlines()[done.out.splitlines().index(line) + 1].strip() == \
        "cpu: asks 2, free 1 of 4"
    entry, = [one for one in json.loads(explain(pod("x", cpu="2"), "--json").out)["explain"]
              if one["node"] == "a"]
    assert entry["facts"] == [{"reason": "Insufficient cpu", "resource": "cpu", "requested": 2000,
                               "used": 3000, "free": 1000, "allocatable": 4000}]
    assert "asks" not in explain(pod("x", cpu="2")).out


def test_one_node(explain):
    done = explain(pod("x", **LIKES), "--node", "a")
    assert done.code == 0 and done.out.startswith("default/x on a: fits\n  yes   NodeName\n")
    assert done.out.endswith(NODE)
    done = explain(pod("x", **LIKES), "--node", "c")
    assert done.out.startswith("default/x on c: does not fit\n") and "score" not in done.out
    assert explain(pod("x"), "--node", "z").code == 2


def test_none(explain):
    done = explain(pod("x", cpu="64"))
    assert done.code == 1 and done.out.startswith("default/x: fits none of 3 nodes\ndoes not fit:\n")
    done = explain(pod("x", **GATED))
    assert done.code == 1 and "is gated" in done.out


def test_large_clusters_are_cut(explain):
    nodes = several(*(node(f"n{index:03}", unschedulable=index % 2 == 1) for index in range(100)))
    done = explain(pod("x", **LIKES), cluster=nodes)
    assert "  ... and 30 more that fit (--top 0 shows all)\n" in done.out
    assert "  ... and 30 more (--top 0 shows all); all of them by reason:\n" in done.out
    assert "       50  NodeUnschedulable  node(s) were unschedulable\n" in done.out
    assert len(done.out.splitlines()) < 60
    done = explain(pod("x", **LIKES), "--top", "0", cluster=nodes)
    assert "... and" not in done.out and len(done.out.splitlines()) > 100
    assert explain(pod("x"), "--top", "-1").code == 2


def test_json(explain):
    answer = explain(pod("x", **LIKES), "--json").json()
    assert answer["fits"] is True and answer["best"] == ["b"] and answer["weights"] == {
        "NodeAffinity": 5}
    assert {entry["node"]: entry["total"] for entry in answer["scores"]} == {"a": 125, "b": 500}
    assert [entry["code"] for entry in answer["explain"]] == [
        "Success", "Success", "UnschedulableAndUnresolvable"]
    answer = explain(pod("x", **LIKES), "--json", "--node", "a").json()
    assert [entry["node"] for entry in answer["scores"] + answer["explain"]] == ["a", "a"]


def test_page(explain, tmp_path):
    done = explain(pod("x", **LIKES), "--html", "page.html")
    assert done.code == 0 and done.out == TABLE and done.err == "written: page.html\n"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    document = json.loads(page.split('id="data">')[1].split("</script>")[0])
    data = document["pods"][0]
    assert document["nodes"]["names"] and data["asks"]["requests"][-1] == ["pods", 1, "1"]
    assert data["nodes"] == ["b", "a", "c"] and data["scorers"][0]["weight"] == 5
    done = explain(pod("x"), "--html", "none/page.html")
    assert done.code == 2 and "none/page.html: No such file" in done.err
    done = explain(several(pod("x"), pod("y")), "--html", "page.html")
    assert done.code == 0 and done.err == "written: page.html\n"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    document = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert [one["pod"] for one in document["pods"]] == ["default/x", "default/y"]


def test_several_and_workloads(explain):
    done = explain(several(pod("x"), deployment("web", 3)))
    assert "Deployment default/web: judged by its pod template, 3 replicas" in done.out
    assert [line.split(":")[0] for line in done.out.splitlines() if ": fits" in line][-1] == (
        "default/web")


def test_colour_and_hostile_names(explain):
    done = explain(pod("x", **LIKES), env={"FORCE_COLOR": "1"})
    assert "\x1b[32m  b       500  500\x1b[0m" in done.out
    done = explain(pod("x"), cluster=several(node("evil\x1b[2J")))
    assert "\x1b" not in done.out and "evil\\x1b[2J" in done.out


def test_every_score_plugin_is_accounted_for(run):
    """Whatever the profile wants has scored or was skipped."""
    done = run("explain", "cluster.json", "--pod", "pod.json", "--json",
               files={"cluster.json": CLUSTER, "pod.json": pod("x")})
    answer = done.json()
    given = {name for entry in answer["scores"] for name in entry["plugins"]}
    assert given | set(answer["skipScore"]) == set(answer["weights"])


def resource(kind, name, **body):
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind,
            "metadata": {"name": name} | ({"namespace": "default"} if kind == "ResourceClaim" else {}), **body}


def test_devices(run, tmp_path):
    """A node that takes the pod shows the devices that it gives, another one why it has none."""
    slices = [resource("ResourceSlice", name, spec={
        "driver": "d", "nodeName": name, "devices": [{"name": "x", **more}],
        "pool": {"name": name, "resourceSliceCount": 1}})
        for name, more in (("a", {}), ("b", {"taints": [{"key": "k", "effect": "NoSchedule"}]}))]
    claim = resource("ResourceClaim", "card", spec={"devices": {"requests": [
        {"name": "r", "exactly": {"deviceClassName": "gpu"}}]}})
    cluster = several(node("a"), node("b"), resource("DeviceClass", "gpu", spec={}), claim, *slices)
    asking = pod("x", resourceClaims=[{"name": "card", "resourceClaimName": "card"}])

    def told(*arguments):
        return run("explain", "cluster.json", "--pod", "pod.json", *arguments,
                   files={"cluster.json": cluster, "pod.json": asking}).out

    assert "default/card, request r: takes d/a/x\n" in told("--node", "a")
    assert "default/card, request r: wants 1 device, 0 of 1 suit\n" in told("--node", "b")
    assert "default/card, request r: 1 device has the taint k:NoSchedule: d/b/x\n" in told("--node", "b")
    nodes = {entry["node"]: entry for entry in json.loads(told("--json"))["explain"]}
    assert [fact["device"] for fact in nodes["a"]["facts"]] == ["d/a/x"]
    assert [fact.get("taint") for fact in nodes["b"]["facts"]] == [None, "k:NoSchedule"]
    told("--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "takes d/a/x" in page and "has the taint k:NoSchedule" in page
