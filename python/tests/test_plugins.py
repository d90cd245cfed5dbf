"""Plugins in Python: registering them, what their methods get and may return."""

import gc
import threading
import weakref

import numpy
import pytest

import libsched
from libsched import Code, Status
from manifests import node, pod


@pytest.fixture
def nodes():
    return libsched.Cluster([node(name, labels={"zone": zone})
                             for name, zone in (("a", "x"), ("b", "y"), ("c", "x"))])


def ask(plugin, cluster, **options):
    return libsched.Framework(plugins=[plugin], **options).fit(cluster, pod("p"))


def filtering(answer, **members):
    return type("Filtering", (), {"filter": lambda self, state, pod, node: answer(node), **members})


@pytest.mark.parametrize("answer, code, reasons", [
    (None, Code.SUCCESS, ()),
    (True, Code.SUCCESS, ()),
    (False, Code.UNSCHEDULABLE, ()),
    ("too far", Code.UNSCHEDULABLE, ("too far",)),
    (Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ()),
    (Status(Code.UNSCHEDULABLE, "", ("one", "two")), Code.UNSCHEDULABLE, ("one", "two")),
])
def test_what_a_filter_may_return(nodes, answer, code, reasons):
    fit = ask(filtering(lambda node: answer if node.name == "b" else None), nodes)
    status = fit["b"].status
    assert (status.code, status.reasons) == (code, reasons)
    assert fit["a"].fits
    assert status.plugin == ("" if code is Code.SUCCESS else "Filtering")


def test_a_filter_sees_the_node_its_pods_and_the_pod(nodes):
    nodes.add_pods(pod("busy", cpu="3"), "a")
    seen = {}

    class Look:
        def filter(self, state, pod, node):
            seen[node.name] = (pod.key, node.label("zone"), [p.name for p in node.pods],
                               node.requested("cpu"), node.allocatable("cpu"), node.row,
                               state.view is nodes, node.node.name)

    ask(Look, nodes)
    assert seen["a"] == ("default/p", "x", ["busy"], 3000, 4000, nodes.row("a"), True, "a")
    assert seen["b"][2:4] == ([], 0)


def test_a_batch_filter_returns_a_mask_codes_or_reasons(nodes):
    class Zone:
        reasons = ("wrong zone", "wrong name")

        def filter_batch(self, state, pod, nodes):
            return nodes.label("zone") == "x"

    fit = ask(Zone, nodes)
    assert fit.nodes == ["a", "c"]
    assert fit["b"].status.reasons == ("wrong zone",)

    class Codes(Zone):
        def filter_batch(self, state, pod, nodes):
            wrong = nodes.names != "c"
            return numpy.where(wrong, Code.UNSCHEDULABLE, Code.SUCCESS), "wrong name"

    fit = ask(Codes, nodes)
    assert fit.nodes == ["c"]
    assert fit["a"].status == Status(Code.UNSCHEDULABLE, "Codes", ("wrong name",))

    class Indexes(Zone):
        def filter_batch(self, state, pod, nodes):
            return [False, False, True], numpy.array([0, 1, 0])

    fit = ask(Indexes, nodes)
    assert [fit[name].status.reasons for name in "ab"] == [("wrong zone",), ("wrong name",)]


@pytest.mark.parametrize("count", [1, 7, 8, 9, 40, 67])
def test_a_mask_may_have_any_length_spacing_and_bytes(count):
    cluster = libsched.Cluster([node(f"n{i}") for i in range(count)])
    generator = numpy.random.default_rng(count)
    for made in range(12):
        bits = generator.random(count) < (0.5, 0.1, 0.9)[made % 3]
        masks = {"plain": bits, "spaced": numpy.repeat(bits, 2)[::2], "backwards": bits[::-1].copy()[::-1],
                 "other bytes": (bits * generator.integers(1, 256, count, dtype=numpy.uint8)).view(numpy.bool_)}
        for name, mask in masks.items():
            masking = type("Masking", (), {"filter_batch": lambda self, state, pod, nodes, mask=mask: mask})
            assert set(ask(masking, cluster).nodes) == {f"n{i}" for i in numpy.flatnonzero(bits)}, name


def test_a_score_batch_decides_and_floats_are_cut(nodes):
    class Prefer:
        def score_batch(self, state, pod, nodes):
            return nodes.by_label("zone", {"y": 99.9}, default=10)

    scheduler = libsched.Framework(plugins=[libsched.plugin(weight=100)(Prefer)])
    fit = scheduler.score(nodes, pod("p"))
    assert fit.best == ["b"]
    assert list(fit.scores.raw("Prefer")) == [10, 99, 10]
    assert dict(scheduler.plugins["score"])["Prefer"] == 100
    assert scheduler.cycle(nodes, pod("p")).node == "b"


def test_scores_are_normalised_in_place_or_by_what_is_returned(nodes):
    class Rank:
        def score(self, state, pod, node):
            return {"a": 5, "b": 10, "c": 0}[node.name]

        def normalize_score(self, state, pod, nodes, scores):
            scores *= 10

    fit = libsched.Framework(plugins=[Rank]).score(nodes, pod("p"))
    assert list(fit.scores.normalized("Rank")) == [50, 100, 0]

    class Reversed(Rank):
        def normalize_score(self, state, pod, nodes, scores):
            return 100 - scores

    fit = libsched.Framework(plugins=[Reversed]).score(nodes, pod("p"))
    assert list(fit.scores.normalized("Reversed")) == [95, 90, 100]


def test_columns_follow_the_cluster_and_its_forks(nodes):
    columns = nodes.columns
    assert list(columns.requested("cpu")) == [0, 0, 0]
    assert columns.requested("cpu") is columns.requested("cpu")
    with nodes.fork():
        nodes.add_pods(pod("busy", cpu="3"), "b")
        assert list(columns.requested("cpu")) == [0, 3000, 0]
        nodes.update(node("b", labels={"zone": "z"}))
        assert list(columns.label("zone")) == ["x", "z", "x"]
    assert list(columns.requested("cpu")) == [0, 0, 0]
    assert list(columns.label("zone")) == ["x", "y", "x"]
    assert list(columns.names) == ["a", "b", "c"]
    assert list(columns.label("none")) == [None] * 3


def test_pre_filter_narrows_and_keeps_state(nodes):
    class Narrow:
        def pre_filter(self, state, pod):
            state.write("seen", pod.name)
            return ["a", "b"]

        def filter(self, state, pod, node):
            return state.read("seen") == "p" and node.name != "a" or "not a"

    fit = ask(Narrow, nodes)
    assert fit.nodes == ["b"]
    state = libsched.CycleState()
    scheduler = libsched.Framework(plugins=[Narrow])
    narrowed, status = scheduler.run_pre_filter_plugins(state, nodes, pod("p"))
    assert narrowed.node_names == {"a", "b"} and narrowed.plugins == ("Narrow",)
    assert status.is_success and state.read("seen") == "p"


def test_arguments_come_from_the_configuration(nodes):
    made = []

    @libsched.plugin(name="example.com/Args")
    class Args:
        def __init__(self, args):
            made.append(args)

        def filter(self, state, pod, node):
            return None

    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"plugins": {"filter": {"enabled": [{"name": "example.com/Args"}]}},
                            "pluginConfig": [{"name": "example.com/Args", "args": {"grams": 7}}]}]}
    scheduler = libsched.Framework(config, plugins=[Args])
    libsched.Framework(plugins=[Args])
    assert made == [{"grams": 7}, {}]
    names = [name for name, _ in scheduler.plugins["filter"]]
    assert names.count("example.com/Args") == 1


def test_arguments_that_are_no_utf8_are_read_as_go_reads_them():
    made = []

    class Args(libsched.Plugin):
        def __init__(self, args):
            made.append(args)

        def filter(self, state, pod, node):
            return None

    libsched.Framework(b'{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", '
                       b'"profiles": [{"pluginConfig": [{"name": "Args", "args": {"a": "x\xffy"}}]}]}', plugins=[Args])
    assert made == [{"a": "x\ufffdy"}]


def test_a_plugin_that_is_disabled_stays_so(nodes):
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"plugins": {"multiPoint": {"disabled": [{"name": "Filtering"}]}}}]}
    fit = ask(filtering(lambda node: "no"), nodes, config=config)
    assert fit.nodes == ["a", "b", "c"]


def test_an_exception_is_raised_where_the_library_was_called(nodes):
    scheduler = libsched.Framework(plugins=[filtering(lambda node: 1 // 0)])
    with pytest.raises(libsched.PluginError) as raised:
        scheduler.fit(nodes, pod("p"))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert raised.value.plugin == "Filtering" and "filter: ZeroDivisionError" in str(raised.value)
    nodes.add_pods(pod("later"), "a")  # nothing is locked or half changed
    state, one = libsched.CycleState(), libsched.Pod(pod("p"))
    scheduler.run_pre_filter_plugins(state, nodes, one)
    with pytest.raises(libsched.PluginError):
        scheduler.run_filter_plugins(state, nodes, one, "a")
    with pytest.raises(libsched.PluginError, match="a mask or codes"):
        ask(type("Wrong", (), {"filter_batch": lambda *_: [True]}), nodes)


def test_ctrl_c_in_a_plugin_is_no_plugin_error(nodes):
    def stop(node):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(filtering(stop), nodes)


def test_what_is_lent_is_not_valid_afterwards(nodes):
    kept = []

    class Keep:
        def filter(self, state, pod, node):
            kept[:] = [state, node, pod]

        def score_batch(self, state, pod, nodes):
            kept.append(nodes)
            return numpy.zeros(len(nodes))

    libsched.Framework(plugins=[Keep]).score(nodes, pod("p"))
    state, info, kept_pod, many = kept
    assert kept_pod.name == "p"
    with pytest.raises(libsched.MisuseError):
        info.name  # noqa: B018
    with pytest.raises(libsched.MisuseError):
        len(many)
    with pytest.raises(libsched.Error):
        state.write("x", 1)


def test_a_method_may_look_and_ask_but_not_change(nodes):
    asked = []
    inner = libsched.Framework()

    class Ask:
        def pre_filter(self, state, pod):
            asked.append(inner.fit(state.view, pod).nodes)
            with pytest.raises(libsched.MisuseError):
                nodes.add_pods(pod.copy(name="other"), "a")

    assert ask(Ask, nodes).nodes == ["a", "b", "c"]
    assert asked == [["a", "b", "c"]]


def test_wrong_classes_are_refused():
    with pytest.raises(libsched.InvalidError, match="no method"):
        libsched.plugin(type("Empty", (), {}))
    with pytest.raises(libsched.InvalidError, match="must be called filter_batch"):
        libsched.plugin(type("Camel", (), {"filterBatch": lambda *_: None}))
    with pytest.raises(libsched.ExistsError):
        libsched.Framework(plugins=[type("NodeName", (), {"filter": lambda *_: None})])


def test_an_object_is_a_plugin_too_and_is_freed_with_its_frameworks(nodes):
    made = filtering(lambda node: None)()
    gone = weakref.ref(made)
    scheduler = libsched.Framework(plugins=[made])
    scheduler.fit(nodes, pod("p"))
    del made
    assert gone() is not None
    del scheduler
    gc.collect()
    assert gone() is None


def test_threads_with_plugins_on_snapshots(nodes):
    scheduler = libsched.Framework(plugins=[filtering(lambda node: node.name == "b")])
    wrong = []

    def work():
        snapshot = nodes.snapshot()
        for _ in range(50):
            if scheduler.fit(snapshot, pod("p")).nodes != ["b"]:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
