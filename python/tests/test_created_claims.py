"""API clients in Python that create and delete the ResourceClaims of extended resources."""

import pytest

from libsched import ApiClient, Clock, Cluster, Framework, Pod, Scheduler

CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
         "spec": {"extendedResourceName": "example.com/gpu"}}
SLICE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
         "spec": {"driver": "d", "nodeName": "n", "pool": {"name": "n", "resourceSliceCount": 1},
                  "devices": [{"name": "x"}]}}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}}
POD = {"metadata": {"name": "p", "namespace": "default", "uid": "u"}, "spec": {"containers": [
    {"name": "c", "resources": {"requests": {"example.com/gpu": 1}, "limits": {"example.com/gpu": 1}}}]}}


class Server(ApiClient):
    """An API server that names claims, and remembers what it was asked."""

    def __init__(self):
        self.said = []

    def bind(self, pod, node_name):
        self.said.append(f"bind {pod.name} to {node_name}")

    def create_object(self, kind, namespace, object):
        assert "name" not in object["metadata"]
        name = object["metadata"].pop("generateName") + "x7"
        self.said.append(f"create {kind} {namespace}/{name}")
        object["metadata"] |= {"name": name, "uid": "made", "resourceVersion": "9"}
        return object

    def patch_object(self, kind, namespace, name, patch):
        self.said.append(f"patch {kind} {namespace}/{name}: {', '.join(patch)}")

    def patch_pod_status(self, pod, patch):
        self.said.append(f"patch status of {pod.name}: {', '.join(patch['status'])}")


def schedule(api):
    failed = []

    class Observer:
        def failed(self, pod, node_name, status):
            failed.append(status.message)

    scheduler = Scheduler(Framework(), Cluster([NODE, CLASS, SLICE]), api, clock=Clock.virtual(),
                          observer=Observer())
    scheduler.deliver(None, Pod(POD))
    scheduler.settle()
    return failed


def test_a_claim_is_created_and_the_pod_is_bound():
    server = Server()
    assert schedule(server) == []
    assert server.said == [
        "patch status of p: nominatedNodeName", "create ResourceClaim default/p-extended-resources-x7",
        "patch ResourceClaim default/p-extended-resources-x7: metadata, status",
        "patch status of p: extendedResourceClaimStatus", "bind p to n"]


@pytest.mark.parametrize(("server", "text"), [
    (ApiClient(), "the API client creates no ResourceClaim"),
    (object(), "the API client has no method create_object"),
    (type("Nothing", (), {"create_object": lambda *_: {}})(), "an object needs kind and apiVersion"),
    (type("Nothing", (), {"create_object": lambda *_: "{"})(), "create claim for extended resources"),
])
def test_failures(server, text):
    failed, = schedule(server)
    assert text in failed
