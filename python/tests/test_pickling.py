"""Objects, views, results and frameworks as plain data: pickle, copy, spawn, and changed copies."""

import copy
import json
import multiprocessing
import pathlib
import pickle

import pytest

import libsched
from manifests import node, pod

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/clusters"


@libsched.plugin(weight=3)
class Even:
    def score(self, state, pod, node):
        return len(node.name) % 2 * 100


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def answers(scheduler, view, pods):
    return [json.dumps(scheduler.score(view, one, post_filter=True, facts=True).to_dict())
            for one in pods]


def items(view):
    return sorted(json.dumps(one) for one in json.loads(view._handle.json())["items"])


def asked():
    return [libsched.Pod(path) for path in sorted((EXAMPLES / "pods").glob("*.yaml"))
            if len(libsched.Objects(path).pods + libsched.Objects(path).workloads) == 1]


def test_cluster_answers_the_same_bytes(scheduler):
    cluster = libsched.Cluster(EXAMPLES / "shop.yaml")
    cluster.remove_node("general-a-1")
    cluster.remove_pod(next(iter(cluster.pods)))
    cluster.add_nodes(node("late"))
    cluster.assume(pod("assumed", cpu="1"), "late")
    cluster.add_pods(pod("after", cpu="1"), "late")
    loaded = again(cluster)
    pods = asked()
    assert len(pods) > 3
    assert answers(scheduler, loaded, pods) == answers(scheduler, cluster, pods)
    assert answers(scheduler, again(cluster.snapshot()), pods[:1]) == answers(
        scheduler, cluster, pods[:1])
    assert list(loaded.nodes) == list(cluster.nodes)
    assert [one.name for one in loaded.nodes["late"].pods] == ["assumed", "after"]
    assert items(loaded) == items(cluster)
    loaded.forget("assumed")
    with pytest.raises(libsched.StateError):
        loaded.forget("after")
    assert "default/assumed" in cluster.pods


def test_pods_of_absent_nodes_and_priority_classes_survive():
    cluster = libsched.Cluster([
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "hi"},
         "value": 7}, node("a"), pod("waits", node_name="gone")])
    loaded = again(cluster)
    loaded.add_nodes(node("gone"))
    assert [one.name for one in loaded.nodes["gone"].pods] == ["waits"]
    loaded.add_pods(pod("first", priorityClassName="hi"), "a")
    assert loaded.pods["default/first"].priority == 7
    assert len(cluster) == 1


def test_every_field_survives():
    """Documents of documents are equal, for the oracle's cases with all fields of all kinds."""
    seen = 0
    for text in documents():
        try:
            objects = libsched.Objects(text, keep_annotations=True)
        except libsched.InvalidError:
            continue
        for one in objects.pods + objects.nodes:
            document = one._handle.json()
            loaded = again(one)
            assert loaded._handle.json() == document
            assert loaded.annotations == one.annotations
            seen += 1
        cluster = libsched.Cluster(objects)
        assert items(again(cluster)) == items(cluster)
    assert seen > 50


def documents():
    yield [{"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": "p", "uid": "u", "labels": {"a": "<b>"}, "annotations": {"x": "y"},
        "creationTimestamp": "2026-01-02T03:04:05.000000006Z",
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r",
                             "uid": "1", "controller": True}]},
        "spec": {
            "nodeName": "n", "priority": 5, "preemptionPolicy": "Never", "hostUsers": False,
            "nodeSelector": {}, "overhead": {"cpu": "1m"}, "schedulingGates": [{"name": "g"}],
            "tolerations": [{"operator": "Exists", "tolerationSeconds": 3}],
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule",
                "minDomains": 2, "nodeTaintsPolicy": "Honor", "labelSelector": {}}],
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{
                        "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}],
                        "matchFields": [{"key": "metadata.name", "operator": "In",
                                         "values": ["n"]}]}]},
                    "preferredDuringSchedulingIgnoredDuringExecution": []},
                "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{
                    "weight": 5, "podAffinityTerm": {
                        "topologyKey": "z", "namespaces": ["x"], "namespaceSelector": {},
                        "labelSelector": {"matchLabels": {"a": "b"}}}}]}},
            "initContainers": [{"name": "i", "restartPolicy": "Always", "resources": {
                "limits": {"example.com/gpu": "1"}}}],
            "containers": [{"name": "c", "image": "x", "ports": [{
                "containerPort": 1, "hostPort": 2, "hostIP": "10.0.0.1", "protocol": "UDP"}],
                "resources": {"requests": {"cpu": "1500m", "memory": "1.5Gi"}}}],
            "volumes": [
                {"name": "a", "persistentVolumeClaim": {"claimName": "c", "readOnly": True}},
                {"name": "b", "configMap": {"name": "m"}}, {"name": "d", "emptyDir": {}},
                {"name": "e", "csi": {"driver": "d"}},
                {"name": "f", "ephemeral": {"volumeClaimTemplate": {"spec": {
                    "storageClassName": "s"}}}}]},
        "status": {"phase": "Running", "startTime": "2026-01-01T00:00:00Z",
                   "nominatedNodeName": "m",
                   "conditions": [{"type": "T", "status": "True", "reason": "r", "message": "m"}],
                   "containerStatuses": [{"name": "c", "allocatedResources": {"cpu": "2"},
                                          "resources": {"requests": {"cpu": "3"}}}]}}]
    yield [
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
            "storageClassName": "s", "claimRef": {"namespace": "default", "name": "c"},
            "csi": {"driver": "d", "volumeHandle": "h"}, "nodeAffinity": {"required": {
                "nodeSelectorTerms": [{}]}}}, "status": {"phase": "Bound"}},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {
            "name": "c", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
         "spec": {"storageClassName": "", "volumeName": "v", "selector": {},
                  "resources": {"requests": {"storage": "1Gi"}}}},
        {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "s"},
         "provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer", "allowedTopologies": [
             {"matchLabelExpressions": [{"key": "k", "values": ["v"]}]}]},
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n"},
         "spec": {"drivers": [{"name": "d", "nodeID": "i", "allocatable": {"count": 4}}]}},
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "d"},
         "spec": {"storageCapacity": True}},
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": {
            "name": "cap", "namespace": "x"}, "storageClassName": "s", "capacity": "5",
         "nodeTopology": {"matchLabels": {"a": "b"}}},
        {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "t"},
         "spec": {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "v"}}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
         "spec": {"selector": {"a": "b"}}},
        {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "rc"},
         "spec": {"selector": {"a": "b"}, "template": {"spec": {"containers": []}}}},
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "st"}, "spec": {
            "selector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
            "template": {"spec": {"containers": []}}}},
        {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "dc"},
         "spec": {"extendedResourceName": "example.com/gpu"}},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x", "labels": {"a": "b"}}},
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {
            "name": "b", "generation": 3}, "spec": {
                "selector": {}, "unhealthyPodEvictionPolicy": "AlwaysAllow"},
         "status": {"disruptionsAllowed": 2, "observedGeneration": 2, "currentHealthy": 1,
                    "disruptedPods": {"p": "2026-01-01T00:00:00Z"}}},
        {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": {"name": "g"},
         "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}, "status": {
             "conditions": [{"type": "T", "status": "True"}]}},
    ]
    for path in sorted(EXAMPLES.glob("*.yaml")):
        yield path


def test_results_and_frameworks():
    cluster = libsched.Cluster([node("a"), node("bb"), node("c", unschedulable=True)])
    scheduler = libsched.Framework(plugins=[Even])
    result = scheduler.score(cluster, pod("p"))
    for loaded in (again(result), again(again(result)), copy.deepcopy(result)):
        assert loaded.to_dict() == result.to_dict()
        assert loaded.nodes == ["a", "bb"] and loaded.best == result.best
        assert loaded["c"] == result["c"] and loaded.explain() == result.explain()
        assert list(loaded.scores.totals) == list(result.scores.totals)
        assert loaded.scores["a"]["Even"] == result.scores["a"]["Even"]
        assert bytes(loaded.codes) == bytes(result.codes)
        assert loaded._repr_html_() == result._repr_html_()
        assert loaded.pod.key == "default/p"
    assert answers(again(scheduler), cluster, [result.pod]) == answers(
        scheduler, cluster, [result.pod])
    config = libsched.Config({"apiVersion": "kubescheduler.config.k8s.io/v1",
                              "kind": "KubeSchedulerConfiguration",
                              "profiles": [{"schedulerName": "mine"}]})
    assert again(libsched.Framework(config)).profile == "mine"
    with pytest.raises(libsched.MisuseError, match="services"):
        pickle.dumps(libsched.Framework(services=libsched.Services()))


def _fits(scheduler, cluster, one):
    return scheduler.fit(cluster, one)


def test_spawned_processes():
    cluster = libsched.Cluster([node("a"), node("bb")])
    one = libsched.Pod(pod("p"))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(_fits, (libsched.Framework(plugins=[Even]), cluster, one))
    assert found.nodes == ["a", "bb"]


def test_copies():
    cluster = libsched.Cluster(node("a"))
    for made in (copy.copy(cluster), copy.deepcopy(cluster)):
        made.remove_node("a")
    assert list(cluster.nodes) == ["a"]
    one = cluster.nodes["a"].node
    assert copy.deepcopy([one])[0] is one


def test_changed_nodes(scheduler):
    cluster = libsched.Cluster([node("a", labels={"tier": "x"}), node("b", unschedulable=True)])
    a = cluster.nodes["a"].node
    assert a.labels == {"kubernetes.io/hostname": "a", "tier": "x"}
    assert a.allocatable["cpu"] == a.allocatable("cpu") == 4000 and a.allocatable("none") == 0
    larger = a.replace(labels={**a.labels, "tier": "y"}, unschedulable=True,
                       allocatable={**a.allocatable, "cpu": "8", "example.com/gpu": 2},
                       taints=["k=v:NoSchedule", libsched.Taint("l", "", "NoExecute")])
    assert (larger.label("tier"), larger.unschedulable) == ("y", True)
    assert (larger.allocatable["cpu"], larger.allocatable["example.com/gpu"]) == (8000, 2)
    assert larger.allocatable["memory"] == 8 << 30
    assert [str(taint) for taint in larger.taints] == ["k=v:NoSchedule", "l:NoExecute"]
    assert (a.label("tier"), a.unschedulable, a.taints) == ("x", False, [])
    cluster.update(cluster.nodes["b"].node.replace(unschedulable=False), larger)
    assert scheduler.fit(cluster, pod("p")).nodes == ["b"]
    for wrong in ({"allocatable": {"cpu": "4 cores"}}, {"taints": ["NoSchedule"]}, {"taints": [{"kee": "a", "effect": "NoSchedule"}]}):
        with pytest.raises(libsched.InvalidError):
            a.replace(**wrong)
    with pytest.raises(libsched.MisuseError, match=r"^allocatable\['cpu'\] is a text or a whole number, not 1.5"):
        a.replace(allocatable={"cpu": 1.5})


def test_changed_pods(scheduler):
    cluster = libsched.Cluster([node("a", taints=[{"key": "k", "effect": "NoSchedule"}])])
    cluster.add_pods(pod("p", cpu="1", nodeSelector={"x": "y"}), "a")
    p = cluster.pods["default/p"]
    assert p.requests == {"cpu": 1000} and p.labels == {}
    q = p.replace(labels={"app": "q"}, requests={"cpu": 500, "memory": "1Gi"}, node_selector={},
                  tolerations=[{"key": "k", "operator": "Exists"}], priority=9,
                  scheduler_name="mine", name="q", node_name="")
    assert (q.labels, q.requests) == ({"app": "q"}, {"cpu": 500, "memory": 1 << 30})
    assert (q.key, q.priority, q.scheduler_name, q.node_name) == ("default/q", 9, "mine", "")
    assert scheduler.fit(cluster, q).nodes == ["a"] and not scheduler.fit(cluster, p)
    assert p.replace(requests={}).requests == {} and p.requests == {"cpu": 1000}
    assert p.replace(requests={"c": {"cpu": "3"}}).requests == {"cpu": 3000}
    near = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z"]}]}]}}}
    assert scheduler.fit(cluster, q.replace(affinity=near)).reasons == {
        "node(s) didn't match Pod's node affinity/selector": 1}
    assert scheduler.fit(cluster, q.replace(affinity=near).replace(affinity={})).nodes == ["a"]
    spread = [{"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
               "labelSelector": {"matchLabels": {"app": "q"}}}]
    spreading = q.replace(topology_spread_constraints=spread)
    assert scheduler.fit(cluster, spreading).reasons_by_plugin.keys() == {
        ("PodTopologySpread", "node(s) didn't match pod topology spread constraints (missing required label)")}
    assert scheduler.fit(cluster, spreading.replace(topology_spread_constraints=[])).nodes == ["a"]
    two = {"containers": [{"name": "x"}, {"name": "y"}]}
    for wrong, of in (({"requests": {"cpu": "1 core"}}, p), ({"labels": {"a b": "c"}}, p),
                      ({"tolerations": [{"kee": "k"}]}, p), ({"affinity": {"nodeAffinities": {}}}, p),
                      ({"topology_spread_constraints": [{"skew": 1}]}, p), ({"requests": {"d": {}}}, p),
                      ({"requests": {"cpu": "1"}}, libsched.Pod(pod("two", **two)))):
        with pytest.raises(libsched.InvalidError):
            of.replace(**wrong)
