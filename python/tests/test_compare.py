"""Where the same pods go on two sides: `libsched.compare` and the command."""

import csv
import io

import libsched
from manifests import deployment, node, pod, several

NODES = [node("a", cpu="4"), node("b", cpu="8")]
MOST = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
    {"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {
        "type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}}],
     "plugins": {"score": {"disabled": [{"name": "NodeResourcesBalancedAllocation"}]}}}]}
FILES = {"c.json": several(*NODES, pod("run", cpu="2", node_name="a"), pod("x", cpu="1"), pod("y", cpu="7")),
         "most.json": MOST, "d.json": several(node("a", cpu="4"), pod("x", cpu="1"))}


def test_two_states_and_two_configurations():
    before = libsched.Cluster(NODES)
    after = before.clone()
    after.edit(["cordon b"])
    least, most = libsched.Framework(), libsched.Framework(MOST)
    web = libsched.Objects(deployment(replicas=2)).workloads
    big = libsched.Pod(pod("big", cpu="6"))
    found = libsched.compare(before, after, [*web, big], [least])
    assert found.headline == "3 pods: 2 moved, 1 lost"
    assert [one.after.node for one in found.pods] == ["a", "a", ""]
    assert found.pods[2].reason == "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable."
    assert "big" in found._repr_html_() and len(found.changed) == 3
    found = libsched.compare(before, before, web, [least], [most])
    assert [(one.before.node, one.after.node) for one in found.pods] == [("b", "a"), ("b", "a")]
    assert not before.pods and repr(found) == "<Comparison 2 pods: 2 moved>"
    assert (found.before.nodes, found.before.nodes_in_use, found.before.empty) == (2, 1, ("a",))
    assert found.before.resources["cpu"] == libsched.utilisation.Use(12000, 2000)
    assert found.after.resources_in_use["cpu"] == libsched.utilisation.Use(4000, 2000)
    assert found.use_text.startswith("nodes in use 1, cpu of used nodes 25% -> 50%")
    assert found.use_text.replace(">", "&gt;") in found._repr_html_()


def test_all_pods():
    cluster = libsched.Cluster(several(*NODES, pod("p", cpu="1", node_name="a")))
    found = libsched.compare(cluster, cluster, [], [libsched.Framework()], [libsched.Framework(MOST)], all=True)
    assert [(one.before.node, one.after.node) for one in found.pods] == [("b", "a")]
    assert cluster.pods["default/p"].node_name == "a"


def test_the_command(run, tmp_path):
    done = run("compare", "c.json", "--config", "most.json", "--config", "most.json", files=FILES)
    assert done.code == 0 and done.out.startswith("2 stay\n"), done
    done = run("compare", "c.json", "--all", "--config", "least.json", "--config", "most.json", "--html", "page.html",
               files={**FILES, "c.json": several(*NODES, pod("p", cpu="1", node_name="a")),
                      "least.json": {**MOST, "profiles": []}})
    lines = done.out.splitlines()
    assert lines[0].split() == ["pod", "least.json", "most.json"]
    assert lines[1].split() == ["default/p", "moved", "b", "a"] and lines[2] == "1 moved"
    assert lines[3].split() == ["least.json", "most.json"]
    assert lines[4].split() == ["nodes", "in", "use", "1", "of", "2", "1", "of", "2"]
    assert lines[5].split() == ["cpu", "of", "used", "nodes", "12.5%", "(1", "of", "8)", "25.0%", "(1", "of", "4)"]
    assert lines[-2:] == ["  empty with least.json alone: a", "  empty with most.json alone: b"]
    page = (tmp_path / "page.html").read_text()
    assert '"least.json"' in page and "Nodes in use" in page and "most.json" in page
    done = run("compare", "c.json", "--cordon", "b", "-o", "csv", files=FILES)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["pod"], row["change"], row["before"], row["after"]) for row in rows] == [
        ("default/x", "moved", "b", "a"), ("default/y", "lost", "b", "(unschedulable)")]
    line = run("compare", "c.json", "--after", "d.json", "--all", "--json", files=FILES).json()
    assert line["counts"] == {"stay": 1, "gone": 2} and "after" not in line["pods"][0]
    assert line["sides"] == ["c.json", "d.json"]
    assert line["before"]["nodesInUse"] == 2 and line["after"]["emptyNodes"] == []
    assert line["after"]["resources"][0] == {"resource": "cpu", "allocatable": 4000, "requested": 1000,
                                             "allocatableInUse": 4000, "requestedInUse": 1000}
    for wrong, why in ((["c.json"], "the two sides are the same"),
                       (["c.json", *3 * ["--config", "most.json"]], "more than twice"),
                       (["c.json", "--cordon", "z"], 'there is no node "z"')):
        done = run("compare", *wrong, files=FILES)
        assert done.code == 2 and why in done.err
