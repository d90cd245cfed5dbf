"""The benchmarks in Go and Python run, each for a moment, and tell all figures that the result is made of."""

import json

import project
import pytest

BENCH = project.ROOT / "tests" / "bench"
PYTHON = project.ROOT / ".venv" / "bin" / "python"
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
       "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m", "memory": "1Gi"}}}]}}


def names(printed):
    figures = json.loads(printed)
    assert all(len(figure["times"]) == 1 for figure in figures)
    assert all(time >= 0 for figure in figures for time in figure["times"])
    return {figure["name"] for figure in figures}


def test_calls_from_python():
    assert names(project.run(PYTHON, BENCH / "boundary.py", 1)) == {
        f"boundary/python/{what}" for what in ("call", "without", "filter", "filter_batch", "step/fork", "step/add_pods",
                                               "step/apply", "step/update")}


@pytest.fixture(scope="module")
def sim_documents(tmp_path_factory):
    """A simulated cluster as libsched_bench prints it, with 50 nodes; the simulations of a scale-down have all theirs."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
            "status": {"allocatable": {"cpu": "10", "memory": "64Gi", "pods": "110"}}}

    def sized_node(cpu, memory, pods, **spec):
        return {**node, "spec": spec, "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": pods}}}

    def sized_pod(cpu, memory):
        return {**POD, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}}

    apps = [sized_pod("100m", "128Mi")] * 20
    taint = {"key": "ToBeDeleted", "effect": "NoSchedule"}
    told = {"nodes": [node] * 51, "apps": apps, "probe": apps[0], "shapes": apps,
            "big": {"basic": sized_pod("40", "1Gi"), "anti-app": sized_pod("41", "1Gi")},
            "pack": {"old": sized_node("100m", "100", "10"), "template": sized_node("1", "5000", "100"),
                     "small": sized_pod("50m", "100"), "large": sized_pod("95m", "190")},
            "drain": {"node": node, "ghost": sized_node("10", "64Gi", "110", taints=[taint]), "apps": apps}}
    path = tmp_path_factory.mktemp("sim") / "documents.json"
    path.write_text(json.dumps(told))
    return path


SIM = {"50/nothing fits, basic", "50/nothing fits, basic, after a change", "50/nothing fits, anti-app",
       "50/nothing fits, anti-app, after a change", "50/fork, add node, check, revert", "50/fork, schedule, revert", "pack",
       "drain"}


def test_a_simulated_cluster_from_python(sim_documents):
    assert names(project.run(PYTHON, BENCH / "sim.py", sim_documents, 1)) == {f"sim/python/{what}" for what in SIM}


def test_a_plugin_in_python():
    assert set(json.loads(project.run(PYTHON, BENCH / "python_plugin.py", 1))) == {"accepts all", "rejects half"}


def test_calls_and_documents_from_go(tmp_path, sim_documents):
    program, documents = tmp_path / "bench", tmp_path / "pods.json"
    pods = [{**POD, "metadata": {**POD["metadata"], "name": f"web-{i}"}} for i in range(300)]
    documents.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    project.run(project.need("go"), "build", "-o", program, ".", cwd=BENCH / "go",
                env={"CGO_ENABLED": "1", "GOFLAGS": "-tags=libsched_repo", "GOTOOLCHAIN": "local"})
    told = names(project.run(program, "-documents", documents, "-sim-documents", sim_documents, "-runs", "1", "-least", "1ms"))
    assert told >= {f"boundary/go/{what}" for what in ("call", "without", "filter", "filter_batch")}
    assert told >= {f"doors/{door}/{part}" for door in ("json", "protobuf", "flat") for part in ("read", "write")}
    assert told >= {f"sim/go/{what}" for what in SIM | {"look up a pod"}}
