"""CycleState: reading, writing, deleting, cloning, and what becomes of the values."""

import gc
import weakref

import pytest

import libsched
from manifests import node, pod


class Value:
    def __init__(self, number):
        self.number = number


class Cloneable(Value):
    def clone(self):
        return Cloneable(self.number + 1)


def test_read_write_delete():
    state = libsched.CycleState()
    with pytest.raises(libsched.NotFoundError, match='no "key"'):
        state.read("key")
    state.write("key", None)
    assert state.read("key") is None and "key" in state
    state.write("key", 2)
    assert state.read("key") == 2
    state.delete("key")
    state.delete("key")
    assert "key" not in state
    state.write("ключ\0", 3)
    assert state.read("ключ\0") == 3 and 5 not in state
    assert repr(libsched.CycleState()) == "<CycleState with []>"
    with pytest.raises(TypeError):
        state.write(3, 4)


def test_clone():
    state = libsched.CycleState()
    state.write("shared", Value(1))
    state.write("cloned", Cloneable(1))
    state.write("class", Cloneable)
    copy = state.clone()
    assert copy.read("shared") is state.read("shared")
    assert copy.read("class") is Cloneable
    assert (copy.read("cloned").number, state.read("cloned").number) == (2, 1)
    copy.write("shared", 5)
    copy.delete("cloned")
    assert state.read("shared").number == 1 and "cloned" in state
    assert libsched.CycleState().clone().clone() is not None


def test_a_clone_that_fails():
    class Bad:
        def clone(self):
            raise ZeroDivisionError

    state = libsched.CycleState()
    state.write("bad", Bad())
    with pytest.raises(ZeroDivisionError):
        state.clone()
    assert "bad" in state


def test_a_clone_that_looks_at_its_state():
    state = libsched.CycleState()

    class Curious:
        def clone(self):
            return state.read("other")

    state.write("other", 7)
    state.write("curious", Curious())
    assert state.clone().read("curious") == 7


def test_values_are_let_go():
    state = libsched.CycleState()
    values = [Value(index) for index in range(3)]
    gone = [weakref.ref(value) for value in values]
    for index, value in enumerate(values):
        state.write(str(index), value)
    copy = state.clone()
    del values, value
    state.write("0", None)
    state.delete("1")
    gc.collect()
    assert [reference() is None for reference in gone] == [False, False, False]
    del copy
    gc.collect()
    assert [reference() is None for reference in gone] == [True, True, False]
    del state
    gc.collect()
    assert gone[2]() is None


def test_a_value_that_uses_its_state_when_it_goes():
    state = libsched.CycleState()
    seen = []

    class Last:
        def __del__(self):
            seen.append("other" in state)

    state.write("key", Last())
    state.write("key", 1)
    gc.collect()
    assert seen == [False]


def test_a_state_of_another_cluster_is_stale():
    """Also if both clusters have had as many changes: plugins would read past the end of their data."""
    spread = libsched.Pod(pod(topologySpreadConstraints=[{
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"a": "b"}}}]))
    small, large = libsched.Cluster(), libsched.Cluster()
    for index in range(300):
        small.update(node("n0", labels={"zone": "z", "index": str(index)}))
        large.add_nodes(node(f"n{index}", labels={"zone": f"z{index}"}))
    framework = libsched.Framework()
    for of, other in ((small, large), (large, small)):
        state = libsched.CycleState()
        framework.run_pre_filter_plugins(state, of, spread)
        assert framework.run_filter_plugins(state, of, spread, "n0")
        for view in (other, other.snapshot()):
            with pytest.raises(libsched.StaleError):
                framework.run_filter_plugins(state, view, spread, "n0")
            with pytest.raises(libsched.StaleError):
                framework.filter_nodes(state, view, spread)
