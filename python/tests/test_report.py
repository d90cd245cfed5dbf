"""The page of a decision and the table for notebooks, as data and as text; tests/page opens it."""

import base64
import hashlib
import html
import json
import re

import pytest

import libsched
from libsched.report import explain_html, page_data
from manifests import GATED, node, pod

HOSTILE = "</script><script>alert(1)</script>&\u2028\ud800"


def likes(**weights):
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": weight, "preference": {"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [name]}]}}
        for name, weight in weights.items()]}}


@pytest.fixture
def scored(cluster, scheduler):
    return scheduler.score(cluster, pod("x", cpu="1", affinity=likes(a=1, b=3)))


def embedded(page):
    """The data of the only pod of a page."""
    document = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>',
                                    page, re.DOTALL)[1])
    assert len(document["pods"]) == 1
    return document["pods"][0]


def test_data_of_a_result(scored):
    data = page_data(scored)
    assert data["nodes"] == ["b", "a", "c"] and data["best"] == ["b"] == scored.best
    assert data["total"] == [scored.scores.total("b"), scored.scores.total("a"), None]
    columns = {column["name"]: column for column in data["scorers"]}
    assert list(columns) == list(scored.scores.plugins)
    assert columns["NodeAffinity"] == {"name": "NodeAffinity", "weight": 2, "raw": [3, 1, None],
                                       "normalized": [100, 33, None], "weighted": [200, 66, None]}
    assert data["why"] == [-1, -1, 0] and data["whys"][0]["plugin"] == "NodeUnschedulable"
    assert data["counts"] == [{"plugin": "NodeUnschedulable", "nodes": 1,
                               "reason": "node(s) were unschedulable"}]
    assert (data["fitCount"], data["nodeCount"], data["left"]) == (2, 3, 0)
    assert {"name": "NodePorts", "skipped": True} in data["filters"]
    assert page_data(scored, 2)["nodes"] == ["b", "a"] and page_data(scored, 2)["left"] == 1


def test_data_of_plain_json(scored):
    """What `to_dict` gives is enough but for the order of plugins and the weights of zeros."""
    data, plain = page_data(scored), page_data(scored.to_dict())
    assert plain["nodes"] == data["nodes"] and plain["total"] == data["total"]
    weights = {column["name"]: column["weight"] for column in plain["scorers"]}
    assert weights["NodeAffinity"] == 2


def test_data_without_scores(cluster, scheduler):
    fit = page_data(scheduler.fit(cluster, pod("x", cpu="100")))
    assert fit["scorers"] == [] and fit["fitError"].startswith("0/3 nodes") and fit["fitCount"] == 0
    gated = page_data(scheduler.fit(cluster, pod("x", **GATED)))
    assert gated["gate"].startswith("SchedulingGates: ")
    empty = page_data(scheduler.fit(libsched.Cluster(), pod("x")))
    assert empty["error"] and empty["nodes"] == []


def test_large_numbers_stay_exact():
    plugins = {"P": {"raw": 2**53 + 1, "normalized": 1, "weighted": 1}}
    data = page_data({"nodes": [{"node": "a", "code": "Success"}], "feasible": ["a"],
                      "scores": [{"node": "a", "total": 1, "plugins": plugins}]})
    assert data["scorers"][0]["raw"] == [str(2**53 + 1)]


def test_nothing_gets_out_of_the_data():
    page = explain_html({"pod": HOSTILE, "profile": "@@script@@", "feasible": [], "nodes": [
        {"node": HOSTILE, "code": "Error", "plugin": HOSTILE, "reasons": [HOSTILE]}]})
    assert page.count("</script>") == 2 and "alert(1)</script>" not in page
    assert "<title>&lt;/script&gt;" in page
    data = embedded(page)
    assert data["pod"] == HOSTILE == data["nodes"][0] and data["profile"] == "@@script@@"


def test_the_policy_allows_the_page_alone():
    page = explain_html({"pod": "p", "nodes": [], "feasible": []})
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    for kind, text in (("script", page.rsplit("<script>", 1)[1].split("</script>")[0]),
                       ("style", page.split("<style>")[1].split("</style>")[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert not re.search(r"""(src|href)\s*=|@import|url\(|\bon\w+=["']""", page)


def test_to_html(scored):
    page = scored.to_html()
    assert embedded(page)["pod"] == "default/x" and 'class="full"' in page


def test_notebook(scored, scheduler):
    text = scored._repr_html_()
    frame = re.search(r'<iframe sandbox="allow-scripts"[^>]* srcdoc="([^"]*)"></iframe>', text)
    page = html.unescape(frame[1])
    assert 'class="compact"' in page and embedded(page)["nodes"] == ["b", "a", "c"]
    plain = text.split("</iframe>")[1]
    assert "<script" not in plain and "<th>NodeAffinity</th>" in plain
    assert "<td title='raw 3, normalised 100'>200</td>" in plain
    assert "NodeUnschedulable: node(s) were unschedulable" in plain
    many = libsched.Cluster(libsched.Node(node("<b>")).copies(1100))
    text = scheduler.score(many, pod("x"))._repr_html_()
    assert "<b>-" not in text and "&lt;b&gt;-0" in text and "1,080 more nodes" in text
    assert embedded(html.unescape(text.split('srcdoc="')[1].split('"')[0]))["left"] == 100
