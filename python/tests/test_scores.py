"""Scores, cycles and assumed pods."""

import gc
import json

import pytest

import libsched
from libsched import Cluster, CycleState, Framework, PluginScore
from manifests import GATED, node, pod

# Only NodeAffinity scores, with weight 5; nothing else decides which node is best.
AFFINE = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [{"plugins": {
              "preScore": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeAffinity"}]},
              "score": {"disabled": [{"name": "*"}],
                        "enabled": [{"name": "NodeAffinity", "weight": 5}]}}}]}


def likes(**weights):
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": weight, "preference": {"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [name]}]}}
        for name, weight in weights.items()]}}


@pytest.fixture
def affine():
    return Framework(AFFINE)


@pytest.fixture
def trio():
    return Cluster([node("a", cpu="4"), node("b", cpu="1"), node("c", cpu="4")])


def test_score(affine, trio):
    result = affine.score(trio, pod("x", cpu="2", affinity=likes(a=10, b=90, c=40)))
    assert result.nodes == ["a", "c"] and result.best == ["c"]
    scores = result.scores
    assert scores is result.scores and len(scores) == 2 and scores.nodes == ["a", "c"]
    assert scores.plugins == {"NodeAffinity": 5}
    assert list(scores.raw("NodeAffinity")) == [10, 40]
    assert list(scores.normalized("NodeAffinity")) == [25, 100]
    assert list(scores.weighted("NodeAffinity")) == [125, 500] == list(scores.totals)
    assert scores["a"] == {"NodeAffinity": PluginScore(10, 25, 125)}
    assert scores.total("c") == 500 and "c" in scores and "b" not in scores
    assert scores.best == ["c"] and repr(scores) == "<Scores of 2 nodes by NodeAffinity>"
    assert list(result.codes) == [0, 3, 0]
    assert result.to_dict()["best"] == ["c"] and result.score_error == ""
    for missing in (lambda: scores["b"], lambda: scores.total("z"), lambda: scores.raw("Nonesuch")):
        with pytest.raises(libsched.NotFoundError):
            missing()


def test_no_scores(affine, trio):
    wanted = pod("x", affinity=likes(a=1))
    assert affine.fit(trio, wanted).scores is None and affine.fit(trio, wanted).best == []
    none = affine.score(trio, pod("x", cpu="64"))
    assert not none and none.scores is None and none.best == []
    skipped = affine.score(trio, pod("x"))
    assert skipped.skipped_scores == ["NodeAffinity"] and skipped.scores.plugins == {}
    assert list(skipped.scores.totals) == [0, 0, 0] and skipped.best == ["a", "b", "c"]
    gated = affine.score(trio, pod("x", **GATED))
    assert not gated and gated.to_dict()["fits"] is False and gated.nodes == ["a", "b", "c"]


def test_arrays_are_no_copies(affine, trio):
    numpy = pytest.importorskip("numpy")
    result = affine.score(trio, pod("x", affinity=likes(b=7)))
    columns = [numpy.asarray(result.scores.raw("NodeAffinity")), numpy.asarray(result.codes)]
    again = numpy.asarray(result.scores.raw("NodeAffinity"))
    assert numpy.shares_memory(columns[0], again)
    assert [column.dtype for column in columns] == [numpy.int64, numpy.int8]
    assert not columns[0].flags.writeable and not columns[0].flags.owndata
    del result, again
    gc.collect()  # the decision lives for as long as a column of it
    assert columns[0].tolist() == [0, 7, 0] and columns[1].tolist() == [0, 0, 0]
    nothing = affine.fit(Cluster(), pod("x"))
    assert numpy.asarray(nothing.codes).tolist() == []


def test_cycle(affine, trio):
    wanted = pod("x", cpu="2", affinity=likes(a=10, b=90, c=40))
    chosen = affine.cycle(trio, wanted)
    assert chosen and (chosen.node, chosen.total) == ("c", 500)
    assert (chosen.feasible, chosen.evaluated, chosen.next_start) == (2, 3, 0)
    assert chosen.status.is_success and not list(trio.pods)
    alone = affine.cycle(trio.snapshot(), pod("x", nodeSelector={"kubernetes.io/hostname": "b"}))
    assert (alone.node, alone.total) == ("b", 0)
    assert affine.cycle(trio, pod("x"), ties="name").node == "a"
    seen = {affine.cycle(trio, pod("x"), ties="random", seed=seed).node for seed in range(64)}
    assert seen == {"a", "b", "c"}
    none = affine.cycle(trio, pod("x", cpu="64"))
    assert repr(none.status) == ("<Status Unschedulable by NodeResourcesFit: "
                                 "0/3 nodes are available: 3 Insufficient cpu.>")
    assert none.status.error == affine.fit(trio, pod("x", cpu="64")).fit_error
    assert not none and none.node is None and none.status.code is libsched.Code.UNSCHEDULABLE
    assert affine.cycle(trio, pod("x"), sampling=True, start=2).next_start == 2
    for wrong in ({"ties": "best"}, {"start": -1}, {"seed": -1}, {"seed": 1 << 64}):
        with pytest.raises(libsched.InvalidError):
            affine.cycle(trio, pod("x"), **wrong)


def test_assume_and_forget(affine, trio):
    state, wanted = CycleState(), libsched.Pod(pod("x", cpu="3"))
    node_name = affine.cycle(trio, wanted, state=state, ties="name").node
    assert affine.assume(trio, wanted, node_name, state).is_success
    assert list(trio.pods) == ["default/x"]
    assert affine.fit(trio, pod("y", cpu="3")).nodes == ["c"]
    with pytest.raises(libsched.ExistsError):
        affine.assume(trio, wanted, "c")
    affine.forget(trio, wanted, state)
    assert not list(trio.pods)
    with pytest.raises(libsched.NotFoundError):
        affine.assume(trio, wanted, "z")
    with pytest.raises(libsched.StateError):
        affine.assume(trio.snapshot(), wanted, "a")


def test_cluster_assume(trio):
    with trio.fork():
        trio.assume(pod("x", cpu="1"), "a")
        assert trio.nodes["a"].requested("cpu") == 1000
        with pytest.raises(libsched.ExistsError):
            trio.assume(pod("x"), "b")
        trio.forget("default/x")
        trio.forget("default/x")
        trio.assume(pod("x"), "b")
    assert not list(trio.pods)
    trio.add_pods(pod("y"), "a")
    with pytest.raises(libsched.StateError):
        trio.forget("default/y")


def test_extension_points(affine, trio):
    state, wanted = CycleState(), libsched.Pod(pod("x", cpu="2", affinity=likes(a=10, c=40)))
    affine.run_pre_filter_plugins(state, trio, wanted)
    fitting = affine.filter_nodes(state, trio, wanted)
    assert affine.run_pre_score_plugins(state, trio, wanted, fitting).is_success
    assert not state.skips_score("NodeAffinity")
    scores, status = affine.run_score_plugins(state, trio, wanted, fitting)
    assert status.is_success and {n: scores.total(n) for n in scores.nodes} == {"a": 125, "c": 500}
    bitmap = affine.filter_nodes(state, trio, wanted, result="bitmap")
    assert affine.run_score_plugins(state, trio, wanted, bitmap)[0].best == ["c"]
    assert affine.run_pre_score_plugins(CycleState(), trio, wanted, fitting).is_success
    plain = libsched.Pod(pod("y"))
    with pytest.raises(libsched.StateError):  # the state is another pod's
        affine.run_pre_score_plugins(state, trio, plain, fitting)
    affine.run_pre_filter_plugins(state, trio, plain)
    assert affine.run_pre_score_plugins(state, trio, plain, fitting).is_success
    assert state.skips_score("NodeAffinity")


def test_scores_agree_with_json(affine, trio):
    result = affine.score(trio, pod("x", affinity=likes(a=3, b=9)))
    told = {entry["node"]: entry for entry in json.loads(result._decision.explain())["scores"]}
    for name in result.nodes:
        assert told[name]["total"] == result.scores.total(name)
        one = result.scores[name]["NodeAffinity"]
        assert told[name]["plugins"]["NodeAffinity"] == {
            "raw": one.raw, "normalized": one.normalized, "weighted": one.weighted}
