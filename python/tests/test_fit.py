"""FitResult: its verdicts, reasons, texts and tables."""

from collections import Counter

import pytest

import libsched
from libsched import Code
from manifests import GATED, node, pod
from test_framework import pinned


def test_some_nodes(scheduler, cluster):
    result = scheduler.fit(cluster, pod("x", cpu="2"))
    assert result and result.fits and result.nodes == ["b"]
    assert (result.node_count, len(result), result.profile) == (3, 3, "default-scheduler")
    assert result.pod.key == "default/x"
    assert result.reasons == Counter({"Insufficient cpu": 1, "node(s) were unschedulable": 1})
    assert result.reasons_by_plugin["NodeResourcesFit", "Insufficient cpu"] == 1
    assert [verdict.node for verdict in result] == ["a", "b", "c"]
    assert result["b"].fits and result["b"].status.is_success
    assert result["a"].status.code is Code.UNSCHEDULABLE and "a" in result and "z" not in result
    assert (result.fit_error, result.error, result.pre_enqueue) == ("", "", None)
    assert result.pre_filter.is_success
    assert repr(result) == "<FitResult default/x: fits 1 of 3 nodes>"
    with pytest.raises(libsched.NotFoundError):
        result["z"]
    assert result.explain() == (
        "default/x: fits 1 of 3 nodes\n"
        "  b\n"
        "does not fit:\n"
        "  1  NodeResourcesFit   Insufficient cpu\n"
        "  1  NodeUnschedulable  node(s) were unschedulable")


def test_no_node(scheduler, cluster):
    result = scheduler.fit(cluster, pod("x", cpu="100"))
    assert not result and result.nodes == []
    assert result.fit_error.startswith("0/3 nodes are available: 1 node(s) were unschedulable, "
                                       "2 Insufficient cpu.")
    assert result.explain().splitlines()[0] == "default/x: fits none of 3 nodes"
    assert result.to_dict()["feasible"] == []


def test_one_node(scheduler, cluster):
    result = scheduler.fit(cluster, pod("x", cpu="2"), "a")
    assert (result.node_count, len(result), result.fits) == (1, 1, False)
    assert scheduler.fit(cluster, pod("x", cpu="2"), "b").nodes == ["b"]


def test_explaining_a_node(scheduler, cluster):
    result = scheduler.fit(cluster, pod("x", cpu="2"))
    lines = result.explain("a").splitlines()
    assert lines[0] == "default/x on a: does not fit"
    assert lines[1].split() == ["yes", "NodeName"]
    assert "  no    NodeResourcesFit      Insufficient cpu" in lines
    assert any(line.startswith("  skip  NodePorts") for line in lines)
    assert result.explain("b").startswith("default/x on b: fits\n")
    with pytest.raises(libsched.NotFoundError):
        result.explain("z")


def test_nodes_that_pre_filter_rules_out(scheduler, cluster):
    result = scheduler.fit(cluster, pod("x", **pinned("a", "b")))
    assert result.nodes == ["a", "b"] and result.node_count == 3
    verdict = result["c"]
    assert verdict.by_pre_filter and not verdict.fits
    assert verdict.status.reasons == ("node(s) didn't satisfy plugin(s) [NodeAffinity]",)
    assert result.explain("c").splitlines()[1].split() == (
        "no PreFilter NodeAffinity: node(s) didn't satisfy plugin(s) [NodeAffinity]".split())
    nowhere = scheduler.fit(cluster, pod("x", **pinned("z")))
    assert nowhere.nodes == [] and sum(nowhere.reasons.values()) == 3


def test_pods_that_pre_filter_rejects(scheduler, cluster):
    contradiction = pinned("a")
    expression = contradiction["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"][0]["matchFields"]
    expression.append({"key": "metadata.name", "operator": "In", "values": ["b"]})
    result = scheduler.fit(cluster, pod("x", **contradiction))
    assert not result.pre_filter.is_success
    assert len(result) == 3 and result["a"].by_pre_filter
    assert result["a"].status == result.pre_filter
    assert result.explain().splitlines()[0] == "default/x: fits none of 3 nodes"
    one = scheduler.fit(cluster, pod("x", **contradiction), "b")
    assert [verdict.node for verdict in one] == ["b"]


def test_gated(scheduler, cluster):
    result = scheduler.fit(cluster, pod("x", **GATED))
    assert result.pre_enqueue.plugin == "SchedulingGates"
    assert not result.fits and not result
    assert result.explain().count("\n") == 0
    assert result.explain().startswith("default/x: is gated: ")
    assert "SchedulingGates" in result._repr_html_()


def test_empty_cluster(scheduler):
    result = scheduler.fit(libsched.Cluster(), pod("x"))
    assert result.error == "no nodes available to schedule pods" and not result
    assert repr(result) == (
        "<FitResult default/x: no answer: no nodes available to schedule pods>")
    assert "<table>" not in result._repr_html_()


def test_it_stays_valid(scheduler, cluster):
    result = scheduler.fit(cluster, pod("x", cpu="2"))
    for name in list(cluster.nodes):
        cluster.remove_node(name)
    del cluster
    assert result.nodes == ["b"] and result["a"].status.message == "Insufficient cpu"
    assert result.explain("a")


def test_table(scheduler, cluster):
    html = scheduler.fit(cluster, pod("x", cpu="2"))._repr_html_()
    assert html.index(">b<") < html.index(">a<")
    assert "<th>NodeResourcesFit</th>" in html and "<th>NodePorts</th>" not in html
    assert "Insufficient cpu" in html
    cluster.add_nodes(libsched.Node(node("<b>")).copies(120))
    html = scheduler.fit(cluster, pod("x"))._repr_html_()
    assert "&lt;b&gt;-0" in html and "<b>-" not in html and "23 more nodes" in html


def test_by_copy_and_by_source_are_the_same(scheduler, cluster):
    parsed = libsched.Pod(pod("x", cpu="2"))
    assert scheduler.fit(cluster, parsed).to_dict() == (
        scheduler.fit(cluster.snapshot(), pod("x", cpu="2")).to_dict())


def test_preemption_on_demand(scheduler, cluster):
    urgent = pod("x", cpu="3", priority=9)
    cluster.add_pods(pod("large", cpu="6"), "b")
    for ask in (scheduler.fit, scheduler.score):
        assert ask(cluster, urgent).preemption is None
        wanted = ask(cluster, urgent, post_filter=True)
        assert not wanted and wanted.preemption["nominatedNode"] == "a"
        assert wanted.preemption["victims"] == ["default/busy"] and "default/busy" in cluster.pods
        assert ask(cluster, urgent, "b", post_filter=True).preemption["victims"] == ["default/large"]
        assert ask(cluster, pod("y", cpu="1"), post_filter=True).preemption is None
    assert not cluster.services.requests  # it was only a question
