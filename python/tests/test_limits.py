"""Deadlines of calls, and calls that work on several threads."""

import os
import threading
import time

import pytest

import libsched
from libsched import Clock, CycleState, DeadlineExceeded, Services
from manifests import node, pod


def calls(scheduler, view, one):
    """Every call that takes a timeout."""
    state = CycleState()
    scheduler.run_pre_filter_plugins(state, view, one)
    return [
        lambda timeout: scheduler.fit(view, one, timeout=timeout),
        lambda timeout: scheduler.score(view, one, timeout=timeout),
        lambda timeout: scheduler.cycle(view, one, timeout=timeout),
        lambda timeout: scheduler.filter_nodes(state, view, one, timeout=timeout),
        lambda timeout: scheduler.filter_nodes(state, view, one, timeout=timeout, result="bitmap"),
    ]


@pytest.fixture
def nodes():
    return libsched.Cluster(node(f"n{i}") for i in range(4))


def test_a_timeout_of_nothing(nodes):
    scheduler, one = libsched.Framework(), libsched.Pod(pod("p", cpu="1"))
    for view in (nodes, nodes.snapshot()):
        for call in calls(scheduler, view, one):
            for little in (0, 1e-9):
                with pytest.raises(DeadlineExceeded, match="deadline exceeded") as caught:
                    call(little)
            assert isinstance(caught.value, TimeoutError) and caught.value.code == -14
            for enough in (None, 3600, 1e300, float("inf")):
                call(enough)
    for wrong in (-1, float("nan")):
        with pytest.raises(libsched.InvalidError, match="timeout"):
            scheduler.fit(nodes, one, timeout=wrong)


def test_a_call_is_cancelled(nodes):
    scheduler, one = libsched.Framework(), libsched.Pod(pod("p", cpu="1"))
    cancel, state = libsched.Cancel(), CycleState()
    scheduler.run_pre_filter_plugins(state, nodes, one)
    calls = [
        lambda: scheduler.fit(nodes, one, cancel=cancel),
        lambda: scheduler.score(nodes, one, cancel=cancel),
        lambda: scheduler.cycle(nodes, one, cancel=cancel),
        lambda: scheduler.filter_nodes(state, nodes, one, cancel=cancel),
        lambda: scheduler.filter_nodes(state, nodes, one, cancel=cancel, result="bitmap"),
    ]
    assert not cancel.is_set() and repr(cancel) == "<Cancel>"
    cancel.set()
    assert cancel.is_set() and repr(cancel) == "<Cancel, set>"
    for call in calls:
        with pytest.raises(libsched.CancelledError, match="cancelled"):
            call()
    cancel.reset()
    scheduler.run_pre_filter_plugins(state, nodes, one)
    for call in calls:
        call()


def test_another_thread_cancels(nodes):
    cancel, began = libsched.Cancel(), threading.Event()

    class Slow:
        def filter(self, state, pod, node):
            began.set()
            while not cancel.is_set():
                time.sleep(0.001)

    scheduler = libsched.Framework(plugins=[Slow])
    thread = threading.Thread(target=lambda: (began.wait(), cancel.set()))
    thread.start()
    with pytest.raises(libsched.CancelledError):
        scheduler.fit(nodes, libsched.Pod(pod("p", cpu="1")), cancel=cancel)
    thread.join()


def test_timeouts_go_by_real_time_unless_there_is_a_clock(nodes):
    """The default clock, for all else, stands still; so does one that the caller gives."""
    one = libsched.Pod(pod("p", cpu="1"))

    class Sleep:
        def filter(self, state, pod, node):
            time.sleep(0.02)

    for services in (None, Services()):
        scheduler = libsched.Framework(plugins=[Sleep], services=services)
        for view in (nodes, nodes.snapshot()):
            with pytest.raises(DeadlineExceeded):
                scheduler.fit(view, one, timeout=0.01)
            scheduler.fit(view, one, timeout=3600)
    assert nodes.services.clock.now_ns == Services().clock.now_ns == 7258118400 * 10**9
    still = libsched.Framework(plugins=[Sleep], services=Services(Clock.virtual()))
    still.fit(nodes, one, timeout=1e-9)


def test_a_plugin_that_takes_too_long_by_either_clock(nodes):
    class Slow:
        def __init__(self):
            self.take = lambda: None

        def filter(self, state, pod, node):
            self.take()

    for clock, seconds in ((Clock.virtual(), 60), (Clock.system(), 0.2)):
        slow = Slow()
        scheduler = libsched.Framework(plugins=[slow], services=Services(clock))
        one = libsched.Pod(pod("p", cpu="1"))
        every = calls(scheduler, nodes, one)
        pause = clock.advance if seconds == 60 else time.sleep
        slow.take = lambda pause=pause, seconds=seconds: pause(seconds)
        for call in every:
            with pytest.raises(DeadlineExceeded):
                call(seconds)
        slow.take = lambda: None
        for call in every:
            call(3600)


def preempting(parallelism, plugins=()):
    """What a preemption on 60 full nodes comes to, and what it asks for."""
    cluster = libsched.Cluster(node(f"n{i:02}", cpu="4") for i in range(60))
    cluster.add_pods([libsched.Pod(pod(f"low-{i:03}", cpu="1", namespace="x",
                                       node_name=f"n{i % 60:02}", priority=i % 5))
                      for i in range(240)])
    scheduler = libsched.Framework(parallelism=parallelism, plugins=plugins)
    high = libsched.Pod(pod("high", cpu="2500m", namespace="x", priority=9))
    state = CycleState()
    scheduler.run_pre_filter_plugins(state, cluster, high)
    wish, status = scheduler.run_post_filter_plugins(
        state, cluster, high, scheduler.fit(cluster, high))
    return wish, status, cluster.services.requests


def test_preemption_is_the_same_on_several_threads():
    alone = preempting(1)
    assert alone[1].is_success and alone[2]
    for threads in (2, 5):
        assert preempting(threads) == alone
    for wrong in (0, 1025):
        with pytest.raises(libsched.InvalidError, match="1 to 1024"):
            libsched.Framework(parallelism=wrong)


def test_methods_of_plugins_stay_on_the_thread_that_calls():
    import threading

    seen = set()

    class Watches:
        def pre_filter(self, state, pod):
            state.write("mine", [1])

        def filter(self, state, pod, node):
            seen.add(threading.get_ident())

    assert preempting(4, [Watches()]) == preempting(1, [Watches()])
    assert seen == {threading.get_ident()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own():
    before = preempting(3)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if preempting(3) == before else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert preempting(3) == before
