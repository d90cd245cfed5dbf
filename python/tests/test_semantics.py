"""Semantics of 1.31: the worked example of the documentation, and what differs from 1.36."""

from __future__ import annotations

import pickle

import pytest

from libsched import Cluster, Config, Framework, InvalidError, MisuseError, UnsupportedError

MEBI = 1 << 20
SMALL = 64_000_000  # bytes

# Allocatable and requested (with the new pod) as in the example; containers that ask for nothing
# count 100m and 200 MiB for NodeResourcesFit, and nothing for NodeResourcesBalancedAllocation.
NODES = {
    "node4": dict(memory=15859908608, cpu_asked=11393, memory_asked=9429374976, zone="a",
                  cpu_fit=12293, memory_fit=11881957376, matching=2),
    "node5": dict(memory=17072095232, cpu_asked=6567, memory_asked=8240289792, zone="b",
                  cpu_fit=7267, memory_fit=9854011392, matching=4),
    "node6": dict(memory=15859904512, cpu_asked=3385, memory_asked=5749921792, zone="c",
                  cpu_fit=3785, memory_fit=6734497792, matching=4),
}
POD_CPU, POD_MEMORY = 1000, 1 << 30


def _node(name: str, memory: int, zone: str = "", taints: list[dict[str, str]] | None = None):
    labels = {"kubernetes.io/hostname": name}
    if zone:
        labels["topology.kubernetes.io/zone"] = zone
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "spec": {"taints": taints or []},
            "status": {"allocatable": {"cpu": "15400m", "memory": str(memory), "pods": "110"}}}


def _pod(name: str, node: str, containers: list[dict[str, str]], app: str = "other", **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": {"app": app}},
            "spec": {"nodeName": node, **spec, "containers": [
                {"name": f"c{i}", "resources": {"requests": r}} for i, r in enumerate(containers)]}}


def _pods_of(name: str, node: dict) -> list[dict]:
    """Running pods that bring the node to the sums of the example."""
    no_cpu = (node["cpu_fit"] - node["cpu_asked"]) // 100
    # One container asks for less memory than its init container: that pod counts 200 MiB for Fit.
    no_memory = (node["memory_fit"] - node["memory_asked"] - (200 * MEBI - SMALL)) // (200 * MEBI)
    rest = max(no_cpu, no_memory) - (node["matching"] - 1)
    last = [{"cpu": "0"} if i >= no_cpu - (node["matching"] - 1) else {} for i in range(rest)]
    matching = [_pod(f"web-{name}-{i}", name, [{}] if i else last, app="web")
                for i in range(node["matching"])]
    small = _pod(f"small-{name}", name, [{"cpu": "0"}], initContainers=[
        {"name": "init", "resources": {"requests": {"cpu": "0", "memory": str(SMALL)}}}])
    big = _pod(f"big-{name}", name, [{
        "cpu": f"{node['cpu_asked'] - POD_CPU}m",
        "memory": str(node["memory_asked"] - POD_MEMORY - SMALL)}])
    return [*matching, small, big]


@pytest.fixture
def example() -> Cluster:
    taint = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
    items = [_node(f"node{i}", 15859908608, taints=[taint]) for i in (1, 2, 3)]
    for name, node in NODES.items():
        items.append(_node(name, node["memory"], node["zone"]))
        items.extend(_pods_of(name, node))
    return Cluster(items, defaults=False)


NEW = {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
       "spec": {"topologySpreadConstraints": [{
           "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
           "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": "web"}}}],
           "containers": [{"name": "c", "image": "web:1", "resources": {
               "requests": {"cpu": f"{POD_CPU}m", "memory": str(POD_MEMORY)}}}]}}


def _table(framework: Framework, cluster: Cluster) -> dict[str, dict[str, int]]:
    """Per node the weighted score of each plugin, and the total."""
    details = framework.score(cluster, NEW).to_dict()
    return {entry["node"]: {name: part["weighted"] for name, part in entry["plugins"].items()}
            | {"total": entry["total"]} for entry in details["scores"]}


def test_the_worked_example_of_1_31(example: Cluster) -> None:
    table = _table(Framework(semantics="1.31"), example)
    assert set(table) == {"node4", "node5", "node6"}
    expected = {"node4": (300, 22, 200, 92, 614), "node5": (300, 47, 100, 97, 544),
                "node6": (300, 66, 100, 92, 558)}
    for node, (taints, fit, spread, balanced, total) in expected.items():
        scores = table[node]
        assert scores["TaintToleration"] == taints
        assert scores["NodeResourcesFit"] == fit
        assert scores["PodTopologySpread"] == spread
        assert scores["NodeResourcesBalancedAllocation"] == balanced
        assert scores["ImageLocality"] == 0
        assert scores["total"] == total


def test_only_the_formula_and_the_reason_differ_from_1_36(example: Cluster) -> None:
    old, new = Framework(semantics="1.31"), Framework()
    before, now = _table(old, example), _table(new, example)
    for node in before:
        for plugin in before[node].keys() - {"NodeResourcesBalancedAllocation", "total"}:
            assert before[node][plugin] == now[node][plugin]
    assert before["node4"]["NodeResourcesBalancedAllocation"] != (
        now["node4"]["NodeResourcesBalancedAllocation"])
    assert old.fit(example, NEW)["node1"].status.message == (
        "node(s) had untolerated taint {dedicated: db}")
    assert new.fit(example, NEW)["node1"].status.message == "node(s) had untolerated taint(s)"


def test_ties_are_uniform_in_1_31_and_upstreams_heap_in_1_36() -> None:
    cluster = Cluster([_node(f"n{i}", 8 << 30) for i in range(4)])
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
           "spec": {"containers": [{"name": "c"}]}}
    old, new = Framework(semantics="1.31"), Framework()
    assert {new.cycle(cluster, pod, seed=seed).node for seed in range(40)} == {"n0"}
    assert {old.cycle(cluster, pod, seed=seed).node for seed in range(40)} == {
        "n0", "n1", "n2", "n3"}


@pytest.mark.parametrize("version", ["v1.31.14", "1.31.9-eks-1", "v1.31.2+rke2r1", "v1.31.0-gke.100"])
def test_a_version_names_its_release(example: Cluster, version: str) -> None:
    message = Framework(semantics=version).fit(example, NEW)["node1"].status.message
    assert message == "node(s) had untolerated taint {dedicated: db}"


def test_1_31_has_its_own_gates_and_default_plugins() -> None:
    old, new = Framework(semantics="1.31"), Framework()
    assert "DynamicResources" not in {name for name, _ in old.plugins["preFilter"]}
    assert "DynamicResources" in {name for name, _ in new.plugins["preFilter"]}
    with pytest.raises(InvalidError) as caught:
        Framework(semantics="1.31", feature_gates="OpportunisticBatching=false")
    assert caught.value.message == "unrecognized feature gate: OpportunisticBatching"


@pytest.mark.parametrize("release", ["1.30", "1.38", "1.36-eks"])
def test_other_semantics_are_refused(release: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        Framework(semantics=release)
    assert caught.value.message == (f'unknown semantics "{release}": choose "1.37", "1.36", "1.35", '
                                    '"1.34", "1.33", "1.32" or "1.31"')


HEADER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
OF_1_37 = {**HEADER, "profiles": [{"plugins": {"podGroupPostFilter": {"disabled": [{"name": "*"}]}}}]}


def test_a_configuration_has_a_release() -> None:
    with pytest.raises(InvalidError) as caught:
        Config(OF_1_37, semantics="1.36")
    assert caught.value.path == "profiles[0].plugins.podGroupPostFilter"
    config = Config(OF_1_37, semantics="v1.37.1")
    for known in (config, pickle.loads(pickle.dumps(config))):
        assert known.describe()["profiles"][0]["plugins"]["preFilter"][0] == {"name": "NodeName"}
        for framework in (Framework(known), Framework(known, semantics="1.37")):
            assert framework.plugins["preFilter"][0] == ("NodeName", 0)
        with pytest.raises(InvalidError) as caught:
            Framework(known, semantics="1.36")
        assert caught.value.message == ("the configuration was read with the semantics of 1.37, which cannot be used "
                                        "with those of 1.36")
    assert "podGroupPostFilter" not in Framework(OF_1_37, semantics="1.37").plugins
    assert "podGroupPostFilter" in Framework(Config(semantics="1.37")).plugins


def test_a_configuration_without_a_release_is_read_anew() -> None:
    config = Config(HEADER)
    assert "DynamicResources" in {name for name, _ in Framework(config).plugins["preFilter"]}
    for old in (Framework(config, semantics="1.31"), Framework(Config(HEADER, semantics="1.31"))):
        assert "DynamicResources" not in {name for name, _ in old.plugins["preFilter"]}


def test_rules_and_gates_of_a_configuration_are_of_its_release() -> None:
    lease = {**HEADER, "leaderElection": {"leaderElect": True, "leaseDuration": "1s"}}
    texts = {}
    for release in ("1.33", "1.34"):
        with pytest.raises(InvalidError) as caught:
            Config(lease, semantics=release)
        texts[release] = caught.value.message
    assert "LeaseDuration must be greater than RenewDeadline" in texts["1.33"]
    assert "must be greater than `RenewDeadline`" in texts["1.34"]
    with pytest.raises(InvalidError, match="unrecognized feature gate: OpportunisticBatching"):
        Config(semantics="1.31", feature_gates="OpportunisticBatching=false")
    with pytest.raises(UnsupportedError, match='unknown semantics "1.30"'):
        Config(semantics="1.30")
    with pytest.raises(MisuseError, match="semantics is a text"):
        Config(semantics=1.31)  # type: ignore[arg-type]


def test_a_profile_alone_has_a_release() -> None:
    profile = {"plugins": {"podGroupPostFilter": {}, "queueSort": {"enabled": [{"name": "PrioritySort"}]},
                           "bind": {"enabled": [{"name": "DefaultBinder"}]}}}
    with pytest.raises(InvalidError):
        Config.of_profile(profile, semantics="1.36")
    assert Framework(Config.of_profile(profile, semantics="1.37")).plugins == {
        "bind": [("DefaultBinder", 0)], "queueSort": [("PrioritySort", 0)]}


def test_plugins_of_other_releases() -> None:
    """An older release's plugin is unknown; one that this version lacks is not."""
    gang = {**HEADER, "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "NodeDeclaredFeatures"}]}}}]}
    with pytest.raises(InvalidError, match='"NodeDeclaredFeatures" does not exist'):
        Framework(gang, semantics="1.34")
    left = Framework(gang, semantics="1.34", skip_unknown_plugins=True)
    assert left.skipped_plugins == ["NodeDeclaredFeatures"]
    cinder = {**HEADER, "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "CinderLimits"}]}}}]}
    with pytest.raises(InvalidError, match='"CinderLimits" does not exist'):
        Framework(cinder)
    with pytest.raises(UnsupportedError) as caught:
        Framework(cinder, semantics="1.31")
    assert caught.value.plugin == "CinderLimits"
