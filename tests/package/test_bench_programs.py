"""The benchmarks in Go and Python run, each for a moment, and tell all figures that the result is made of."""

import json

import project

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
        f"boundary/python/{what}" for what in ("call", "without", "filter", "filter_batch")}


def test_a_plugin_in_python():
    assert set(json.loads(project.run(PYTHON, BENCH / "python_plugin.py", 1))) == {"accepts all", "rejects half"}


def test_calls_and_documents_from_go(tmp_path):
    program, documents = tmp_path / "bench", tmp_path / "pods.json"
    pods = [{**POD, "metadata": {**POD["metadata"], "name": f"web-{i}"}} for i in range(300)]
    documents.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    project.run(project.need("go"), "build", "-o", program, ".", cwd=BENCH / "go",
                env={"CGO_ENABLED": "1", "GOFLAGS": "-tags=libsched_repo", "GOTOOLCHAIN": "local"})
    told = names(project.run(program, "-documents", documents, "-runs", "1", "-least", "1ms"))
    assert told >= {f"boundary/go/{what}" for what in ("call", "without", "filter", "filter_batch")}
    assert told >= {f"doors/{door}/{part}" for door in ("json", "protobuf", "flat") for part in ("read", "write")}
