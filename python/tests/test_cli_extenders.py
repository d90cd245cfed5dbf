"""HTTP extenders on the command line: who rejects a node, and what failed without failing the pod."""

import http.server
import json
import threading

import pytest
from libsched.cli import main

from manifests import node, pod, several

FILES = {"cluster.json": several(node("a"), node("b")), "pod.json": pod("web")}


@pytest.fixture
def requests():
    """The bodies of the requests that reach the extender."""
    return []


@pytest.fixture
def extender(requests):
    """A server that rejects node a, and has no scores; returns its address."""
    class Answers(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            code, body = (200, {"NodeNames": ["b"], "FailedNodes": {"a": "no licence"}}) if self.path == "/filter" else (
                500, {})
            data = json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def config(address, **more):
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "extenders": [
        {"urlPrefix": address, "nodeCacheCapable": True, "filterVerb": "filter", **more}]}


def test_extenders_reject_nodes_by_name(run, extender):
    files = {**FILES, "config.json": config(extender)}
    done = run("fit", "cluster.json", "--pod", "pod.json", "--config", "config.json", files=files)
    assert done.code == 0 and done.out.endswith("does not fit:\n  1  Extender  no licence\n")
    done = run("fit", "cluster.json", "--pod", "pod.json", "--config", "config.json", "-o", "wide", files=files)
    assert "  a  no    Extender  no licence\n" in done.out
    done = run("explain", "cluster.json", "--pod", "pod.json", "--config", "config.json", files=files)
    assert done.out.endswith("does not fit:\n  a  Extender  no licence\n")
    document = run("fit", "cluster.json", "--pod", "pod.json", "--config", "config.json", "--json", files=files).json()
    assert document["reasons"] == [{"nodes": 1, "plugin": "", "reason": "no licence"}]


def test_scores_that_fail_are_told(run, extender):
    files = {**FILES, "config.json": config(extender, prioritizeVerb="prioritize", weight=1)}
    done = run("explain", "cluster.json", "--pod", "pod.json", "--config", "config.json", files=files)
    assert done.code == 0 and done.out.startswith(f"the extender {extender} gives no scores: ")
    assert "code 500" in done.out.splitlines()[0]
    # Without scores nobody asks for them.
    assert "gives no scores" not in run("fit", "cluster.json", "--pod", "pod.json", "--config", "config.json", files=files).out


def test_ignorable_extenders_that_fail_are_told(run):
    nobody = "http://127.0.0.1:1"
    files = {**FILES, "config.json": config(nobody, ignorable=True)}
    for verb in ("fit", "explain"):
        done = run(verb, "cluster.json", "--pod", "pod.json", "--config", "config.json", files=files)
        assert done.code == 0 and done.out.startswith(f"the extender {nobody} rejects no node: "), done


def test_nodes_go_out_whole_or_by_name(run, extender, requests):
    ask = ("fit", "cluster.json", "--pod", "pod.json", "--config", "config.json")
    run(*ask, files={**FILES, "config.json": config(extender, nodeCacheCapable=False)})
    run(*ask, files={**FILES, "config.json": config(extender)})
    whole, by_name = requests
    assert [one["metadata"]["name"] for one in whole["Nodes"]["items"]] == ["a", "b"] and whole["NodeNames"] is None
    assert by_name["Nodes"] is None and by_name["NodeNames"] == ["a", "b"]
    assert whole["Pod"] == by_name["Pod"] and whole["Pod"]["metadata"]["name"] == "web"


def test_extenders_of_a_configuration_that_older_releases_refuse_get_whole_nodes(run, extender, requests):
    """The release of the cluster is known only after the documents, which extenders get, have been read."""
    newer = config(extender, nodeCacheCapable=False)
    newer["profiles"] = [{"plugins": {"podGroupPostFilter": {"disabled": [{"name": "DefaultPreemption"}]}}}]
    nodes = [node("a"), node("b")]
    for one in nodes:
        one["status"]["nodeInfo"] = {"kubeletVersion": "v1.37.2"}
    ask = ("fit", "cluster.json", "--pod", "pod.json", "--config", "config.json")
    done = run(*ask, files={**FILES, "cluster.json": several(*nodes), "config.json": newer})
    assert "semantics of 1.37" in done.err and [one["metadata"]["name"] for one in requests[0]["Nodes"]["items"]] == ["a", "b"]
    assert requests[0]["Nodes"]["items"][0]["status"]["nodeInfo"]["kubeletVersion"] == "v1.37.2"
    older = run(*ask, "--semantics", "1.36", files={**FILES, "cluster.json": several(*nodes), "config.json": newer})
    assert older.code == 2 and "podGroupPostFilter" in older.err


def test_a_configuration_that_gets_extenders_is_read_anew(tmp_path, monkeypatch, capsys, extender):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
    without = {key: value for key, value in config(extender).items() if key != "extenders"}
    said = []
    for given in (without, config(extender), without):
        (tmp_path / "config.json").write_text(json.dumps(given))
        assert main(["fit", "cluster.json", "--pod", "pod.json", "--config", "config.json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[2] and "fits 2 of 2 nodes" in said[0]
    assert "fits 1 of 2 nodes" in said[1] and "Extender  no licence" in said[1]
