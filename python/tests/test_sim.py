"""Catalog and Sim: contents from every source, arrays, what-ifs, limits, errors."""

import array
import copy
import json
import pickle
import signal
import threading

import numpy
import pytest

import libsched
from libsched import Catalog, Ring, Sim, Stage
from manifests import node, pod

FLAT_POD = b"LSF\1\1\0\0\0\0\0\0\0\x0f\0\0\0\1\2\x09\0\0\0\1\2\3\0\0\0flt"
PROTOBUF_POD = b"\x0a\x04\x0a\x02pb\x12\x05\x12\x03\x0a\x01c"


@pytest.fixture
def sim(scheduler):
    """Nodes a and b of 4 CPUs, and c, which is cordoned and has 8."""
    made = Sim(scheduler)
    made.add_nodes(node("any"), ["a", "b"])
    made.add_nodes(node("any", cpu="8", unschedulable=True), "c")
    return made


def test_contents_of_every_source(tmp_path):
    catalog = Catalog()
    one = pod("web", cpu="1")
    ref = catalog.pod(one)
    path = tmp_path / "pod.json"
    path.write_text(json.dumps(one))
    same = [libsched.Pod(pod("other", cpu="1")), json.dumps(one), json.dumps(one).encode(), str(path), path,
            {"metadata": {"name": "x"}, "spec": one["spec"]}]
    assert [catalog.pod(source) for source in same] == [ref] * len(same)
    refs = catalog.pods(same)
    assert refs.dtype == numpy.uint64 and refs.shape == (len(same),) and set(refs.tolist()) == {ref}
    assert catalog.pod_count == 1 and catalog.has_pod(ref) and not catalog.has_node(ref)
    assert catalog.pod(one, extra="mine") != ref
    assert catalog.pod({**one, "spec": {**one["spec"], "nodeName": "a"}}) != ref
    assert catalog.pod({**one, "spec": {**one["spec"], "nodeName": "a"}}, placed=True) == ref
    shape = catalog.node(node("a"))
    assert catalog.nodes([node("b"), libsched.Node(node("c")), json.dumps(node("d"))]).tolist() == [shape] * 3
    assert catalog.pods([]).shape == (0,)
    assert repr(Catalog()) == "<Catalog: 0 contents of pods, 0 of nodes>"


def test_encoded_contents():
    catalog = Catalog()
    bare = catalog.pod(pod("p"))
    from_protobuf = catalog.pod(PROTOBUF_POD, form="protobuf")
    assert catalog.pods([libsched.Pod.from_protobuf(PROTOBUF_POD)]).tolist() == [from_protobuf]
    assert bare != from_protobuf  # it has an image
    flat = catalog.pods([FLAT_POD, bytearray(FLAT_POD), memoryview(FLAT_POD)])
    assert set(flat.tolist()) == {catalog.pod(libsched.Pod.from_flat(FLAT_POD))}
    assert catalog.pods([FLAT_POD], extras=[b"x"])[0] != flat[0]
    with pytest.raises(libsched.InvalidError) as caught:
        catalog.pods([FLAT_POD, FLAT_POD[:-1]])
    assert caught.value.path.startswith("[1]")
    with pytest.raises(libsched.MisuseError, match="bytes"):
        catalog.pod(json.dumps(pod("p")), form="flat")
    with pytest.raises(libsched.InvalidError, match="form"):
        catalog.pod(pod("p"), form="xml")


def test_wrong_contents():
    catalog = Catalog()
    with pytest.raises(libsched.InvalidError) as caught:
        catalog.pods([pod("a"), {"metadata": {"name": 7}}])
    assert caught.value.path.startswith("[1]")
    with pytest.raises(libsched.InvalidError, match="where one is expected"):
        catalog.pod([pod("a"), pod("b")])
    with pytest.raises(libsched.InvalidError):
        catalog.pod(node("a"))
    with pytest.raises(libsched.MisuseError, match="extras"):
        catalog.pods([pod("a")], extras=[])
    assert catalog.pod_count == 0


def test_ages():
    catalog = Catalog()
    old, kept = catalog.pods([pod("a", cpu="1"), pod("b", cpu="2")]).tolist()
    assert catalog.age() == 0
    assert catalog.pod(pod("c", cpu="2")) == kept
    assert catalog.age() == 1
    assert not catalog.has_pod(old) and catalog.has_pod(kept)
    sim = Sim(catalog=catalog)
    sim.add_nodes(node("a"), "a")
    sim.add_pod(kept, "a")
    for _ in range(3):
        catalog.age()
    assert catalog.has_pod(kept)
    with pytest.raises(libsched.StaleError):
        sim.add_pod(old, "a")


def test_nothing_of_it_is_pickled_or_copied(sim):
    for one in (sim, sim.catalog):
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be"):
                call(one)


def test_ids_of_another_one_are_stale():
    one, other = Sim(), Sim()
    for s in (one, other):
        s.add_nodes(node("n"), "n")
        s.add_pod(pod("p"), "n")
    with pytest.raises(libsched.StaleError):
        other.add_nodes(one.catalog.node(node("n")), "m")
    with pytest.raises(libsched.StaleError):
        other.add_pod(one.catalog.pod(pod("p")), "n")
    with pytest.raises(libsched.StaleError):
        other.remove_node(one.find("n"))
    assert len(other) == other.pod_count == 1


def test_nodes_and_pods(sim):
    assert sim.names == ["a", "b", "c"] and len(sim) == 3 and "b" in sim and "d" not in sim
    nodes = sim.nodes
    assert nodes.dtype == numpy.uint64 and [sim.find(name) for name in sim.names] == nodes.tolist()
    assert sim.node_name(nodes[1]) == "b" and sim.position("c") == 2
    web = sim.catalog.pod(pod("web", cpu="1"))
    pods = sim.add_pods([web] * 3, ["a", "a", "b"])
    assert sim.pods_on("a").tolist() == pods[:2].tolist()
    assert sim.pod_nodes(pods).tolist() == [nodes[0], nodes[0], nodes[1]]
    assert sim.pod_refs(pods).tolist() == [web] * 3 and sim.pod_count == 3
    assert sim.resources[:4] == ["cpu", "memory", "ephemeral-storage", "pods"]
    used = sim.requested()
    assert used.shape == (3, len(sim.resources)) and used[:, 0].tolist() == [2000, 1000, 0]
    assert sim.requested("a")[0] == 2000 and sim.allocatable(["c", "a"])[:, 0].tolist() == [8000, 4000]
    sim.remove_pods(pods[:2])
    sim.remove_pods(int(pods[2]))
    with pytest.raises(libsched.StaleError):
        sim.remove_pods(pods[:1])
    sim.replace_node("a", node("any", cpu="1"))
    assert sim.allocatable("a")[0] == 1000 and sim.node_refs(["a"]) != sim.node_refs(["b"])
    sim.remove_node("a")
    assert sim.node_name(nodes[0]) == "" and sim.node_refs(nodes[:1]).tolist() == [0]
    for call in (sim.position, sim.pods_on, sim.requested, sim.remove_node):
        with pytest.raises((libsched.StaleError, libsched.NotFoundError)):
            call(int(nodes[0]))
    with pytest.raises(libsched.NotFoundError, match='no node "a"'):
        sim.pods_on("a")
    with pytest.raises(libsched.ExistsError):
        sim.add_nodes(node("any"), ["x", "b"])
    assert repr(sim) == "<Sim: 2 nodes, 0 pods>"


def test_forks(sim):
    web = sim.catalog.pod(pod("web"))
    with sim.fork() as fork:
        sim.add_pod(web, "a")
        with sim.fork() as inner:
            sim.remove_node("b")
            assert repr(sim) == "<Sim: 2 nodes, 1 pod, 2 forks open>"
            with pytest.raises(libsched.StateError, match="still open"):
                fork.commit()
            inner.commit()
        assert sim.names == ["a", "c"] and fork.is_open and not inner.is_open
        sim.fork()
        fork.revert()
    assert sim.names == ["a", "b", "c"] and sim.pod_count == 0 and sim.fork_depth == 0
    for call in (fork.commit, fork.revert, sim.commit, sim.revert):
        with pytest.raises(libsched.StateError):
            call()
    with pytest.raises(ZeroDivisionError), sim.fork():
        sim.remove_node("a")
        raise ZeroDivisionError
    assert "a" in sim
    opened = sim.fork()
    sim.reset([], [])
    assert not opened.is_open and len(sim) == 0


def test_reset(sim):
    shape, web = sim.catalog.node(node("any")), sim.catalog.pod(pod("web", cpu="1"))
    nodes, pods = sim.reset([shape, shape], ["x", "y"], numpy.array([web, web]), numpy.array([1, 1]))
    assert sim.names == ["x", "y"] and sim.pods_on(int(nodes[1])).tolist() == pods.tolist()
    for wrong in (([shape], ["x", "y"]), ([shape], ["x"], [web], [])):
        with pytest.raises(libsched.MisuseError):
            sim.reset(*wrong)
    with pytest.raises(libsched.InvalidError):
        sim.reset([shape], ["x"], [web], [1])
    assert sim.names == ["x", "y"]


def test_dumps(scheduler, cluster, tmp_path):
    objects = [node("a"), node("b", cpu="8"), pod("busy", cpu="3", node_name="a"), pod("waits")]
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    for source in (path, str(path), objects, libsched.Objects([path]), [path],
                   [libsched.Node(node("a")), libsched.Node(node("b", cpu="8")),
                    libsched.Pod(pod("busy", cpu="3", node_name="a"))]):
        sim = Sim.from_dump(source, scheduler)
        assert sim.names == ["a", "b"] and sim.pod_count == 1 and sim.requested("a")[0] == 3000
    for view in (cluster, cluster.snapshot()):
        sim = Sim.from_dump(view, scheduler)
        assert sim.names == list(view.nodes) and sim.requested("a")[0] == 3000
    opened = sim.fork()
    sim.load(objects)
    assert not opened.is_open
    with pytest.raises(libsched.InvalidError):
        sim.put_objects(objects)


def test_check_and_explain(sim):
    web = pod("web", cpu="1")
    passed = sim.check(web, "a")
    assert passed and passed.stage is Stage.PASSED and passed.reasons == () and passed.message == ""
    refused = sim.check(pod("web", cpu="9"), "a")
    assert not refused and refused.stage is Stage.FILTER_REJECTED
    assert (refused.plugin, refused.reasons) == ("NodeResourcesFit", ("Insufficient cpu",))
    assert repr(refused) == "<SimVerdict FILTER_REJECTED by NodeResourcesFit: Insufficient cpu>"
    named = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}]}}}
    excluded = sim.check(pod("web", affinity=named), "a")
    assert excluded.stage is Stage.PREFILTER_EXCLUDED and excluded.excluders == ("NodeAffinity",)
    assert repr(excluded) == "<SimVerdict PREFILTER_EXCLUDED by NodeAffinity>"
    claims = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]}
    assert sim.check(pod("web", **claims), "a").stage is Stage.PREFILTER_REJECTED
    told = json.dumps(sim.explain(pod("web", cpu="9"), "a"))
    assert "Insufficient cpu" in told and '"b"' not in told
    assert '"b"' in json.dumps(sim.explain(pod("web", cpu="9")))
    with pytest.raises(libsched.StaleError):
        sim.check(12345, "a")


def test_first(sim):
    web = sim.catalog.pod(pod("web", cpu="3"))
    nodes = sim.nodes
    assert sim.first(web).node == nodes[0] and not sim.first(pod("big", cpu="99"))
    assert sim.first(pod("big", cpu="99")).verdict.stage is Stage.NO_NODE
    assert sim.first(web, start=1).node == nodes[1] and sim.first(web, start=2).position == 0
    assert not sim.first(web, start=2, count=1)
    assert sim.first(web, order=["c", "b"]).node == nodes[1] and not sim.first(web, order=[])
    for accept in (["b"], nodes[1:2], [int(nodes[1])], numpy.array([False, True, False]),
                   sim.feasible(pod("x"), accept=["b"], result="bits").data):
        assert sim.first(web, accept=accept).node == nodes[1]
    assert not sim.first(web, accept=[]) and not sim.first(web, accept=b"")
    ring = Ring(offset=1)
    assert sim.first(web, ring=ring).node == nodes[1] and ring.last == 1
    assert repr(ring) == "Ring(last=1, offset=1)"
    hit = sim.first(web, place=True)
    assert sim.pod_nodes([hit.pod])[0] == hit.node and sim.first(web).node == nodes[1]
    tolerant = pod("t", tolerations=[{"operator": "Exists"}], cpu="5")
    assert sim.first(tolerant).node == nodes[2] and not sim.first(tolerant, skip_unschedulable=True)
    for wrong in ({"start": -1}, {"count": -1}, {"accept": numpy.array([True])}):
        with pytest.raises(libsched.InvalidError):
            sim.first(web, **wrong)


def test_sets_and_matrices(sim):
    web, big = sim.catalog.pods([pod("web", cpu="1"), pod("big", cpu="5")])
    assert sim.feasible(web).tolist() == sim.nodes[:2].tolist()
    assert sim.feasible(web, result="mask").tolist() == [True, True, False]
    bits = sim.feasible(web, result="bits")
    index = (sim.nodes & 0xffffffff).astype(int)
    assert [bool(bits[i // 64] >> numpy.uint64(i % 64) & numpy.uint64(1)) for i in index] == [True, True, False]
    with pytest.raises(libsched.InvalidError):
        sim.feasible(web, result="names")
    matrix = sim.check_many([web, big])
    assert matrix.dtype == numpy.uint8 and matrix.shape == (2, 3)
    named = [[sim.plugins[told - 1] if told else "" for told in row] for row in matrix]
    assert named == [["", "", "NodeUnschedulable"], ["NodeResourcesFit", "NodeResourcesFit", "NodeUnschedulable"]]
    assert sim.check_many(numpy.array([big]), ["c"]).shape == (1, 1)
    assert sim.check_many([], ["c"]).shape == (0, 1) and sim.check_many([web], []).shape == (1, 0)


def test_questions_to_some_plugins(sim):
    web, big = sim.catalog.pods([pod("web", cpu="1"), pod("big", cpu="100")])
    assert not sim.check(web, "c") and sim.check(web, "c", ignore=["NodeUnschedulable"])
    assert sim.first(big, plugins=["NodeUnschedulable", "TaintToleration"]).position == 0 and not sim.first(big)
    assert sim.feasible(big, plugins=[]).tolist() == sim.nodes.tolist()
    assert sim.check_many([big], ignore=["NodeResourcesFit"])[0, :2].tolist() == [0, 0]
    assert sim.copies(big, ["a"], max=3, ignore=("NodeResourcesFit",)).tolist() == [3]
    for wrong in (dict(plugins=["None"]), dict(ignore="NodeName"), dict(plugins=[], ignore=[])):
        with pytest.raises((libsched.InvalidError, libsched.MisuseError)):
            sim.check(web, "a", **wrong)
    with pytest.raises(libsched.InvalidError, match="placed by all plugins"):
        sim.first(web, place=True, ignore=["NodeName"])


def test_copies_and_questions_without_pods(sim):
    web, big = sim.catalog.pods([pod("web", cpu="1"), pod("big", cpu="4")])
    alone = sim.copies(web)
    assert alone.dtype == numpy.uint64 and alone.shape == (3,) and alone[2] == 0 and (alone[:2] > 1).all()
    assert sim.copies(web, ["a", "c"], max=1).tolist() == [1, 0] and sim.copies(big, []).shape == (0,)
    placed = sim.place_many([big]).hits["pod"]
    assert sim.copies(web)[0] == 0 and sim.copies(web, without=placed).tolist() == alone.tolist()
    assert not sim.check(big, "a") and sim.check(big, "a", without=placed)
    assert sim.first(big).node != sim.nodes[0] and sim.first(big, without=placed).node == sim.nodes[0]
    assert sim.feasible(big, without=placed).tolist() == sim.nodes[:2].tolist()
    assert (sim.check_many([big], without=placed)[0, :2] == 0).all()
    assert len(sim.pods_on("a")) == 1
    with pytest.raises(libsched.InvalidError, match="places none"):
        sim.first(big, place=True, without=placed)
    with pytest.raises(libsched.StaleError):
        sim.check(big, "a", without=[12345])
    with pytest.raises(libsched.InvalidError):
        sim.copies(web, max=-1)


def test_arrays_are_not_copied_and_belong_to_the_caller(sim):
    web = sim.catalog.pod(pod("web"))
    for refs in (numpy.array([web] * 2, numpy.uint64), array.array("Q", [web] * 2),
                 numpy.array([web, 0, web, 0], numpy.uint64)[::2], numpy.array([web] * 2, numpy.int64)):
        placed = sim.place_many(refs)
        assert placed.count == 2
    placed.hits["node"][0] = 7  # an array that the caller may write to
    assert sim.nodes[0] != 7
    for wrong in ([-1], ["x"], [1.5], [1 << 64]):
        with pytest.raises((libsched.MisuseError, libsched.InvalidError)):
            sim.check_many(wrong if wrong != ["x"] else numpy.array(["x"]), ["a"])
    with pytest.raises(libsched.InvalidError):
        sim.add_pods(numpy.array([-1]), numpy.array([1]))
    with pytest.raises(libsched.InvalidError):
        sim.add_pods(numpy.ones((2, 2), numpy.uint64), [1])


def test_place_many(sim):
    small, big, huge = sim.catalog.pods([pod("s", cpu="1"), pod("b", cpu="4"), pod("h", cpu="99")]).tolist()
    with sim.fork():
        placed = sim.place_many([small, big, huge, huge, small])
        assert (placed.count, placed.ended) == (3, False) and placed.hits.shape == (5,)
        assert [sim.node_name(one) for one in placed.hits["node"].tolist() if one] == ["a", "b", "a"]
        assert placed.hits["pod"][2] == 0 and sim.pod_count == 3
    with sim.fork():
        assert sim.place_many([small, huge, small], stop_at_failure=True).count == 1
    with sim.fork():
        hinted = sim.place_many([small, small], hints=[sim.find("b"), 0])
        assert [sim.node_name(one) for one in hinted.hits["node"].tolist()] == ["b", "a"]
    with pytest.raises(libsched.MisuseError, match="hints"):
        sim.place_many([small], hints=[])
    with pytest.raises(libsched.StaleError):
        sim.place_many([small] * 2000 + [12345])
    assert sim.pod_count == 0  # nothing of a failed call stays, not of earlier pieces either


def test_many_pieces_are_one_call(sim):
    """More pods than a piece has: what has failed is passed over in later pieces as well."""
    small, follower = sim.catalog.pods([
        pod("s", cpu="1m"), pod("f", cpu="1m", affinity={"podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": "kubernetes.io/hostname"}]}})]).tolist()
    leader = pod("l", cpu="1m")
    leader["metadata"]["labels"] = {"app": "x"}
    asked = [follower] + [small] * 600 + [sim.catalog.pod(leader)] + [follower] * 2
    sim.replace_node("a", node("any", pods="9999"))
    with sim.fork():
        passed_over = sim.place_many(asked)
        assert passed_over.count == 601 and not passed_over.hits["node"][[0, -2, -1]].any()
    assert sim.place_many(asked, retry_failed=True).count == 603


def test_bin_pack(sim):
    web, big = sim.catalog.pods([pod("web", cpu="1"), pod("big", cpu="3")]).tolist()
    shape = sim.catalog.node(node("any"))
    with sim.bin_pack({web: 4, big: 2}, shape) as packing:
        assert packing.count == 6 and packing.stop == "" and sim.fork_depth == 1
        assert [sim.node_name(one) for one in packing.nodes] == [f"new-{i}" for i in range(len(packing.nodes))]
        assert packing.on_node.dtype == numpy.int32 and packing.on_node.min() >= 0
        assert sim.pod_nodes(packing.pods).tolist() == packing.nodes[packing.on_node].tolist()
    assert len(sim) == 3 and sim.fork_depth == 0
    packing = sim.bin_pack([(pod("big", cpu="3"), 5)], node("any"), max_nodes=2, prefix="x")
    assert packing.stop == "nodes" and packing.on_node.tolist() == [0, 1, -1, -1, -1]
    packing.commit()
    assert sim.names[3:] == ["x0", "x1"] and sim.pod_count == 2
    assert sim.bin_pack([(big, 1)], shape, existing_too=True).on_node.tolist() == [-2]
    sim.revert()
    sim.put_objects({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "t"}, "spec": {"drivers": []}})
    with sim.bin_pack([(big, 2)], shape, objects_of="t"):
        assert [one["metadata"]["name"] for one in sim.objects("CSINode")] == ["new-0", "new-1", "t"]
    asked = []
    packing = sim.bin_pack([(big, 5)], shape, permit=lambda: asked.append(1) or len(asked) < 3)
    assert packing.stop == "permit" and len(packing.nodes) == 2 and len(asked) == 3
    packing.revert()

    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sim.bin_pack([(big, 1)], shape, permit=fail)
    with pytest.raises(libsched.StaleError):
        sim.bin_pack([(12345, 1)], shape)
    with pytest.raises(libsched.InvalidError):
        sim.bin_pack([(big, -1)], shape)
    assert sim.fork_depth == 0 and len(sim) == 5


def test_remove(sim):
    web = sim.catalog.pod(pod("web", cpu="1"))
    pods = sim.add_pods([web] * 2, "a")
    removed, hits = sim.remove("a")
    assert removed and [sim.node_name(one) for one in hits["node"]] == ["b", "b"] and "a" in sim
    assert sim.remove("a", ghost=node("any"))[0]
    assert not sim.remove("a", accept=["c"])[0]
    for wrong in ([pods[0], pods[0]], [sim.add_pod(web, "b")]):
        with pytest.raises(libsched.InvalidError):
            sim.remove("a", wrong)
    removed, hits = sim.remove("a", pods, keep=True)
    assert removed and sim.names == ["b", "c"] and sim.pod_nodes(hits["pod"]).tolist() == hits["node"].tolist()


def test_limits(sim):
    web = sim.catalog.pod(pod("web", cpu="1"))
    one = sim.add_pod(web, "a")
    cancel = libsched.Cancel()
    cancel.set()
    for limit, error in (({"timeout": 0}, libsched.DeadlineExceeded), ({"cancel": cancel}, libsched.CancelledError)):
        for call in (lambda **k: sim.check(web, "a", **k), lambda **k: sim.first(web, place=True, **k),
                     lambda **k: sim.feasible(web, **k), lambda **k: sim.check_many([web], **k),
                     lambda **k: sim.remove("a", [one], keep=True, **k)):
            with pytest.raises(error):
                call(**limit)
        placed = sim.place_many([web], **limit)
        assert placed.ended and placed.count == 0
        with sim.bin_pack([(web, 1)], node("any"), **limit) as packing:
            assert packing.stop == "deadline"
    assert sim.pod_count == 1 and sim.fork_depth == 0
    for enough in (None, 3600, float("inf")):
        assert sim.check(web, "a", timeout=enough)
    with pytest.raises(libsched.InvalidError, match="timeout"):
        sim.check(web, "a", timeout=-1)


def test_ctrl_c_changes_nothing(sim):
    shape, web = sim.catalog.node(node("any")), sim.catalog.pod(pod("web", cpu="3"))

    class Slow:
        def filter(self, state, pod, node):
            signal.raise_signal(signal.SIGALRM)

    slow = Sim(libsched.Framework(plugins=[Slow]), sim.catalog)
    slow.add_nodes(shape, ["a", "b"])

    def stop(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        for call in (lambda: slow.place_many([web] * 2000), lambda: slow.first(web, place=True)):
            with pytest.raises(KeyboardInterrupt):
                call()
            assert slow.pod_count == 0 and slow.fork_depth == 0
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            sim.bin_pack([(web, 10_000_000)], shape)
        assert len(sim) == 3 and sim.fork_depth == 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_plugins_in_python(scheduler):
    asked = []

    class Picky:
        def filter(self, state, pod, node):
            asked.append((node.name, len(state.view.nodes)))
            return node.name != "a" or libsched.Status.unschedulable("not a")

        def filter_batch(self, state, pod, nodes):
            asked.extend(nodes.names)
            return numpy.where(nodes.names == "a", libsched.Code.UNSCHEDULABLE, libsched.Code.SUCCESS)

    class Wrong:
        def filter(self, state, pod, node):
            raise ZeroDivisionError

    sim = Sim(libsched.Framework(plugins=[Picky]))
    sim.add_nodes(node("any"), ["a", "b"])
    web = sim.catalog.pod(pod("web"))
    assert sim.node_name(sim.first(web).node) == "b" and not sim.check(web, "a") and asked
    wrong = Sim(libsched.Framework(plugins=[Wrong]))
    wrong.add_nodes(node("any"), ["a", "b"])
    for call in (wrong.check, wrong.remove):
        with pytest.raises((ZeroDivisionError, libsched.PluginError)):
            wrong.check(pod("web"), "a") if call == wrong.check else wrong.place_many([pod("web")])
    assert wrong.pod_count == 0 and wrong.fork_depth == 0


def test_threads_take_turns(sim):
    web = sim.catalog.pod(pod("web", cpu="1m"))
    sim.replace_node("a", node("any", pods="9999"))

    def work():
        for _ in range(20):
            sim.add_pod(web, "a")
            sim.place_many([web] * 5)
            sim.catalog.pods([pod("x", cpu="1m")] * 3)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sim.pod_count == 4 * 20 * 6


def test_html(sim):
    sim.add_nodes(node("any"), ["<b>"])
    html = sim._repr_html_()
    assert "&lt;b&gt;" in html and "0 of 4" in html and "4 nodes" in html
    sim.add_nodes(node("any"), [f"n{i}" for i in range(200)])
    assert "more nodes" in sim._repr_html_()


def test_objects_are_read_back_and_reset():
    made = libsched.Sim()
    made.add_nodes(node("any", cpu="4"), "a")
    meta = {"name": "card", "namespace": "default"}
    claim = {"kind": "ResourceClaim", "apiVersion": "resource.k8s.io/v1", "metadata": meta, "spec": {"devices": {"requests": [
        {"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}
    slice_ = {"kind": "ResourceSlice", "apiVersion": "resource.k8s.io/v1", "metadata": {"name": "s"}, "spec": {
        "driver": "d", "nodeName": "a", "pool": {"name": "a", "resourceSliceCount": 1}, "devices": [{"name": "x"}]}}
    kind = {"kind": "DeviceClass", "apiVersion": "resource.k8s.io/v1", "metadata": {"name": "gpu"}}
    for one in (claim, slice_, kind):
        made.put_objects(one)
    asks = pod("p", resourceClaims=[{"name": "c", "resourceClaimName": "card"}])
    before = made.objects_version("ResourceClaim")
    assert "results" not in str(made.objects("ResourceClaim", name="card"))
    with made.fork():
        assert made.first(made.catalog.pod(asks), place=True)
        (taken,) = made.objects("ResourceClaim", namespace="default")
        assert taken["status"]["allocation"]["devices"]["results"][0]["device"] == "x"
        assert made.objects_version("ResourceClaim") != before
        assert made.objects_version("DeviceClass") != 0 and made.objects_version("Secret") == 0
    assert made.objects_version("ResourceClaim") == before
    assert made.objects("ResourceClaim", name="other") == [] == made.objects("ResourceClaim", namespace="other")
    with pytest.raises(libsched.InvalidError, match="Secret"):
        made.objects("Secret")
    made.reset_objects(kind)
    assert [made.objects(one) for one in ("ResourceClaim", "ResourceSlice")] == [[], []]
    assert [one["metadata"]["name"] for one in made.objects("DeviceClass")] == ["gpu"]
    made.put_objects(claim)
    with pytest.raises(libsched.InvalidError):
        made.reset_objects(node("b"))
    assert len(made.objects("ResourceClaim")) == 1

    cluster = libsched.Cluster({"kind": "List", "apiVersion": "v1", "items": [claim, kind]})
    request = cluster.objects("ResourceClaim")[0]["spec"]["devices"]["requests"][0]
    assert request["name"] == "r" and request["exactly"]["deviceClassName"] == "gpu"
    assert cluster.snapshot().objects("DeviceClass")[0]["metadata"]["name"] == "gpu"
