"""`libsched fit`: texts, exit codes, JSON, and what it says about odd input."""

import copy
import gzip
import json

import pytest

from manifests import CLAIMS, GATED, deployment, node, pod, several

CLUSTER = several(
    node("a"), node("b", cpu="8"), node("c", unschedulable=True),
    {**pod("busy", cpu="3", node_name="a"), "status": {"phase": "Running"}})
FITS = """\
default/p: fits 1 of 3 nodes
  b
does not fit:
  1  NodeResourcesFit   Insufficient cpu
  1  NodeUnschedulable  node(s) were unschedulable
"""


@pytest.fixture
def fit(run):
    def go(wanted, *arguments, cluster=CLUSTER, **more):
        files = {"cluster.json": cluster, "pod.json": wanted, **more.pop("files", {})}
        return run("fit", "cluster.json", "--pod", "pod.json", *arguments, files=files, **more)
    return go


def test_fits(fit):
    done = fit(pod(cpu="2"))
    assert (done.code, done.out, done.err) == (0, FITS, "")


def test_fits_nowhere(fit):
    done = fit(pod(cpu="100"))
    assert done.code == 1
    assert done.out.startswith("default/p: fits none of 3 nodes\ndoes not fit:\n"
                               "  2  NodeResourcesFit   Insufficient cpu\n")


def test_yaml_gzip_standard_input_and_several_files(run):
    yaml = "kind: Node\napiVersion: v1\nmetadata: {name: x}\nstatus: {allocatable: {cpu: 9, pods: 9}}\n"
    done = run("fit", "cluster.json.gz", "-", "--pod", "pod.json", stdin=yaml, files={
        "cluster.json.gz": gzip.compress(json.dumps(CLUSTER).encode()), "pod.json": pod(cpu="2")})
    assert done.code == 0 and "fits 2 of 4 nodes\n  b  x\n" in done.out
    done = run("fit", "cluster.json", "--pod", "-", stdin=json.dumps(pod(cpu="2")),
               files={"cluster.json": CLUSTER})
    assert done.out == FITS
    done = run("fit", "-", "--pod", "-", stdin=yaml)
    assert done.code == 2 and "only once" in done.err


def test_explain(fit):
    done = fit(pod(cpu="2"), "--explain")
    assert done.code == 0
    assert done.out == ("default/p: fits 1 of 3 nodes\n"
                        "  a  no    NodeResourcesFit   Insufficient cpu\n"
                        "  b  fits\n"
                        "  c  no    NodeUnschedulable  node(s) were unschedulable\n")
    done = fit(pod(cpu="2"), "--explain", "a")
    assert done.out.startswith("default/p on a: does not fit\n  yes   NodeName\n")
    assert "  no    NodeResourcesFit      Insufficient cpu\n" in done.out
    done = fit(pod(cpu="2"), "--explain", "z")
    assert done.code == 2 and 'no node "z"' in done.err


def test_json(fit):
    done = fit(pod(cpu="2"), "--json")
    answer = done.json()
    assert done.code == 0 and done.err == ""
    assert answer["nodes"] == ["b"] and answer["fits"] is True and answer["nodeCount"] == 3
    assert answer["pod"] == "default/p" and answer["profile"] == "default-scheduler"
    assert {"nodes": 1, "plugin": "NodeResourcesFit", "reason": "Insufficient cpu"} in answer["reasons"]
    assert answer["cluster"] == {"nodes": 3, "pods": 1, "skipped": [], "unknownFields": 0}
    assert answer["notes"] == [] and answer["warnings"] == [] and "explain" not in answer
    answer = fit(pod(cpu="100"), "--json").json()
    assert answer["fits"] is False and answer["fitError"].startswith("0/3 nodes are available")
    answer = fit(pod(cpu="2"), "--json", "--explain").json()
    assert [entry["node"] for entry in answer["explain"]] == ["a", "b", "c"]
    answer = fit(pod(cpu="2"), "--json", "--explain", "a").json()
    assert answer["explain"] == [{"node": "a", "code": "Unschedulable", "plugin": "NodeResourcesFit",
                                  "reasons": ["Insufficient cpu"], "facts": [
                                      {"reason": "Insufficient cpu", "resource": "cpu", "requested": 2000,
                                       "used": 3000, "free": 1000, "allocatable": 4000}]}]
    assert answer["preFilter"]["code"] == "Success"


def test_several_pods(fit):
    wanted = several(pod("one", cpu="2"), pod("two", cpu="100"))
    done = fit(wanted)
    assert done.code == 1
    assert [line for line in done.out.splitlines() if line.startswith("default/")] == [
        "default/one: fits 1 of 3 nodes", "default/two: fits none of 3 nodes"]
    assert [line["fits"] for line in fit(wanted, "--json").lines()] == [True, False]
    assert fit(several(pod("one"), pod("two"))).code == 0


def test_equal_answers_are_told_once(fit):
    wanted = several(pod("p0", cpu="100"), pod("p1", cpu="100"), pod("q", cpu="2"), pod("p2", cpu="100"))
    done = fit(wanted)
    assert done.code == 1
    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith("default/")] == [
        "default/p0: fits none of 3 nodes", "default/q: fits 1 of 3 nodes"]
    assert lines[-4:] == [
        "4 pods: 1 fits, 3 do not fit",
        "  3  like default/p0  2 Insufficient cpu, 1 node(s) were unschedulable",
        "  1  default/q        fits 1 of 3 nodes",
        "  (-o wide shows all)"]
    done = fit(wanted, "-o", "wide")
    assert done.out.count(": fits none of 3 nodes") == 3 and done.out.endswith("4 pods: 1 fits, 3 do not fit\n")
    assert len(fit(wanted, "--json").lines()) == 4


def test_workloads(fit):
    done = fit(deployment("web", 3, cpu="2"))
    assert done.code == 0
    assert done.out.splitlines()[:2] == [
        "Deployment default/web: judged by its pod template, 3 replicas",
        "default/web: fits 1 of 3 nodes"]
    answer = fit(deployment("web", 1, kind="StatefulSet"), "--json").json()
    assert answer["workload"] == {"kind": "StatefulSet", "replicas": 1}


def test_a_pod_that_runs_already(fit):
    running = pod("busy", cpu="3", node_name="a")
    done = fit(running)
    assert done.code == 0
    assert done.out.splitlines()[:3] == [
        "default/busy runs on a; judged as if it were not there (--as-is keeps it)",
        "default/busy: fits 2 of 3 nodes", "  a  b"]
    done = fit(running, "--as-is")
    assert done.code == 1 and "as if" not in done.out
    assert "fits none" in done.out and "NodeName" in done.out
    answer = fit(running, "--json").json()
    assert answer["nodes"] == ["a", "b"] and len(answer["notes"]) == 1
    # The next pod sees it again.
    done = fit(several(running, pod("other", cpu="3")))
    assert "default/other: fits 1 of 3 nodes\n  b\n" in done.out


def test_a_node_name_without_a_running_pod(fit):
    done = fit(pod("x", node_name="b"))
    assert done.code == 0 and "only that node can take it" in done.out
    assert "fits 1 of 3 nodes\n  b\n" in done.out


def test_gated(fit):
    done = fit(pod("x", **GATED))
    assert done.code == 1
    assert done.out.count("\n") == 1 and done.out.startswith("default/x: is gated: ")
    answer = fit(pod("x", **GATED), "--json").json()
    assert answer["preEnqueue"]["plugin"] == "SchedulingGates" and answer["fits"] is False


def test_claims_of_devices(fit):
    done = fit(several(pod("needy", **CLAIMS), pod("plain")))
    assert done.code == 1
    assert 'could not find ResourceClaim "default/some-claim"' in done.out
    assert "default/plain: fits" in done.out
    first, second = fit(several(pod("needy", **CLAIMS), pod("plain")), "--json").lines()
    assert first["fits"] is False and second["fits"]


def test_defaults(fit):
    wanted = pod()
    wanted["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "100"}}
    assert fit(wanted).code == 1
    assert fit(wanted, "--no-defaults").code == 0


def test_priority_classes_of_the_cluster(fit, run):
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": "high"}, "value": 1000}
    assert fit(pod(priorityClassName="high"), cluster=several(*CLUSTER["items"], high)).code == 0
    done = run("fit", "a.json", "b.json", "--pod", "p.json", files={
        "a.json": several(node("a"), high), "b.json": several(node("b"), high), "p.json": pod()})
    assert done.code == 2 and "PriorityClasses" in done.err


def test_what_is_not_read_is_counted_on_one_line(fit):
    secrets = [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"s{index}"}}
               for index in range(3)]
    cluster = several(*copy.deepcopy(CLUSTER["items"]), *secrets)
    cluster["items"][0]["spec"]["alsoNone"] = 2
    done = fit(pod(cpu="2", notAField=1), cluster=cluster)
    assert done.code == 0 and done.out == FITS
    assert done.err.splitlines() == ["cluster.json: not read: 3 Secret, 1 unknown field",
                                     "warning: pod.json: spec.notAField: unknown field"]
    done = fit(pod(cpu="2", notAField=1), "--json", cluster=cluster)
    assert done.err == ""
    assert done.json()["cluster"]["skipped"][0]["count"] == 3
    assert done.json()["cluster"]["unknownFields"] == 2
    done = fit(pod(cpu="2", notAField=1), "--strict")
    assert done.code == 2 and "notAField" in done.err and done.out == ""


def test_warnings(fit):
    done = fit(pod("Not_A_Name"))
    assert done.code == 0
    assert done.err.startswith("warning: pod.json: metadata.name: ")
    done = fit(pod("Not_A_Name"), "--json")
    assert done.err == "" and done.json()["warnings"][0]["file"] == "pod.json"
    many = several(*(pod(f"Not_{index}") for index in range(15)))
    assert "more like these" in fit(many).err


def test_config(fit):
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "bold", "plugins": {
                  "filter": {"disabled": [{"name": "NodeUnschedulable"}]}}}]}
    files = {"config.json": config}
    assert "fits 1 of 3" in fit(pod(cpu="2"), "--config", "config.json", files=files).out
    bold = pod(cpu="2", schedulerName="bold")
    assert "fits 2 of 3" in fit(bold, "--config", "config.json", files=files).out
    done = fit(pod(cpu="2"), "--config", "config.json", "--profile", "bold", files=files)
    assert "fits 2 of 3" in done.out
    done = fit(pod(schedulerName="other"), "--config", "config.json", files=files)
    assert done.code == 2 and 'no profile "other"' in done.err and "bold" in done.err
    done = fit(pod(), "--profile", "other")
    assert done.code == 2 and 'no profile "other"' in done.err
    done = fit(pod(cpu="2", schedulerName="volcano"))
    assert done.code == 0 and 'judged by the profile "default-scheduler"' in done.out
    done = fit(pod(), "--config", "none.yaml")
    assert done.code == 2 and "none.yaml" in done.err
    done = fit(pod(), "--config", "bad.json", files={"bad.json": {**config, "parallelism": -1}})
    assert done.code == 2 and "parallelism" in done.err


@pytest.mark.parametrize("content, text", [
    ("", ""), ("{", "pod.json"), (several(), "no pod"), (node("x"), "no pod"), (b"\xff\xfe\x00", ""),
    (pod(cpu="lots"), "spec.containers[0].resources.requests.cpu"),
    (several(pod("x"), pod("x")), "items[1]"), (b"a: &a [*a]", "")])
def test_bad_pods(fit, content, text):
    done = fit(content)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("libsched: error: ") and text in done.err
    assert "Traceback" not in done.err


def test_bad_clusters(fit, run, tmp_path):
    done = fit(pod(), cluster=several(pod("x", node_name="a")))
    assert done.code == 2 and "there are no nodes in cluster.json" in done.err
    done = fit(pod(), cluster=several(node("a", cpu="much")))
    assert done.code == 2 and "items[0].status.allocatable.cpu" in done.err
    assert "cluster.json" in done.err
    done = run("fit", "none.yaml", "--pod", "none.yaml")
    assert done.code == 2 and "none.yaml: No such file" in done.err
    (tmp_path / "folder").mkdir()
    done = run("fit", "folder", "--pod", "x")
    assert done.code == 2 and "is a directory" in done.err


def test_nodes_among_the_pods_are_mentioned(fit):
    done = fit(several(pod(), node("z")))
    assert done.code == 0 and "its nodes are not used" in done.err


def test_colour(fit):
    assert "\x1b[32mfits 1 of 3 nodes\x1b[0m" in fit(pod(cpu="2"), env={"FORCE_COLOR": "1"}).out
    assert "\x1b" not in fit(pod(cpu="2"), env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out
    done = fit(pod("x\x1b[2J"), env={"FORCE_COLOR": "1"})
    assert "\x1b[2J" not in done.out + done.err


def test_a_reader_that_leaves(run, tmp_path):
    import subprocess
    import sys

    (tmp_path / "c.json").write_text(json.dumps(several(*(node(f"node-{i}") for i in range(5000)))))
    (tmp_path / "p.json").write_text(json.dumps(several(*(pod(f"p{i}") for i in range(50)))))
    done = subprocess.run(
        f"{sys.executable} -m libsched fit c.json --pod p.json | head -n 1", shell=True,
        cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("default/p0: fits 5,000 of 5,000 nodes") and done.stderr == ""


def test_semantics_of_a_release(fit):
    tainted = several(node("a", taints=[{"key": "gpu", "value": "a100", "effect": "NoSchedule"}]))
    reasons = {release: fit(pod(), "--semantics", release, cluster=tainted).out
               for release in ("1.31", "1.36")}
    assert "node(s) had untolerated taint {gpu: a100}\n" in reasons["1.31"]
    assert "node(s) had untolerated taint(s)\n" in reasons["1.36"]


@pytest.mark.parametrize("release", ["1.30", "1.38"])
def test_semantics_that_are_not_there(fit, release):
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    done = fit(pod(), "--semantics", release, "--config", "c.json", files={"c.json": config})
    assert done.code == 2 and '--semantics: ' in done.err
    assert f'"{release}"' in done.err and 'choose "1.37", "1.36", "1.35"' in done.err
    assert "c.json" not in done.err
