"""Why a pod waits: `Framework.why`, `libsched.why`, and the command."""

import json
import pathlib
import subprocess
import sys

import pytest

import libsched
from libsched import Cluster, Framework
from manifests import pod, several

MANIFESTS = """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
spec: {taints: [{key: gpu, value: v, effect: NoSchedule}]}
status: {allocatable: {cpu: 16, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Pod
metadata: {name: low, namespace: default}
spec: {nodeName: a, containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {priority: 10, containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]}
"""
WEB = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web"}, "spec": {
    "priority": 10, "containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}}


@pytest.fixture
def cluster():
    return Cluster(MANIFESTS)


def test_all_about_a_pod(cluster):
    found = Framework().why(cluster, WEB)
    assert not found.fits and found.gate is None
    assert found.text == ("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated "
                          "taint(s).")
    assert found.reasons == ((1, "NodeResourcesFit", "Insufficient cpu"),
                             (1, "TaintToleration", "node(s) had untolerated taint(s)"))
    assert found.plugins == {"TaintToleration": 1, "NodeResourcesFit": 1}
    b, a = found.nearest
    assert (b.node, b.shortage, a.node) == ("b", 0, "a")
    assert str(a.lacks[0]) == "Insufficient cpu (cpu: asks 3, free 1 of 4)"
    assert found.preemption_text == "preemption would evict 1 pod from a: default/low"
    assert [(one.kind, one.subject, one.node) for one in found.suggestions] == [
        ("AddNodes", "a", "a-0"), ("Tolerate", "gpu=v:NoSchedule", "b"), ("LessResource", "cpu", "a")]
    assert found.suggestions[2].amounts == (3000, 1000, 1)
    assert "add 1 node like a" in found.explain() and "add 1 node like a" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["fits"] == 0
    assert repr(found) == "<Why default/web: fits none of 2 nodes>"


def test_edits_do_what_suggestions_say(cluster):
    found = Framework().why(cluster, WEB, max_nodes=3, nearest=1)
    assert len(found.nearest) == 1
    with cluster.fork():
        cluster.edit([found.suggestions[0].edit])
        assert Framework().fit(cluster, WEB).nodes == ["a-0"]
    assert len(cluster) == 2
    assert not any(one.kind == "AddNodes" for one in Framework().why(cluster, WEB, max_nodes=0).suggestions)


def test_a_pod_that_fits_or_is_gated(cluster):
    small = {**WEB, "spec": {"containers": [{"name": "c"}]}}
    assert Framework().why(cluster, small).fits == 1
    assert Framework().why(cluster, small).suggestions == ()
    gated = {**WEB, "spec": {**WEB["spec"], "schedulingGates": [{"name": "later"}]}}
    found = Framework().why(cluster, gated)
    assert found.gate.plugin == "SchedulingGates" and "is not tried" in found.headline


def test_what_is_refused(cluster):
    with pytest.raises(libsched.InvalidError, match="2 pods where one is expected"):
        Framework().why(cluster, [WEB, {**WEB, "metadata": {"name": "other"}}])
    with pytest.raises(libsched.InvalidError, match="nearest is a number from 1 to "):
        Framework().why(cluster, WEB, nearest=0)
    with pytest.raises(libsched.InvalidError, match="default-scheduler"):
        libsched.why(cluster, WEB, [Framework({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "profiles": [{"schedulerName": "other"}]})])
    with pytest.raises(libsched.MisuseError):
        libsched.why(cluster, WEB, [])
    with pytest.raises(libsched.DeadlineExceeded):
        Framework().why(cluster, WEB, timeout=1e-9)


def test_the_command(run):
    files = {"c.yaml": MANIFESTS}
    done = run("why", "default/web", "c.yaml", files=files)
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0] == "default/web: fits none of 2 nodes"
    assert "preemption would evict 1 pod from a: default/low" in lines
    assert lines[-4:] == ["it would fit, if you", "  add 1 node like a  (a-0)",
                          "  tolerate the taint gpu=v:NoSchedule  (b)",
                          "  request at most 1000m of cpu instead of 3000m  (a)"]
    assert run("why", "default/web", "c.yaml", "--add-node", "a=1", files=files).code == 0
    running = run("why", "default/low", "c.yaml", files=files)
    assert running.code == 0 and "runs on a; judged as if it were not there" in running.out
    document = json.loads(run("why", "default/web", "c.yaml", "--json", files=files).out)
    assert document["nearest"][0]["node"] == "b" and document["cluster"]["nodes"] == 2
    rows = run("why", "default/web", "c.yaml", "-o", "csv", files=files).out.splitlines()
    assert rows[0] == "pod,kind,subject,container,text,edit,nodes,node" and len(rows) == 4
    alone = run("why", "default/web", "c.yaml", files=files).out
    for words in (["c.yaml", "--pod", "default/web"], ["--pod", "default/web", "c.yaml"], ["c.yaml", "--pending"]):
        other = run("why", *words, files=files)
        assert other.code == 1 and (other.out, other.err) == (alone, "")
    swapped = run("why", "c.yaml", "default/web", files=files)
    assert swapped.code == 1 and swapped.out == alone
    assert swapped.err == "default/web is taken for POD, which comes before CLUSTER\n"
    missing = run("why", "c.yaml", files=files)
    assert missing.code == 2 and "CLUSTER is missing" in missing.err
    swapped = run("why", "c.yaml", "p.yaml", files={**files, "p.yaml": json.dumps(pod("new"))})
    assert swapped.code == 2 and "are POD and CLUSTER swapped?" in swapped.err
    assert "name a pod of the cluster by --pod default/web" in run("fit", "default/web", "--pending", files=files).err
    three = several(pod("new"), pod("huge", cpu="100"), pod("low", cpu="1"))
    done = run("why", "p.yaml", "c.yaml", files={**files, "p.yaml": json.dumps(three)})
    assert done.code == 1 and [line.split(": ")[0] for line in done.out.splitlines() if ": fits " in line] == [
        "default/new", "default/huge", "default/low"]
    lines = run("why", "p.yaml", "c.yaml", "--json", files=files).lines()
    assert [line["pod"] for line in lines] == ["default/new", "default/huge", "default/low"]
    assert run("why", "p.yaml", "c.yaml", "--html", "x.html", files=files).code == 2
    wrong = run("why", "default/wep", "c.yaml", files=files)
    assert wrong.code == 2 and 'did you mean "default/web"?' in wrong.err


def test_a_large_dump_as_kubectl_prints_it(run, tmp_path):
    script = pathlib.Path(__file__).parents[2] / "tests" / "bench" / "make_dump.py"

    def made(*arguments):
        return subprocess.run([sys.executable, script, "--nodes", "20", "--pods", "200", *arguments],
                              check=True, capture_output=True, text=True).stdout

    dump = made()
    assert made() == dump != made("--seed", "2")
    assert len(Cluster(dump)) == 20
    waiting = [one for one in json.loads(dump)["items"] if one["kind"] == "Pod" and "nodeName" not in one["spec"]]
    assert len(waiting) == 2
    meta = waiting[0]["metadata"]
    done = run("why", f"{meta['namespace']}/{meta['name']}", "dump.json", files={"dump.json": dump})
    assert done.code == 1 and "request at most" in done.out
