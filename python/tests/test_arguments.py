"""Arguments of a wrong type: the error is a TypeError of libsched that names the argument."""

import datetime

import pytest

import libsched
from manifests import node, pod

CASES = {
    "timeout": lambda s: s.framework.fit(s.cluster, s.pod, timeout="x"),
    "timeout ": lambda s: s.framework.schedule(s.cluster.clone(), s.pod, timeout=[1]),
    "cancel": lambda s: s.framework.fit(s.cluster, s.pod, cancel=True),
    "node": lambda s: s.framework.fit(s.cluster, s.pod, 7),
    "seed": lambda s: s.framework.cycle(s.cluster, s.pod, seed=1.5),
    "seed ": lambda s: s.framework.capacity(s.cluster, s.pod, seed="1"),
    "max": lambda s: s.framework.capacity(s.cluster, s.pod, max="1"),
    "state": lambda s: s.framework.run_pre_filter_plugins(None, s.cluster, s.pod),
    "pod": lambda s: s.framework.run_filter_plugins(libsched.CycleState(), s.cluster, "p", "a"),
    "limit": lambda s: s.framework.filter_nodes(s.state, s.cluster, s.pod, limit="1"),
    "accept": lambda s: s.framework.filter_nodes(s.state, s.cluster, s.pod, accept=5),
    "start": lambda s: s.framework.first_fit(s.cluster, s.pod, start="1"),
    "nodes": lambda s: s.framework.drain(s.cluster, 5),
    "nodes[0]": lambda s: s.framework.drain(s.cluster, [5]),
    "max_nodes": lambda s: s.framework.why(s.cluster, s.pod, max_nodes="1"),
    "extender_calls": lambda s: s.framework.fit_each(s.cluster, [s.pod], extender_calls="1"),
    "parallelism": lambda s: libsched.Framework(parallelism="2"),
    "plugins": lambda s: libsched.Framework(plugins="a.so"),
    "profile": lambda s: libsched.Framework(profile=5),
    "skip_unknown_plugins": lambda s: libsched.Framework(skip_unknown_plugins="no"),
    "labels": lambda s: s.pod.replace(labels=5),
    "labels['a']": lambda s: s.pod.replace(labels={"a": 5}),
    "a key of labels": lambda s: s.node.replace(labels={5: "a"}),
    "requests": lambda s: s.pod.replace(requests=["cpu"]),
    "priority": lambda s: s.pod.replace(priority="high"),
    "tolerations": lambda s: s.pod.replace(tolerations=5),
    "tolerations[0]": lambda s: s.pod.replace(tolerations=["x"]),
    "affinity": lambda s: s.pod.replace(affinity=[]),
    "name": lambda s: s.pod.copy(name=5),
    "taints": lambda s: s.node.replace(taints="a:NoSchedule"),
    "allocatable": lambda s: s.node.replace(allocatable=5),
    "unschedulable": lambda s: s.node.replace(unschedulable="no"),
    "edits": lambda s: s.cluster.edit(5),
    "edits[0]": lambda s: s.cluster.edit([5]),
    "pods[0]": lambda s: s.cluster.edit("cordon a", ["p"]),
    "strict": lambda s: libsched.Pod(pod(), strict="yes"),
    "max_decompressed_bytes": lambda s: libsched.Objects(pod(), max_decompressed_bytes="1"),
    "classes": lambda s: libsched.Objects(pod(), classes=5),
    "clock": lambda s: libsched.Services(clock=5),
    "fault_seed": lambda s: libsched.ApiServer(fault_seed="x"),
    "slow_rate": lambda s: libsched.ApiServer(slow_rate="x"),
    "frameworks": lambda s: libsched.Scheduler(5, s.cluster),
    "cluster": lambda s: libsched.Scheduler([s.framework], 5),
}


class World:
    """What the calls need."""

    def __init__(self):
        self.cluster = libsched.Cluster([node("a")])
        self.framework = libsched.Framework()
        self.pod = libsched.Pod(pod())
        self.node = libsched.Node(node("a"))
        self.state = libsched.CycleState()
        self.framework.run_pre_filter_plugins(self.state, self.cluster, self.pod)


@pytest.mark.parametrize("name", CASES)
def test_the_argument_is_named(name):
    with pytest.raises(libsched.MisuseError) as caught:
        CASES[name](World())
    assert isinstance(caught.value, TypeError)
    assert caught.value.message.startswith(f"{name.strip()} is "), caught.value


@pytest.mark.parametrize("name, call", [
    ("grace", lambda wrong: libsched.ApiServer(grace=wrong)),
    ("duration", lambda wrong: libsched.Clock.virtual().advance(wrong)),
])
def test_durations_are_named(name, call):
    for wrong in ("1", None, True):
        with pytest.raises(libsched.MisuseError, match=f"^{name} is a number of seconds or a timedelta, not "):
            call(wrong)
    for wrong in (float("nan"), float("inf"), -float("inf")):
        with pytest.raises(libsched.InvalidError, match=f"^{name} is a finite number of seconds, not "):
            call(wrong)
    for wrong in (1e30, 10**30, datetime.timedelta.max):
        with pytest.raises(libsched.InvalidError, match=f"^{name} is less than 292 years, not "):
            call(wrong)


def test_timeouts_are_named():
    world = World()
    for wrong in ("1", True, [1]):
        with pytest.raises(libsched.MisuseError, match="^timeout is a number of seconds, not "):
            world.framework.fit(world.cluster, world.pod, timeout=wrong)
    for wrong in (float("nan"), -1, -float("inf")):
        with pytest.raises(libsched.InvalidError, match="^timeout is a number of seconds from 0 on, not "):
            world.framework.fit(world.cluster, world.pod, timeout=wrong)
    for none in (float("inf"), 1e300, 10**400):
        assert world.framework.fit(world.cluster, world.pod, timeout=none).fits


def test_numbers_out_of_range_are_named():
    world = World()
    for call, text in (
            (lambda: libsched.Framework(parallelism=0), "parallelism is a number from 1 to 1024, not 0"),
            (lambda: world.framework.cycle(world.cluster, world.pod, seed=-1),
             "seed is a number from 0 to 2**64 - 1, not -1"),
            (lambda: world.framework.capacity(world.cluster, world.pod, max=0), "max is a number from 1 to "),
            (lambda: world.framework.cycle(world.cluster, world.pod, start=-1), "start is a number from 0 to ")):
        with pytest.raises(libsched.InvalidError) as caught:
            call()
        assert caught.value.message.startswith(text)


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    world = World()
    assert world.framework.cycle(world.cluster, world.pod, seed=numpy.int64(3), ties="random").node == "a"
    assert world.framework.fit(world.cluster, world.pod, timeout=numpy.float64(60)).fits
    assert world.framework.capacity(world.cluster, world.pod, max=numpy.int32(2)).count == 2
