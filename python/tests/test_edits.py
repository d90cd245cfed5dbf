"""Cluster.edit: what-ifs as texts."""

import libsched
import pytest

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "labels": {"kubernetes.io/hostname": "a"}},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
WEB = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
       "spec": {"replicas": 2, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
           {"name": "c", "resources": {"requests": {"cpu": "3"}}}]}}}}


def owned(name, kind, owner, node=""):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": name, "namespace": "shop", "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": "u", "controller": True}]},
        "spec": {"nodeName": node, "containers": [{"name": "c"}]}}


def test_edits_reach_the_cluster_and_what_is_passed():
    cluster = libsched.Cluster(NODE)
    web = libsched.Objects(WEB).workloads[0]
    pod = libsched.Pod(owned("db-0", "StatefulSet", "db"))
    with cluster.fork():
        edited = cluster.edit(["add-node a=2", "set shop/web:requests.cpu=500m", "scale shop/web=20",
                               "scale shop/db=3"], [web, pod])
        assert list(cluster.nodes) == ["a", "a-0", "a-1"]
        assert cluster.nodes["a-1"].node.label("kubernetes.io/hostname") == "a-1"
        assert [type(one) for one in edited] == [libsched.Workload] + 3 * [libsched.Pod]
        assert (edited[0].kind, edited[0].replicas) == ("Deployment", 20)
        assert [one.name for one in edited[1:]] == ["db-0", "db-1", "db-2"]
        placed = libsched.Framework().schedule(cluster, edited[:1])
        assert sum(one.count for one in placed if one) == 20
    assert list(cluster.nodes) == ["a"]
    assert libsched.Framework().fit(cluster, web.pod).fits  # it is unchanged


def test_a_wrong_edit_changes_nothing():
    cluster = libsched.Cluster(NODE)
    with pytest.raises(libsched.NotFoundError, match='"cordon b": there is no node "b"'):
        cluster.edit(["remove-node a", "cordon b"])
    with pytest.raises(libsched.InvalidError, match='"cordon": is not of the form cordon NODE'):
        cluster.edit("cordon")
    assert list(cluster.nodes) == ["a"]
    assert cluster.edit([]) == []


def test_edits_of_nodes_include_what_controllers_make_of_them():
    cluster = libsched.Cluster(NODE)
    with cluster.fork():
        cluster.edit(["cordon a", "taint a x=y:NoSchedule", "label a pool=gpu"])
        node = cluster.nodes["a"].node
        assert node.unschedulable and [str(taint) for taint in node.taints] == [
            "x=y:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"]
        edited = cluster.edit("add-node pool=gpu=1")
        assert edited == [] and edited.notes == (
            "the copies of a are taken to be healthy; they are without its cordon, taint "
            "node.kubernetes.io/unschedulable:NoSchedule",)
        cluster.edit(["uncordon -l pool", "untaint pool in (gpu) x", "label a pool-"])
        assert not cluster.nodes["a"].node.taints and not cluster.nodes["a"].node.unschedulable
        with pytest.raises(libsched.NotFoundError, match='no node has labels like "pool=cpu"; did you mean'):
            cluster.edit("cordon pool=cpu")
    # What is given is taken as it is.
    cluster.apply({**NODE, "spec": {"unschedulable": True}})
    assert cluster.nodes["a"].node.unschedulable and not cluster.nodes["a"].node.taints


def test_a_pod_whose_node_goes_is_asked_about_as_a_new_one():
    b = {**NODE, "metadata": {"name": "b"}}
    pod = libsched.Pod(owned("web-7f-x", "ReplicaSet", "web-7f", "a"))
    cluster = libsched.Cluster([NODE, b, pod])
    (freed,) = cluster.edit("remove-node a", [pod])
    assert freed.key == pod.key and freed.node_name == "" and pod.node_name == "a"
    assert list(libsched.Framework().fit(cluster, freed).nodes) == ["b"]
    (placement,) = libsched.Framework().schedule(cluster, [pod])
    assert not placement and (placement.outcome, placement.text) == (
        "unschedulable", "its nodeName is a, which is no node here")
