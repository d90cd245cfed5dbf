"""Wrong uses that once were guesses, errors of Python's own, or broken objects."""

import copy
import pickle

import pytest

import libsched
from manifests import deployment, node, pod


def test_a_closed_fork_is_not_entered(cluster):
    sim = libsched.Sim()
    sim.add_nodes(sim.catalog.node(node()), ["a"])
    for made in (cluster, sim):
        with made.fork() as fork:
            pass
        with pytest.raises(libsched.StateError, match="^cannot enter: the fork is closed already"):
            with fork:
                made.remove_node("a")
        assert "a" in (made.nodes if made is cluster else made)


def test_forks_and_views_are_not_made_by_users(cluster):
    fork = cluster.fork()
    for broken in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="^a Fork cannot be copied or pickled"):
            broken(fork)
        with pytest.raises(TypeError, match="^a Fork cannot be copied or pickled"):
            broken(libsched.Sim().fork())
    for kind in (libsched.View, libsched.LentNode, libsched.NodeSet, libsched.ObjectChange):
        with pytest.raises(TypeError, match="^an? (View is|LentNode is|NodeSet is|ObjectChange is)"):
            kind()


def test_no_framework_is_named(cluster):
    one = libsched.Pod(pod())
    for call in (lambda: libsched.schedule(cluster, one, []), lambda: libsched.capacity(cluster, one, []),
                 lambda: libsched.drain(cluster, "a", []), lambda: libsched.why(cluster, one, []),
                 lambda: libsched.Queue(cluster, []),
                 lambda: libsched.schedule_one(cluster, one, [], libsched.WriterQueue())):
        with pytest.raises(libsched.MisuseError, match="^frameworks is empty"):
            call()
    framework = libsched.Framework()
    with pytest.raises(libsched.MisuseError, match="^frameworks_after is empty"):
        libsched.compare(cluster, cluster, [one], [framework], [])


def test_nothing_to_place_is_said(cluster, scheduler):
    with pytest.raises(libsched.InvalidError, match="^there is no pod or workload, only 1 Node"):
        scheduler.schedule(cluster, [node("x")])
    assert scheduler.schedule(cluster, []) == []


def test_workloads_are_taken_alone_and_in_lists(cluster, scheduler):
    web = libsched.Objects(deployment(replicas=1)).workloads[0]
    for given in (web, [web], [libsched.Pod(pod()), web]):
        with cluster.fork():
            assert scheduler.schedule(cluster, given)
    with pytest.raises(libsched.MisuseError, match=r"^pods\[1\] is a path, .*, not 5$"):
        scheduler.schedule(cluster, [web, 5])
    with pytest.raises(libsched.InvalidError):
        scheduler.schedule(cluster, libsched.Workload("Deployment", 10**30, web.pod))


def test_numbers_and_texts_that_the_library_cannot_take():
    sim = libsched.Sim()
    ref = sim.catalog.pod(pod())
    web = libsched.Pod(pod())
    for call, text in ((lambda: sim.first(ref, start=1 << 64), "start is out of range: 18446744073709551616"),
                       (lambda: sim.first(-1), "pod is out of range: -1"),
                       (lambda: sim.node_name(-1), "node is out of range: -1"),
                       (lambda: libsched.ApiServer(fault_rate=2), "fault_rate is a number from 0 to 1, not 2"),
                       (lambda: web.copy(name="\ud800"), "name is not Unicode: surrogates not allowed"),
                       (lambda: web.label("\ud800"), "key is not Unicode: surrogates not allowed"),
                       (lambda: web.replace(labels={"a": "\ud800"}), "labels is not Unicode: surrogates not allowed"),
                       (lambda: libsched.Code.of("Bad"), 'no code "Bad"; there are: Success, Error, ')):
        with pytest.raises((libsched.InvalidError, libsched.NotFoundError)) as caught:
            call()
        assert caught.value.message.startswith(text)


def test_a_list_that_contains_itself():
    endless = []
    endless.append(endless)
    with pytest.raises(libsched.InvalidError, match="^nested too deeply, or contains itself"):
        libsched.Objects(endless)


def test_a_plot_without_a_suffix(cluster, tmp_path):
    pytest.importorskip("matplotlib")
    result = libsched.Simulation(cluster, libsched.TimedWorkload()).run()
    with pytest.raises(libsched.InvalidError, match="needs a suffix"):
        result.plot(tmp_path / "plot")
    assert not list(tmp_path.iterdir())


def test_errors_of_a_users_function_are_not_taken_for_those_of_an_argument(cluster):
    def overflows(_):
        int(float("inf"))

    with pytest.raises(OverflowError, match="cannot convert float infinity"):
        libsched.schedule(cluster, [pod()], [libsched.Framework()], seed=2**40, placed=overflows)

    def calls_wrongly(_):
        libsched.Cluster().add_pods(3)

    with pytest.raises(libsched.MisuseError, match="^pods"):
        libsched.schedule(cluster, [pod()], [libsched.Framework()], seed=2**40, placed=calls_wrongly)


def test_fields_that_a_user_adds_are_not_checked():
    class Mine(libsched.Nomination):
        pass

    assert Mine("a").node == "a"
    with pytest.raises(libsched.MisuseError, match="^node"):
        Mine(3)
