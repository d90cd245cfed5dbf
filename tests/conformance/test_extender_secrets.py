"""No text of an extender's has the password of its URL: errors, logs, metrics, columns of scores, checks of a
configuration."""

import json
import socket
import subprocess
import sys
import threading

import pytest
from compare_extenders import API

import libsched

SECRET = "hunter2"
NODES = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}"},
          "status": {"allocatable": {"cpu": "4", "pods": "9"}}} for i in range(3)]
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default", "uid": "p"},
       "spec": {"containers": [{"name": "c"}]}}


def config(port, **more):
    return {"apiVersion": API, "kind": "KubeSchedulerConfiguration", "extenders": [
        {"urlPrefix": f"http://user:{SECRET}@127.0.0.1:{port}/x", "filterVerb": "filter", "prioritizeVerb": "prioritize",
         "weight": 1, "nodeCacheCapable": True, "httpTimeout": "1s", **more}]}


class Answering:
    """A server that answers each connection with the same bytes, or closes it."""

    def __init__(self, answer):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._answer = answer
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(2)
                asked = b""
                while b"\r\n\r\n" not in asked:
                    asked += connection.recv(65536)
                connection.sendall(self._answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()


def ok(body):
    text = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text) + text


FAULTS = {
    "closed": b"", "rubbish": b"rubbish\r\n\r\n", "unauthorised": b"HTTP/1.1 401 U\r\nContent-Length: 0\r\n\r\n",
    "redirect": b"HTTP/1.1 307 T\r\nLocation: http://a:b@c/\r\nContent-Length: 0\r\n\r\n", "no JSON": ok("x")[:-1] + b"}",
    "unknown": ok({"NodeNames": ["nowhere"]}), "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
}


def everything_of(configuration, tmp_path):
    """What the library and the command line say when they ask the extender."""
    said = []
    cluster, pod = libsched.Cluster(NODES, keep_raw=True), libsched.Pod(POD, keep_raw=True)
    try:
        framework = libsched.Framework(configuration)
        result = framework.score(cluster, pod)
        said += [repr(result), str(result.error), json.dumps(result.to_dict()), repr(list(result))]
        clock = libsched.Clock.virtual()
        server = libsched.ApiServer(clock=clock)
        scheduler = libsched.Scheduler(libsched.Framework(configuration), cluster, server, clock=clock, verbosity=10,
                                       log=lambda line: said.append(f"{line} {line!r}"))
        server.create(POD)
        scheduler.run_for(5)
        said.append(scheduler.metrics_text())
    except libsched.Error as error:
        said += [str(error), repr(error)]
    (tmp_path / "c.json").write_text(json.dumps(configuration))
    (tmp_path / "n.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": NODES}))
    (tmp_path / "p.json").write_text(json.dumps(POD))
    for arguments in (["fit"], ["explain"], ["explain", "-o", "json"], ["schedule", "-o", "json"]):
        done = subprocess.run(
            [sys.executable, "-m", "libsched", *arguments[:1], "n.json", "--pod", "p.json", "--config", "c.json", *arguments[1:]],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        said += [done.stdout, done.stderr]
    return "\n".join(said)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("ignorable", [False, True])
def test_failures(fault, ignorable, tmp_path):
    with Answering(FAULTS[fault]) as server:
        said = everything_of(config(server.port, ignorable=ignorable), tmp_path)
    assert SECRET not in said
    if not ignorable:
        assert "user:***@127.0.0.1" in said


@pytest.mark.parametrize(("answer", "unused"), [
    ({"NodeNames": ["n0", "n1"], "FailedNodes": {"n2": "full"}}, "prioritizeVerb"), ([{"Host": "n1", "Score": 5}], "filterVerb")])
def test_answers(answer, unused, tmp_path):
    with Answering(ok(answer)) as server:
        said = everything_of(config(server.port, **{unused: ""}), tmp_path)
    assert SECRET not in said


def test_nobody_listens(tmp_path):
    assert SECRET not in everything_of(config(1), tmp_path)


def test_the_check_of_a_configuration(tmp_path):
    key = "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t"
    configuration = config(1, enableHTTPS=True, tlsConfig={"certData": key, "keyData": key, "insecure": True})
    described = json.dumps(libsched.Config(configuration).describe())
    assert "user:***@127.0.0.1" in described
    assert SECRET not in described and described.count(key) == 1
    (tmp_path / "c.json").write_text(json.dumps(configuration))
    for arguments in ([], ["--json"]):
        done = subprocess.run([sys.executable, "-m", "libsched", "config", "check", "c.json", *arguments], cwd=tmp_path,
                              capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0 and SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize("text", ["P=http://user:hunter2@127.0.0.1:1/x", "P=https://user:hunter2@127.0.0.1:1/x",
                                  "P=ftp://user:hunter2@host/x"])
def test_plugins_in_other_processes(text, tmp_path):
    with pytest.raises(libsched.Error) as raised:
        libsched.Framework(plugins=[text])
    assert SECRET not in str(raised.value) + repr(raised.value)
    if not text.startswith("P=ftp"):
        assert "user:***@" in repr(libsched.RemotePlugin.parse(text))
