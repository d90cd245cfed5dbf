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


def test_the_command_tells_the_gates(run):
    gated = {**WEB, "spec": {**WEB["spec"], "schedulingGates": [{"name": "a.example/one"}, {"name": "a.example/two"}]}}
    done = run("why", "c.yaml", "--pod", "p.json", files={"c.yaml": MANIFESTS, "p.json": gated})
    assert done.code == 1 and "is not tried" in done.out and "(gates a.example/one, a.example/two)" in done.out


def test_a_pod_with_a_node_and_an_unbound_claim_waits_for_ever(run):
    pinned = of_kind("v1", "Pod", "pinned", "spec: {nodeName: a, " + CLAIMS + "}\nstatus: {phase: Pending}")
    files = {"c.yaml": MANIFESTS + CLAIM + LATER % "x" + pinned}
    said = ("nodeName bypasses the scheduler, so nobody selects a node for d/data, and no volume is made; "
            "remove spec.nodeName")
    assert said in run("why", "c.yaml", "--pod", "d/pinned", files=files).out
    bound = {"c.yaml": files["c.yaml"].replace("storageClassName: fast, ", "storageClassName: fast, volumeName: pv, ")}
    assert said not in run("why", "c.yaml", "--pod", "d/pinned", files=bound).out


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


NODE = "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}{labels}}}}}\n" \
       "spec: {{{spec}}}\nstatus: {{capacity: {{dev/x: 8}}, allocatable: {{cpu: 4, memory: 8Gi, pods: 9, dev/x: 0}}}}\n"


def node(name, labels="", spec=""):
    return NODE.format(name=name, labels=labels, spec=spec)


def asking(spec, labels="{app: a}"):
    return ("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: d, labels: %s}\nspec: {%s}\n"
            % (labels, spec))


def of_kind(version, kind, name, rest, namespace=", namespace: d"):
    return f"---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}{namespace}}}\n{rest}\n"


ONE = "containers: [{name: c, image: i, resources: {requests: {cpu: %s}}}]"
CLAIMS = ONE % 1 + ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"
DEVICES = ONE % 1 + ", resourceClaims: [{name: e, resourceClaimName: r}]"
CLAIM = of_kind("v1", "PersistentVolumeClaim", "data", "spec: {accessModes: [ReadWriteOnce], storageClassName: fast, "
                "resources: {requests: {storage: 2Gi}}}\nstatus: {phase: Pending}")
LATER = of_kind("storage.k8s.io/v1", "StorageClass", "fast", "provisioner: %s\nvolumeBindingMode: WaitForFirstConsumer", "")
GPUS = (of_kind("resource.k8s.io/v1", "DeviceClass", "g", "spec: {}", "")
        + of_kind("resource.k8s.io/v1", "ResourceSlice", "s", "spec: {driver: d, nodeName: a, pool: {name: a, generation: 1, "
                  "resourceSliceCount: 1}, devices: [{name: x, taints: [{key: sick, effect: NoExecute}]}]}", ""))
WANTS = "spec: {devices: {requests: [{name: q, exactly: {%s}}]}}"

# A cluster, a pod, and lines of the answer.
ANSWERS = {
    "a claim whose class is not there": (node("a") + CLAIM, CLAIMS, [
        "  its StorageClass does not exist, volume v, claim d/data, phase Pending, storage class fast"]),
    "a claim whose class binds at once": (
        node("a") + CLAIM + of_kind("storage.k8s.io/v1", "StorageClass", "fast", "provisioner: x", ""), CLAIMS, [
            "  its class binds volumes at once, without regard to pods, and nobody has bound one, volume v, claim d/data, "
            "phase Pending, storage class fast, volume binding mode Immediate"]),
    "volumes that are too small": (
        node("a") + CLAIM + LATER % "kubernetes.io/no-provisioner"
        + of_kind("v1", "PersistentVolume", "pv", "spec: {accessModes: [ReadWriteOnce], storageClassName: fast, "
                  "capacity: {storage: 1Gi}}\nstatus: {phase: Available}", ""), CLAIMS, [
            "d/data: pv are too small (the largest: 1Gi)", "no provisioner", "requested 2Gi"]),
    "a spread that a tainted node holds up": (
        node("cp", spec="taints: [{key: k, effect: NoSchedule}]") + node("w")
        + of_kind("v1", "Pod", "old", "spec: {nodeName: w, containers: [{name: c, image: i}]}", ", namespace: d, labels: {app: a}"),
        ONE % 1 + ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: "
        "DoNotSchedule, labelSelector: {matchLabels: {app: a}}}]", [
            "emptiest cp (cp has the taint k:NoSchedule, which the pod does not tolerate)",
            "  set nodeTaintsPolicy: Honor in the topology spread by kubernetes.io/hostname (constraint 1)  (w)"]),
    "a budget that preemption violates": (
        node("a") + of_kind("v1", "Pod", "low", "spec: {nodeName: a, %s}" % (ONE % 4), ", namespace: d, labels: {app: a}")
        + of_kind("policy/v1", "PodDisruptionBudget", "b", "spec: {selector: {matchLabels: {app: a}}}\n"
                  "status: {disruptionsAllowed: 0}"), "priority: 9, " + ONE % 2, [
            "preemption would evict 1 pod from a: d/low; that violates the PodDisruptionBudget d/b (1 pod)"]),
    "a device plugin that reports nothing healthy": (
        node("a"), "containers: [{name: c, image: i, resources: {requests: {dev/x: 1}, limits: {dev/x: 1}}}]", [
            "capacity 8: the device plugin reports none healthy", "no node has 1 dev/x"]),
    "a sidecar": (
        node("a"), "initContainers: [{name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 3}}}], " + ONE % 2,
        ["cpu: asks 5, free 4 of 4 (2 in containers, 3 in sidecars)", "no node has 5 cpu (the largest: 4, a)"]),
    "a label of old releases": (
        node("a", ", beta.kubernetes.io/os: linux"), ONE % 1 + ", nodeSelector: {kubernetes.io/os: linux}", [
            "the node has none, the node has beta.kubernetes.io/os=linux"]),
    "a node that is gone": (
        node("a"), ONE % 1 + ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchFields: [{key: metadata.name, operator: In, values: [n6]}]}]}}}", ["n6 is not in the cluster"]),
    "a cordoned node": (node("a", spec="unschedulable: true"), ONE % 1, ["  uncordon a  (a)"]),
    "a device with a taint": (
        node("a") + GPUS + of_kind("resource.k8s.io/v1", "ResourceClaim", "r", WANTS % "deviceClassName: g"), DEVICES, [
            "  tolerate the device taint sick:NoExecute in the claim d/r  (a)"]),
    "a selector that fails": (
        node("a") + GPUS + of_kind("resource.k8s.io/v1", "ResourceClaim", "r", WANTS % (
            "deviceClassName: g, selectors: [{cel: {expression: 'device.attributes[\"d\"].no'}}]")), DEVICES, [
            'd/r, request q: 1 device cannot be judged by device.attributes["d"].no (CEL runtime error: no such key: no): d/a/x']),
    "a request without a class": (
        node("a") + GPUS + of_kind("resource.k8s.io/v1", "ResourceClaim", "r", WANTS % "count: 1"), DEVICES, [
            "d/r, request q: it names no deviceClassName"]),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_lead_to_the_cause(run, name):
    cluster, spec, lines = ANSWERS[name]
    said = run("why", "p.yaml", "c.yaml", files={"c.yaml": cluster, "p.yaml": asking(spec)})
    assert said.code == 1, said.err
    for line in lines:
        assert line in said.out, said.out


def test_explain_tells_what_is_behind_an_answer_about_the_pod(run):
    for name, line in (("a node that is gone", "  n6 is not in the cluster"),
                       ("a claim whose class is not there", "its StorageClass does not exist"),
                       ("a selector that fails", "a: d/r, request q: 1 device cannot be judged")):
        cluster, spec, _ = ANSWERS[name]
        files = {"c.yaml": cluster, "p.yaml": asking(spec)}
        for verb in (["explain"], ["fit", "--explain"]):
            said = run(verb[0], "c.yaml", "--pod", "p.yaml", *verb[1:], files=files)
            assert line in said.out, said.out


def test_machines_of_a_kind_are_one_suggestion(run):
    machines = "".join(node(f"m{i}", f", node.kubernetes.io/instance-type: big, topology.kubernetes.io/zone: z{i}")
                       + of_kind("v1", "Pod", f"on{i}", "spec: {nodeName: m%d, %s}" % (i, ONE % 4)) for i in range(5))
    files = {"c.yaml": machines, "p.yaml": asking(ONE % 2)}
    assert "  add 1 node like m0 or m1 and 3 more  (m0-0)" in run("why", "p.yaml", "c.yaml", files=files).out
    first, *_ = json.loads(run("why", "p.yaml", "c.yaml", "--json", files=files).out)["suggestions"]
    assert first["subject"] == "m0" and first["alike"] == ["m1", "m2", "m3", "m4"]
    run("why", "p.yaml", "c.yaml", "--html", "page.html", files=files)


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
