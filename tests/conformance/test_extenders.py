"""Recorded cases of extenders, against the scripted server, and servers that do not answer as they should."""

import gzip
import json
import os
import pathlib
import random
import re
import socket
import threading
import time

import pytest
from compare_extenders import API, Cases, ask_libsched, at, normal, sorted_prioritize
from extender_server import ExtenderServer

import libsched

try:
    libsched.Framework({"apiVersion": API, "kind": "KubeSchedulerConfiguration", "extenders": [
        {"urlPrefix": "http://127.0.0.1:1", "filterVerb": "filter"}]})
except libsched.UnsupportedError as error:
    assert "libsched-net.so" in str(error)
    if os.environ.get("REQUIRE_ALL", "") not in ("", "0"):
        raise
    pytest.skip(str(error), allow_module_level=True)

GOLDENS = pathlib.Path(__file__).resolve().parent / "extenders.jsonl.gz"


def test_recorded_cases_have_the_same_calls_and_results():
    server = ExtenderServer()
    count = 0
    for line in gzip.decompress(GOLDENS.read_bytes()).decode().splitlines():
        recorded = json.loads(line)
        case = at(recorded["case"], server.url)
        server.begin(case.pop("script"))
        found = json.loads(json.dumps(normal(ask_libsched(case))).replace(server.url, "URL"))
        assert found == recorded["golden"]["result"], recorded["case"]["name"]
        assert sorted_prioritize(server.calls) == recorded["golden"]["calls"], recorded["case"]["name"]
        count += 1
    server.close()
    assert count >= 30


class Broken:
    """A server that answers each connection with bytes, and then closes it, resets it or stalls."""

    def __init__(self, answer):
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection):
        data, then = self._answer()
        try:
            connection.recv(1 << 20)
            connection.sendall(data)
            if then == "stall":
                while connection.recv(4096):  # until the client has enough of it
                    pass
            while then == "flood":
                connection.sendall(b"x" * (1 << 20))
            if then == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        except OSError:
            pass
        connection.close()

    def close(self):
        self._listener.close()


NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}


def asking(url, **more):
    """A function that asks one extender; it returns the error of the decision, and how long it takes."""
    cluster = libsched.Cluster(NODE, keep_raw=True)
    framework = libsched.Framework({"apiVersion": API, "kind": "KubeSchedulerConfiguration", "extenders": [
        {"urlPrefix": url, "filterVerb": "filter", "nodeCacheCapable": True, "httpTimeout": "300ms", **more}]})

    def ask():
        begin = time.monotonic()
        error = framework.fit(cluster, POD).error or ""
        return error, time.monotonic() - begin

    return ask


def error_of(url, **more):
    return asking(url, **more)()


@pytest.mark.parametrize("data, then, text", [
    (b"", "close", "EOF"),
    (b"", "stall", "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"),
    (b"", "reset", "read: connection reset by peer"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"NodeNames\":", "close", "unexpected EOF"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"NodeNames\":", "stall",
     "context deadline exceeded (Client.Timeout or context cancellation while reading body)"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n{\"Error\":\"" + b"x" * (65 << 20), "close",
     "the body exceeds 67108864 bytes"),
    (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "close", ", code 500"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nnonsense", "close",
     "invalid character 'o' in literal null (expecting 'u')"),
])
def test_a_fault_is_the_error_with_upstream_s_text(data, then, text):
    server = Broken(lambda: (data, then))
    large = len(data) > 1 << 20
    error, seconds = error_of(server.url, **({"httpTimeout": "30s"} if large else {}))
    server.close()
    assert error.endswith(text), error
    assert large or seconds < 2


def test_nobody_listens():
    error, _ = error_of("http://127.0.0.1:1")
    assert error == 'Post "http://127.0.0.1:1/filter": dial tcp 127.0.0.1:1: connect: connection refused'


def test_an_ignorable_extender_may_fail():
    assert error_of("http://127.0.0.1:1", ignorable=True)[0] == ""


def test_tls_of_a_server_that_speaks_none():
    server = Broken(lambda: (b"HTTP/1.1 400 Bad Request\r\n\r\n", "close"))
    error, _ = error_of(server.url.replace("http", "https"), enableHTTPS=True)
    server.close()
    assert error.endswith("http: server gave HTTP response to HTTPS client"), error


GOOD = b'HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{"NodeNames":["a"]}'
#: Random faults in a row; more by hand: FAULTS=10000.
FAULTS = int(os.environ.get("FAULTS", "120"))
TEXTS = re.compile(  # Go's, with the beginning that tells the call
    r"(failed filter with extender at URL \S+, code \d+|"
    r'(Post "\S+/filter": )?(net/http: HTTP/1.x transport connection broken: |read tcp \S+: read: )?('
    r"EOF|unexpected EOF|connection reset by peer|malformed (HTTP|MIME) .*|bad Content-Length .*|invalid character .*|"
    r"context deadline exceeded \(Client.Timeout .*\))|the body exceeds 67108864 bytes|"
    r"json: cannot unmarshal .*|extender .* claims a filtered node .*)?")


def random_fault(choose):
    """What a server sends and does then, and the end of the error; None: any text of Go's."""
    kind = choose.random()
    if kind < 0.01:
        return b"", "stall", "(Client.Timeout exceeded while awaiting headers)"
    if kind < 0.02:
        return GOOD[:-choose.randint(1, 16)], "stall", "while reading body)"
    if kind < 0.04:
        return b'HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n{"Error":"', "flood", "the body exceeds 67108864 bytes"
    if kind < 0.1:
        code = choose.choice([400, 403, 404, 500, 502, 503])
        return b"HTTP/1.1 %d No\r\nContent-Length: 2\r\n\r\nno" % code, "close", f", code {code}"
    if kind < 0.2:
        return GOOD[:-choose.randint(1, 16)], "close", "unexpected EOF"
    data = bytearray(GOOD)
    for _ in range(choose.randint(0, 6)):
        data[choose.randrange(len(data))] = choose.randrange(256)
    return bytes(data[:choose.randint(0, len(data))]), choose.choice(["close", "close", "close", "reset"]), None


def test_random_faults_end_in_time_with_text_of_go():
    seed = int(time.time())
    print("seed", seed)
    choose = random.Random(seed)
    now = None
    server = Broken(lambda: now[:2])
    ask = {"stall": asking(server.url, httpTimeout="100ms"), "flood": asking(server.url, httpTimeout="30s")}
    other = asking(server.url, httpTimeout="2s")
    for _ in range(FAULTS):
        now = random_fault(choose)
        error, seconds = ask.get(now[1], other)()
        assert TEXTS.fullmatch(error), (now, error)
        assert now[2] is None or error.endswith(now[2]), (now, error)
        assert now[1] == "flood" or seconds < 3, now
    server.close()


def test_objects_without_documents_are_refused_by_name():
    server = ExtenderServer()
    server.begin([{}])
    framework = libsched.Framework({"apiVersion": API, "kind": "KubeSchedulerConfiguration", "extenders": [
        {"urlPrefix": f"{server.url}/0", "filterVerb": "filter"}]})
    with pytest.raises(libsched.Error, match='gets the document of the node "a", which was parsed without keep_raw'):
        framework.fit(libsched.Cluster(NODE), POD)
    server.close()


def test_cases_of_a_seed_are_the_same():
    assert Cases(5).case(0) == Cases(5).case(0) != Cases(6).case(0)
