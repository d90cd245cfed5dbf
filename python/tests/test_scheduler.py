"""Scheduler: a scheduler that runs by itself."""

import _thread
import datetime
import threading
import time
from fractions import Fraction

import pytest
from manifests import node, pod

from libsched import (
    ApiClient,
    ApiServer,
    Cancel,
    CancelledError,
    Clock,
    Cluster,
    Framework,
    InvalidError,
    LimitError,
    MisuseError,
    Node,
    Pod,
    Scheduler,
    SchedulerObserver,
    StateError,
)

SECOND = 10**9


def world(frameworks=None, **options):
    clock = Clock.virtual(1000 * SECOND)
    server = ApiServer(clock=clock, keep_calls=True, keep_events=True)
    cluster = Cluster()
    scheduler = Scheduler(frameworks or Framework(), cluster, server, clock=clock, **options)
    return server, scheduler, cluster


def test_pods_are_bound():
    server, scheduler, cluster = world()
    server.create([node("a"), pod("p", cpu=1), pod("q", cpu=1)])
    scheduler.run_for(1)
    assert {one.name: one.node_name for one in server.objects.pods} == {"p": "a", "q": "a"}
    assert [call["verb"] for call in server.take_calls()] == ["bind", "bind"]
    assert [event["reason"] for event in server.take_events()] == ["Scheduled", "Scheduled"]
    assert scheduler.binding_count == 0 and not scheduler.in_cycle
    assert 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 2' in (
        scheduler.metrics_text())


def test_a_pod_without_room_waits_in_the_queue_until_a_node_comes():
    server, scheduler, _ = world()
    server.create(pod("p", cpu=1))
    scheduler.settle()
    server.create(node("tiny", cpu="100m"))
    scheduler.run_for(20)
    (waiting,) = scheduler.queue.list("unschedulable")
    assert waiting.key == "default/p" and waiting.unschedulable_plugins == ("NodeResourcesFit",)
    assert repr(scheduler) == "<Scheduler: 0 active, 1 unschedulable pods>"
    server.create(node("a"))
    scheduler.run_for(20)
    assert server.pod("default", "p").node_name == "a"


def test_faults_are_overcome():
    server, scheduler, _ = world()
    server.add_fault("bind", error="etcd is tired", times=2)
    server.create([node("a"), pod("p")])
    scheduler.run_for(60)
    assert server.pod("default", "p").node_name == "a"
    assert [call.get("error") for call in server.take_calls() if call["verb"] == "bind"] == [
        "etcd is tired", "etcd is tired", None]


class Recording(ApiClient):
    """Keeps the requests; the first binding fails."""

    def __init__(self):
        self.seen = []

    def bind(self, pod, node_name):
        self.seen.append(("bind", pod.name, node_name))
        if len(self.seen) == 1:
            raise RuntimeError("no leader")

    def event(self, pod, type, reason, action, note):
        self.seen.append((reason, pod.name, note))


class Watching(SchedulerObserver):
    def __init__(self):
        self.seen = []

    def popped(self, pod):
        self.seen.append(("popped", pod.name))

    def assumed(self, pod, node_name):
        self.seen.append(("assumed", node_name))

    def bound(self, pod, node_name):
        self.seen.append(("bound", node_name))

    def failed(self, pod, node_name, status):
        self.seen.append(("failed", node_name, status.message))


def test_an_api_client_in_python():
    clock, client, observer = Clock.virtual(), Recording(), Watching()
    scheduler = Scheduler([Framework()], Cluster(), client, clock=clock, observer=observer)
    scheduler.deliver(None, Node(node("a")))
    one = Pod(pod("p"))
    scheduler.deliver(None, one)
    scheduler.run_for(30)
    assert client.seen[0] == ("bind", "p", "a")
    assert client.seen[1][0] == "FailedScheduling" and "no leader" in client.seen[1][2]
    assert client.seen[2] == ("bind", "p", "a") and client.seen[3][0] == "Scheduled"
    assert [seen[0] for seen in observer.seen] == [
        "popped", "assumed", "failed", "popped", "assumed", "bound"]
    assert "no leader" in observer.seen[2][2]
    scheduler.deliver(one, None)
    scheduler.settle()


@pytest.mark.parametrize("is_virtual", [True, False])
def test_client_observer_and_log_cannot_change_the_cluster(is_virtual):
    cluster, tried = Cluster(), {}

    def change(kind):
        for attempt in (cluster.fork, lambda: cluster.add_nodes([Node(node("b"))]),
                        lambda: cluster.edit(["cordon a"])):
            with pytest.raises(MisuseError):
                attempt()
        tried[kind] = tried.get(kind, 0) + 1

    class Client:
        def bind(self, pod, node_name):
            change("bind")

        def patch_pod_status(self, pod, patch):
            change("patch")

        def event(self, *told):
            change("event")

    class Observer:
        def popped(self, pod):
            change("popped")

        def assumed(self, pod, node_name):
            change("assumed")

        def bound(self, pod, node_name):
            change("bound")

        def failed(self, pod, node_name, status):
            change("failed")

    options = {"clock": Clock.virtual()} if is_virtual else {}
    scheduler = Scheduler(Framework(), cluster, Client(), observer=Observer(), verbosity=5,
                          log=lambda record: change("log"), **options)
    scheduler.deliver(None, Node(node("a")))
    scheduler.deliver(None, Pod(pod("small", cpu=1)))
    scheduler.deliver(None, Pod(pod("large", cpu=100)))
    scheduler.settle()
    assert set(tried) == {"bind", "patch", "event", "popped", "assumed", "bound", "failed", "log"}
    cluster.fork()  # afterwards it can be changed
    cluster.revert()


def test_times_beyond_the_range_are_refused():
    _, scheduler, _ = world()
    clock = scheduler.services.clock
    for duration in (1e300, -1e300, 2**70, 10**400, 9.3e9, Fraction(10**400)):
        with pytest.raises(InvalidError, match="292 years"):
            scheduler.run_for(duration)
        with pytest.raises(InvalidError, match="292 years"):
            clock.advance(duration)
    clock = Clock.virtual()
    with pytest.raises(InvalidError, match="2262"):
        clock.advance(9e9)
    with pytest.raises(InvalidError, match="2262"):
        Scheduler(Framework(), Cluster(), clock=clock).run_for(datetime.timedelta(days=250 * 365))
    assert clock.now_ns == 7258118400 * SECOND


def test_what_an_observer_raises_ends_in_the_run():
    class Broken(SchedulerObserver):
        def bound(self, pod, node_name):
            raise KeyError("gone")

    server, scheduler, _ = world(observer=Broken())
    server.create([node("a"), pod("p")])
    with pytest.raises(KeyError, match="gone"):
        scheduler.run_for(1)
    assert server.pod("default", "p").node_name == "a"


def test_wrong_deliveries():
    _, scheduler, _ = world()
    with pytest.raises(InvalidError, match="before or after"):
        scheduler.deliver(None, None)
    with pytest.raises(InvalidError, match="no version of a Node"):
        scheduler.deliver(Pod(pod("p")), Node(node("a")))
    with pytest.raises(InvalidError, match='ties is "upstream", '):
        world(ties="dice")


def test_one_virtual_clock_drives_one_scheduler():
    clock = Clock.virtual()
    first = Scheduler(Framework(), Cluster(), clock=clock)
    with pytest.raises(StateError, match="drives another scheduler"):
        Scheduler(Framework(), Cluster(), clock=clock)
    del first
    Scheduler(Framework(), Cluster(), clock=clock)


def test_runs_step_by_step():
    server, scheduler, _ = world()
    server.create([node("a"), pod("p"), pod("q")])
    with pytest.raises(LimitError):
        scheduler.settle(max_actions=1)
    scheduler.settle(hold=True)
    while scheduler.run_one():
        pass
    assert server.pod("default", "q").node_name == "a"
    assert scheduler.next_due_ns is not None
    scheduler.stop()
    server.create(pod("late"))
    scheduler.run_for(10)
    assert server.pod("default", "late").node_name == ""


def machine(client=None, **options):
    cluster = Cluster()
    scheduler = Scheduler(Framework(), cluster, client, **options)
    scheduler.deliver(None, Node(node("a")))
    return scheduler


def test_the_machines_clock_and_threads_for_bindings():
    class Slow(ApiClient):
        def __init__(self):
            self.lock, self.now, self.most, self.done = threading.Lock(), 0, 0, 0

        def bind(self, pod, node_name):
            with self.lock:
                self.now += 1
                self.most = max(self.most, self.now)
            time.sleep(0.05)
            with self.lock:
                self.now -= 1
                self.done += 1

    client = Slow()
    scheduler = machine(client, binding_threads=4)
    for i in range(8):
        scheduler.deliver(None, Pod(pod(f"p{i}")))
    for _ in range(100):
        scheduler.run_for(0.05)
        if client.done == 8:
            break
    scheduler.stop()
    assert client.done == 8 and client.most > 1


def test_a_run_is_cancelled_or_interrupted():
    scheduler = machine()
    cancel = Cancel()
    threading.Timer(0.1, cancel.set).start()
    begin = time.monotonic()
    with pytest.raises(CancelledError):
        scheduler.run_for(3600, cancel)
    threading.Timer(0.1, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        scheduler.run_for(3600)
    assert time.monotonic() - begin < 60


def test_a_run_on_a_virtual_clock_is_cancelled_or_interrupted():
    # Every minute the pod is tried again, for years.
    server, scheduler, _ = world(max_in_unschedulable=60)
    server.create([node("a", cpu=1)] + [pod(f"p{i}", cpu=5) for i in range(20)])
    years = 1e9
    cancel = Cancel()
    threading.Timer(0.1, cancel.set).start()
    begin = time.monotonic()
    with pytest.raises(CancelledError):
        scheduler.run_for(years, cancel)
    with pytest.raises(CancelledError):
        scheduler.run_for(years, cancel)
    threading.Timer(0.1, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        scheduler.run_for(years)
    assert time.monotonic() - begin < 5
    # It goes on where it was; without a slice's end another thread runs as well.
    now = scheduler.services.clock.now_ns
    runner = threading.Thread(target=lambda: scheduler.run_for(600))
    runner.start()
    runner.join()
    assert scheduler.services.clock.now_ns >= now + 600 * SECOND


def test_a_clock_in_python():
    # A minute of this clock is a millisecond of the machine's.
    begin = time.monotonic_ns()
    clock = Clock.custom(lambda: 1000 * SECOND + (time.monotonic_ns() - begin) * 60_000,
                         lambda deadline_ns: 1_000_000)
    assert clock.now_ns >= 1000 * SECOND
    with pytest.raises(StateError, match="cannot be moved"):
        clock.advance(1)
    server = ApiServer(clock=clock)
    server.create([node("a"), pod("p")])
    server.add_fault("bind", error="later", times=1)
    scheduler = Scheduler(Framework(), Cluster(), server, clock=clock)
    scheduler.run_for(600)  # the backoff passes in milliseconds
    assert server.pod("default", "p").node_name == "a"


def test_a_broken_clock_stands_still(monkeypatch):
    told = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: told.append(unraisable.exc_value))
    times = iter([5, 7, 6])
    clock = Clock.custom(lambda: next(times))
    assert [clock.now_ns for _ in range(4)] == [5, 7, 7, 7]
    assert isinstance(told[0], StopIteration)


def test_the_log_has_the_lines_of_kube_scheduler():
    lines = []
    server, scheduler, _ = world(log=lines.append)
    server.create([node("a", cpu=1), pod("low", cpu=1)])
    scheduler.settle()
    server.create(pod("big", cpu=5))
    scheduler.settle()
    first, *others = map(str, lines)
    assert first == ('"Successfully bound pod to node" pod="default/low" node="a" '
                     'evaluatedNodes="1" feasibleNodes="1"')
    assert [one.level for one in lines] == [2] * len(lines) and not any(one.error for one in lines)
    assert lines[0].time_ns >= 1000 * SECOND and lines[0].fields["pod"] == "default/low"
    assert others[0] == ('"No preemption candidate is found; preemption is not helpful for '
                         'scheduling" pod="default/big"')
    assert others[1].startswith(
        '"Unable to schedule pod; no fit; waiting" pod="default/big" err="0/1 nodes are available')


def test_the_log_tells_of_preemption():
    lines = []
    server, scheduler, _ = world(log=lines.append)
    server.create([node("a", cpu=1), pod("low", cpu=1)])
    scheduler.settle()
    del lines[:]
    high = pod("high", cpu=1)
    high["spec"]["priority"] = 9
    server.create(high)
    scheduler.settle()
    assert [line.message for line in lines] == [
        "the target node for the preemption is determined",
        "Unable to schedule pod; no fit; waiting",
        "Start the preemption asynchronously",
        "Preemptor Pod preempted victim Pod",
        "Async Preemption finished completely",
        "Successfully bound pod to node",
    ]
    (done,) = [line for line in lines if line.message == "Preemptor Pod preempted victim Pod"]
    assert dict(done.fields) == {"preemptor": "default/high", "victim": "default/low", "node": "a"}
    assert list(done.fields) == ["preemptor", "victim", "node"]


def test_what_the_log_raises_ends_in_the_run():
    def fail(_line):
        raise KeyError("mine")

    server, scheduler, _ = world(log=fail, verbosity=3)
    server.create(node("a"))
    with pytest.raises(KeyError, match="mine"):
        scheduler.settle()
    with pytest.raises(InvalidError, match="-1"):
        world(log=fail, verbosity=-1)
