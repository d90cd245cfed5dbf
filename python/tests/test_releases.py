"""The release of a cluster: `Cluster.release`."""

import pickle

import pytest

import libsched
from libsched.releases import Release
from manifests import node, pod, several

DEFAULT = Release(libsched.k8s_version, "", "", "")


def of(version, name="a", **more):
    made = node(name, **more)
    made["status"]["nodeInfo"] = {"kubeletVersion": version}
    return made


def component(name, image):
    made = pod(f"{name}-a", namespace="kube-system", node_name="a")
    made["spec"]["containers"] = [{"name": name, "image": image}]
    return made


@pytest.mark.parametrize(("objects", "want"), [
    ([node("a")], DEFAULT),
    ([of("v1.34.6-eks-1"), of("v1.33.9", "b")], Release("1.34", "v1.34.6-eks-1", "the kubelet on a", "")),
    ([of("v1.34.6"), component("kube-apiserver", "registry.example:5000/kube-apiserver:v1.36.1")],
     Release("1.36", "v1.36.1", "kube-system/kube-apiserver-a", "")),
    ([of("v1.34.6"), component("kube-apiserver", "kube-apiserver:v1.36.1"),
      component("kube-scheduler", "kube-scheduler:v1.35.1@sha256:00")],
     Release("1.35", "v1.35.1", "kube-system/kube-scheduler-a", "")),
    ([of("v1.99.0")], Release("1.37", "v1.99.0", "the kubelet on a",
                              "v1.99.0 is newer than 1.37, whose semantics apply"))])
def test_release_of_a_cluster(objects, want):
    cluster = libsched.Cluster(several(*objects))
    assert cluster.release == cluster.snapshot().release == cluster.clone().release == want
    assert pickle.loads(pickle.dumps(cluster)).release == want
    libsched.Framework(semantics=cluster.release.name)


def test_copies_of_nodes_have_its_release():
    cluster = libsched.Cluster(of("v1.34.6"))
    cluster.add_nodes(cluster.nodes["a"].node.copies(2))
    cluster.remove_node("a")
    assert cluster.release.version == "v1.34.6"
