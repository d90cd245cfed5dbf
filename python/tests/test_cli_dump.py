"""Questions about the pods of a dump, pods of other clusters, and what a dump lacks."""

import libsched
from manifests import deployment, node, pod, several

NODES = [node("a", cpu="4"), node("b", cpu="8")]
CLAIM = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}


def dump(*more):
    return {"cluster.json": several(*NODES, *more)}


def test_a_pod_of_the_dump(run):
    files = dump(pod("web", cpu="6", namespace="shop"), pod("run", cpu="6", node_name="b"))
    (line,) = run("fit", "cluster.json", "--pod", "shop/web", "--json", files=files).lines()
    assert line["pod"] == "shop/web" and line["nodes"] == []
    (line,) = run("fit", "cluster.json", "--pod", "default/run", "--json", files=files).lines()
    assert line["nodes"] == ["b"] and "judged as if it were not there" in line["notes"][0]
    done = run("fit", "cluster.json", "--pod", "shop/weg", files=files)
    assert done.code == 2 and 'shop/weg: there is no such file, and no such pod in the cluster; ' \
        'did you mean "shop/web"?' in done.err


def test_a_file_goes_before_a_pod(run, tmp_path):
    (tmp_path / "shop").mkdir()
    files = {**dump(pod("web", cpu="6", namespace="shop")), "shop/web": pod("file", cpu="1")}
    (line,) = run("fit", "cluster.json", "--pod", "shop/web", "--json", files=files).lines()
    assert line["pod"] == "default/file"


def test_all_pending_pods(run):
    ended = {**pod("ended"), "status": {"phase": "Succeeded"}}
    files = dump(pod("x", cpu="6"), pod("y", cpu="6"), pod("run", cpu="1", node_name="a"), ended)
    lines = run("fit", "cluster.json", "--pending", "--json", files=files).lines()
    assert [line["pod"] for line in lines] == ["default/x", "default/y"]
    lines = run("schedule", "cluster.json", "--pending", "--pod", "default/y", "--json",
                files=files).lines()
    assert [(line["pod"], line.get("node")) for line in lines[:-1]] == [
        ("default/y", "b"), ("default/x", None)]
    done = run("fit", "cluster.json", "--pending", files=dump())
    assert done.code == 2 and "cluster.json: no pod in it is pending" in done.err
    done = run("fit", "cluster.json", files=files)
    assert done.code == 2 and "name some by --pod, or all pending ones by --pending" in done.err


def test_a_pod_of_another_cluster(run):
    files = {**dump(), "pod.json": pod("web", cpu="6", node_name="minikube")}
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", files=files).lines()
    assert line["nodes"] == ["b"] and "nodeName minikube, which is no node here" in line["notes"][0]
    (line,) = run("fit", "cluster.json", "--pod", "pod.json", "--json", "--as-is", files=files).lines()
    assert line["nodes"] == []
    first, last = run("schedule", "cluster.json", "--pod", "pod.json", "--json", files=files).lines()
    assert first["node"] == "b" and "minikube" in last["summary"]["notes"][0]
    first, _ = run("schedule", "cluster.json", "--pod", "pod.json", "--json", "--as-is",
                   files=files).lines()
    assert (first["outcome"], first["fitError"]) == (
        "unschedulable", "its nodeName is minikube, which is no node here")


HINT = "the input has no PersistentVolumeClaim; 'libsched kubectl-line' prints the command"


def test_a_dump_without_claims(run):
    files = {**dump(), "pod.json": pod("web", **CLAIM)}
    for verb in ("fit", "explain", "schedule", "capacity"):
        done = run(verb, "cluster.json", "--pod", "pod.json", files=files)
        assert done.code in (1, 2) and HINT in done.out, verb
    other = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "other"},
             "spec": {}}
    files["cluster.json"] = several(*NODES, other)
    assert HINT not in run("fit", "cluster.json", "--pod", "pod.json", files=files).out
    web = pod("web", node_name="a", **CLAIM)
    web["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "Job", "name": "o", "uid": "u", "controller": True}]
    assert HINT in run("drain", "a", "cluster.json", files=dump(web)).out


def test_claims_of_a_stateful_set(run):
    made = deployment("db", 3, kind="StatefulSet")
    made["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]
    late = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "x/y",
            "metadata": {"name": "late", "annotations": {
                "storageclass.kubernetes.io/is-default-class": "true"}},
            "volumeBindingMode": "WaitForFirstConsumer"}
    files = {"cluster.json": several(*NODES, late), "db.json": made}
    for verb in ("fit", "explain"):
        done = run(verb, "cluster.json", "--pod", "db.json", files=files)
        assert done.code == 0
        assert "StatefulSet default/db: 1 claim of its first pod made as its controller would" in done.out
    assert "3 placed" in run("schedule", "cluster.json", "--pod", "db.json", files=files).out
    out = run("capacity", "cluster.json", "--pod", "db.json", files=files).out
    assert "not found" not in out and "more pods fit" in out
    out = run("simulate", "cluster.json", "--workload", "db.json", files=files).out
    assert out.startswith("3 pods: 3 running")
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
             "metadata": {"name": "data-db-0", "namespace": "default"}, "spec": {"volumeName": "gone"}}
    files["cluster.json"] = several(*NODES, late, claim)
    out = run("fit", "cluster.json", "--pod", "db.json", files=files).out
    assert "made as its controller" not in out
    assert "  2  VolumeBinding  pod has unbound immediate PersistentVolumeClaims\n" in out


def test_the_command_for_a_dump(run):
    done = run("kubectl-line")
    assert done.code == 0
    kubectl, get, resources, *rest = done.out.split()
    assert (kubectl, get, rest) == ("kubectl", "get", ["-A", "-o", "json"])
    assert {"nodes", "pods", "persistentvolumeclaims"} <= set(resources.split(","))


def test_version(run):
    done = run("--version")
    assert done.code == 0 and done.out == (
        f"libsched {libsched.__version__} (semantics of Kubernetes {libsched.k8s_version})\n")


def test_capacity_of_a_workload_of_another_cluster(run):
    files = {**dump(), "web.json": several(deployment("web", 2, cpu="3"),
                                           pod("x", cpu="3", node_name="minikube"))}
    (line,) = run("capacity", "cluster.json", "--pod", "web.json", "--json", files=files).lines()
    assert line["count"] == 3 and line["notes"] == []
