"""The scheduling queue."""

import pytest
from manifests import node, pod

import libsched
from libsched import (
    Action,
    Clock,
    Cluster,
    ExistsError,
    Framework,
    InvalidError,
    MisuseError,
    Objects,
    Plugin,
    PluginError,
    Pod,
    Queue,
    Services,
    StateError,
)

SECOND = 10**9


def queue_of(clock=None, **options):
    cluster = Cluster([node("a")])
    services = Services(clock=clock or Clock.virtual(1000 * SECOND + 300_000_000))
    return Queue(cluster, [Framework(services=services)], **options), services


def keys(queue, part):
    return [one.key for one in queue.list(part)]


def test_a_pods_way_through_the_queue():
    clock = Clock.virtual(1000 * SECOND + 300_000_000)
    queue, _ = queue_of(clock)
    first = Pod(pod("first"))
    queue.add(first)
    popped = queue.pop()
    assert popped.pod == first and popped.attempts == 1
    assert popped.timestamp_ns == popped.initial_attempt_ns == clock.now_ns
    assert popped.backoff_expiration_ns is None and popped.gating_plugin == ""
    assert [one.key for one in queue.in_flight()] == ["default/first"]
    assert queue.pop() is None
    queue.add_unschedulable(popped, unschedulable=["NodeResourcesFit"], pending=["Waits"])
    assert keys(queue, "unschedulable") == ["default/first"]
    assert popped.unschedulable_plugins == ("NodeResourcesFit",)
    assert popped.pending_plugins == ("Waits",)
    assert popped.unschedulable_count == 1 and popped.consecutive_errors_count == 0
    with pytest.raises(ExistsError, match="Pod default/first is already present in unschedulable"):
        queue.add_unschedulable(popped)
    new = libsched.Node(node("b"))
    queue.move_all("Node", Action.ADD, new=new, max_priority=-1)
    queue.move_all("Node", Action.ADD, new=new, except_pod=first)
    assert queue.counts.unschedulable == 1
    queue.move_all("Node", Action.ADD, new=Objects(node("b")))
    assert keys(queue, "backoff") == ["default/first"]
    assert popped.backoff_expiration_ns == 1001 * SECOND
    queue.run()
    with pytest.raises(StateError):
        queue.run()
    while (due := queue.next_due()) <= 1002 * SECOND:
        clock.advance_to(due)
        queue.run_due()
    assert keys(queue, "active") == ["default/first"]
    assert {"queue": "active", "event": "BackoffComplete", "count": 1} in queue.metrics()["incoming"]
    assert repr(queue) == "<Queue: 1 active, 0 backing off, 0 waiting>"
    queue.close()
    assert queue.counts.closed and queue.next_due() is None


def test_updates_nominations_and_activation():
    queue, services = queue_of()
    before = Pod({**pod("p"), "status": {"nominatedNodeName": "a"}})
    after = Pod(pod("p"))
    queue.update(before, before)
    assert queue.nominated() == {"a": [before]}
    popped = queue.pop_specific(before)
    queue.update(before, after)
    queue.activate([after])
    assert queue.in_flight() == [before, "TargetPodUpdate", "ForceActivate"]
    queue.add_unschedulable(popped, pod=after, unschedulable=["X"])
    assert popped.pod == after and keys(queue, "backoff") == ["default/p"]
    queue.delete(after)
    assert queue.counts.backoff == 0 and queue.nominated() == {}
    queue.done("unknown")
    queue.done(after)
    queue.flush_backoff()
    queue.flush_unschedulable()
    queue.assigned_pod_added(Pod(pod("x")))
    queue.assigned_pod_updated(before, after)
    queue.node_updated(libsched.Node(node("a")), libsched.Node(node("a")))


def test_a_hint_that_raises_counts_as_queue_and_its_exception_comes_at_the_end():
    class Raising(Plugin):
        name = "Raising"

        def filter(self, state, pod, node):
            return None

        def events_to_register(self):
            return [("Node", Action.ADD)]

        def queueing_hint(self, event, pod, change):
            with pytest.raises(MisuseError):
                made[0].add(pod)
            raise ValueError("no idea")

        def pre_enqueue(self, pod):
            return None

    made = []
    services = Services(clock=Clock.virtual(1000 * SECOND))
    framework = Framework(plugins=[Raising], services=services)
    queue = Queue(Cluster(), [framework])
    made.append(queue)
    for name in "ab":
        queue.add(Pod(pod(name)))
        queue.add_unschedulable(queue.pop(), unschedulable=["Raising"])
    with pytest.raises(PluginError) as raised:
        queue.move_all("Node", Action.ADD)
    assert isinstance(raised.value.__cause__, ValueError)
    assert keys(queue, "backoff") == ["default/a", "default/b"]


def test_what_is_refused():
    queue, services = queue_of()
    with pytest.raises(InvalidError):
        queue.list("nowhere")
    with pytest.raises(InvalidError):
        queue.move_all("Node", Action.ADD, new=Objects([node("a"), node("b")]))
    with pytest.raises(MisuseError):
        queue.update(Pod(pod("a")), Pod(pod("b")))
    with pytest.raises(MisuseError, match="^frameworks is empty"):
        Queue(Cluster(), [])
    with pytest.raises(InvalidError, match="negative"):
        queue_of(max_backoff=-1.0)
    with pytest.raises(TypeError):
        libsched.QueuedPod()
