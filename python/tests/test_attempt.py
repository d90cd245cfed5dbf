"""One pod's scheduling cycle and its binding cycle."""

import threading

import pytest
from manifests import node, pod

import libsched
from libsched import Cluster, Framework, Pod, Services, StateError, WriterQueue, schedule_one


def test_a_pod_is_assumed_and_then_bound_on_another_thread():
    cluster, writer = Cluster([node("a"), node("b")]), WriterQueue()
    services = Services()
    framework = Framework(services=services)
    attempt = schedule_one(cluster, Pod(pod("p")), [framework], writer, ties="name")
    assert attempt and attempt.stage == "assumed" and attempt.node == "a"
    assert (attempt.feasible, attempt.evaluated, attempt.profile) == (2, 2, "default-scheduler")
    assert schedule_one(cluster, attempt.pod, [framework], writer).stage == "kept"
    bound = []
    binder = threading.Thread(target=lambda: bound.append(attempt.bind()))
    binder.start()
    cluster.add_nodes(libsched.Node(node("c")))
    binder.join()
    assert bound[0].stage == "bound" and len(writer) == 1
    assert writer.apply(cluster) == (1, 0) and len(writer) == 0
    assert [one["verb"] for one in services.requests] == ["bind", "event"]
    with pytest.raises(StateError, match="no binding cycle"):
        attempt.bind()


def test_a_pod_that_fits_nowhere_names_its_rejectors():
    cluster = Cluster([node("a")])
    huge = Pod(pod("p", cpu="900"))
    attempt = schedule_one(cluster, huge, [Framework()], WriterQueue())
    assert not attempt and attempt.stage == "failed" and attempt.node == ""
    assert "0/1 nodes are available: 1 Insufficient cpu." in attempt.status.message
    assert attempt.rejectors == ("NodeResourcesFit",) and attempt.pending == ()


def test_a_failed_binding_is_undone_when_the_writer_says_so():
    class Api:
        def bind(self, pod, node):
            raise RuntimeError("no")

    cluster, writer = Cluster([node("a")]), WriterQueue()
    framework = Framework(services=Services(api=Api()))
    attempt = schedule_one(cluster, Pod(pod("p")), [framework], writer)
    failed = attempt.bind()
    assert failed.stage == "failed" and "running Bind plugin" in failed.status.message
    assert len(cluster.pods) == 1
    assert writer.apply(cluster) == (1, 0)
    assert len(cluster.pods) == 0


@pytest.mark.parametrize(("change", "error"), [
    ({"ties": "none"}, libsched.InvalidError), ({"seed": -1}, libsched.InvalidError),
    ({"timeout": 0}, libsched.DeadlineExceeded)])
def test_bad_options_change_nothing(change, error):
    cluster = Cluster([node("a")])
    with pytest.raises(error):
        schedule_one(cluster, Pod(pod("p")), [Framework()], WriterQueue(), **change)
    assert len(cluster.pods) == 0


def test_a_pod_of_no_profile():
    with pytest.raises(libsched.NotFoundError, match="there is no profile"):
        schedule_one(Cluster([node("a")]), Pod(pod("p", schedulerName="other")), [Framework()],
                     WriterQueue())


def test_the_offset_of_preemption():
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
        {"pluginConfig": [{"name": "DefaultPreemption", "args": {
            "minCandidateNodesPercentage": 1, "minCandidateNodesAbsolute": 1}}]}]}
    nominated = []
    for offset in range(3):
        cluster = libsched.Cluster([node(name, cpu="4") for name in "ab"], node_order="insertion")
        first = Framework(config, services=Services(preemption_offset=offset))
        cluster.add_pods([libsched.Pod(pod(f"low-{name}", cpu="4", node_name=name, priority=1)) for name in "ab"])
        attempt = libsched.schedule_one(cluster, libsched.Pod(pod("high", cpu="4", priority=9)),
                                        [first], libsched.WriterQueue())
        nominated.append(attempt.nomination.node)
    assert nominated == ["a", "b", "a"]
    for wrong in (-1, 1 << 64):
        with pytest.raises(libsched.InvalidError):
            libsched.Services(preemption_offset=wrong)
