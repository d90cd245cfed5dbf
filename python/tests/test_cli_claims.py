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


def with_devices():
    """A dump in which node a has a device, and the template."""
    piece = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
             "spec": {"driver": "d", "nodeName": "a", "pool": {"name": "a", "resourceSliceCount": 1},
                      "devices": [{"name": "x"}]}}
    return {**dump(TEMPLATE, piece), "web.json": claiming(deployment("web", 3))}


def test_claims_are_made_for_each_pod(run):
    files = with_devices()
    for verb in ("fit", "explain"):
        done = run(verb, "cluster.json", "--pod", "pod.json", files=files)
        assert done.code == 0 and "default/web: 1 claim made as its controller would" in done.out, verb
        done = run(verb, "cluster.json", "--pod", "web.json", files=files)
        assert "Deployment default/web: 1 claim of its first pod made" in done.out, verb
    done = run("schedule", "cluster.json", "--pod", "web.json", files=files)
    assert done.code == 1 and "1 placed" in done.out and "2 unschedulable" in done.out
    assert "cannot allocate all claims" in done.out
    (line,) = run("capacity", "cluster.json", "--pod", "web.json", "--json", files=files).lines()
    assert line["count"] == 1 and line["nodes"] == {"a": 1, "b": 0}
    assert run("why", "pod.json", "cluster.json", files=files).code == 0
    done = run("simulate", "cluster.json", "--workload", "web.json", files=files)
    assert done.out.startswith("3 pods: 1 running, 2 pending")
    done = run("compare", "cluster.json", "--add-node", "a=1", files={
        **files, "cluster.json": several(*files["cluster.json"]["items"], claiming(pod("p")),
                                         claiming(pod("q")))})
    assert "1 stay" in done.out and "1 gained" in done.out


def test_without_claims_from_templates(run):
    files = with_devices()
    said = "ResourceClaim not created yet"
    without = "--no-claims-from-templates"
    for verb in ("fit", "explain", "schedule", "capacity"):
        done = run(verb, "cluster.json", "--pod", "pod.json", without, files=files)
        assert done.code == 1 and said in done.out, verb
    done = run("why", "pod.json", "cluster.json", without, files=files)
    assert done.code == 1 and said in done.out
    done = run("simulate", "cluster.json", "--workload", "web.json", without, files=files)
    assert done.code == 1 and "0 running" not in done.out and "3 pending" in done.out


def test_claims_that_the_dump_has(run):
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
             "metadata": {"name": "mine", "namespace": "default", "uid": "c", "ownerReferences": [
                 {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "u", "controller": True}]},
             "spec": TEMPLATE["spec"]["spec"]}
    waiting = claiming(pod("web"))
    waiting["metadata"]["uid"] = "u"
    waiting["status"] = {"resourceClaimStatuses": [{"name": "card", "resourceClaimName": "mine"}]}
    files = with_devices()
    items = [one for one in files["cluster.json"]["items"] if one is not TEMPLATE]
    files["cluster.json"] = several(*items, claim, waiting)
    done = run("fit", "cluster.json", "--pod", "default/web", files=files)
    assert done.code == 0 and "made as its controller" not in done.out
    done = run("schedule", "cluster.json", "--pending", files=files)
    assert done.code == 0 and "1 placed" in done.out


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
