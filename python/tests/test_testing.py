"""The test kit for authors of plugins."""

import pytest

import libsched
from libsched import testing


@libsched.plugin(weight=2)
class Cores:
    def filter(self, state, pod, node):
        return node.name != "b" or "not b"

    def score(self, state, pod, node):
        return node.allocatable("cpu") // 1000


def test_timings():
    timings = testing.Timings(Cores)
    scheduler = libsched.Framework(plugins=timings.plugins)
    assert ("Cores", 2) in scheduler.plugins["score"]
    scheduler.score(testing.cluster("a b c"), testing.pod())
    table = timings.table()
    assert table.columns["method"] == ["filter", "score"] and table.columns["calls"] == [3, 2]
    assert all(0 < row["longest"] <= row["seconds"] < 60 for row in table)
    with pytest.raises(libsched.MisuseError, match=r"^plugins\[0\] is a class"):
        testing.Timings(Cores())


def test_assertions():
    cluster = testing.cluster(
        "a b", testing.node("c", cpu=16, taints=["k=v:NoSchedule"], resources={"x.y/z": 1}),
        pods={"a": [testing.pod("one", cpu=1), testing.pod("two", cpu=1)]}, cpu=2)
    result = libsched.Framework(plugins=[Cores]).score(cluster, testing.pod("p", memory="1Gi"))
    testing.assert_verdicts(result, """
        node  verdict
        a     fits
        b     Cores: not b
        c     TaintToleration: node(s) had untolerated taint(s)
    """)
    with pytest.raises(AssertionError) as told:
        testing.assert_verdicts(result, {"a": "fits", "b": "fits", "d": "fits"})
    assert str(told.value).splitlines() == [
        "b: Cores: not b, but expected was fits",
        "c: TaintToleration: node(s) had untolerated taint(s), but nothing was expected",
        "d: expected fits, but there is no such node here"]
    tolerant = testing.pod("q", tolerations=[{"operator": "Exists"}])
    scored = libsched.Framework(plugins=[Cores]).score(cluster, tolerant)
    testing.assert_scores(scored, "a 2\n c 16", "Cores")
    assert testing.scores(scored) == dict(zip(scored.nodes, scored.scores.totals))
    with pytest.raises(AssertionError, match="gave some"):
        testing.assert_scores(scored, {}, "Nobody")
    with pytest.raises(AssertionError, match="no scores"):
        testing.scores(libsched.Framework().fit(cluster, tolerant))
    for wrong in ("a", "a fits\na fits"):
        with pytest.raises(libsched.InvalidError):
            testing.assert_verdicts(result, wrong)
    with pytest.raises(libsched.InvalidError, match="whole number"):
        testing.assert_scores(scored, "a two", "Cores")
    with pytest.raises(libsched.InvalidError):
        testing.pod("p", nodeSelectr={})
