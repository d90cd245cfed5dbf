"""Sweeps: the same answers everywhere, and failures as rows."""

import os

import pytest

import libsched
from manifests import deployment, node, pod


def drop_a(cluster):
    cluster.remove_node("a")


def fails(cluster):
    raise RuntimeError("no luck")


def dies(cluster):
    os._exit(3)


class Unwelcome:
    """Ends the process that it gets to."""

    def __reduce__(self):
        return os._exit, (3,)

    def __call__(self, cluster, framework, pods, seed):
        return {}


def count(cluster, framework, pods, seed):
    return {"pods": len(pods), "seeded": seed * 2}


@pytest.fixture
def cluster():
    return libsched.Cluster([node("a"), node("b", cpu="8")])


SCENARIOS = [[], ["add-node a=2"], ["cordon b"], ["cordon nobody"], drop_a, fails,
             libsched.Scenario(["cordon a", "scale default/web=1"], seed=7, name="one"),
             *(libsched.Scenario(seed=seed) for seed in range(20))]


def test_scenarios(cluster):
    table = libsched.sweep(SCENARIOS, cluster, deployment(replicas=20))
    assert table.columns["placed"][:7] == [12, 20, 4, None, 8, None, 1]
    assert table.columns["nodes"][:3] == [2, 4, 2]
    assert table.columns["name"][4:7] == ["drop_a", "fails", "one"]
    assert table.columns["reason"][0].startswith("0/2 nodes are available")
    errors = table.columns["error"]
    assert "nobody" in errors[3] and errors[5] == "RuntimeError: no luck" and errors[0] is None
    assert len(cluster.pods) == 0 and cluster.fork_depth == 0
    assert libsched.sweep(SCENARIOS, cluster.snapshot(), deployment(replicas=20)) == table
    assert libsched.sweep(SCENARIOS, cluster, deployment(replicas=20), threads=3) == table
    assert libsched.sweep(SCENARIOS, cluster, deployment(replicas=20), processes=2) == table


def test_a_question_of_its_own(cluster):
    table = libsched.sweep([libsched.Scenario(seed=3)], cluster, pod("p"), ask=count)
    assert next(iter(table)) == {
        "scenario": 0, "name": "", "seed": 3, "pods": 1, "seeded": 6, "error": None}


def test_a_worker_that_dies_and_misuse(cluster):
    table = libsched.sweep([dies], cluster, processes=1)
    assert table.columns["error"][0].startswith("BrokenProcessPool")
    scenarios = [[], *[libsched.Scenario(seed=seed) for seed in range(6)], dies, ["add-node a=1"]]
    table = libsched.sweep(scenarios, cluster, pod("p"), processes=2)
    died = [at for at, error in enumerate(table.columns["error"]) if error]
    assert died == [7] and table.columns["error"][7].startswith("BrokenProcessPool")
    assert table.columns["nodes"] == [2] * 7 + [None, 3]
    table = libsched.sweep([[]] * 50, cluster, ask=Unwelcome(), processes=2)
    assert all(error.startswith("BrokenProcessPool") for error in table.columns["error"])
    with pytest.raises(libsched.MisuseError, match="one of"):
        libsched.sweep([], cluster, threads=1, processes=1)
    with pytest.raises(libsched.MisuseError, match=r"^scenarios\[0\] is a Scenario, an iterable of texts or a function"):
        libsched.sweep(["cordon a"], cluster)
    assert len(libsched.sweep([], cluster, processes=1)) == 0


def test_dask(cluster):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as local, (
            distributed.Client(local)) as client:
        assert libsched.sweep(SCENARIOS, cluster, deployment(replicas=20), dask=client) == (
            libsched.sweep(SCENARIOS, cluster, deployment(replicas=20)))


def without_libsched():
    """Makes a worker one that has no libsched."""
    import sys

    for name in list(sys.modules):
        if name.split(".")[0] == "libsched":
            del sys.modules[name]
    sys.modules["libsched"] = None


def test_workers_without_libsched(cluster):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None) as local, (
            distributed.Client(local)) as client:
        client.run(without_libsched)
        table = libsched.sweep([[], ["cordon a"]], cluster, pod("p"), dask=client)
        assert len(table) == 2 and all(
            error.startswith("ModuleNotFoundError") and "libsched" in error
            for error in table.columns["error"])


def placed(cluster, edits):
    with cluster.fork():
        pods = cluster.edit(edits, [libsched.Pod(pod("p"))])
        return [one.node for one in libsched.Framework().schedule(cluster, pods)]


def test_joblib(cluster):
    joblib = pytest.importorskip("joblib")
    asked = [["cordon b"], ["cordon a"], ["remove-node a"]]
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(placed)(cluster, edits) for edits in asked)
    assert found == [placed(cluster, edits) for edits in asked] == [["a"], ["b"], ["b"]]
