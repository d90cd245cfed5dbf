"""What may be handed over as Kubernetes objects, and what is said about what may not."""

import dataclasses
import datetime
import gzip
import io
import lzma
import json
from decimal import Decimal

import pytest

import libsched
from libsched import _sources
from manifests import deployment, node, pod, several

YAML = """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 2, memory: 1Gi, pods: 10}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec: {nodeName: a, containers: [{name: c}]}
"""


@pytest.mark.parametrize("make", [
    lambda path: path, str, lambda path: path.read_text(), lambda path: path.read_bytes(),
    lambda path: bytearray(path.read_bytes()), lambda path: memoryview(path.read_bytes()),
    lambda path: gzip.compress(path.read_bytes()), lambda path: lzma.compress(path.read_bytes()),
    lambda path: io.BytesIO(path.read_bytes()),
    lambda path: io.StringIO(path.read_text()), lambda path: [path], lambda path: iter([path]),
    lambda path: libsched.Objects(path), lambda path: [libsched.Objects(path)],
    lambda path: libsched.Objects(path).nodes + libsched.Objects(path).pods,
], ids=["path", "str path", "str", "bytes", "bytearray", "memoryview", "gzip", "xz", "binary file",
        "text file", "list", "iterator", "Objects", "list of Objects", "Nodes and Pods"])
def test_documents(tmp_path, make):
    path = tmp_path / "cluster.yaml"
    path.write_text(YAML)
    cluster = libsched.Cluster(make(path))
    assert list(cluster.nodes) == ["a"]
    assert list(cluster.pods) == ["shop/p"]


def test_gzip_is_limited_on_its_own():
    packed = gzip.compress(YAML.encode() + b"# " + b"x" * 100_000)
    assert len(libsched.Objects(packed).nodes) == 1
    with pytest.raises(libsched.LimitError, match="more than the limit of 50000"):
        libsched.Objects(packed, max_decompressed_bytes=50_000)
    with pytest.raises(libsched.InvalidError, match="truncated xz data"):
        libsched.Objects(lzma.compress(YAML.encode())[:40])
    with pytest.raises(libsched.InvalidError, match="compressed with lz4: decompress it first"):
        libsched.Objects(b"\x04\x22\x4d\x18...")


def test_dicts_and_generators():
    cluster = libsched.Cluster(several(node("a"), node("b")))
    cluster.add_nodes(node(f"n{index}") for index in range(5))
    assert len(cluster) == 7
    cluster.add_pods((pod(f"p{index}") for index in range(3)), nodes=["a", "b", "a"])
    assert [cluster.node_of(f"p{index}") for index in range(3)] == ["a", "b", "a"]
    cluster.add_nodes([])
    cluster.add_nodes(iter(()))
    assert len(cluster) == 7


def test_a_dict_without_kind_is_what_is_asked_for():
    assert libsched.Pod({"metadata": {"name": "x"}, "spec": {"containers": []}}).name == "x"
    assert libsched.Node({"metadata": {"name": "y"}}).name == "y"


def test_lists_of_a_kind_need_no_kind_in_their_items():
    items = [{key: value for key, value in node(name).items() if key not in ("kind", "apiVersion")}
             for name in "ab"]
    objects = libsched.Objects({"kind": "NodeList", "apiVersion": "v1", "items": items})
    assert [found.name for found in objects.nodes] == ["a", "b"]
    objects = libsched.Objects([{"kind": "NodeList", "apiVersion": "v1", "items": items}, pod()])
    assert (len(objects.nodes), len(objects.pods)) == (2, 1)


def test_values_that_yaml_loaders_make():
    when = datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
    made = node("a")
    made["metadata"]["creationTimestamp"] = when
    made["metadata"]["labels"] = {"size": "1"}
    made["status"]["allocatable"] = {"cpu": Decimal("1.5"), "memory": 1 << 30, "pods": 10}
    parsed = libsched.Node(made, keep_raw=True)
    assert parsed.allocatable("cpu") == 1500
    assert parsed.raw()["metadata"]["creationTimestamp"] == "2024-01-02T03:04:05Z"


@pytest.mark.parametrize("value, path", [
    (object(), "spec.priority"), (float("nan"), "spec.priority"), ({1, 2}, "spec.priority"),
    ({(1, 2): 3}, "spec.priority")])
def test_values_that_no_json_has(value, path):
    with pytest.raises(libsched.InvalidError) as caught:
        libsched.Pod(pod("x", priority=None) | {"spec": {"priority": value}})
    assert caught.value.path == path


def test_a_dict_that_contains_itself():
    made = pod("x")
    made["spec"]["self"] = made
    with pytest.raises(libsched.InvalidError):
        libsched.Pod(made)


def test_places_in_lists():
    bad = node("b", cpu="much")
    with pytest.raises(libsched.InvalidError) as caught:
        libsched.Cluster([node("a"), bad])
    assert caught.value.path == "[1].status.allocatable.cpu"
    with pytest.raises(libsched.InvalidError) as caught:
        libsched.Cluster(several(node("a"), bad))
    assert caught.value.path == "items[1].status.allocatable.cpu"
    with pytest.raises(libsched.InvalidError) as caught:
        libsched.Cluster([pod(), several(node("a"), bad)])
    assert caught.value.path == "[1].items[1].status.allocatable.cpu"


def test_the_file_is_named(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(YAML.replace("cpu: 2", "cpu: much"))
    with pytest.raises(libsched.InvalidError, match="bad.yaml") as caught:
        libsched.Cluster(path)
    assert caught.value.path.endswith("status.allocatable.cpu")


@pytest.mark.parametrize("text", ["", "# nothing", "{}", "[]", "\ud800: 1\nkind: Pod", "a\0b\n",
                                  "kind: [", '{"kind": "Pod"'])
def test_bad_texts(text):
    with pytest.raises(libsched.Error):
        libsched.Pod(text)
    with pytest.raises(libsched.Error):
        libsched.Pod.parse(text)


def test_a_name_is_no_document():
    with pytest.raises(libsched.FileError, match="pod.yaml: no such file"):
        libsched.Pod("pod.yaml")


def test_how_many():
    with pytest.raises(libsched.InvalidError, match="2 pods where one is expected"):
        libsched.Pod([pod("a"), pod("b")])
    with pytest.raises(libsched.InvalidError, match="there is no node, only 1 Pod"):
        libsched.Node(pod("a"))
    with pytest.raises(libsched.InvalidError, match="there is no pod, only 1 v1 ConfigMap"):
        libsched.Pod({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}})


def test_a_workload_is_a_pod():
    assert libsched.Pod(deployment("web", cpu="250m")).request("cpu") == 250


@dataclasses.dataclass
class V1ThingSpec:
    """A client's object in miniature."""

    node_name: str
    openapi_types = {"node_name": "str"}
    attribute_map = {"node_name": "nodeName"}

    def to_dict(self):
        return {"node_name": self.node_name}


def test_client_objects_inside_dicts():
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": V1ThingSpec("a")}
    assert libsched.Pod(made).node_name == "a"


def test_clients_whose_dicts_are_the_apis():
    class Resource:
        def to_dict(self):
            return pod("x", node_name="a")

    assert libsched.Pod(Resource()).node_name == "a"
    assert [found.name for found in libsched.Objects([Resource()]).pods] == ["x"]


def test_kinds_of_client_classes():
    for name, expected in (("V1Pod", ("v1", "Pod")), ("V1Deployment", ("apps/v1", "Deployment")),
                           ("V1beta1DeviceClass", ("resource.k8s.io/v1beta1", "DeviceClass"))):
        kind = type(name, (), {"attribute_map": {"kind": "kind"}, "openapi_types": {}, "kind": None,
                               "to_dict": dict})
        made = _sources._plain(kind(), "")
        assert (made["apiVersion"], made["kind"]) == expected


class TestKubernetesClient:
    """With the real package."""

    client = pytest.importorskip("kubernetes").client

    def make_pod(self, name):
        client = self.client
        return client.V1Pod(
            metadata=client.V1ObjectMeta(name=name, namespace="shop", labels={"app": "web"}),
            spec=client.V1PodSpec(
                node_selector={"disk": "ssd"}, node_name="a",
                containers=[client.V1Container(name="c", resources=client.V1ResourceRequirements(
                    requests={"cpu": "250m"}))]))

    def make_node(self, name):
        client = self.client
        return client.V1Node(
            metadata=client.V1ObjectMeta(
                name=name, labels={"disk": "ssd"},
                creation_timestamp=datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)),
            spec=client.V1NodeSpec(taints=[client.V1Taint(key="k", effect="NoSchedule")]),
            status=client.V1NodeStatus(allocatable={"cpu": "4", "memory": "8Gi", "pods": "10"}))

    def test_pod(self):
        made = libsched.Pod(self.make_pod("x"), keep_raw=True)
        assert (made.key, made.request("cpu"), made.label("app")) == ("shop/x", 250, "web")
        assert made.raw()["spec"]["nodeSelector"] == {"disk": "ssd"}

    def test_node(self):
        made = libsched.Node(self.make_node("a"), keep_raw=True)
        assert [str(taint) for taint in made.taints] == ["k:NoSchedule"]
        assert made.raw()["metadata"]["creationTimestamp"] == "2024-01-02T00:00:00Z"

    def test_lists(self):
        client = self.client
        cluster = libsched.Cluster([
            client.V1NodeList(items=[self.make_node("a"), self.make_node("b")]),
            client.V1PodList(items=[self.make_pod("x")])])
        assert list(cluster.pods) == ["shop/x"]
        assert sorted(cluster.nodes) == ["a", "b"]
        cluster.apply(client.V1NodeList(items=[self.make_node("c")]))
        assert len(cluster) == 3
        cluster.add_nodes(self.make_node(f"n{index}") for index in range(3))
        assert len(cluster) == 6

    def test_the_same_as_the_clients_own_json(self):
        own = self.client.ApiClient().sanitize_for_serialization(self.make_pod("x"))
        ours = _sources._plain(self.make_pod("x"), "")
        assert ours == {"apiVersion": "v1", "kind": "Pod", **own}

    def test_deployment(self):
        client = self.client
        made = client.V1Deployment(
            metadata=client.V1ObjectMeta(name="web"),
            spec=client.V1DeploymentSpec(
                replicas=4, selector=client.V1LabelSelector(match_labels={"app": "web"}),
                template=client.V1PodTemplateSpec(
                    metadata=client.V1ObjectMeta(labels={"app": "web"}),
                    spec=client.V1PodSpec(containers=[client.V1Container(name="c")]))))
        workload, = libsched.Objects(made).workloads
        assert (workload.kind, workload.replicas, workload.pod.name) == ("Deployment", 4, "web")

    def test_errors_say_where(self):
        made = self.make_pod("x")
        made.spec.containers[0].resources.requests["cpu"] = "much"
        with pytest.raises(libsched.InvalidError) as caught:
            libsched.Pod(made)
        assert caught.value.path == "spec.containers[0].resources.requests.cpu"


def test_a_large_list_is_one_document():
    documents = list(_sources.documents(node(str(index)) for index in range(1000)))
    assert len(documents) == 1
    assert len(json.loads(documents[0].text)["items"]) == 1000
