"""Claims from ResourceClaimTemplates: which commands make them, and what they say without."""

import json

import libsched
from manifests import deployment, node, pod, several

TEMPLATE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": {"name": "gpu", "namespace": "default"},
            "spec": {"spec": {"devices": {"requests": [
                {"name": "one", "exactly": {"deviceClassName": "gpu"}}]}}}}
CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
PLACE = "spec.resourceClaims[0].resourceClaimTemplateName"


def claiming(made):
    """Lets a pod, or a workload's pods, claim a device."""
    spec = made["spec"].get("template", made)["spec"]
    spec["resourceClaims"] = [{"name": "card", "resourceClaimTemplateName": "gpu"}]
    return made


def dump(*more):
    return {"cluster.json": several(node("a", cpu="4"), node("b", cpu="8"), CLASS, *more),
            "pod.json": claiming(pod("web"))}


def test_a_template_that_is_missing(run):
    files = dump()
    for verb in ("fit", "explain", "schedule", "capacity"):
        done = run(verb, "cluster.json", "--pod", "pod.json", files=files)
        assert done.code == 2, verb
        assert f'{PLACE}: pod "default/web' in done.out + done.err, verb
        assert 'ResourceClaimTemplate "default/gpu" is not in the cluster' in done.out + done.err, verb
    done = run("why", "pod.json", "cluster.json", files=files)
    assert done.code == 2 and PLACE in done.err
    done = run("schedule", "cluster.json", "--pod", "pod.json", files=files)
    assert "the input has no ResourceClaimTemplate; 'libsched kubectl-line' prints" in done.out


def test_a_template_that_is_wrong(run):
    wrong = json.loads(json.dumps(TEMPLATE))
    wrong["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] = "many"
    done = run("fit", "cluster.json", "--pod", "pod.json", files=dump(wrong))
    assert done.code == 2
    assert "spec.spec.devices.requests[0].exactly.count" in done.err


def test_one_bad_pod_leaves_the_others(run):
    files = {**dump(), "pod.json": several(claiming(pod("web")), pod("plain"))}
    done = run("fit", "cluster.json", "--pod", "pod.json", "--json", files=files)
    first, second = done.lines()
    assert done.code == 2 and PLACE in first["error"] and second["nodes"] == ["a", "b"]


def test_a_dump_of_devices(run):
    every = run("kubectl-line").out.split()[2].split(",")
    assert {"resourceclaims", "resourceclaimtemplates", "resourceslices", "deviceclasses"} <= set(every)
    fewer = run("kubectl-line", "--no-devices").out.split()[2].split(",")
    assert [kind for kind in every if kind not in fewer] == [
        "resourceclaims", "resourceclaimtemplates", "resourceslices", "deviceclasses"]


def test_claims_by_python():
    cluster = libsched.Cluster([node("a"), TEMPLATE])
    given = claiming(pod("web"))
    given["metadata"]["uid"] = "u1"
    asked = libsched.Objects(given).pods[0]
    claims = libsched.missing_claims(cluster, asked)
    named = libsched.pod_with_claims(cluster, asked)
    (status,) = named.to_dict()["status"]["resourceClaimStatuses"]
    name = status["resourceClaimName"]
    assert status["name"] == "card" and name.startswith("web-card-") and len(name) == 14
    assert claims.counts == {"ResourceClaim": 1}
    assert cluster.put_objects(claims) == 1
    # Now they are there.
    assert not libsched.missing_claims(cluster, asked).counts
    assert not libsched.missing_claims(cluster, named).counts
    assert libsched.pod_with_claims(cluster, asked).to_dict()["status"] == {
        "resourceClaimStatuses": [status]}
    # A workload stands for its first pod.
    of_workload = libsched.Objects(claiming(deployment("shop", 2))).workloads[0]
    assert libsched.missing_claims(cluster, of_workload).counts == {"ResourceClaim": 1}
    empty = libsched.Cluster([node("a")])
    for ask in (libsched.missing_claims, libsched.pod_with_claims):
        try:
            ask(empty, asked)
        except libsched.NotFoundError as error:
            assert error.path == PLACE
        else:
            raise AssertionError(ask)


def test_versions_of_claims_on_a_server():
    server = libsched.ApiServer(release_claims=True)
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
             "metadata": {"name": "c", "namespace": "default"}, "spec": {}}
    server.create(claim)
    server.update(claim)
    claim["metadata"]["resourceVersion"] = "1"
    try:
        server.update(claim)
    except libsched.ExistsError as error:
        assert "the object has been modified; please apply your changes to the latest version" in str(error)
    else:
        raise AssertionError
    claim["metadata"]["resourceVersion"] = "2"
    server.update(claim)
