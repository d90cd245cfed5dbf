"""What callers see when a plugin's method fails: exceptions, their causes, and no leak."""

import ctypes
import gc
import traceback

import numpy
import pytest

import libsched
from libsched import Code, Status
from manifests import node, pod
from test_plugins import ask, filtering


class MallInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def allocated():
    """Bytes that malloc has given out in the main arena and by mmap."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = MallInfo
    info = mallinfo()
    return info.uordblks + info.hblkhd


@pytest.fixture
def nodes():
    return libsched.Cluster([node(name) for name in "abc"])


def test_scores_out_of_range_are_raised(nodes):
    """Upstream fails the whole point; here the caller hears which plugin, node and value."""
    class Much:
        def score(self, state, pod, node):
            return 1000 if node.name == "b" else 100

    class Batch:
        def score_batch(self, state, pod, nodes):
            return numpy.where(nodes.names == "b", -1, 0)

    class Normalised:
        def score(self, state, pod, node):
            return 1000

        def normalize_score(self, state, pod, nodes, scores):
            scores[1] = 101
            scores[[0, 2]] = 7

    for cls, method, value in ((Much, "score", 1000), (Batch, "score_batch", -1),
                               (Normalised, "normalize_score", 101)):
        scheduler = libsched.Framework(plugins=[cls])
        assert scheduler.fit(nodes, pod("p")).nodes == ["a", "b", "c"]
        for call in (scheduler.score, scheduler.cycle):
            with pytest.raises(libsched.PluginError, match=f'plugin "{cls.__name__}", {method}: '
                               f'ValueError: the score {value} of node "b" is not between '
                               "0 and 100") as raised:
                call(nodes, pod("p"))
            assert raised.value.plugin == cls.__name__
            assert isinstance(raised.value.__cause__, ValueError)
        # The point alone gives upstream's status.
        state, one = libsched.CycleState(), libsched.Pod(pod("p"))
        scheduler.run_pre_filter_plugins(state, nodes, one)
        scheduler.run_pre_score_plugins(state, nodes, one, ["a", "b", "c"])
        scores, status = scheduler.run_score_plugins(state, nodes, one, ["a", "b", "c"])
        assert len(scores) == 0 and f"returns an invalid score {value}" in status.message


def test_scores_that_failed_are_not_none(nodes):
    class Fails:
        def score(self, state, pod, node):
            return Status(Code.ERROR, "", ("no idea",))

    fit = libsched.Framework(plugins=[Fails]).score(nodes, pod("p"))
    assert "no idea" in fit.score_error and fit.nodes == ["a", "b", "c"] and fit.best == []
    with pytest.raises(libsched.PluginError, match="no idea"):
        fit.scores  # noqa: B018
    assert "<table" in fit._repr_html_()


def test_after_an_error_no_node_is_feasible(nodes):
    def answer(node):
        return Status(Code.ERROR, "", ("no idea",)) if node.name == "b" else None

    scheduler = libsched.Framework(plugins=[filtering(answer)])
    for fit in (scheduler.fit(nodes, pod("p")), scheduler.score(nodes, pod("p"))):
        assert not fit and fit.nodes == [] and fit.best == [] and fit.scores is None
        assert "no idea" in fit.error and fit["b"].status.is_error
    chosen = scheduler.cycle(nodes, pod("p"))
    assert chosen.node is None and chosen.status.is_error and "no idea" in chosen.status.message


def test_the_cause_keeps_its_traceback(nodes):
    with pytest.raises(libsched.PluginError) as raised:
        ask(filtering(lambda node: 1 // 0), nodes)
    frames = traceback.extract_tb(raised.value.__cause__.__traceback__)
    assert frames[-1].line.endswith("ask(filtering(lambda node: 1 // 0), nodes)")
    assert frames[-1].filename == __file__

    def stop(node):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupted:
        ask(filtering(stop), nodes)
    assert traceback.extract_tb(interrupted.value.__traceback__)[-1].name == "stop"


def test_after_an_exception_nothing_more_is_asked(nodes):
    asked = []

    class Remover:
        def filter(self, state, pod, node):
            asked.append(node.name)
            nodes.remove_node("c")

        def score(self, state, pod, node):
            asked.append(node.name)
            return 1

    for call in ("fit", "score", "cycle"):
        asked.clear()
        with pytest.raises(libsched.PluginError) as raised:
            getattr(libsched.Framework(plugins=[Remover]), call)(nodes, pod("p"))
        assert str(raised.value).count('plugin "Remover"') == 1
        assert isinstance(raised.value.__cause__, libsched.MisuseError)
        assert len(asked) == 1
    assert list(nodes.nodes) == ["a", "b", "c"]


def test_calls_of_a_method_raise_their_own_exceptions(nodes):
    """Also while an exception waits for the call that asked: here Reserve's, in Unreserve."""
    seen = []

    class Clean:
        def reserve(self, state, pod, node_name):
            raise KeyError("reserve")

        def unreserve(self, state, pod, node_name):
            try:
                state.view.clone().remove_pod("default/typo")
            except Exception as error:
                seen.append(error)

    with pytest.raises(libsched.PluginError, match="reserve: KeyError"):
        libsched.Framework(plugins=[Clean]).assume(nodes, libsched.Pod(pod("p")), "a")
    assert len(seen) == 1 and isinstance(seen[0], libsched.NotFoundError)
    assert not nodes.pods


@pytest.mark.parametrize("hook", ["forked", "committed", "reverted"])
def test_a_hook_that_raises_leaves_forks_as_they_are_said_to_be(nodes, hook):
    def fail(self, view):
        raise KeyError(hook)

    scheduler = libsched.Framework(plugins=[filtering(lambda node: None, **{hook: fail})])
    scheduler.fit(nodes, pod("p"))  # from now on the plugin hears of this cluster
    with pytest.raises(libsched.PluginError, match=hook):
        with nodes.fork() as fork:
            nodes.add_nodes(node("d"))
            if hook == "committed":
                fork.commit()
    assert nodes.fork_depth == 0
    assert list(nodes.nodes) == ["a", "b", "c", *(["d"] if hook == "committed" else [])]
    if hook != "forked":
        with pytest.raises(libsched.StateError):
            nodes.revert()


@pytest.mark.parametrize("weight", [0, -1, 1 << 31, 10**12, True])
def test_a_weight_out_of_range(weight):
    with pytest.raises(ValueError, match="from 1 to 2147483647"):
        libsched.plugin(weight=weight)(filtering(lambda node: None))


def test_a_weight_of_a_wrong_type():
    for weight in (1.5, "5"):
        with pytest.raises(libsched.MisuseError, match="^weight is a whole number, not "):
            libsched.plugin(weight=weight)


def test_weights_in_range(nodes):
    for weight in (None, 1, 1 << 20):
        made = libsched.plugin(weight=weight)(
            type("Weighty", (), {"score": lambda self, state, pod, node: 1}))
        assert dict(libsched.Framework(plugins=[made]).plugins["score"])["Weighty"] == (weight or 1)


@pytest.mark.parametrize("call", ["fit", "score", "cycle"])
def test_an_exception_leaks_nothing(nodes, call):
    scheduler = libsched.Framework(plugins=[filtering(lambda node: 1 // 0)])
    one = libsched.Pod(pod("p"))

    def rounds(count):
        for _ in range(count):
            with pytest.raises(libsched.PluginError):
                getattr(scheduler, call)(nodes, one)
        gc.collect()
        return allocated()

    rounds(200)
    before = rounds(200)
    assert rounds(600) - before < 100_000  # one leak of the smallest decision would be 600 x 1 KB
