"""Extenders that are asked about several pods at once: answers are those that come one after the other, in the
order of the pods, by Python and by the command line."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest
from compare_extenders import API
from extender_server import ExtenderServer

import libsched

CONFIG = {"apiVersion": API, "kind": "KubeSchedulerConfiguration"}
PODS = 30
NODES = 9


class SlowServer(ExtenderServer):
    """Takes 3 ms for an answer, and counts the requests that it has at once."""

    def __init__(self):
        super().__init__()
        self.inside = self.most = 0
        self._counting = threading.Lock()

    def begin(self, script):
        super().begin(script)
        self.most = 0

    def _answer(self, handler):
        with self._counting:
            self.inside += 1
            self.most = max(self.most, self.inside)
        time.sleep(0.003)
        with self._counting:  # before the answer, after which the next request may come at once
            self.inside -= 1
        super()._answer(handler)


def node(i):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}"},
            "status": {"allocatable": {"cpu": str(1 + i % 4), "memory": "8Gi", "pods": "110"}}}


def pod(name, cpu, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name},
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}], **spec}}


def script_of_pods():
    """Each pod is kept from other nodes; one has an error, and one an extender that is broken."""
    rules = {f"p{i}": {"filter": {"reject": {f"n{i % NODES}": f"not for p{i}"},
                                  "unresolvable": {f"n{(i * 5) % NODES}": "never"}},
                       "prioritize": {"scores": {f"n{k}": (i * k) % 11 for k in range(NODES)}}}
             for i in range(PODS)}
    rules["p7"]["filter"] = {"error": "p7 is not wanted"}
    rules["p8"]["filter"] = {"status": 500}
    return rules


@pytest.fixture(scope="module")
def server():
    try:
        libsched.Framework({**CONFIG, "extenders": [{"urlPrefix": "http://127.0.0.1:1", "filterVerb": "filter"}]})
    except libsched.UnsupportedError as error:
        if os.environ.get("REQUIRE_ALL", "") not in ("", "0"):
            raise
        pytest.skip(str(error))
    made = SlowServer()
    yield made
    made.close()


def asked(server):
    """The pods and verbs of the calls so far, in any order; forgets the calls and the count."""
    calls = sorted((call[1], call[2]["Pod"]["metadata"]["name"]) for call in server.calls)
    server.calls, server.most = [], 0
    return calls


def config_of(server, cached=True, **more):
    return {**CONFIG, "extenders": [{"urlPrefix": f"{server.url}/0", "filterVerb": "filter", "weight": 2,
                                     "prioritizeVerb": "prioritize", "nodeCacheCapable": cached, **more}]}


@pytest.mark.parametrize("cached", [True, False])
def test_answers_are_those_of_calls_one_after_the_other(server, cached):
    server.begin([{"pods": script_of_pods()}])
    cluster = libsched.Cluster([node(i) for i in reversed(range(NODES))], keep_raw=True)
    framework = libsched.Framework(config_of(server, cached))
    pods = [libsched.Pod(pod(f"p{i}", f"{400 + 70 * i}m"), keep_raw=True) for i in range(PODS)]
    alone = [framework.score(cluster, one).to_dict() for one in pods]
    calls, most = asked(server), server.most
    assert most <= 1 and len(calls) > PODS
    assert "p7 is not wanted" in alone[7]["error"] and "code 500" in alone[8]["error"]
    assert len({json.dumps(answer["scores"]) for answer in alone if answer.get("scores")}) > 20
    scores = framework.score(cluster, pods[3]).scores  # by name, whatever order the nodes have
    assert {name: scores[name][f"{server.url}/0"].raw for name in scores.nodes} == {
        name: (3 * int(name[1:])) % 11 for name in scores.nodes} and len(scores) > 4
    asked(server)
    for in_flight in (1, 6):
        found = [result.to_dict() for result in framework.fit_each(cluster, pods, score=True,
                                                                   extender_calls=in_flight)]
        assert found == alone
        most = server.most
        assert asked(server) == calls
        assert most == 1 if in_flight == 1 else 1 < most <= in_flight
    assert [result.fits for result in framework.fit_each(cluster.snapshot(), pods)] == [
        bool(answer["feasible"]) for answer in alone]


def test_a_pods_error_names_it(server):
    server.begin([{}])
    cluster = libsched.Cluster([node(0)], keep_raw=True)
    framework = libsched.Framework(config_of(server))
    with pytest.raises(libsched.StateError, match="keep_raw") as caught:
        framework.fit_each(cluster, [pod("a", "1"), libsched.Pod(pod("b", "1"))])
    assert caught.value.path == "pods[1]"
    for wrong in (0, 1025):
        with pytest.raises(libsched.InvalidError, match="extender_calls"):
            framework.fit_each(cluster, [], extender_calls=wrong)
    assert framework.fit_each(cluster, []) == []


@pytest.mark.parametrize("verb", ["fit", "explain"])
def test_the_command_line_asks_about_several_pods_at_once(server, tmp_path, verb):
    server.begin([{"pods": script_of_pods()}])
    running = pod("p20", "100m", nodeName="n1")
    files = {"cluster.json": {"apiVersion": "v1", "kind": "List", "items": [node(i) for i in range(NODES)] + [running]},
             "pods.json": {"apiVersion": "v1", "kind": "List", "items": [
                 pod(f"p{i}", f"{400 + 70 * i}m") for i in range(PODS)]},
             "config.json": config_of(server)}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    answers = {}
    for in_flight in ("1", "12"):
        done = subprocess.run([sys.executable, "-m", "libsched", verb, "cluster.json", "--pod", "pods.json", "--config",
                               "config.json", "--json", "--extender-calls", in_flight], cwd=tmp_path,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stderr  # two pods have errors
        answers[in_flight] = done.stdout.splitlines(), server.most
        asked(server)
    lines, most = answers["12"]
    assert lines == answers["1"][0] and answers["1"][1] == 1 and 1 < most <= 12
    assert [json.loads(line)["pod"] for line in lines] == [f"default/p{i}" for i in range(PODS)]
    refused = subprocess.run([sys.executable, "-m", "libsched", verb, "cluster.json", "--pod", "pods.json",
                              "--extender-calls", "0"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "1 to 1024" in refused.stderr
