"""Pod, Node, Workload and Objects."""

import pytest

import libsched
from manifests import deployment, node, pod, several


def test_pod():
    made = pod("x", cpu="250m", namespace="shop", node_name="a", priority=7, schedulerName="mine")
    made["metadata"]["labels"] = {"app": "web", "empty": ""}
    made["metadata"]["uid"] = "123"
    made["status"] = {"phase": "Running"}
    parsed = libsched.Pod(made)
    assert (parsed.name, parsed.namespace, parsed.key, parsed.uid) == ("x", "shop", "shop/x", "123")
    assert (parsed.node_name, parsed.scheduler_name, parsed.phase) == ("a", "mine", "Running")
    assert (parsed.priority, parsed.request("cpu"), parsed.request("example.com/gpu")) == (7, 250, 0)
    assert (parsed.label("app"), parsed.label("empty"), parsed.label("no")) == ("web", "", None)
    assert repr(parsed) == "<Pod shop/x on a>"


def test_defaults():
    made = pod("x")
    made["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "2"}}
    assert libsched.Pod(made).request("cpu") == 2000
    assert libsched.Pod(made, defaults=False).request("cpu") == 0
    assert libsched.Pod(made).scheduler_name == "default-scheduler"


def test_strict():
    made = pod("x", notAField=1)
    assert libsched.Objects(made).unknown_fields == 1
    with pytest.raises(libsched.InvalidError, match="notAField"):
        libsched.Pod(made, strict=True)


def test_raw():
    with pytest.raises(libsched.StateError):
        libsched.Pod(pod("x")).raw()
    assert libsched.Pod(pod("x"), keep_raw=True).raw()["metadata"]["name"] == "x"
    assert libsched.Node(node("x"), keep_raw=True).raw()["metadata"]["name"] == "x"


def test_annotations():
    made = {**pod("x"), "metadata": {"name": "x", "annotations": {"b": '{"x": "é"}', "a": ""}}}
    for options in ({"keep_annotations": True}, {"keep_raw": True}):
        kept = libsched.Pod(made, **options)
        assert kept.annotations == kept.copy(name="y").annotations == {"a": "", "b": '{"x": "é"}'}
        assert libsched.Node(node("x"), **options).annotations == {}
        objects = libsched.Objects([made, node("n")], **options)
        assert (len(objects.pods[0].annotations), objects.nodes[0].annotations) == (2, {})
    for without in (libsched.Pod(made), libsched.Node(node("x"))):
        with pytest.raises(libsched.StateError, match="keep_annotations"):
            without.annotations


def test_copies_of_a_pod():
    original = libsched.Pod(pod("x", node_name="a"))
    moved = original.copy(node_name="b")
    assert (moved.name, moved.node_name, original.node_name) == ("x", "b", "a")
    assert original.copy(node_name="").node_name == ""
    many = original.copies(3, "{name}.{index}")
    assert [made.name for made in many] == ["x.0", "x.1", "x.2"]
    assert {made.uid for made in many} == {""}
    assert original.copy(namespace="other").key == "other/x"
    assert original.copy(uid="u").uid == "u"
    cluster = libsched.Cluster([node("a")])
    cluster.add_pods(many)
    assert len(cluster.pods) == 3


def test_node():
    made = libsched.Node(node("x", labels={"zone": "1"}, unschedulable=True, taints=[
        {"key": "k", "value": "v", "effect": "NoExecute"}, {"key": "l", "effect": "NoSchedule"}]))
    assert (made.name, made.unschedulable, made.label("zone")) == ("x", True, "1")
    assert [str(taint) for taint in made.taints] == ["k=v:NoExecute", "l:NoSchedule"]
    assert (made.allocatable("cpu"), made.allocatable("pods"), made.allocatable("no")) == (
        4000, 110, 0)
    assert repr(made) == "<Node x>"


def test_copies_of_a_node():
    made = libsched.Node(node("x")).copies(3)
    assert [copy.label("kubernetes.io/hostname") for copy in made] == ["x-0", "x-1", "x-2"]
    assert len(libsched.Cluster(made)) == 3
    assert libsched.Node(node("x")).copies(0) == []
    with pytest.raises(libsched.InvalidError):
        libsched.Node(node("x")).copies(-1)
    with pytest.raises(libsched.InvalidError):
        libsched.Node(node("x")).copies(2, "same")
    assert [copy.name for copy in libsched.Node(node("x")).copies(1, "one")] == ["one"]


def test_identity():
    objects = libsched.Objects([pod("x"), node("a")])
    assert objects.pods[0] == objects.pods[0]
    assert len({*objects.pods, *objects.pods}) == 1
    assert objects.nodes[0] == objects.nodes[0]
    assert objects.nodes[0] != objects.pods[0]
    assert libsched.Pod(pod("x")) != libsched.Pod(pod("x"))


def test_objects():
    objects = libsched.Objects(several(
        node("a"), pod("x"), pod("y"), deployment("web", 5), deployment("db", 2, kind="StatefulSet"),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}))
    assert [found.name for found in objects.pods] == ["x", "y"]
    assert [(found.kind, found.replicas, found.pod.name) for found in objects.workloads] == [
        ("Deployment", 5, "web"), ("StatefulSet", 2, "db")]
    assert objects.counts["Pod"] == 2
    assert [(entry["kind"], entry["count"]) for entry in objects.skipped] == [("v1 Secret", 1)]
    assert repr(objects) == "<Objects: 1 node, 2 pods, 2 workloads>"
    assert repr(libsched.Objects([])) == "<Objects: none>"


def test_validation_warnings():
    made = pod("Not_A_Name")
    assert libsched.Objects(made).warnings == []
    warnings = libsched.Objects(made, validate=True).warnings
    assert warnings and all(set(warning) == {"path", "message"} for warning in warnings)


def test_priority_classes():
    classes = libsched.Objects({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"},
        "value": 1000})
    high = pod("x", priorityClassName="high")
    assert libsched.Objects(high, classes=classes).pods[0].priority == 1000
    assert libsched.Objects(high, classes=classes, defaults=False).pods[0].priority == 0
    cluster = libsched.Cluster([node("a")])
    cluster.apply(classes)
    cluster.add_pods(high, "a")
    assert cluster.pods["default/x"].priority == 1000


def test_duplicates_within_a_document():
    with pytest.raises(libsched.InvalidError):
        libsched.Objects([pod("x"), pod("x")])


def test_protobuf():
    message = b"\x0a\x05\x0a\x03web\x12\x04\x52\x02n1"  # a Pod with a name and a node
    parsed = libsched.Pod.from_protobuf(message)
    assert (parsed.key, parsed.node_name) == ("default/web", "n1")
    envelope = b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x0d" + message
    for made in (libsched.Pod(envelope), libsched.Pod.from_protobuf(memoryview(envelope))):
        assert made.node_name == "n1"
    assert len(libsched.Objects(envelope).pods) == 1
    long = b"\x0a\xcb\x01\x0a\xc8\x01" + b"n" * 200
    assert libsched.Node.from_protobuf(long).name == "n" * 200
    with pytest.raises(libsched.InvalidError, match="truncated"):
        libsched.Pod.from_protobuf(message[:-1])
    with pytest.raises(libsched.InvalidError, match="empty"):
        libsched.Pod.from_protobuf(b"")
    with pytest.raises(libsched.InvalidError):
        libsched.Node.from_protobuf(envelope)
    with pytest.raises(libsched.MisuseError):
        libsched.Pod.from_protobuf("web")


def test_flat_form():
    def text(value):
        return len(value).to_bytes(4, "little") + value

    def field(number, value):
        return bytes([number, 2]) + text(value)

    def frame(kind, content, identity):
        return (b"LSF\1" + bytes([kind, 0, 0, 0]) + len(content).to_bytes(4, "little")
                + len(identity).to_bytes(4, "little") + content + identity)

    content = field(1, field(3, b"shop") + field(11, text(b"app") + text(b"web")))
    flat = frame(1, content, field(1, field(1, b"a")))
    pod = libsched.Pod.from_flat(flat)
    assert (pod.key, dict(pod.labels)) == ("shop/a", {"app": "web"})
    node = libsched.Node.from_flat(frame(2, field(2, field(5, text(field(1, b"k")))), field(1, field(1, b"n"))))
    assert (node.name, len(node.taints)) == ("n", 1)
    for broken in (flat[:-1], flat + b"x", b""):
        with pytest.raises(libsched.InvalidError):
            libsched.Pod.from_flat(broken)
    with pytest.raises(libsched.InvalidError, match="got a Pod"):
        libsched.Node.from_flat(flat)
