"""The API server in memory."""

import pytest
from manifests import node, pod

from libsched import (ApiServer, Clock, Cluster, ExistsError, Framework, InvalidError, Node, NotFoundError,
                      Objects, Pod, Scheduler)


def test_objects_are_created_replaced_and_deleted():
    server = ApiServer()
    server.create([node("a"), pod("p")])
    server.create(Pod(pod("q")))
    server.create(Node(node("b")))
    assert [one.name for one in server.objects.pods] == ["p", "q"]
    assert [one.name for one in server.objects.nodes] == ["a", "b"]
    assert server.version == 4
    with pytest.raises(ExistsError, match='pods "p" already exists'):
        server.create(pod("p"))
    newer = pod("p")
    newer["metadata"]["uid"] = "newer"
    server.update(newer)
    assert server.pod("default", "p").uid == "newer"
    server.update(Pod(pod("q")))
    server.update(Node(node("a")))
    server.delete("Pod", "q", "default")
    server.delete("Node", "b")
    with pytest.raises(NotFoundError, match='pods "q" not found'):
        server.pod("default", "q")
    with pytest.raises(NotFoundError, match='nodes "b" not found'):
        server.node("b")
    with pytest.raises(InvalidError, match='keeps no objects of kind "Secret"'):
        server.delete("Secret", "s", "default")
    assert repr(server) == "<ApiServer at version 9>"


def test_an_error_changes_nothing():
    server = ApiServer()
    server.create(pod("p"))
    both = Objects("apiVersion: v1\nkind: Pod\nmetadata: {name: z, namespace: default}\n---\n"
                    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\n")
    with pytest.raises(ExistsError):
        server.create(both)
    with pytest.raises(NotFoundError):
        server.update(both)
    assert server.version == 1


def test_bindings_and_ends():
    server = ApiServer(clock=Clock.virtual(), grace=30)
    server.create([node("a"), pod("p"), pod("q")])
    server.bind("default", "p", "a")
    with pytest.raises(ExistsError, match='already assigned to node "a"'):
        server.bind("default", "p", "a")
    server.delete("Pod", "p", "default")  # it is terminating for 30 seconds
    assert server.pod("default", "p").node_name == "a"
    server.finish_pod("default", "q")
    with pytest.raises(NotFoundError):
        server.finish_pod("default", "q")


def test_wrong_options_and_faults():
    with pytest.raises(InvalidError, match="a time is negative"):
        ApiServer(grace=-1)
    with pytest.raises(InvalidError, match="^fault_rate is a number from 0 to 1, not 2$"):
        ApiServer(fault_rate=2)
    server = ApiServer(keep_calls=True, keep_events=True)
    with pytest.raises(InvalidError, match='makes no call "eat"'):
        server.add_fault("eat")
    with pytest.raises(InvalidError, match="negative"):
        server.add_fault("bind", slow=-1)
    server.add_fault("bind", "default/p", error="conflict", times=1)
    server.clear_faults()
    assert server.take_calls() == [] and server.take_events() == []


def test_volumes_are_bound():
    clock = Clock.virtual()
    server = ApiServer(clock=clock, keep_events=True, bind_volumes=True, provision_time=10)
    scheduler = Scheduler(Framework(), Cluster(), server)
    scheduler.start()
    claiming = pod("p")
    claiming["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    server.create([
        node("a"), claiming,
        {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "wait"},
         "provisioner": "csi.example.com", "volumeBindingMode": "WaitForFirstConsumer"},
        {"kind": "PersistentVolumeClaim", "apiVersion": "v1",
         "metadata": {"name": "data", "namespace": "default"},
         "spec": {"storageClassName": "wait", "resources": {"requests": {"storage": "1Gi"}}}}])
    scheduler.run_for(9)
    assert server.pod("default", "p").node_name == ""
    scheduler.run_for(5)
    assert server.pod("default", "p").node_name == "a"
    made, bound = server.take_events()
    assert (made["kind"], made["key"], made["reason"]) == (
        "PersistentVolumeClaim", "default/data", "ProvisioningSucceeded")
    assert "kind" not in bound
    with pytest.raises(InvalidError, match="a time to make a volume needs a controller"):
        ApiServer(provision_time=1)
