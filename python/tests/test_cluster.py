"""Cluster, Fork and Snapshot."""

import gc
import pickle
import weakref

import pytest

import libsched
from manifests import node, pod


def test_reading(cluster):
    assert len(cluster) == 3 and cluster
    assert sorted(cluster.nodes) == ["a", "b", "c"]
    assert "a" in cluster.nodes and "z" not in cluster.nodes and 3 not in cluster.nodes
    assert list(cluster.pods) == ["default/busy"]
    assert "busy" in cluster.pods and "default/other" not in cluster.pods
    a = cluster.nodes["a"]
    assert a.node.name == "a"
    assert (a.allocatable("cpu"), a.requested("cpu"), a.requested("pods")) == (4000, 3000, 1)
    assert [found.name for found in a.pods] == ["busy"]
    assert cluster.node_of("busy") == "a" and cluster.node_of("none") is None
    assert cluster.node_of(a.pods[0]) == "a"
    assert repr(cluster) == "<Cluster: 3 nodes, 1 pod>"
    assert repr(a) == "<NodeInfo a>"
    assert repr(cluster.pods) == "<1 pods: default/busy>"
    assert repr(libsched.Cluster().nodes) == "<no nodes>"


def test_unknown_names(cluster):
    with pytest.raises(libsched.NotFoundError, match='no node "z"'):
        cluster.nodes["z"]
    with pytest.raises(libsched.NotFoundError):
        cluster.pods["default/z"]
    with pytest.raises(KeyError):
        cluster.row("z")
    info = cluster.nodes["b"]
    cluster.remove_node("b")
    with pytest.raises(libsched.NotFoundError):
        info.allocatable("cpu")


def test_a_misspelt_name_gets_the_nearest_one(cluster, scheduler):
    big = libsched.Cluster([*libsched.Node(node("general-a")).copies(300), node("other")])
    big.add_pods(pod("web-0", namespace="shop"), "other")
    fit, scored = scheduler.fit(big, pod("x")), scheduler.score(big, pod("x")).scores
    for wrong, meant in ((lambda: big.nodes["general-a-17x"], "general-a-17"), (lambda: big.row("othr"), "other"),
                         (lambda: big.add_pods(pod("x"), "othr"), "other"), (lambda: fit["genral-a-3"], "general-a-3"),
                         (lambda: big.update(pod("x"), node="othr"), "other"), (lambda: big.pods["shop/web0"], "shop/web-0"),
                         (lambda: big.snapshot().nodes["othr"], "other"), (lambda: scored["othr"], "other"),
                         (lambda: scored.raw("NodeResourceFit"), "NodeResourcesFit")):
        with pytest.raises(libsched.NotFoundError) as caught:
            wrong()
        for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
            assert str(error).endswith(f'; did you mean "{meant}"?')
    with pytest.raises(libsched.NotFoundError) as caught:
        big.nodes["quite-different"]
    assert str(caught.value) == 'no node "quite-different"' == caught.value.message
    assert big.nodes.get("othr") is None


def test_a_misspelt_argument_gets_the_right_one(cluster):
    for wrong, meant in ((lambda: libsched.Framework(semantic="1.31"), 'Framework() has no argument "semantic"; did you mean "semantics"?'),
                         (lambda: cluster.add_pods(pod("x"), node="a"), 'Cluster.add_pods() has no argument "node"; did you mean "nodes"?'),
                         (lambda: libsched.Pod(pod("x"), quite="different"), 'Pod() has no argument "quite"'),
                         (lambda: libsched.plugin(wieght=3), 'plugin() has no argument "wieght"; did you mean "weight"?')):
        with pytest.raises(libsched.MisuseError) as caught:
            wrong()
        assert str(caught.value) == meant


def test_pairs_of_pods_and_nodes(cluster):
    for pairs in ([(pod("x"), "a")], [(libsched.Pod(pod("x")), "a"), (pod("y"), "b")]):
        with pytest.raises(libsched.MisuseError) as caught:
            cluster.add_pods(pairs)
        assert str(caught.value) == "pods[0] is a pair of a pod and a node: nodes are an argument of their own, as in " \
                                    "add_pods([pod], [node])"


def test_rows(cluster):
    assert sorted(cluster.rows) == sorted(cluster.nodes[name].row for name in cluster.nodes)
    assert cluster.rows == [cluster.row(name) for name in cluster.nodes]
    assert max(cluster.rows) < cluster.row_count


def test_order():
    zones = {"topology.kubernetes.io/region": "r"}
    nodes = [node(f"{zone}{index}", labels={**zones, "topology.kubernetes.io/zone": zone})
             for zone in "xy" for index in range(2)]
    assert list(libsched.Cluster(nodes).nodes) == ["x0", "y0", "x1", "y1"]
    assert list(libsched.Cluster(nodes, node_order="insertion").nodes) == ["x0", "x1", "y0", "y1"]
    with pytest.raises(ValueError, match="node_order"):
        libsched.Cluster(node_order="random")


def test_apply_again_changes_nothing(cluster):
    objects = libsched.Objects([node("a", cpu="1"), pod("x", node_name="a"), pod("pending"),
                                {**pod("done", node_name="a"), "status": {"phase": "Succeeded"}}])
    for _ in range(2):
        cluster.apply(objects)
        assert sorted(cluster.pods) == ["default/busy", "default/x"]
        assert cluster.nodes["a"].allocatable("cpu") == 1000
    for part in (*objects.nodes, *objects.pods):
        cluster.apply(part)
    assert sorted(cluster.pods) == ["default/busy", "default/x"]


def test_a_failed_change_changes_nothing(cluster):
    with pytest.raises(libsched.ExistsError):
        cluster.add_nodes([node("new"), node("a")])
    with pytest.raises(libsched.InvalidError):
        cluster.add_pods([pod("x", node_name="a"), pod("y")])
    with pytest.raises(libsched.InvalidError):
        cluster.update(node("new"), pod("y"))
    with pytest.raises(libsched.NotFoundError):
        cluster.remove(libsched.Node(node("b")), libsched.Node(node("z")))
    with pytest.raises(libsched.InvalidError):
        cluster.apply([node("new"), node("bad", cpu="much")])
    assert sorted(cluster.nodes) == ["a", "b", "c"]
    assert list(cluster.pods) == ["default/busy"]
    assert cluster.fork_depth == 0


def test_pods_and_their_nodes(cluster):
    cluster.add_pods([pod("x"), pod("y")], "b")
    cluster.add_pods([pod("z", node_name="b")])
    assert [found.name for found in cluster.nodes["b"].pods] == ["x", "y", "z"]
    with pytest.raises(libsched.InvalidError, match="2 pods, but 1 nodes"):
        cluster.add_pods([pod("v"), pod("w")], ["a"])
    cluster.add_pods(pod("early"), "later", unknown_node=True)
    assert cluster.node_of("early") is None and "early" in cluster.pods
    assert len(cluster.pods) == 5 == len(list(cluster.pods))
    cluster.add_nodes(node("later"))
    assert cluster.node_of("early") == "later"


def test_a_misspelt_node_is_an_error(cluster):
    for change in (lambda **more: cluster.add_pods(pod("x"), "typo", **more),
                   lambda **more: cluster.add_pods([pod("y"), pod("z")], ["a", "typo"], **more),
                   lambda **more: cluster.update(pod("v"), node="typo", **more),
                   lambda **more: cluster.assume(pod("w"), "typo", **more)):
        with pytest.raises(libsched.NotFoundError, match='no node "typo".*unknown_node=True'):
            change()
        assert list(cluster.pods) == ["default/busy"]
        with cluster.fork():
            change(unknown_node=True)
            assert len(cluster.pods) > 1
    # Of a document's own nodeName nothing is said: dumps have pods of nodes that have gone.
    cluster.add_pods(pod("early", node_name="typo"))
    cluster.update(node("new"), pod("u"), node="new")
    assert cluster.node_of("u") == "new"


def test_objects_may_be_put_inside_a_fork(cluster):
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
               "spec": {"selector": {"a": "b"}}}
    objects = libsched.Objects([service, node("left-out"), pod("left-out", node_name="a")])
    with cluster.fork():
        assert cluster.put_objects(objects) == 1
        assert cluster.put_objects(objects, only_new=True) == 0
        cluster.remove_object("Service", "s", "default")
    with pytest.raises(libsched.NotFoundError):
        cluster.remove_object("Service", "s", "default")
    assert cluster.put_objects(service, only_new=True) == 1
    assert sorted(cluster.nodes) == ["a", "b", "c"] and list(cluster.pods) == ["default/busy"]


def test_columns_know_their_resources(cluster):
    columns = cluster.columns
    for column in (columns.allocatable, columns.requested):
        assert len(column("cpu")) == 3
        assert list(column("ephemeral-storage")) == [0, 0, 0]
        with pytest.raises(KeyError, match="nope.*there are: cpu, ephemeral-storage, memory, pods"):
            column("nope")
        assert list(column("nope", missing=7)) == [7, 7, 7]
        with pytest.raises(libsched.NotFoundError):
            column("nope")
    wanted = pod("x")
    wanted["spec"]["containers"][0]["resources"] = {"requests": {"example.com/gpu": 2}}
    cluster.add_pods(wanted, "b")
    assert sorted(columns.allocatable("example.com/gpu")) == [0, 0, 0]
    assert sorted(columns.requested("example.com/gpu", missing=7)) == [0, 0, 2]


def test_sets_of_nodes_know_their_resources(cluster):
    seen = []

    class Look:
        def filter_batch(self, state, pod, nodes):
            seen.append([sum(nodes.free("cpu")), list(nodes.allocatable("nope", missing=1)),
                         list(nodes.requested("nope", missing=2)), list(nodes.free("nope", missing=3))])
            with pytest.raises(libsched.NotFoundError):
                nodes.free("nope")
            return [True] * len(nodes)

    scheduler = libsched.Framework(plugins=[Look])
    scheduler.fit(cluster, pod("p"))
    scheduler.fit(cluster, pod("p"), "b")
    assert seen == [[9000, [1, 1], [2, 2], [0, 0]], [8000, [1], [2], [0]]]


def test_update_and_remove(cluster):
    cluster.update(node("b", cpu="1"), pod("busy", cpu="1", node_name="b"))
    assert cluster.node_of("busy") == "b"
    assert cluster.nodes["b"].allocatable("cpu") == 1000
    cluster.update(pod("busy"), node="a")
    assert cluster.node_of("busy") == "a"
    cluster.remove(cluster.nodes["b"].node, cluster.pods["busy"])
    assert sorted(cluster.nodes) == ["a", "c"] and len(cluster.pods) == 0
    with pytest.raises(TypeError):
        cluster.remove("a")
    cluster.remove_node("c")
    cluster.add_pods(pod("x"), "a")
    cluster.remove_pod("x")
    assert repr(cluster) == "<Cluster: 1 node, 0 pods>"


def test_remove_object(cluster):
    cluster.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}})
    cluster.remove_object("Service", "s", "default")
    with pytest.raises(libsched.NotFoundError, match='Service "default/s"'):
        cluster.remove_object("Service", "s", "default")
    with pytest.raises(libsched.InvalidError, match="Secret"):
        cluster.remove_object("Secret", "s")


def test_removed_nodes_come_back_with_their_pods(cluster):
    cluster.remove_node("a")
    assert cluster.node_of("busy") is None
    cluster.add_nodes(node("a"))
    assert cluster.node_of("busy") == "a"


def test_fork_reverts_unless_committed(cluster):
    with cluster.fork() as fork:
        cluster.add_nodes(node("new"))
        assert fork.is_open and cluster.fork_depth == 1 and len(cluster) == 4
        assert repr(cluster) == "<Cluster: 4 nodes, 1 pod, 1 fork open>"
    assert not fork.is_open and len(cluster) == 3
    with cluster.fork() as fork:
        cluster.add_nodes(node("new"))
        fork.commit()
    assert len(cluster) == 4 and cluster.fork_depth == 0
    assert repr(fork) == "<Fork, closed>"


def test_fork_reverts_on_errors(cluster):
    with pytest.raises(ZeroDivisionError), cluster.fork():
        cluster.remove_pod("busy")
        raise ZeroDivisionError
    assert "busy" in cluster.pods


def test_forks_nest(cluster):
    with cluster.fork() as outer:
        cluster.add_nodes(node("one"))
        with cluster.fork() as inner:
            cluster.add_nodes(node("two"))
            with pytest.raises(libsched.StateError, match="opened after this one"):
                outer.commit()
            inner.commit()
        with cluster.fork():
            cluster.add_nodes(node("three"))
        assert sorted(cluster.nodes) == ["a", "b", "c", "one", "two"]
    assert len(cluster) == 3
    outer = cluster.fork()
    cluster.fork()
    cluster.add_nodes(node("four"))
    outer.revert()
    assert cluster.fork_depth == 0 and len(cluster) == 3


def test_fork_by_hand(cluster):
    cluster.fork()
    cluster.add_nodes(node("new"))
    cluster.revert()
    assert len(cluster) == 3
    with cluster.fork() as fork:
        cluster.add_nodes(node("new"))
        cluster.commit()
        assert not fork.is_open
    assert len(cluster) == 4
    for call in (fork.commit, fork.revert, cluster.commit, cluster.revert):
        with pytest.raises(libsched.StateError):
            call()


def test_apply_inside_a_fork(cluster):
    done = {**pod("busy", node_name="a"), "status": {"phase": "Succeeded"}}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}
    for source in ([node("new"), done, service],
                   [libsched.Node(node("new")), libsched.Pod(done), service]):
        with cluster.fork():
            cluster.apply(source)
            assert len(cluster) == 4 and not cluster.pods
            cluster.remove_object("Service", "s", "default")
        assert len(cluster) == 3 and list(cluster.pods) == ["default/busy"]


def test_apply_is_the_same_for_texts_and_objects(cluster):
    added = [node("new"), pod("x", node_name="new"), pod("y", node_name="new")]
    done = {**pod("x", node_name="new"), "status": {"phase": "Failed"}}
    for wrap in (lambda source: source,
                 lambda source: libsched.Node(source) if source["kind"] == "Node" else libsched.Pod(source)):
        with cluster.fork():
            parts = [wrap(source) for source in added]
            cluster.apply(parts)
            version = cluster._handle.version
            cluster.apply(parts)  # the same again
            assert cluster._handle.version == version
            cluster.apply([wrap(done), wrap(pod("y"))])  # ended, and without a node
            assert list(cluster.pods) == ["default/busy"]


def test_parsed_objects_are_put_as_they_are(cluster):
    web = libsched.Pod(pod("web", node_name="b"), keep_raw=True)
    bare = libsched.Node(node("new"), defaults=False)
    for change in (lambda: cluster.apply(web), lambda: cluster.apply([web]), lambda: cluster.apply(iter([bare, web])),
                   lambda: cluster.apply([pod("other", node_name="b"), web]), lambda: cluster.update(web),
                   lambda: cluster.update(bare, web, node="b"), lambda: cluster.update([bare, web])):
        with cluster.fork():
            change()
            assert cluster.pods["web"] == web  # the same one, not an equal one that was parsed again
            assert "new" not in cluster.nodes or cluster.nodes["new"].node == bare
    # Within a dict it is a part of a document.
    cluster.apply({"kind": "List", "apiVersion": "v1", "items": [web]})
    assert cluster.pods["web"].node_name == "b" and cluster.pods["web"] != web


def test_a_changed_copy_is_not_written_and_read(monkeypatch):
    web = libsched.Pod(pod("web", cpu="1", tolerations=[{"key": "k", "operator": "Exists"}]), keep_annotations=True)
    expected = {**web.to_dict()["spec"], "nodeName": "b"}
    monkeypatch.setattr("libsched._changed.json", None)
    moved = web.replace(node_name="b", name="w")
    assert (moved.name, moved.node_name, moved.annotations) == ("w", "b", {})
    assert moved.to_dict()["spec"] == expected


def test_all_parts_are_applied_or_none(cluster):
    resources = {f"example.com/r{i}": "1" for i in range(2000)}
    greedy = libsched.Node({**node("greedy"), "status": {"allocatable": resources}})
    version = cluster._handle.version
    with pytest.raises(libsched.LimitError, match='node "greedy"'):
        cluster.apply([libsched.Node(node("new")), {"apiVersion": "v1", "kind": "Service",
                                                    "metadata": {"name": "s"}}, greedy])
    assert cluster._handle.version == version and len(cluster) == 3
    with pytest.raises(libsched.NotFoundError):
        cluster.remove_object("Service", "s", "default")


def test_classes_that_a_fork_brought_go_with_it(cluster):
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": "high"}, "value": 1000}
    with cluster.fork():
        cluster.apply(high)
        cluster.add_pods({**pod("x"), "spec": {**pod("x")["spec"], "priorityClassName": "high"}}, "a")
        assert cluster.pods["x"].priority == 1000
    cluster.add_pods({**pod("x"), "spec": {**pod("x")["spec"], "priorityClassName": "high"}}, "a")
    assert cluster.pods["x"].priority == 0


def test_clone(cluster, scheduler):
    with cluster.fork():
        cluster.add_nodes(node("new"))
        copy = cluster.clone()
    assert copy.fork_depth == 0 and len(copy) == 4 and len(cluster) == 3
    copy.remove_pod("busy")
    assert "busy" in cluster.pods
    assert scheduler.fit(copy, pod(cpu="4")).nodes == ["a", "b", "new"]
    assert scheduler.fit(cluster, pod(cpu="4")).nodes == ["b"]


def test_snapshot(cluster, scheduler):
    with cluster.fork():
        cluster.add_nodes(node("new"))
        snapshot = cluster.snapshot()
    cluster.remove_node("a")
    assert sorted(snapshot.nodes) == ["a", "b", "c", "new"]
    assert repr(snapshot) == "<Snapshot: 4 nodes, 1 pod>"
    assert scheduler.fit(snapshot, pod(cpu="4")).nodes == ["b", "new"]
    assert snapshot.node_of("busy") == "a" and "busy" in snapshot.pods
    with pytest.raises(TypeError):
        libsched.Snapshot()
    with pytest.raises(AttributeError):
        snapshot.add_nodes(node("x"))


def test_everything_is_freed(scheduler):
    cluster = libsched.Cluster(node("a"))
    scheduler.fit(cluster, pod())
    snapshot = cluster.snapshot()
    framework = libsched.Framework()
    framework.fit(snapshot, pod())
    framework.fit(cluster, pod())
    gone = [weakref.ref(thing) for thing in (cluster, snapshot, framework)]
    del framework
    gc.collect()
    assert gone[2]() is None and len(cluster._evaluators) == 1
    del cluster, snapshot
    gc.collect()
    assert [thing() for thing in gone] == [None, None, None]


def test_tables_for_notebooks(cluster):
    html = cluster._repr_html_().replace("\u00a0", " ")
    assert "<table>" in html and "3 of 4" in html and "0 of 8Gi" in html
    assert "<th>cpu</th>" in cluster.snapshot()._repr_html_()
    many = libsched.Cluster(libsched.Node(node("n")).copies(150))
    assert "50 more nodes" in many._repr_html_()
    many.add_nodes(node("<script>"))
    assert "<script>" not in libsched.Cluster(node("<script>"))._repr_html_()
