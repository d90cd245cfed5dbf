"""What commands read: several files, what comes along with pods, ended pods, --strict."""

import time

import pytest

from manifests import deployment, node, pod, several

CLUSTER = several(node("a"), node("b"))


def volume_objects(storage_class="late"):
    """A Deployment whose pods need a claim, with the claim and its class."""
    wanted = deployment("web", 2, cpu="1")
    wanted["spec"]["template"]["spec"]["volumes"] = [
        {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
             "spec": {"storageClassName": storage_class, "accessModes": ["ReadWriteOnce"],
                      "resources": {"requests": {"storage": "1Gi"}}}}
    late = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {"name": "late"}, "provisioner": "example.com/disks",
            "volumeBindingMode": "WaitForFirstConsumer"}
    return [claim, late, wanted]


@pytest.fixture
def fit(run):
    def go(wanted, *arguments, cluster=CLUSTER, **more):
        files = {"cluster.json": cluster, "pod.json": wanted, **more.pop("files", {})}
        return run("fit", "cluster.json", "--pod", "pod.json", *arguments, files=files, **more)
    return go


def test_what_comes_along_with_the_pods_is_used(fit, run):
    done = fit(several(*volume_objects()))
    assert done.code == 0 and "default/web: fits 2 of 2 nodes" in done.out
    assert done.err.splitlines() == [
        "pod.json: taken to be in the cluster: 1 PersistentVolumeClaim, 1 StorageClass"]
    # Without them it fits nowhere.
    done = fit(several(volume_objects()[2]))
    assert done.code == 1 and 'persistentvolumeclaim "data" not found' in done.out
    done = run("schedule", "cluster.json", "--pod", "pod.json")
    assert done.code == 1 and "x 2: 0/2 nodes are available: " in done.out
    done = run("schedule", "cluster.json", "--pod", "pod.json", files={
        "pod.json": several(*volume_objects())})
    assert done.code == 0 and "2 placed" in done.out


def test_what_the_cluster_has_stays(fit):
    bound = volume_objects()[0]
    bound["spec"]["storageClassName"] = "none"
    done = fit(several(*volume_objects()), cluster=several(node("a"), bound))
    assert done.code == 1
    assert done.err.splitlines() == [
        "pod.json: taken to be in the cluster: 1 PersistentVolumeClaim, 1 StorageClass; "
        "what the cluster has already stays as it is there"]


def test_several_pod_files(fit, run):
    done = run("fit", "cluster.json", "--pod", "one.json", "--pod", "two.json", files={
        "cluster.json": CLUSTER, "one.json": pod("one"), "two.json": pod("two", cpu="64")})
    assert done.code == 1
    assert [line for line in done.out.splitlines() if line.startswith("default/")] == [
        "default/one: fits 2 of 2 nodes", "default/two: fits none of 2 nodes"]
    done = run("fit", "cluster.json", "--pod", "one.json", "--pod", "cluster.json")
    assert done.code == 2 and "cluster.json: there is no pod" in done.err


def test_a_replication_controller_is_a_workload(fit):
    wanted = deployment("web", 3, kind="ReplicationController")
    wanted["apiVersion"] = "v1"
    wanted["spec"]["selector"] = {"app": "web"}
    done = fit(wanted)
    assert done.code == 0 and done.err == ""
    assert done.out.splitlines()[0] == (
        "ReplicationController default/web: judged by its pod template, 3 replicas")


def test_lists_as_kubectl_and_clients_write_them(fit):
    typed = deployment("web", 3)
    del typed["apiVersion"], typed["kind"]
    done = fit({"items": [typed], "apiVersion": "apps/v1", "kind": "DeploymentList"})
    assert done.code == 0 and "Deployment default/web: judged" in done.out
    done = fit({"items": [{"metadata": {"name": "x"}, "spec": {"containers": [{"name": "c"}]}}],
                "apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "7"}})
    assert done.code == 0 and "default/x: fits 2 of 2 nodes" in done.out


def test_ended_pods_are_skipped_and_counted(fit):
    ended = [{**pod(name, node_name="a"), "status": {"phase": phase}}
             for name, phase in (("x", "Succeeded"), ("y", "Failed"), ("z", "Failed"))]
    done = fit(several(*ended, pod("p")))
    assert done.code == 0 and done.out.startswith("default/p: fits 2 of 2 nodes")
    assert done.err == "pod.json: 3 pods that have ended: not judged\n"
    assert fit(several(*ended, pod("p")), "--json").json()["endedPods"] == 3
    done = fit(several(*ended[:1]))
    assert done.code == 2 and "all pods in it have ended" in done.err


def test_a_dump_as_cluster_and_pods(run):
    dump = several(node("a"), pod("busy", cpu="3", node_name="a"), *volume_objects()[:2],
                   {**pod("done", node_name="a"), "status": {"phase": "Succeeded"}})
    done = run("fit", "dump.json", "--pod", "dump.json", files={"dump.json": dump})
    assert done.code == 0 and done.err == "dump.json: 1 pod that has ended: not judged\n"
    assert "default/busy: fits 1 of 1 node\n" in done.out and "done" not in done.out


def test_strict_refuses_what_the_api_server_would(fit):
    for wrong in (pod("Not_A_Name"), several(pod("Not_A_Name"), pod("Nor_This"))):
        done = fit(wrong)
        assert done.code == 0 and done.err.startswith("warning: pod.json: ")
        for arguments in (("--strict",), ("--strict", "--json")):
            done = fit(wrong, *arguments)
            assert done.code == 2 and done.out == ""
            assert "libsched: error: pod.json: " in done.err and "metadata.name: " in done.err
    assert "and 1 more" in done.err
    done = fit(pod(), "--strict", cluster=several(node("a"), node("B_")))
    assert done.code == 2 and "cluster.json: items[1].metadata.name: " in done.err
    assert fit(pod(), "--strict").code == 0


def test_the_same_node_in_two_files(run):
    files = {"one.json": several(node("a", cpu="1"), node("b"), node("c"), pod("x", node_name="b")),
             "two.json": several(node("a", cpu="8"), node("c"), pod("x", node_name="b")),
             "pod.json": pod(cpu="5")}
    done = run("fit", "one.json", "two.json", "--pod", "pod.json", files=files)
    assert done.code == 0 and "fits 1 of 3 nodes\n  a\n" in done.out
    assert done.err.splitlines() == [
        'warning: two.json: node "a" and 1 other node are in one.json, too; what two.json says '
        "counts",
        'warning: two.json: pod "default/x" is in one.json, too; what two.json says counts']


CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
ODD = {**CONFIG, "profiles": [
    {"schedulerName": "default-scheduler"},
    {"schedulerName": "odd", "plugins": {"filter": {"enabled": [{"name": "Coscheduling"}]}}}]}


def test_a_bad_configuration_is_named_and_no_pod(fit, run):
    for wanted in (pod(schedulerName="odd"), several(pod("x", schedulerName="odd"), pod("y"))):
        for command in ("fit", "schedule", "explain"):
            done = run(command, "cluster.json", "--pod", "pod.json", "--config", "c.json", files={
                "cluster.json": CLUSTER, "pod.json": wanted, "c.json": ODD})
            assert done.code == 2 and done.out == ""
            assert done.err.startswith('libsched: error: c.json: profile "odd": ')
            assert "Coscheduling" in done.err and "default/" not in done.err
    assert fit(pod(), "--config", "c.json", files={"c.json": ODD}).code == 0
    done = fit(pod(), "--config", "c.json", files={"c.json": {**CONFIG, "parallelism": -1}})
    assert done.code == 2 and done.err.startswith("libsched: error: c.json: ")


def test_config_check_warns_of_what_cannot_run(run):
    extender = {"urlPrefix": "https://x.example", "filterVerb": "filter", "enableHTTPS": True,
                "tlsConfig": {"caFile": "/no/such/ca.pem"}}
    extended = {**CONFIG, "extenders": [extender]}
    done = run("config", "check", "c.json", files={"c.json": extended})
    assert done.code == 0 and "profile default-scheduler" in done.out
    assert done.err == ('warning: c.json: profile "default-scheduler" cannot run here: '
                        "extenders[0]: open /no/such/ca.pem: no such file or directory\n")
    told = run("config", "check", "c.json", "--json").json()["cannotRun"]
    assert [entry["profile"] for entry in told] == ["default-scheduler"]
    assert "/no/such/ca.pem" in told[0]["error"]
    done = run("config", "check", "c.json", files={"c.json": ODD})
    assert done.code == 2 and "Coscheduling" in done.err  # which kube-scheduler does not have either
    done = run("config", "check", "c.json", files={"c.json": CONFIG})
    assert done.code == 0 and done.err == ""


def test_names_of_files_that_cannot_be_right(fit, run):
    for arguments in (("fit", "cluster.json", "--pod", ""), ("fit", "", "--pod", "pod.json")):
        done = run(*arguments, files={"cluster.json": CLUSTER, "pod.json": pod()})
        assert done.code == 2 and "error: the name of a file is empty; " in done.err
    done = run("drain", "a", "b")
    assert done.code == 2
    assert "error: b: No such file or directory; the last argument is CLUSTER, and those before it" in done.err


def test_options_whose_value_is_empty(fit, run):
    for option in ("--config", "--profile"):
        done = fit(pod(), option, "")
        assert done.code == 2 and done.out == ""
        assert f"argument {option}: the value is empty; is a variable of the shell not set?\n" in done.err
    done = run("explain", "cluster.json", "--pod", "pod.json", "--node", "")
    assert done.code == 2 and "argument --node: the value is empty" in done.err
    done = run("compare", "cluster.json", "--config", "")
    assert done.code == 2 and "is a variable of the shell not set?\n" in done.err


@pytest.mark.parametrize("arguments", [["fit", "/dev/zero", "--pod", "p.json"], ["fit", "p.json", "--pod", "p.json", "--config", "/dev/zero"],
                                       ["config", "check", "/dev/zero"]], ids=["cluster", "--config", "config check"])
def test_a_device_without_end_is_no_document(run, arguments):
    began = time.monotonic()
    done = run(*arguments, files={"p.json": pod("p")})
    assert done.code == 2 and done.err.count("\n") < 5, done
    assert time.monotonic() - began < 60
