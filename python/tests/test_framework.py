"""Config and Framework: construction, profiles, gates, and upstream's calls."""

import json
import pickle

import pytest

import libsched
from libsched import Code
from manifests import CLAIMS, GATED, node, pod

API = "kubescheduler.config.k8s.io/v1"
TWO = {"apiVersion": API, "kind": "KubeSchedulerConfiguration", "profiles": [
    {"schedulerName": "one"},
    {"schedulerName": "two", "plugins": {"filter": {"disabled": [{"name": "NodeUnschedulable"}]}}}]}


def names(framework, point):
    return [name for name, _ in framework.plugins[point]]


def test_defaults(scheduler):
    assert scheduler.profile == "default-scheduler"
    assert repr(scheduler) == "<Framework default-scheduler>"
    assert names(scheduler, "filter")[:3] == ["NodeName", "NodeUnschedulable", "TaintToleration"]
    assert ("TaintToleration", 3) in scheduler.plugins["score"]
    scheduler.plugins["filter"].clear()
    assert scheduler.plugins["filter"]


@pytest.mark.parametrize("make", [
    lambda path: path, str, lambda path: path.read_text(), lambda path: path.read_bytes(),
    lambda path: TWO, lambda path: libsched.Config(TWO), lambda path: open(path, "rb")],
    ids=["path", "str path", "str", "bytes", "dict", "Config", "file"])
def test_sources(tmp_path, make):
    path = tmp_path / "scheduler.json"
    path.write_text(json.dumps(TWO))
    framework = libsched.Framework(make(path), profile="two")
    assert framework.profile == "two"
    assert "NodeUnschedulable" not in names(framework, "filter")


def test_profiles():
    config = libsched.Config(TWO)
    assert config.profiles == ["one", "two"]
    assert repr(config) == "<Config of one, two>"
    described = config.describe()
    assert [profile["schedulerName"] for profile in described["profiles"]] == ["one", "two"]
    with pytest.raises(libsched.NotFoundError):
        libsched.Framework(config, profile="three")
    with pytest.raises(libsched.Error):
        libsched.Framework(config)


@pytest.mark.parametrize("config, text", [
    ("kind: KubeSchedulerConfiguration\napiVersion: wrong/v1\n", "wrong/v1"),
    ({**TWO, "parallelism": -1}, "parallelism"),
    ({**TWO, "unknownField": 1}, "unknownField"),
    ({**TWO, "profiles": [{"schedulerName": "x"}, {"schedulerName": "x"}]}, "Duplicate"),
    ("{", "parse error")])
def test_bad_configurations(config, text):
    with pytest.raises(libsched.InvalidError, match=text):
        libsched.Framework(config)


def test_no_configuration_at_all():
    with pytest.raises(TypeError, match="^config is a Config, .*, not 3$"):
        libsched.Framework(3)
    with pytest.raises(libsched.FileError):
        libsched.Framework("no-such-config.yaml")


def test_plugins_that_do_not_exist():
    config = {**TWO, "profiles": [{"schedulerName": "x", "plugins": {
        "multiPoint": {"enabled": [{"name": "Nonesuch"}]}}}]}
    with pytest.raises(libsched.InvalidError, match="Nonesuch"):
        libsched.Framework(config)
    with pytest.raises(libsched.InvalidError, match="Nonesuch"):
        libsched.Config(config).describe()


def test_feature_gates():
    assert libsched.Framework(feature_gates={"InPlacePodVerticalScaling": True})
    assert libsched.Framework(feature_gates="InPlacePodVerticalScaling=true")
    with pytest.raises(libsched.InvalidError, match="Nonesuch"):
        libsched.Framework(feature_gates={"Nonesuch": True})


def test_gates_decide_on_a_configurations_defaults():
    gates = {"GenericWorkload": True, "GangScheduling": True}
    for config in (None, libsched.Config(), libsched.Config(feature_gates=gates, semantics="1.36"), {
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}):
        assert "permit" not in libsched.Framework(config).plugins
        assert libsched.Framework(config, feature_gates=gates, semantics="1.36").plugins["permit"] == [
            ("GangScheduling", 0)]
    shape = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
             "profiles": [{"pluginConfig": [{"name": "VolumeBinding", "args": {
                 "shape": [{"utilization": 0, "score": 1}]}}]}]}
    off, on = "StorageCapacityScoring=false", "StorageCapacityScoring=true"
    with pytest.raises(libsched.InvalidError, match="shape"):
        libsched.Config(shape, feature_gates=off)
    with pytest.raises(libsched.InvalidError, match="shape"):  # valid with that gate alone
        libsched.Framework(libsched.Config(shape, feature_gates=on), feature_gates=off)
    copied = pickle.loads(pickle.dumps(libsched.Config(shape, feature_gates=on, semantics="1.36")))
    assert copied.profiles == ["default-scheduler"]


def test_options_of_a_wrong_type_are_named():
    for options, message in (
            ({"semantics": 1.31}, 'semantics is a text, such as "1.36" or "1.31", not 1.31'),
            ({"feature_gates": ["GangScheduling"]}, "a mapping of names to bools, .* not a list"),
            ({"feature_gates": {"GangScheduling": "false"}}, r"feature_gates\['GangScheduling'\] is True or False, not 'false'")):
        with pytest.raises(libsched.MisuseError, match=message):
            libsched.Framework(**options)
    with pytest.raises(libsched.MisuseError, match="workload is a TimedWorkload, not \\[\\]"):
        libsched.Simulation(libsched.Cluster(), [])


def test_run_plugins(scheduler, cluster):
    state = libsched.CycleState()
    small = libsched.Pod(pod("small", cpu="2"))
    result, status = scheduler.run_pre_filter_plugins(state, cluster, small)
    assert status.is_success and result.all_nodes and result.node_names is None
    assert state.skips_filter("NodePorts") and not state.skips_filter("NodeResourcesFit")
    assert scheduler.run_filter_plugins(state, cluster, small, "b").is_success
    status = scheduler.run_filter_plugins(state, cluster, small, "a")
    assert (status.code, status.plugin, status.reasons) == (
        Code.UNSCHEDULABLE, "NodeResourcesFit", ("Insufficient cpu",))
    status = scheduler.run_filter_plugins(state, cluster, small, "c")
    assert (status.plugin, status.code) == (
        "NodeUnschedulable", Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
    with pytest.raises(libsched.NotFoundError):
        scheduler.run_filter_plugins(state, cluster, small, "z")
    cluster.remove_pod("busy")
    assert scheduler.run_filter_plugins(state, cluster, small, "a").is_success


def test_pre_filter_extensions(scheduler, cluster):
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": "x"}}}]}}
    coming = pod("other")
    coming["metadata"]["labels"] = {"app": "x"}
    one, other = libsched.Pod(pod("apart", affinity=apart)), libsched.Pod(coming)
    state = libsched.CycleState()
    # As upstream, the plugins say what they lack.
    status = scheduler.run_pre_filter_extension_add_pod(state, cluster, one, other, "b")
    assert status.is_error and "from cycleState" in status.message
    scheduler.run_pre_filter_plugins(state, cluster, one)
    assert scheduler.run_pre_filter_extension_add_pod(
        state, cluster, one, other, "b").is_success
    status = scheduler.run_filter_plugins(state, cluster, one, "b")
    assert (status.plugin, status.code) == ("InterPodAffinity", Code.UNSCHEDULABLE)
    assert scheduler.run_pre_filter_extension_remove_pod(
        state, cluster, one, other, "b").is_success
    assert scheduler.run_filter_plugins(state, cluster, one, "b").is_success
    with pytest.raises(libsched.NotFoundError):
        scheduler.run_pre_filter_extension_add_pod(state, cluster, one, other, "z")


def pinned(*names):
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": [name]}]} for name in names]}}}}


def test_pre_filter_narrows(scheduler, cluster):
    state = libsched.CycleState()
    result, status = scheduler.run_pre_filter_plugins(state, cluster, pod(**pinned("a", "b")))
    assert status and result.node_names == {"a", "b"} and not result.all_nodes
    assert result.plugins == ("NodeAffinity",)


def test_pre_enqueue(scheduler, cluster):
    assert scheduler.run_pre_enqueue_plugins(cluster, pod())
    status = scheduler.run_pre_enqueue_plugins(cluster, pod(**GATED))
    assert (status.plugin, status.is_rejected) == ("SchedulingGates", True)


def bits(bitmap):
    return {row for row in range(len(bitmap) * 8) if bitmap[row // 8] >> row % 8 & 1}


def test_filter_nodes(scheduler):
    cluster = libsched.Cluster([node(f"n{index:03}", cpu="1" if index % 2 else "4")
                                for index in range(200)])
    big = libsched.Pod(pod(cpu="2"))
    state = libsched.CycleState()
    scheduler.run_pre_filter_plugins(state, cluster, big)
    expected = [name for name in cluster.nodes if int(name[1:]) % 2 == 0]
    assert scheduler.filter_nodes(state, cluster, big) == expected
    bitmap = scheduler.filter_nodes(state, cluster, big, result="bitmap")
    assert len(bitmap) % 8 == 0
    assert bits(bitmap) == {cluster.row(name) for name in expected}
    assert scheduler.filter_nodes(state, cluster, big, limit=3) == expected[:3]
    assert scheduler.filter_nodes(state, cluster, big, limit=2, start=101) == expected[51:53]
    assert scheduler.filter_nodes(state, cluster, big, accept=expected[:5] + ["n001"]) == expected[:5]
    assert scheduler.filter_nodes(state, cluster, big, accept=[]) == []
    assert scheduler.filter_nodes(state, cluster, big, accept=b"") == []
    assert scheduler.filter_nodes(state, cluster, big, accept=bitmap) == expected
    assert scheduler.filter_nodes(state, cluster, big, accept=bitmap[:9]) == [
        name for name in expected if cluster.row(name) < 72]
    for wrong in ({"limit": -1}, {"start": -1}, {"result": "rows"}):
        with pytest.raises(libsched.InvalidError):
            scheduler.filter_nodes(state, cluster, big, **wrong)
    with pytest.raises(libsched.NotFoundError):
        scheduler.filter_nodes(state, cluster, big, accept=["nowhere"])
    with pytest.raises(libsched.MisuseError, match="^accept is an iterable of names of nodes, not 'n000'"):
        scheduler.filter_nodes(state, cluster, big, accept="n000")


def test_filter_nodes_with_numpy(scheduler):
    numpy = pytest.importorskip("numpy")
    cluster = libsched.Cluster([node(f"n{index}", unschedulable=index % 3 == 0)
                                for index in range(100)])
    small = libsched.Pod(pod())
    state = libsched.CycleState()
    scheduler.run_pre_filter_plugins(state, cluster, small)
    found = scheduler.filter_nodes(state, cluster, small, result="numpy")
    assert found.dtype == numpy.bool_ and found.shape == (cluster.row_count,)
    assert found.sum() == 66 and not found[cluster.row("n3")]
    only = numpy.zeros(cluster.row_count, bool)
    only[[cluster.row("n1"), cluster.row("n3"), cluster.row("n98")]] = True
    assert scheduler.filter_nodes(state, cluster, small, accept=only) == ["n1", "n98"]
    assert scheduler.filter_nodes(state, cluster, small, accept=found & only) == ["n1", "n98"]
    with pytest.raises(libsched.InvalidError, match="bool"):
        scheduler.filter_nodes(state, cluster, small, accept=numpy.arange(3))


def test_filter_needs_pre_filter(scheduler, cluster):
    with pytest.raises(libsched.Error):
        scheduler.filter_nodes(libsched.CycleState(), cluster, libsched.Pod(pod()))


def test_claims_of_devices(scheduler, cluster):
    found = scheduler.fit(cluster, pod(**CLAIMS))
    assert not found.nodes and "could not find ResourceClaim" in found.fit_error


def test_misuse(scheduler, cluster):
    with pytest.raises(TypeError, match="Cluster or Snapshot"):
        scheduler.fit([node("a")], pod())
    with pytest.raises(libsched.InvalidError, match="2 pods"):
        scheduler.fit(cluster, [pod("x"), pod("y")])
    with pytest.raises(libsched.NotFoundError):
        scheduler.fit(cluster, pod(), "z")
