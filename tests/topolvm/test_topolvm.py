"""libsched schedules with TopoLVM's scheduler extender, a real peer that is not the project's own."""

import json
import math
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest

import libsched

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = ROOT / "build/topolvm/topolvm-scheduler"
GI = 1 << 30
#: Free bytes of the volume groups, as TopoLVM's node service writes them to its annotation.
FREE = {"full": str(GI // 2), "small": str(5 * GI), "large": str(300 * GI), "huge": str(4000 * GI), "odd": "plenty",
        "foreign": None}


@pytest.fixture(scope="session")
def program():
    if not shutil.which("go"):
        pytest.skip("there is no Go to build topolvm-scheduler with")
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    built = subprocess.run(["go", "build", "-mod=readonly", "-o", PROGRAM, "github.com/topolvm/topolvm/cmd/topolvm-scheduler"],
                           cwd=HERE, env={**os.environ, "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "0"},
                           capture_output=True, text=True, check=False)
    if built.returncode != 0:
        pytest.skip(f"topolvm-scheduler cannot be built here: {built.stderr.strip().splitlines()[-1]}")
    return PROGRAM


@pytest.fixture(scope="session")
def config(program, tmp_path_factory):
    """TopoLVM's own configuration, with the port of a running extender."""
    folder = tmp_path_factory.mktemp("topolvm")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "extender.yaml").write_text(f"listen: 127.0.0.1:{port}\ndefault-divisor: 1\n")
    with open(folder / "log", "wb") as log:
        running = subprocess.Popen([program, "--config", folder / "extender.yaml"], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert running.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()
                time.sleep(0.05)
        file = folder / "config.yaml"
        file.write_text((HERE / "scheduler-config.yaml").read_text().replace("127.0.0.1:9251", f"127.0.0.1:{port}"))
        yield file
    finally:
        running.terminate()
        running.wait(10)


def node(name, free):
    annotations = {} if free is None else {"capacity.topolvm.io/00default": free}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": annotations},
            "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}}


def pod(name, size=None, cpu="1"):
    """A pod as TopoLVM's webhook leaves it: the size in an annotation, and a resource that marks it."""
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name},
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}]}}
    if size is not None:
        made["metadata"]["annotations"] = {"capacity.topolvm.io/00default": str(size)}
        made["spec"]["containers"][0]["resources"] = {
            "requests": {"cpu": cpu, "memory": "1Gi", "topolvm.io/capacity": "1"}, "limits": {"topolvm.io/capacity": "1"}}
    return made


def expected(size):
    """Why each node does not take a volume of this size, and the scores of those that do, by TopoLVM's rules."""
    reasons, scores = {}, {}
    for name, free in FREE.items():
        if free is None:
            reasons[name] = "no capacity annotation"
        elif not free.isdecimal():
            reasons[name] = f"bad capacity annotation: {free}"
        elif int(free) < size:
            reasons[name] = "out of VG free space"
        else:
            scores[name] = min(10, max(1, int(math.log2(max(1, int(free) // GI)))))
    return reasons, scores


@pytest.fixture(scope="module")
def cluster():
    return libsched.Cluster([node(name, free) for name, free in FREE.items()], keep_raw=True)


@pytest.mark.parametrize("size", [1, GI, 5 * GI, 5 * GI + 1, 300 * GI, 4001 * GI])
def test_the_framework_asks_it(config, cluster, size):
    framework = libsched.Framework(config)
    result = framework.score(cluster, pod("p", size))
    reasons, scores = expected(size)
    assert {verdict.node: verdict.status.message for verdict in result if not verdict.fits} == reasons
    assert sorted(result.nodes) == sorted(scores)
    if not scores:
        assert "Extender" in result.to_dict()["unschedulablePlugins"] and "out of VG free space" in result.fit_error
        return
    [name] = [plugin for plugin in result.scores.plugins if plugin.startswith("http://127.0.0.1:")]
    assert {node: result.scores[node][name].raw for node in scores} == scores


def test_pods_without_its_resource_are_none_of_its_business(config, cluster):
    assert sorted(libsched.Framework(config).fit(cluster, pod("p")).nodes) == sorted(FREE)


def test_several_pods_at_once_get_the_same_answers(config, cluster):
    framework = libsched.Framework(config)
    pods = [pod(f"p{i}", (1 << i) * GI // 4) for i in range(20)]
    alone = [framework.score(cluster, one).to_dict() for one in pods]
    assert [result.to_dict() for result in framework.fit_each(cluster, pods, score=True)] == alone
    assert len({tuple(answer["feasible"]) for answer in alone}) > 3


def test_a_pod_goes_to_the_node_with_the_most_space(config):
    cluster = libsched.Cluster([node(name, free) for name, free in FREE.items()], keep_raw=True)
    cycle = libsched.Framework(config).cycle(cluster, pod("p", 2 * GI))
    assert cycle.node == "huge" and cycle.feasible == 3


def run(folder, *arguments):
    return subprocess.run([sys.executable, "-m", "libsched", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_the_command_line_asks_it(config, tmp_path):
    files = {"cluster.json": [node(name, free) for name, free in FREE.items()],
             "pods.json": [pod("fits", 6 * GI), pod("waits", 5000 * GI), pod("plain")]}
    for name, items in files.items():
        (tmp_path / name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    done = run(tmp_path, "fit", "cluster.json", "--pod", "pods.json", "--config", str(config), "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1, done.stderr
    assert [sorted(line["nodes"]) for line in lines] == [["huge", "large"], [], sorted(FREE)]
    assert re.search("4 out of VG free space", json.dumps(lines[1]))
    explained = run(tmp_path, "explain", "cluster.json", "--pod", "pods.json", "--config", str(config), "--node", "odd")
    assert "bad capacity annotation: plenty" in explained.stdout
    placed = run(tmp_path, "schedule", "cluster.json", "--pod", "pods.json", "--config", str(config), "--json")
    nodes = {line["pod"]: line.get("node") for line in map(json.loads, placed.stdout.splitlines()) if "pod" in line}
    assert nodes["default/fits"] == "huge" and not nodes["default/waits"] and nodes["default/plain"] in FREE
