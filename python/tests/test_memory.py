"""Nothing is leaked: memory stays flat however often objects are made, judged and forgotten."""

import gc
import os

import pytest

import libsched
from manifests import node, pod


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def work(scheduler, cluster, snapshot):
    wanted = libsched.Pod(pod("x", cpu="2"))
    state = libsched.CycleState()
    state.write("key", [wanted] * 100)
    scheduler.run_pre_filter_plugins(state, cluster, wanted)
    scheduler.filter_nodes(state.clone(), cluster, wanted)
    scheduler.fit(snapshot, wanted).explain()
    with cluster.fork():
        cluster.add_nodes(libsched.Node(node("new")).copies(10))
        cluster.add_pods(wanted.copies(20), "new-3")
        cluster.snapshot()
        scheduler.fit(cluster, wanted)
    libsched.Framework(libsched.Config()).fit(cluster.clone(), wanted)
    with pytest.raises(libsched.InvalidError):
        libsched.Pod(pod("x", cpu="lots"))


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_is_flat(scheduler):
    cluster = libsched.Cluster(libsched.Node(node("n")).copies(100))
    snapshot = cluster.snapshot()
    for _ in range(200):
        work(scheduler, cluster, snapshot)
    gc.collect()
    before = resident()
    for _ in range(600):
        work(scheduler, cluster, snapshot)
    gc.collect()
    assert resident() - before < 8 << 20
