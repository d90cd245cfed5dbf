"""First fit and placing many pods, as a library."""

import pytest

import libsched
from manifests import GATED, deployment, node, pod


def outcomes(placements):
    return [(one.pod.name, one.outcome, one.node) for one in placements]


def test_first_fit_goes_round(cluster, scheduler):
    wanted = libsched.Pod(pod("p", cpu="1"))
    first = scheduler.first_fit(cluster, wanted)
    assert first and first.node in ("a", "b") and first.status.is_success
    assert cluster.row(first.node) == first.row
    second = scheduler.first_fit(cluster, wanted, start=first.position + 1)
    assert {first.node, second.node} == {"a", "b"}
    again = scheduler.first_fit(cluster.snapshot(), wanted, start=second.position + 1)
    assert (again.node, again.position) == (first.node, first.position)


def test_first_fit_among_the_accepted(cluster, scheduler):
    state = libsched.CycleState()
    wanted = libsched.Pod(pod("p", cpu="1"))
    assert scheduler.first_fit(cluster, wanted, accept=["b"], state=state).node == "b"
    assert sorted(scheduler.filter_nodes(state, cluster, wanted)) == ["a", "b"]
    none = scheduler.first_fit(cluster, wanted, accept=["c"])
    assert not none and none.node is None and none.row is None
    assert none.status == libsched.Status(libsched.Code.UNSCHEDULABLE)
    with pytest.raises(libsched.InvalidError):
        scheduler.first_fit(cluster, wanted, start=-1)
    with pytest.raises(libsched.DeadlineExceeded):
        scheduler.first_fit(cluster, wanted, timeout=0)


def test_each_pod_sees_those_before_it(cluster, scheduler):
    placements = scheduler.schedule(cluster, [pod("x", cpu="5"), pod("y", cpu="3"), pod("z", cpu="2"),
                                              pod("g", **GATED), pod("busy")])
    assert outcomes(placements) == [
        ("x", "placed", "b"), ("y", "placed", "b"), ("z", "unschedulable", ""),
        ("g", "gated", ""), ("busy", "kept", "a")]
    assert [bool(one) for one in placements] == [True, True, False, False, True]
    assert placements[0].score is None and placements[0].feasible == 1
    assert placements[2].text.startswith("0/3 nodes are available: ")
    assert placements[3].plugin == "SchedulingGates"
    assert placements[0].profile == "default-scheduler" and placements[4].profile == ""
    assert cluster.node_of("default/y") == "b" and "default/z" not in cluster.pods


def test_many_pods_in_one_call_come_back_in_their_order(scheduler):
    nodes = libsched.Cluster([node(f"n{i}", cpu="1k", memory="1Ti", pods=200) for i in range(3)])
    names = [f"p{i}" for i in range(600)]
    every = [pod(name, cpu="5k" if name == "p520" else "1m") for name in names]
    placements = scheduler.schedule(nodes.clone(), every)
    assert [one.pod.name for one in placements] == names
    assert [one.pod.name for one in placements if not one] == ["p520"]
    stopped = scheduler.schedule(nodes.clone(), every, stop_at_failure=True)
    assert [one.pod.name for one in stopped] == names[:521]
    seen = []
    scheduler.schedule(nodes, every, placed=lambda one: seen.append(one.pod.name) or len(seen) < 300)
    assert seen == names[:300] and len(nodes.pods) == 300


def test_replicas_are_made_one_by_one(cluster, scheduler):
    web = libsched.Objects(deployment("web", 2_000_000_000, cpu="3"))
    placements = scheduler.schedule(cluster, web)
    assert [(one.outcome, one.node, one.count) for one in placements] == [
        ("placed", "b", 1), ("placed", "b", 1), ("unschedulable", "", 1_999_999_998)]
    assert len({one.pod.name for one in placements}) == 3
    assert all(one.pod.name.startswith("web-") for one in placements)


def test_inside_a_fork_nothing_stays(cluster, scheduler):
    with cluster.fork():
        assert scheduler.schedule(cluster, pod("x"))[0].outcome == "placed"
    assert "default/x" not in cluster.pods


def test_it_stops_at_a_failure_or_when_it_is_told_to(cluster, scheduler):
    pods = [pod("x", cpu="64"), pod("y")]
    assert outcomes(scheduler.schedule(cluster, pods, stop_at_failure=True)) == [
        ("x", "unschedulable", "")]
    seen = []

    def placed(one):
        seen.append((one.pod.name, len(cluster.pods)))
        return len(seen) < 2

    scheduler.schedule(cluster, [pod("p"), pod("q"), pod("r")], placed=placed)
    assert seen == [("p", 2), ("q", 3)] and len(cluster.pods) == 3


def test_what_a_callback_raises_ends_it(cluster, scheduler):
    def placed(one):
        raise KeyError(one.pod.name)

    with pytest.raises(KeyError, match="p"):
        scheduler.schedule(cluster, [pod("p"), pod("q")], placed=placed)
    assert "default/p" in cluster.pods and "default/q" not in cluster.pods

    def change(one):
        cluster.remove_pod(one.pod.key)

    with pytest.raises(libsched.MisuseError):
        scheduler.schedule(cluster, pod("z"), placed=change)


def test_profiles_by_name(cluster):
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"schedulerName": "one"}, {"schedulerName": "two"}]}
    frameworks = [libsched.Framework(config, profile=name) for name in ("one", "two")]
    pods = [pod("a", schedulerName="one"), pod("b", schedulerName="two"), pod("c", schedulerName="x")]
    placements = libsched.schedule(cluster, pods, frameworks)
    assert [(one.outcome, one.profile) for one in placements] == [
        ("placed", "one"), ("placed", "two"), ("error", "")]
    assert placements[2].text == 'there is no profile "x"'
    assert libsched.schedule(cluster, pods[2:], frameworks, other_profile="two")[0].profile == "two"
    with pytest.raises(libsched.MisuseError):
        libsched.schedule(cluster, pods, [])
    with pytest.raises(libsched.MisuseError):
        libsched.schedule(cluster, pods, [frameworks[0], frameworks[0]])


def test_the_same_seed_gives_the_same_places(scheduler):
    cluster = libsched.Cluster(node(f"n{index}") for index in range(20))
    pods = [libsched.Pod(pod(f"p{index}")) for index in range(6)]

    def places(seed):
        with cluster.fork():
            return outcomes(scheduler.schedule(cluster, pods, ties="random", seed=seed))

    assert places(1) == places(1) != places(2)


def test_a_plugin_that_refuses_and_one_that_raises(cluster):
    @libsched.plugin
    class Refuses:
        def reserve(self, state, pod, node):
            if pod.name == "no":
                return libsched.Status.unschedulable("not today")
            if pod.name == "broken":
                raise ValueError("broke")
            return None

    framework = libsched.Framework(plugins=[Refuses])
    placements = framework.schedule(cluster, [pod("no"), pod("yes")])
    assert outcomes(placements)[0] == ("no", "refused", "")
    assert placements[0].text == "not today" and placements[0].plugin == "Refuses"
    assert placements[1].outcome == "placed"


def test_wrong_arguments(cluster, scheduler):
    with pytest.raises(libsched.InvalidError, match="ties"):
        scheduler.schedule(cluster, pod("p"), ties="last")
    with pytest.raises(libsched.InvalidError, match="seed"):
        scheduler.schedule(cluster, pod("p"), seed=-1)
    with pytest.raises(libsched.DeadlineExceeded):
        scheduler.schedule(cluster, pod("p"), timeout=0)
    cancel = libsched.Cancel()
    cancel.set()
    with pytest.raises(libsched.CancelledError):
        scheduler.schedule(cluster, pod("p"), cancel=cancel)
    with pytest.raises(libsched.CancelledError):
        scheduler.first_fit(cluster, pod("p"), cancel=cancel)
    assert "default/p" not in cluster.pods


@pytest.mark.parametrize("wrong,message", [
    ({"ties": "dice"}, 'ties is "upstream", "name" or "random", not \'dice\''),
    ({"seed": -1}, r"seed is a number from 0 to 2\*\*64 - 1, not -1"),
    ({"seed": 1 << 64}, "not 18446744073709551616"),
])
def test_every_call_checks_ties_and_seed(cluster, scheduler, wrong, message):
    one = libsched.Pod(pod("p"))
    writer = libsched.WriterQueue()
    for call in (
            lambda: scheduler.cycle(cluster, one, **wrong),
            lambda: scheduler.schedule(cluster, one, **wrong),
            lambda: scheduler.capacity(cluster, one, **wrong),
            lambda: scheduler.drain(cluster, [], **wrong),
            lambda: libsched.compare(cluster, cluster, [one], [scheduler], **wrong),
            lambda: libsched.schedule_one(cluster, one, [scheduler], writer, **wrong),
            lambda: libsched.Scheduler(scheduler, cluster, **wrong),
            lambda: libsched.Simulation(cluster, libsched.TimedWorkload(), scheduler, **wrong)):
        with pytest.raises(libsched.InvalidError, match=message):
            call()


def test_a_bare_profile_without_a_name(cluster):
    profile = libsched.Config.of_profile({"schedulerName": "", "plugins": {
        "queueSort": {"enabled": [{"name": "PrioritySort"}]}, "bind": {"enabled": [{"name": "DefaultBinder"}]}}})
    scheduler = libsched.Framework(profile)
    assert scheduler.profile == ""
    placed, = scheduler.schedule(cluster, pod("x"))
    assert placed.outcome == "placed"
    attempt = libsched.schedule_one(cluster, libsched.Pod(pod("y")), [scheduler], libsched.WriterQueue())
    assert attempt.stage == "assumed"
    with pytest.raises(libsched.NotFoundError, match='no profile "default-scheduler"'):
        libsched.schedule_one(cluster, libsched.Pod(pod("z")), [libsched.Framework(
            {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
             "profiles": [{"schedulerName": "two"}]})], libsched.WriterQueue())


def test_plugins_see_placed_pods_with_their_node_name(scheduler):
    """In a node's pods, in PreFilter's extensions, in snapshots, and after a revert elsewhere."""
    cluster = libsched.Cluster([node("n1", cpu="2")])
    seen = set()

    class Looks:
        def pre_filter(self, state, pod):
            return None

        def filter(self, state, pod, node_info):
            seen.update(("filter", there.name, there.node_name) for there in node_info.pods)

        def add_pod(self, state, pod, other, node_info):
            seen.add(("add_pod", other.name, other.node_name))

        def remove_pod(self, state, pod, other, node_info):
            seen.add(("remove_pod", other.name, other.node_name))

    low = libsched.Pod(pod("low", cpu="2", priority=1))
    with cluster.fork():
        assert scheduler.schedule(cluster, low)[0].node == "n1"
        assert cluster.pods["default/low"].node_name == "n1"
    cluster.remove_node("n1")
    cluster.add_nodes([node("n2", cpu="2")])
    assert scheduler.schedule(cluster, low)[0].node == "n2"
    assert low.node_name == "" and cluster.pods["default/low"].node_name == "n2"
    assert cluster.snapshot().pods["default/low"].node_name == "n2"
    assert cluster.clone().pods["default/low"].node_name == "n2"
    looking = libsched.Framework(plugins=[Looks()])
    high = libsched.Pod(pod("high", cpu="1", priority=9))
    wanted = looking.fit(cluster, high, post_filter=True)
    assert wanted.preemption["victims"] == ["default/low"]
    assert {name for _, name, _ in seen} == {"low"} and {where for *_, where in seen} == {"n2"}
    assert "remove_pod" in {point for point, *_ in seen}
