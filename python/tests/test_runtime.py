"""The extension points from PostFilter on, nominated and waiting pods, clocks and API clients."""

import datetime
import threading

import pytest

import libsched
from libsched import Code, CycleState, Nomination, NominatingMode, Services
from manifests import node, pod


@pytest.fixture
def nodes():
    return libsched.Cluster([node("a"), node("b")])


class Binding:
    """Records what it is asked, and answers by a table."""

    def __init__(self, answers=()):
        self.answers = dict(answers)
        self.calls = []

    def _said(self, what, node):
        self.calls.append((what, node))
        return self.answers.get(what)

    def reserve(self, state, pod, node):
        return self._said("reserve", node)

    def unreserve(self, state, pod, node):
        self._said("unreserve", node)

    def permit(self, state, pod, node):
        return self._said("permit", node)

    def pre_bind_pre_flight(self, state, pod, node):
        return self._said("pre_bind_pre_flight", node)

    def pre_bind(self, state, pod, node):
        return self._said("pre_bind", node)

    def post_bind(self, state, pod, node):
        self._said("post_bind", node)


def test_a_pod_goes_all_the_way(nodes):
    plugin = Binding()
    scheduler = libsched.Framework(plugins=[plugin])
    one, state = libsched.Pod(pod("p")), CycleState()
    chosen = scheduler.cycle(nodes, one, state=state).node
    assert scheduler.run_reserve_plugins_reserve(state, nodes, one, chosen).is_success
    waits, status = scheduler.run_permit_plugins(state, nodes, one, chosen)
    assert waits == {} and status.is_success
    assert scheduler.wait_on_permit(nodes, one).is_success
    scheduler.run_pre_bind_pre_flights(state, nodes, one, chosen)
    assert scheduler.run_pre_bind_plugins(state, nodes, one, chosen).is_success
    assert scheduler.run_bind_plugins(state, nodes, one, chosen).is_success
    scheduler.run_post_bind_plugins(state, nodes, one, chosen)
    assert [what for what, _ in plugin.calls] == [
        "reserve", "permit", "pre_bind_pre_flight", "pre_bind", "post_bind"]
    assert [request["verb"] for request in nodes.services.requests] == ["bind"]
    nodes.services.deliver(nodes)
    assert nodes.node_of(one) == chosen
    assert nodes.services.requests == []


def test_a_refused_reservation_is_taken_back(nodes):
    plugin = Binding({"reserve": "full"})
    scheduler = libsched.Framework(plugins=[plugin])
    status = scheduler.assume(nodes, libsched.Pod(pod("p")), "a")
    assert status.reasons == ("full",) and [what for what, _ in plugin.calls] == [
        "reserve", "unreserve"]
    assert len(nodes.pods) == 0


def test_a_waiting_pod_is_allowed_by_another_thread(nodes):
    services = Services(libsched.Clock.system())
    plugin = Binding({"permit": (Code.WAIT, datetime.timedelta(minutes=5))})
    scheduler = libsched.Framework(plugins=[plugin], services=services)
    one = libsched.Pod(pod("p"))
    waits, status = scheduler.run_permit_plugins(CycleState(), nodes, one, "a")
    assert status.is_wait and waits == {"Binding": 300}
    services.add_waiting_pod(one, waits)
    waiting = services.waiting_pod(one)
    assert waiting.pending_plugins == ["Binding"] and waiting.decision is None
    assert [found.pod.key for found in services.waiting_pods] == ["default/p"]
    threading.Timer(0.05, waiting.allow, ["Binding"]).start()
    assert scheduler.wait_on_permit(nodes, one).is_success


def test_a_waiting_pod_runs_out_of_virtual_time(nodes):
    clock = libsched.Clock.virtual()
    began = clock.now_ns
    scheduler = libsched.Framework(plugins=[Binding({"permit": (Code.WAIT, 90)})],
                                   services=Services(clock))
    one = libsched.Pod(pod("p"))
    waits, _ = scheduler.run_permit_plugins(CycleState(), nodes, one, "a")
    scheduler._services.add_waiting_pod(one, waits)
    status = scheduler.wait_on_permit(nodes, one)
    assert status.code is Code.UNSCHEDULABLE and "1m30s" in status.message
    assert clock.now_ns - began == 90 * 10**9


def test_a_waiting_pod_is_rejected(nodes):
    services = nodes.services
    one = libsched.Pod(pod("p"))
    with pytest.raises(libsched.InvalidError, match="at least one plugin"):
        services.add_waiting_pod(one, {})
    services.add_waiting_pod(one, {"A": 60, "B": 60})
    waiting = services.waiting_pod(one)
    assert waiting.reject("A", "no")
    assert not waiting.reject("B", "no")
    assert waiting.decision.reasons[0].endswith("no")


def test_a_client_in_python_and_its_errors(nodes):
    asked = []

    class Api:
        def bind(self, pod, node):
            asked.append((pod.key, node))
            if node == "b":
                raise ConnectionError("no route")

    scheduler = libsched.Framework(services=Services(api=Api()))
    one = libsched.Pod(pod("p"))
    assert scheduler.run_bind_plugins(CycleState(), nodes, one, "a").is_success
    status = scheduler.run_bind_plugins(CycleState(), nodes, one, "b")
    assert status.is_error and "no route" in status.message
    assert asked == [("default/p", "a"), ("default/p", "b")]
    with pytest.raises(libsched.StateError):
        scheduler._services.requests  # noqa: B018


def test_post_filter_makes_room(nodes):
    seen = {}

    class Room:
        def post_filter(self, state, pod, statuses):
            seen.update({name: statuses[name] for name in state.view.nodes})
            return Nomination("b"), None

    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"plugins": {"postFilter": {
                  "enabled": [{"name": "Room"}], "disabled": [{"name": "*"}]}}}]}
    scheduler = libsched.Framework(config, plugins=[Room])
    big, state = libsched.Pod(pod("big", cpu="64")), CycleState()
    scheduler.run_pre_filter_plugins(state, nodes, big)
    fit = scheduler.fit(nodes, big)
    wish, status = scheduler.run_post_filter_plugins(state, nodes, big, fit)
    assert status.is_success and wish == Nomination("b", NominatingMode.OVERRIDE)
    assert seen["a"].reasons == ("Insufficient cpu",)


def test_less_orders_the_queue(nodes):
    class ByName:
        def less(self, a, b):
            return a.pod.name < b.pod.name

    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"plugins": {"queueSort": {
                  "enabled": [{"name": "ByName"}], "disabled": [{"name": "*"}]}}}]}
    scheduler = libsched.Framework(config, plugins=[ByName])
    a, b = libsched.Pod(pod("a")), libsched.Pod(pod("b"))
    assert scheduler.queue_less(a, 2, b, 1) and not scheduler.queue_less(b, 1, a, 2)


def test_several_queue_sorts():
    class ByName:
        def less(self, a, b):
            return a.pod.name < b.pod.name

    listed = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"plugins": {"queueSort": {
                  "disabled": [{"name": "*"}],
                  "enabled": [{"name": "PrioritySort"}, {"name": "ByName"}]}}}]}
    upstreams = r"profiles\[0\].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort"
    with pytest.raises(libsched.InvalidError, match=upstreams):
        libsched.Config(listed)
    with pytest.raises(libsched.InvalidError, match=upstreams):
        libsched.Framework(listed, plugins=[ByName])
    config = libsched.Config(listed, several_queue_sorts=True)
    for scheduler in (libsched.Framework(listed, plugins=[ByName], several_queue_sorts=True),
                      libsched.Framework(config, plugins=[ByName])):
        assert [name for name, _ in scheduler.plugins["queueSort"]] == ["PrioritySort", "ByName"]
        a, b = libsched.Pod(pod("a")), libsched.Pod(pod("b"))
        assert scheduler.queue_less(a, 1, b, 1) and not scheduler.queue_less(b, 1, a, 1)
        assert scheduler.queue_less(b, 1, a, 2)


def test_pods_are_signed():
    class Signed:
        def filter(self, state, pod, node):
            return None

        def sign_pod(self, pod):
            return {"team": pod.label("team"), "more": {"b": 1, "a": [True]}}

    cluster = libsched.Cluster(node("a"))
    red, red_too, blue = (libsched.Pod(pod(name)).replace(labels={"team": team})
                          for name, team in (("p", "red"), ("q", "red"), ("r", "blue")))
    # The spread constraints that the default profile adds cannot be signed.
    assert libsched.Framework(plugins=[Signed]).sign_pod(cluster, red) is None
    scheduler = libsched.Framework({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
            {"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultingType": "List"}}]}]}, plugins=[Signed])
    signature = scheduler.sign_pod(cluster, red)
    assert '"more":{"a":[true],"b":1},"team":"red"' in signature
    assert scheduler.sign_pod(cluster, red_too) == signature != scheduler.sign_pod(cluster, blue)


def test_events_are_registered_with_upstreams_numbers():
    class Events:
        def filter(self, state, pod, node):
            return None

        def events_to_register(self):
            return [("Node", libsched.Action.ADD), "Pod"]

    events = libsched.Framework(plugins=[Events]).events["Events"]
    assert [event.resource for event in events][:1] == ["Node"]
    assert events[0].actions & libsched.Action.ADD


def test_a_plugin_hears_of_objects_and_forks(nodes):
    heard = []

    class Hear:
        def filter(self, state, pod, node):
            return None

        def on_event(self, change, handle):
            heard.append((change.resource, change.name, change.is_new, change.is_gone,
                          handle.view is nodes, change.actions))

        def forked(self, view):
            heard.append("forked")

        def reverted(self, view):
            heard.append("reverted")

    scheduler = libsched.Framework(plugins=[Hear])
    scheduler.fit(nodes, pod("p"))
    nodes.add_nodes(node("c"))
    with nodes.fork():
        nodes.add_nodes(node("d"))
    added = ("Node", "c", True, False, True, libsched.Action.ADD)
    assert heard == [added, "forked", "reverted"]
    heard.clear()
    changed = node("c", labels={"zone": "1"})
    changed["metadata"]["annotations"] = {"a": "b"}
    nodes.apply(changed)
    nodes.apply(changed | {"status": changed["status"] | {"phase": "Running"}})
    nodes.remove_node("c")
    update = libsched.Action.UPDATE_NODE_LABEL | libsched.Action.UPDATE_NODE_ANNOTATION
    assert [entry[-1] for entry in heard] == [update, libsched.Action(0), libsched.Action.DELETE]


def test_update_and_remove_are_heard_unless_a_fork_is_open(nodes):
    heard = []

    class Hear:
        def filter(self, state, pod, node):
            return None

        def on_event(self, change, handle):
            heard.append((change.name, change.is_gone, len(nodes)))

        def forked(self, view):
            heard.append("forked")

    scheduler = libsched.Framework(plugins=[Hear])
    scheduler.fit(nodes, pod("p"))
    new = [libsched.Node(node(name)) for name in ("c", "d")]
    there = len(nodes)
    nodes.update(*new)
    with pytest.raises(libsched.NotFoundError):
        nodes.remove(new[0], libsched.Node(node("nowhere")))
    assert heard == [("c", False, there + 2), ("d", False, there + 2)] and "c" in nodes.nodes
    heard.clear()
    with nodes.fork() as fork:
        nodes.remove(*new)
        assert "c" not in nodes.nodes
        with pytest.raises(libsched.NotFoundError):
            nodes.remove(libsched.Node(node("a")), new[0])
        assert "a" in nodes.nodes
        fork.revert()
    assert heard == ["forked"]
    nodes.remove(*new)
    assert heard == ["forked", ("c", True, there), ("d", True, there)]


def test_preemption_knows_nodes_that_nobody_has_asked_about_before():
    low = pod("low", cpu="3", node_name="b", priority=1)
    cluster = libsched.Cluster([node("a", cpu="1"), node("b"), low])
    urgent, state = libsched.Pod(pod("urgent", cpu="2", priority=10)), CycleState()
    scheduler = libsched.Framework()
    scheduler.run_pre_filter_plugins(state, cluster, urgent)
    full = libsched.Status(Code.UNSCHEDULABLE, "Insufficient cpu")
    wish, status = scheduler.run_post_filter_plugins(
        state, cluster, urgent, {"a": full, "b": full})
    assert status.is_success and wish == Nomination("b", NominatingMode.OVERRIDE)
