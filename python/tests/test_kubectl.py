"""`kubectl libsched` with a real kubectl, against a small server that serves discovery and the lists."""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading

import pytest

import libsched
from libsched.cli import dump, kubectl, kubectl_completion
from manifests import pod

GROUPS = {"node.k8s.io/v1": [("runtimeclasses", "RuntimeClass", False)],
          "apps/v1": [("replicasets", "ReplicaSet", True), ("statefulsets", "StatefulSet", True)],
          "policy/v1": [("poddisruptionbudgets", "PodDisruptionBudget", True)],
          "scheduling.k8s.io/v1": [("priorityclasses", "PriorityClass", False)],
          "storage.k8s.io/v1": [("storageclasses", "StorageClass", False), ("csinodes", "CSINode", False),
                                ("csidrivers", "CSIDriver", False),
                                ("volumeattachments", "VolumeAttachment", False)]}
CORE = [("nodes", "Node", False), ("pods", "Pod", True), ("namespaces", "Namespace", False),
        ("persistentvolumeclaims", "PersistentVolumeClaim", True),
        ("persistentvolumes", "PersistentVolume", False), ("services", "Service", True),
        ("replicationcontrollers", "ReplicationController", True), ("limitranges", "LimitRange", True)]
LISTS = {
    "nodes": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
               "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}],
    "pods": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"},
              "spec": {"containers": [{"name": "c", "image": "i",
                                       "resources": {"requests": {"cpu": "8"}}}]}}],
}


class Lists(http.server.BaseHTTPRequestHandler):
    """Discovery, and lists; services may not be listed."""

    version = {"major": "1", "minor": "35", "gitVersion": "v1.35.2-eks-1"}

    def do_GET(self):
        path = re.sub("/namespaces/[^/]+/", "/", self.path.partition("?")[0].strip("/"))
        code, body = 200, None
        kinds = {"api/v1": ("v1", CORE), **{f"apis/{name}": (name, of) for name, of in GROUPS.items()}}
        if path == "api":
            body = {"kind": "APIVersions", "versions": ["v1"]}
        elif path == "apis":
            body = {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
                {"name": name.split("/")[0], "versions": [{"groupVersion": name, "version": "v1"}],
                 "preferredVersion": {"groupVersion": name, "version": "v1"}} for name in GROUPS]}
        elif path == "version":
            body = self.version
        elif path in kinds:
            version, of = kinds[path]
            body = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": [
                {"name": name, "singularName": "", "kind": kind, "namespaced": spaced,
                 "verbs": ["get", "list"]} for name, kind, spaced in of]}
        elif path.endswith("/services"):
            code, body = 403, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403,
                               "reason": "Forbidden", "message": "services is forbidden"}
        else:
            group, _, name = path.rpartition("/")
            version, of = kinds.get(group, ("", []))
            found = [kind for one, kind, _ in of if one == name]
            if found:
                body = {"kind": f"{found[0]}List", "apiVersion": version, "metadata": {},
                        "items": LISTS.get(name, [])}
            else:
                code, body = 404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
                                   "reason": "NotFound", "message": "not found"}
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@pytest.fixture(name="kubectl_with_plugin")
def cluster_and_plugin(tmp_path):
    """A function that runs kubectl with the plugin and its completion on PATH, and a cluster."""
    if shutil.which("kubectl") is None:
        pytest.skip("there is no kubectl (Debian: kubernetes-client)")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lists)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config = tmp_path / "config"
    config.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "test", "context": {"cluster": "c", "user": "u", "namespace": "shop"}},
                     {"name": "plain", "context": {"cluster": "c", "user": "u"}}]}))
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, module in (("kubectl-libsched", "kubectl"), ("kubectl_complete-libsched", "kubectl_completion")):
        plugin = folder / name
        plugin.write_text(f"#!{sys.executable}\nimport sys\nfrom libsched.cli.{module} import main\nsys.exit(main())\n")
        plugin.chmod(0o755)

    def go(*arguments, program="kubectl"):
        return subprocess.run(
            [program, *arguments], capture_output=True, text=True, cwd=tmp_path, check=False,
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "KUBECONFIG": str(config),
                 "HOME": str(tmp_path)})

    yield go
    server.shutdown()
    server.server_close()


@pytest.fixture
def ask(kubectl_with_plugin):
    return lambda *arguments: kubectl_with_plugin("libsched", *arguments)


def test_why_a_pod_waits(ask):
    done = ask("why", "pod/web")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("shop/web: fits none of 1 node\n")
    assert "request at most 4000m of cpu" in done.stdout
    assert "services cannot be listed, and are left out: " in done.stderr
    assert "forbidden" in done.stderr
    # A kind that the server does not know is named like one that may not be listed.
    assert "csistoragecapacities cannot be listed, and are left out: " in done.stderr
    assert "resourceclaims" not in done.stderr  # there are none without the feature
    elsewhere = ask("why", "web", "--context", "plain", "-n", "shop", "-o", "json")
    assert elsewhere.returncode == 1 and json.loads(elsewhere.stdout)["pod"] == "shop/web"
    other = ask("why", "web", "--context=plain")
    assert other.returncode == 2 and "default/web: there is no such file, and no such pod" in other.stderr


def test_other_commands(ask, tmp_path):
    (tmp_path / "small.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: small}\n"
        "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}\n")
    assert ask("fit", "--pod", "small.yaml").returncode == 0
    assert "4 more pods fit" in ask("capacity", "--pod", "small.yaml").stdout
    assert ask("fit", "--pod", "pod/web").returncode == 1
    drained = ask("drain", "a", "--force")
    assert drained.returncode == 0 and drained.stdout.startswith("a: 0 pods")
    asked = ask("cel", "true")
    assert asked.returncode == 2 and "resourceslices cannot be listed" in asked.stderr


def test_the_release_of_the_server(ask, tmp_path, monkeypatch):
    (tmp_path / "small.json").write_text(json.dumps(pod("small")))
    done = ask("fit", "--pod", "small.json", "-o", "json")
    assert json.loads(done.stdout)["release"] == {"semantics": "1.35", "cluster": {
        "name": "1.35", "version": "v1.35.2-eks-1", "source": "the API server"}}
    done = ask("fit", "--pod", "small.json")
    assert "semantics of 1.35: the API server is v1.35.2-eks-1\n" in done.stderr
    assert "semantics" not in ask("fit", "--pod", "small.json", "--semantics", "1.34").stderr
    # A server that does not tell its version leaves it to the dump.
    monkeypatch.setattr(Lists, "version", None)
    done = ask("fit", "--pod", "small.json", "-o", "json")
    assert json.loads(done.stdout)["release"] == {"semantics": libsched.k8s_version}


def test_where_the_dump_goes():
    def command(*words):
        return kubectl._command(kubectl._parse([*words, "-n", "shop"]), "c.json")

    assert command("cel", "true", "--any") == ["cel", "true", "--any", "--slices", "c.json"]
    assert command("why", "web") == ["why", "shop/web", "c.json"]
    assert command("why", "--pod", "pod/web") == ["why", "c.json", "--pod", "shop/web"]
    assert command("fit", "--pod", "po/web", "--allow-missing") == ["fit", "c.json", "--pod", "shop/web"]


def test_what_is_refused(ask, monkeypatch, capsys):
    assert "name the nodes first" in ask("drain", "--force", "a").stderr
    assert "the commands are fit, explain" in ask("config", "check").stderr
    gone = ask("why", "pod/web", "--server", "http://127.0.0.1:1")
    assert gone.returncode == 2 and "nodes cannot be listed: " in gone.stderr
    assert "Traceback" not in gone.stderr
    monkeypatch.setenv("PATH", "")
    assert kubectl.main(["why", "pod/web"]) == 2
    assert "there is no kubectl on PATH" in capsys.readouterr().err
    assert kubectl.main([]) == 2
    assert "usage: kubectl libsched" in capsys.readouterr().out


def test_every_kind_is_served_or_named():
    served = {name for of in [CORE, *GROUPS.values()] for name, _, _ in of}
    assert set(dump.RESOURCES) - served == {"csistoragecapacities"}


@pytest.fixture(params=["kubectl", "program"])
def candidates(request, kubectl_with_plugin, tmp_path):
    """A function that returns what is offered after `kubectl libsched WORDS`, and its number for the shell.

    kubectl asks the plugin's program for completion from 1.26 on. The program is asked directly as well, because older
    releases of Debian have an older kubectl.
    """
    if request.param == "kubectl":
        version = json.loads(kubectl_with_plugin("version", "--client", "-o", "json").stdout)["clientVersion"]
        if int(version["minor"].rstrip("+")) < 26:
            pytest.skip("this kubectl does not complete the words of plugins (1.26 and later do)")

    def of(*words):
        if request.param == "kubectl":
            done = kubectl_with_plugin("__complete", "libsched", *words)
        else:
            done = kubectl_with_plugin(*words, program=tmp_path / "bin" / "kubectl_complete-libsched")
        lines = done.stdout.splitlines()
        return {line.partition("\t")[0]: line.partition("\t")[2] for line in lines[:-1]}, lines[-1]
    return of


def test_completion(candidates):
    commands, number = candidates("")
    assert set(commands) == set(kubectl.VERBS) and number == ":4"
    assert commands["fit"].startswith("Which nodes take a pod")
    assert list(candidates("dr")[0]) == ["drain"]


@pytest.mark.parametrize(("words", "number"), [
    (("fit", "--pod", ""), 0), (("--kubeconfig", ""), 0), (("--token", ""), 4), (("capacity", ""), 0)])
def test_completion_of_values(words, number):
    assert kubectl_completion.complete(words) == ([], number)


def test_completion_of_options(capsys):
    assert kubectl_completion.complete(["schedule", "--ties", ""])[0] == [("upstream", ""), ("name", ""), ("random", "")]
    flags = dict(kubectl_completion.complete(["capacity", "--"])[0])
    assert "--pod" in flags and flags["--context"] == "handed on to kubectl"
    assert kubectl_completion.main(["--con"]) == 0
    assert capsys.readouterr().out == "--context\thanded on to kubectl\n:4\n"


def test_completion_asks_the_cluster(candidates):
    assert candidates("drain", "") == ({"a": ""}, ":4")
    assert list(candidates("why", "pod/")[0]) == ["pod/web"]
    assert set(candidates("why", "web", "--context", "")[0]) == {"test", "plain"}
    assert candidates("drain", "--server", "http://127.0.0.1:1", "--request-timeout=1s", "") == ({}, ":4")


def test_completion_without_a_cluster(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert kubectl_completion.main(["drain", ""]) == 0
    assert capsys.readouterr().out == ":4\n"
