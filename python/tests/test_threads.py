"""Threads: side by side on snapshots, in turn on a cluster; and os.fork() in the midst of it."""

import concurrent.futures
import os
import signal
import threading
import time

import pytest

import libsched
from manifests import node, pod

PODS = [libsched.Pod(pod(f"p{cpu}", cpu=f"{cpu}")) for cpu in range(1, 9)]


@pytest.fixture
def crowd():
    return libsched.Cluster([node(f"n{index}", cpu=str(1 + index % 8)) for index in range(300)])


def expected(cpu):
    return 300 * (9 - cpu) // 8


def test_threads_on_a_snapshot(scheduler, crowd):
    snapshot = crowd.snapshot()

    def judge(index):
        wanted = PODS[index % 8]
        state = libsched.CycleState()
        scheduler.run_pre_filter_plugins(state, snapshot, wanted)
        names = scheduler.filter_nodes(state, snapshot, wanted)
        return index % 8 + 1, len(scheduler.fit(snapshot, wanted).nodes), len(names)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for cpu, fits, filtered in pool.map(judge, range(200)):
            # 300 is no multiple of 8: the first four sizes have one node more.
            assert fits == filtered == len([i for i in range(300) if 1 + i % 8 >= cpu])


def test_threads_take_turns_on_a_cluster(scheduler, crowd):
    def work(index):
        name = f"extra{index}"
        crowd.add_nodes(node(name, cpu="64"))
        fits = scheduler.fit(crowd, pod(f"big{index}", cpu="32")).nodes
        crowd.add_pods(pod(f"on{index}"), name)
        assert name in fits and f"on{index}" in crowd.pods
        return crowd.nodes[name].requested("pods")

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(100))) == [1] * 100
    assert len(crowd) == 400 and len(crowd.pods) == 100


def test_one_state_in_many_threads(scheduler, crowd):
    state = libsched.CycleState()
    wanted = PODS[3]
    snapshot = crowd.snapshot()
    scheduler.run_pre_filter_plugins(state, snapshot, wanted)

    def work(index):
        state.write(f"key{index % 4}", index)
        copy = state.clone()
        assert copy.read(f"key{index % 4}") is not None
        return len(scheduler.filter_nodes(copy if index % 2 else state, snapshot, wanted))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(work, range(200)))) == 1


def in_child(check, seconds=30):
    """Runs `check` in a forked child; its exit code. A child that hangs is killed."""
    pid = os.fork()
    if pid == 0:
        try:
            check()
            os._exit(0)
        except BaseException as error:  # the child must not go on with pytest
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hung"


def test_a_forked_process_has_its_own_cluster(scheduler, crowd):
    assert len(scheduler.fit(crowd, PODS[7]).nodes) == 37
    snapshot = crowd.snapshot()

    def check():
        crowd.add_nodes(node("child", cpu="64"))
        assert len(scheduler.fit(crowd, PODS[7]).nodes) == 38
        assert len(scheduler.fit(snapshot, PODS[7]).nodes) == 37
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            assert set(pool.map(lambda pod: len(scheduler.fit(snapshot, pod).nodes) > 0, PODS)) == {
                True}

    assert in_child(check) == 0
    assert len(crowd) == 300
    assert len(scheduler.fit(crowd, PODS[7]).nodes) == 37


def test_fork_while_other_threads_work(scheduler, crowd):
    """The child gets an answer or a clear error, and never waits for a thread it does not have."""
    stop = threading.Event()
    snapshot = crowd.snapshot()

    def work():
        while not stop.is_set():
            scheduler.fit(crowd, PODS[0])
            scheduler.fit(snapshot, PODS[1])

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()

    def check():
        assert len(scheduler.fit(snapshot, PODS[7]).nodes) == 37
        try:
            assert len(scheduler.fit(crowd, PODS[7]).nodes) == 37
        except libsched.StateError as error:
            assert "forked" in str(error)
        assert len(libsched.Cluster(node("fresh"))) == 1

    try:
        for _ in range(20):
            assert in_child(check) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def spreading(app):
    """A pod that wants to be spread among the pods of its own app."""
    return libsched.Pod(pod(app, cpu="100m", topologySpreadConstraints=[{
        "maxSkew": 1000, "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}}}]))


def test_fork_while_other_threads_ask_the_same_snapshot_about_spread(scheduler):
    names = [f"n{index}" for index in range(64)]
    cluster = libsched.Cluster(
        [node(name, cpu="64", labels={"kubernetes.io/hostname": name}) for name in names])
    cluster.add_pods([pod(f"p{index}", cpu="1m") for index in range(640)], names * 10)
    asked = [spreading(f"app{index}") for index in range(200)]
    for round_ in range(4):
        cluster.add_pods(pod(f"round{round_}", cpu="1m"), "n0")
        snapshot = cluster.snapshot()  # one that has counted nothing yet
        stop = threading.Event()

        def work(first, snapshot=snapshot, stop=stop):
            index = first
            while not stop.is_set():
                scheduler.fit(snapshot, asked[index % len(asked)])
                index += 1

        def check(snapshot=snapshot):
            for wanted in asked[::40]:
                assert len(scheduler.fit(snapshot, wanted).nodes) == len(names)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                assert set(pool.map(lambda p: bool(scheduler.fit(snapshot, p)), asked[:8])) == {
                    True}

        threads = [threading.Thread(target=work, args=(first,)) for first in (0, 70, 140)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                assert in_child(check) == 0
        finally:
            stop.set()
            for thread in threads:
                thread.join()


def test_the_gil_is_free_while_a_document_is_parsed():
    """A thread that only counts gets on while a large document is parsed."""
    text = b"".join(b"---\n" + (
        b"{apiVersion: v1, kind: Pod, metadata: {name: p%d}, spec: {containers: [{name: c}]}}\n"
        % index) for index in range(20000))
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted
        libsched.Objects.parse(text)
        while_parsing = counted - before
    finally:
        done.set()
        thread.join()
    assert while_parsing > 100
