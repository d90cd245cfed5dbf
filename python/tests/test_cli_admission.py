"""What the control plane makes of pods that commands create: admission, and claims of ephemeral volumes."""

import json

import libsched
import pytest
from manifests import deployment, node, pod, several

VM = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "vm"},
      "handler": "vm", "overhead": {"podFixed": {"cpu": "500m"}},
      "scheduling": {"nodeSelector": {"vm": "yes"},
                     "tolerations": [{"key": "vm-only", "operator": "Exists", "effect": "NoSchedule"}]}}
NODES = (node("plain", cpu="2"),
         node("vm1", cpu="2", labels={"vm": "yes"}, taints=[{"key": "vm-only", "effect": "NoSchedule"}]))
STD = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "x.example",
       "volumeBindingMode": "WaitForFirstConsumer",
       "metadata": {"name": "std",
                    "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}}
ADDED = "RuntimeClass vm adds overhead cpu 500m, nodeSelector vm=yes and toleration vm-only:NoSchedule"
CREATING = ("fit", "explain", "schedule", "capacity")


def sandboxed(made):
    made["spec"].get("template", made)["spec"]["runtimeClassName"] = "vm"
    return made


def limits(namespace="default", **item):
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "lr", "namespace": namespace},
            "spec": {"limits": [{"type": "Container", **item}]}}


def scratch(made, **spec):
    """Gives a pod, or a workload's pods, an ephemeral volume."""
    made["spec"].get("template", made)["spec"]["volumes"] = [
        {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}, **spec}}}}]
    return made


def with_capacity():
    """Nodes a and b of which b alone has room for a volume of 5Gi."""
    def room(name, size):
        return {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
                "metadata": {"name": f"on-{name}", "namespace": "kube-system"},
                "storageClassName": "std", "capacity": size,
                "nodeTopology": {"matchLabels": {"kubernetes.io/hostname": name}}}

    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "x.example"},
              "spec": {"storageCapacity": True}}
    return several(node("a"), node("b"), STD, driver, room("a", "1Gi"), room("b", "9Gi"))


def test_a_runtime_class_is_applied_by_every_command(run):
    files = {"cluster.json": several(*NODES, VM), "pod.json": sandboxed(pod("p", cpu="800m")),
             "web.json": sandboxed(deployment("web", 2, cpu="800m"))}
    for verb in CREATING:
        done = run(verb, "cluster.json", "--pod", "pod.json", files=files)
        assert f"default/p: {ADDED}" in done.out, verb
    done = run("why", "pod.json", "cluster.json", files=files)
    assert f"default/p: {ADDED}" in done.out and "fits 1 of 2 nodes" in done.out
    done = run("schedule", "cluster.json", "--pod", "web.json", files=files)
    assert done.code == 1 and "1 placed, 1 unschedulable" in done.out
    assert f"Deployment default/web: {ADDED}" in done.out
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", files=files).lines()
    assert line["nodes"] == ["vm1"] and line["notes"] == [f"default/p: {ADDED}"]
    done = run("simulate", "cluster.json", "--workload", "web.json", files=files)
    assert "1 running, 1 pending" in done.out and ADDED in done.err
    (line,) = run("simulate", "cluster.json", "--workload", "web.json", "--json", files=files).lines()
    assert line["notes"] == [f"Deployment default/web: {ADDED}"]


def test_without_defaults_nothing_is_admitted(run):
    files = {"cluster.json": several(*NODES, VM), "pod.json": sandboxed(pod("p", cpu="800m"))}
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", "--no-defaults", files=files).lines()
    assert line["nodes"] == ["plain"] and line["notes"] == []


def test_pods_of_a_dump_are_not_admitted(run):
    files = {"cluster.json": several(*NODES, VM, sandboxed(pod("p", cpu="800m")))}
    for asked in (["--pod", "default/p"], ["--pending"], ["--pod", "cluster.json"]):
        (line,) = run("fit", "cluster.json", *asked, "--json", files=files).lines()
        assert line["nodes"] == ["plain"] and line["notes"] == [], asked


def test_a_refusal_is_a_warning_and_strictly_an_error(run):
    files = {"cluster.json": several(*NODES), "pod.json": sandboxed(pod("p"))}
    text = 'pods "p" is forbidden: pod rejected: RuntimeClass "vm" not found'
    done = run("fit", "cluster.json", "--pod", "pod.json", files=files)
    assert done.code == 0 and text in done.err
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", files=files).lines()
    assert {"file": "pod.json", "path": "default/p", "message": text} in line["warnings"]
    done = run("fit", "cluster.json", "--pod", "pod.json", "--strict", files=files)
    assert done.code == 2 and text in done.err


def test_limit_ranges_give_requests(run):
    files = {"cluster.json": several(node("a", cpu="2"), limits(defaultRequest={"cpu": "1"})),
             "web.json": deployment("web", 4, cpu=None)}
    done = run("schedule", "cluster.json", "--pod", "web.json", files=files)
    assert "2 placed, 2 unschedulable" in done.out
    assert "Deployment default/web: LimitRange lr gives container c requests of cpu 1" in done.out
    files["cluster.json"] = several(node("a"), limits(max={"cpu": "1"}))
    files["pod.json"] = pod("p", cpu="2")
    done = run("fit", "cluster.json", "--pod", "pod.json", files=files)
    assert ('pods "p" is forbidden: maximum cpu usage per Container is 1, but request is 2') in done.err


def test_the_same_remark_on_many_pods_is_told_once(run):
    files = {"cluster.json": several(node("a"), limits(defaultRequest={"cpu": "1m"})),
             "pods.json": several(*(pod(f"p{i}") for i in range(5)))}
    done = run("schedule", "cluster.json", "--pod", "pods.json", files=files)
    assert done.out.count("LimitRange lr gives") == 1
    assert "default/p0 and 4 more: LimitRange lr gives container c requests of cpu 1m" in done.out


def test_a_claim_of_a_manifest_gets_the_default_class(run):
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
             "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    user = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])
    files = {"cluster.json": several(node("a"), STD), "pod.json": several(claim, user)}
    done = run("fit", "cluster.json", "--pod", "pod.json", files=files)
    assert done.code == 0
    assert "default/p: PersistentVolumeClaim data gets the default StorageClass std" in done.out
    assert run("fit", "cluster.json", "--pod", "pod.json", "--no-defaults", files=files).code == 1


def test_default_tolerations_are_told_where_a_node_fails(run):
    bad = node("bad", taints=[{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}])
    files = {"cluster.json": several(node("a"), bad), "pod.json": pod("p")}
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", files=files).lines()
    assert line["nodes"] == ["a", "bad"] and "DefaultTolerationSeconds" in line["notes"][0]
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", "--no-defaults", files=files).lines()
    assert line["nodes"] == ["a"]


def test_ephemeral_volumes_have_their_claims(run):
    files = {"cluster.json": with_capacity(), "pod.json": scratch(pod("job")),
             "web.json": scratch(deployment("web", 3, cpu=None))}
    for verb in ("fit", "explain"):
        done = run(verb, "cluster.json", "--pod", "pod.json", files=files)
        assert done.code == 0 and "default/job: 1 claim made as its controller would" in done.out, verb
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", files=files).lines()
    assert line["nodes"] == ["b"] and "did not have enough free storage" in line["reasons"][0]["reason"]
    done = run("schedule", "cluster.json", "--pod", "web.json", files=files)
    assert done.code == 0 and "3 placed" in done.out
    (line,) = run("capacity", "cluster.json", "--pod", "pod.json", "--json", files=files).lines()
    assert line["nodes"] == {"a": 0, "b": 110}
    assert run("why", "pod.json", "cluster.json", files=files).code == 0
    done = run("simulate", "cluster.json", "--workload", "web.json", files=files)
    assert done.code == 0 and "3 running" in done.out
    waiting = scratch(pod("w"))
    waiting["metadata"]["uid"] = "u"
    files["cluster.json"]["items"].append(waiting)
    for verb in ("fit", "schedule"):
        assert run(verb, "cluster.json", "--pending", files=files).code == 0, verb
    for verb in CREATING:
        done = run(verb, "cluster.json", "--pod", "pod.json", "--no-claims-from-templates", files=files)
        assert done.code == 1 and "waiting for ephemeral volume controller" in done.out, verb


def test_a_claim_that_the_pod_does_not_own(run):
    files = {"cluster.json": with_capacity(), "pod.json": scratch(pod("job"))}
    files["cluster.json"]["items"].append({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "job-scratch", "namespace": "default"}, "spec": {"storageClassName": "std"}})
    done = run("fit", "cluster.json", "--pod", "pod.json", files=files)
    assert done.code == 1
    assert "PVC default/job-scratch was not created for pod default/job (pod is not owner)" in done.out


@pytest.mark.parametrize("kind, group, namespace, told", [
    ("ResourceQuota", "v1", "default", "may refuse pods of its namespace"),
    ("ResourceQuota", "v1", "elsewhere", ""),
    ("MutatingWebhookConfiguration", "admissionregistration.k8s.io/v1", "", "may change pods"),
    ("VerticalPodAutoscaler", "autoscaling.k8s.io/v1", "default", "may change the requests of pods"),
    ("ConfigMap", "v1", "default", ""),
])
def test_what_is_not_imitated_is_warned_of_where_it_counts(run, kind, group, namespace, told):
    thing = {"apiVersion": group, "kind": kind, "metadata": {"name": "x", "namespace": namespace}}
    files = {"cluster.json": several(node("a"), thing, pod("w")), "pod.json": pod("p")}
    done = run("fit", "cluster.json", "--pod", "pod.json", files=files)
    text = f"1 {kind}: not imitated; it {told}"
    assert (text in done.err) == bool(told)
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", files=files).lines()
    assert any(one["message"] == text for one in line["warnings"]) == bool(told)
    assert "not imitated" not in run("fit", "cluster.json", "--pending", files=files).err  # nothing is created


def test_pod_security_is_warned_of(run):
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {
        "name": "default", "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    files = {"cluster.json": several(node("a"), space), "pod.json": pod("p")}
    done = run("fit", "cluster.json", "--pod", "pod.json", files=files)
    assert 'Pod Security admission is not imitated: it may refuse pods that break the level "restricted"' in done.err


def test_runtime_classes_and_limit_ranges_are_read_and_asked_for(run):
    kinds = run("kubectl-line").out.split()[2].split(",")
    assert {"runtimeclasses", "limitranges"} <= set(kinds)
    cluster = libsched.Cluster([node("a"), VM, limits(default={"cpu": "1"}, maxLimitRequestRatio={"cpu": "2"})])
    again = libsched.Cluster(cluster._handle.json())
    assert json.loads(again._handle.json()) == json.loads(cluster._handle.json())
    kinds = [one["kind"] for one in json.loads(again._handle.json())["items"]]
    assert "RuntimeClass" in kinds and "LimitRange" in kinds


def test_admission_by_python():
    cluster = libsched.Cluster([*NODES, VM])
    admitted = libsched.admit(cluster, libsched.Pod(sandboxed(pod("p"))))
    assert str(admitted.notes[0]) == f"default/p: {ADDED}" and not admitted.refusals
    assert libsched.Framework().fit(cluster, admitted.made).nodes == ["vm1"]
    again = libsched.admit(cluster, admitted.made)
    assert not again.notes and again.made == admitted.made
    objects = libsched.admit(cluster, libsched.Objects([sandboxed(pod("p")), sandboxed(deployment()),
                                                        node("c")]))
    assert [remark.kind for remark in objects.notes] == ["Pod", "Deployment"]
    assert objects.made.workloads[0].pod.requests["cpu"] == 1500
    assert [one.name for one in objects.made.nodes] == ["c"]
    refused = libsched.admit(libsched.Cluster([node("a")]), libsched.Pod(sandboxed(pod("p"))))
    assert refused.refusals[0].text == 'pods "p" is forbidden: pod rejected: RuntimeClass "vm" not found'
    with pytest.raises(libsched.MisuseError):
        libsched.admit(cluster, sandboxed(pod("p")))
