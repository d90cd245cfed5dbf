"""Options that every command with a dump has: what-ifs, plugins, gates, forms of output."""

import csv
import io
import pathlib

import libsched
import pytest
from manifests import deployment, node, pod, several

NODES = [node("a", cpu="4"), node("b", cpu="8")]
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "Nobody"}]}}}]}
PLUGIN = "import libsched\n\n\nclass NoB:\n    def filter(self, state, pod, node):\n" \
         "        return node.name != 'b' or 'not on b'\n"
VERBS = [("fit", "--pod", "p.json"), ("explain", "--pod", "p.json"), ("schedule", "--pod", "p.json"),
         ("capacity", "--pod", "p.json"), ("drain",), ("simulate", "--workload", "p.json"), ("compare",)]


def owned(name, node_name=None, cpu="1"):
    made = pod(name, cpu=cpu, namespace="shop", node_name=node_name)
    made["metadata"].update({
        "labels": {"pod-template-hash": "7f"}, "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-7f", "uid": "u", "controller": True}]})
    return made


FILES = {"c.json": several(*NODES, owned("web-7f-x", "a"), owned("web-7f-y")), "p.json": pod("p", cpu="6"),
         "config.json": CONFIG, "mine.py": PLUGIN}


def call(verb, *more):
    return (verb[0], *(("a", "c.json") if verb[0] == "drain" else ("c.json",)), *verb[1:], *more)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_every_command_has_the_options(run, verb):
    done = run(*call(verb, "--cordon", "b", "--set", "shop/web:nodeSelector.disk=ssd", "--add-node", "z=1"),
               files=FILES)
    assert done.code == 2 and '"add-node z=1": there is no node "z"' in done.err
    done = run(*call(verb, "--config", "config.json", "--skip-unknown-plugins", "--plugin", "mine:NoB",
                     "--feature-gates", "GenericWorkload=false", "--add-node", "b=1", "-o", "yaml"), files=FILES)
    assert done.code in (0, 1) and "left out, because there are no such plugins: Nobody" in done.err, done
    assert done.out.startswith("---\n")


def test_refused_options(run):
    done = run("fit", "c.json", "--pod", "p.json", "--config", "config.json", files=FILES)
    assert done.code == 2 and "Nobody" in done.err
    done = run("fit", "c.json", "--pod", "p.json", "--feature-gates", "Nope=true", files=FILES)
    assert done.code == 2 and "--feature-gates: " in done.err and "Nope" in done.err


def test_edits_in_the_order_given(run):
    (line,) = run("fit", "c.json", "--pod", "p.json", "--json", "--add-node", "b=2", "--cordon", "b",
                  files=FILES).lines()
    assert line["nodes"] == ["b-0", "b-1"] and line["edits"] == ["add-node b=2", "cordon b"]
    (line,) = run("fit", "c.json", "--pod", "p.json", "--json", "--taint", "b", "k:NoSchedule", "--add-node", "b=2",
                  files=FILES).lines()
    assert line["nodes"] == []


def test_scaled_pods_are_asked_about_with_pending(run):
    lines = run("schedule", "c.json", "--pending", "--json", "--scale", "shop/web=4", files=FILES).lines()
    assert [line["pod"] for line in lines[:-1]] == ["shop/web-7f-y", "shop/web-7f-0", "shop/web-7f-1"]
    done = run("schedule", "c.json", "--pod", "p.json", "--scale", "shop/web=4", files=FILES)
    assert "made 2 pods without a node, which are not asked about" in done.err
    done = run("schedule", "c.json", "--pending", "--scale", "shop/web=1", files=FILES)
    assert done.code == 2 and "the edits leave no pod to ask about" in done.err
    files = {**FILES, "d.json": deployment("api", replicas=1)}
    (line,) = run("fit", "c.json", "--pod", "d.json", "--json", "--scale", "default/api=9",
                  "--set", "default/api:requests.cpu=6", files=files).lines()
    assert line["workload"]["replicas"] == 9 and line["nodes"] == ["b"]


def test_plugins(run):
    (line,) = run("fit", "c.json", "--pod", "p.json", "--json", "--plugin", "mine:NoB", files=FILES).lines()
    assert line["nodes"] == [] and {"nodes": 1, "plugin": "NoB", "reason": "not on b"} in line["reasons"]
    for text, why in (("mine:No", "no attribute 'No'"), ("mine", "neither a shared object (*.so) nor"),
                      ("there/is/no.so", "no.so"), ("Quiet=ftp://there", "there are NAME=unix:PATH, ")):
        done = run("fit", "c.json", "--pod", "p.json", "--plugin", text, files=FILES)
        assert done.code == 2 and "--plugin: " in done.err and why in done.err, done


def test_a_plugin_of_a_shared_object(run):
    made = pathlib.Path(__file__).parents[2] / "build/release/examples/plugins/max_pods.so"
    if not made.exists():
        pytest.skip("the examples are not built")
    config = {**CONFIG, "profiles": [{"pluginConfig": [{"name": "MaxPods", "args": {"pods": 1}}]}]}
    (line,) = run("fit", "c.json", "--pod", "p.json", "--json", "--plugin", str(made), "--config", "max.json",
                  "--set", "default/p:requests.cpu=1", files={**FILES, "max.json": config}).lines()
    assert line["nodes"] == ["b"] and line["reasons"][0]["plugin"] == "MaxPods"


def test_forms_of_output(run):
    def table(*arguments):
        return list(csv.DictReader(io.StringIO(run(*arguments, "-o", "csv", files=FILES).out)))

    assert [(row["node"], row["fits"]) for row in table("fit", "c.json", "--pod", "p.json")] == [
        ("a", "no"), ("b", "yes")]
    assert [row["total"] == "" for row in table("explain", "c.json", "--pod", "p.json")] == [True, False]
    assert table("schedule", "c.json", "--pod", "p.json")[0]["node"] == "b"
    assert table("capacity", "c.json", "--pod", "p.json")[1] == {"node": "b", "pods": "1"}
    assert table("drain", "a", "c.json")[0]["to"] == "b"
    wide = run("fit", "c.json", "--pod", "p.json", "-o", "wide", files=FILES)
    assert "  a  no" in wide.out and "  b  fits" in wide.out
    for refused in (["--json", "-o", "csv"], ["-o", "wide", "--explain", "a"], ["-o", "csv", "--explain"]):
        assert run("fit", "c.json", "--pod", "p.json", *refused, files=FILES).code == 2


def test_the_summary_has_every_resource_that_is_asked_for(run):
    asks = pod("p", cpu="1")
    asks["spec"]["containers"][0]["resources"]["requests"]["example.com/fpga"] = "2"
    asks["spec"]["containers"][0]["resources"]["limits"] = {"example.com/fpga": "2"}
    lines = run("schedule", "c.json", "--pod", "p.json", "--json", files={**FILES, "p.json": asks}).lines()
    assert lines[-1]["summary"]["resources"]["example.com/fpga"] == {
        "allocatable": 0, "before": 0, "after": 0}


def test_edits_reach_the_pods_of_a_simulated_workload(run):
    files = {"c.json": several(node("a", cpu="4"), pod("late", cpu="1")),
             "w.json": several(deployment("web", 2, cpu="1"), pod("one", cpu="1")), "t.csv":
             "name,cpu_milli,memory_mib\nfrom-csv,1000,1\n"}
    arguments = ("simulate", "c.json", "--workload", "w.json", "--workload", "t.csv", "--json")
    (line,) = run(*arguments, files=files).lines()
    assert (line["pods"], line["running"], line["pending"]) == (5, 4, 1)
    (line,) = run(*arguments, "--scale", "default/web=1", "--set", "default/one:requests.cpu=8",
                  files=files).lines()
    assert (line["pods"], line["running"], line["pending"]) == (4, 3, 1)
    (line,) = run(*arguments, "--scale", "default/web=0", "--add-node", "a=1", files=files).lines()
    assert (line["pods"], line["running"]) == (3, 3)
    done = run(*arguments, "--scale", "default/nobody=1", files=files)
    assert done.code == 2 and 'no workload "default/nobody" has pods' in done.err


def test_capacity_takes_the_pod_of_a_dictionary_without_a_kind():
    cluster = libsched.Cluster(several(*NODES))
    web = {"metadata": {"name": "web"}, "spec": pod("web", cpu="3")["spec"]}
    assert libsched.Framework().capacity(cluster, web).count == 3


OF_A = pod("of-a", node_name="a")
ASKING = [verb for verb in VERBS if verb[0] not in ("drain", "simulate", "compare")]


@pytest.mark.parametrize("verb", [*(one[0] for one in ASKING), "why"])
def test_a_pod_of_a_removed_node_is_judged_as_if_it_were_not_there(run, verb):
    files = {"c.json": several(*NODES, OF_A)}
    asked = ["default/of-a", "c.json"] if verb == "why" else ["c.json", "--pod", "default/of-a"]
    done = run(verb, *asked, "--remove-node", "a", files=files)
    assert done.code == 0, done
    assert "default/of-a runs on a, which the edits take from it; judged as if it were not there" in done.out + done.err
    assert "nodeName" not in done.out
    line = run(verb, *asked, "--remove-node", "a", "--json", files=files).lines()[0]
    assert line.get("nodes") in (["b"], None, 1, {"b": 8}) or verb == "capacity", line
    assert line["edits"] == ["remove-node a"] if "edits" in line else verb == "schedule"


def test_a_simulated_pod_of_a_removed_node_arrives(run):
    done = run("simulate", "c.json", "--workload", "p.json", "--remove-node", "a", "--json",
               files={**FILES, "p.json": pod("p", node_name="a")})
    assert done.code == 0 and done.json()["running"] == 2, done.json()


def test_why_names_the_node_that_is_not_there(run):
    done = run("why", "default/lost", "c.json", files={"c.json": several(*NODES, pod("lost", node_name="gone"))})
    assert done.code == 0 and "default/lost runs on gone, which is no node here; judged as if it were not there" in done.out


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_every_command_takes_edits_of_nodes(run, verb):
    done = run(*call(verb, "--label", "a", "pool=x", "--label", "b", "pool=x", "--cordon", "pool=x", "--uncordon",
                     "-l pool", "--taint", "pool=x", "k=v:NoSchedule", "--untaint", "pool in (x)", "k", "--json"),
               files=FILES)
    assert done.code in (0, 1), done
    for wrong, why in ((["--cordon", "pool=y"], 'no node has labels like "pool=y"'),
                       (["--taint", "a", "k"], "has no effect"), (["--untaint", "a", "k"], "has no taint k"),
                       (["--label", "a", "k-"], "has no label k"), (["--uncordon", "z"], 'there is no node "z"')):
        done = run(*call(verb, *wrong), files=FILES)
        assert done.code == 2 and why in done.err, done


def test_a_cordon_comes_with_its_taint(run):
    """With nodeTaintsPolicy Honor a cordoned node is no domain, in every command."""
    spread, there = pod("p"), pod("q", node_name="b")
    spread["metadata"]["labels"] = there["metadata"]["labels"] = {"app": "p"}
    spread["spec"]["topologySpreadConstraints"] = [
        {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
         "labelSelector": {"matchLabels": {"app": "p"}}, "nodeTaintsPolicy": "Honor"}]
    files = {"c.json": several(node("a"), node("b"), there), "p.json": spread}
    for verb in ASKING:
        assert run(verb[0], "c.json", "--pod", "p.json", "--cordon", "a", files=files).code == 0, verb
    assert run("why", "p.json", "c.json", "--cordon", "a", files=files).code == 0
    assert run("simulate", "c.json", "--workload", "p.json", "--cordon", "a", files=files).code == 0
    assert run("fit", "c.json", "--pod", "p.json", "--cordon", "a", "--uncordon", "a", files=files).code == 0


def test_notes_on_edits(run):
    closed = node("c", cpu="8")
    closed["spec"] = {"unschedulable": True,
                      "taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]}
    files = {**FILES, "c.json": several(*NODES, closed)}
    told = ("the copies of c are taken to be healthy; they are without its cordon, taint "
            "node.kubernetes.io/not-ready:NoExecute")
    for verb in VERBS:
        done = run(*call(verb, "--add-node", "c=1"), files=files)
        assert told in done.out + done.err, done
    line = run("fit", "c.json", "--pod", "p.json", "--add-node", "c=1", "--json", files=files).lines()[0]
    assert line["editNotes"] == [told] and "c-0" in line["nodes"]
