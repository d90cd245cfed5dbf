"""Nodes and pods as tables, and tables as Arrow streams, read through the C structs."""

import ctypes
import pickle
import re

import pytest

import libsched
from libsched import _arrow
from manifests import node, pod

POINTER = ctypes.c_void_p


def read_stream(capsule):
    """Reads a stream as a consumer in C: {name: (format, values)}."""
    stream = _arrow._Stream.from_address(_arrow._capsule_pointer(id(capsule),
                                                                  b"arrow_array_stream"))
    at = ctypes.addressof(stream)
    schema, batch, end = _arrow._Schema(), _arrow._Array(), _arrow._Array()
    get_schema, get_next = _arrow._Get(stream.get_schema), _arrow._Get(stream.get_next)
    assert get_schema(at, ctypes.addressof(schema)) == 0
    assert get_next(at, ctypes.addressof(batch)) == 0
    assert get_next(at, ctypes.addressof(end)) == 0 and not end.release
    found = {}
    for index in range(schema.n_children):
        field = child(_arrow._Schema, schema, index)
        kind = ctypes.string_at(field.format).decode()
        found[ctypes.string_at(field.name).decode()] = (
            kind, values(kind, child(_arrow._Array, batch, index)))
    for made in (schema, batch, stream):
        _arrow._Release(made.release)(ctypes.addressof(made))
        assert not made.release
    return found


def child(kind, parent, index):
    return kind.from_address(POINTER.from_address(parent.children + 8 * index).value)


def values(kind, column):
    buffers = [POINTER.from_address(column.buffers + 8 * i).value for i in range(column.n_buffers)]

    def bit(at, index):
        return bool(ctypes.c_ubyte.from_address(at + index // 8).value >> (index % 8) & 1)

    def value(index):
        if buffers[0] and not bit(buffers[0], index):
            return None
        if kind == "b":
            return bit(buffers[1], index)
        if kind == "U":
            begin, stop = (ctypes.c_int64.from_address(buffers[1] + 8 * (index + i)).value
                           for i in (0, 1))
            return ctypes.string_at(buffers[2] + begin, stop - begin).decode()
        number = ctypes.c_int64 if kind == "l" else ctypes.c_double
        return number.from_address(buffers[1] + 8 * index).value

    return [value(index) for index in range(column.length)]


def test_arrow_stream():
    before = len(_arrow._kept)
    columns = {"text": ["a", None, "ü"], "number": [1, None, -3], "real": [0.5, 1.5, None],
               "flag": [True, False, True], "none": [None, None, None]}
    table = libsched.DataTable(columns)
    capsule = table.__arrow_c_stream__()
    found = read_stream(capsule)
    assert {name: kept for name, (_, kept) in found.items()} == columns
    assert [kind for kind, _ in found.values()] == ["U", "l", "g", "b", "U"]
    del capsule
    unread = table.__arrow_c_stream__()
    del unread
    assert read_stream(libsched.DataTable({"empty": []}).__arrow_c_stream__()) == {
        "empty": ("U", [])}
    assert len(_arrow._kept) == before and not _arrow._capsules


def test_arrow_libraries():
    pyarrow = pytest.importorskip("pyarrow")
    table = libsched.DataTable({"a": ["x", None], "b": [1, 2]})
    assert pyarrow.table(table).to_pylist() == list(table)


def test_nodes_and_pods():
    cluster = libsched.Cluster([
        node("a", labels={"zone": "z"}, taints=[{"key": "k", "effect": "NoSchedule"}]),
        node("b", unschedulable=True)])
    cluster.add_pods([pod("p", cpu="1"), pod("q")], "a")
    table = cluster.nodes.table(labels=["zone"])
    assert len(table) == 2 and table.columns["zone"] == ["z", None]
    assert next(iter(table)) == {
        "name": "a", "unschedulable": False, "taints": "k:NoSchedule", "pods": 2, "zone": "z",
        "allocatable.cpu": 4000, "requested.cpu": 1000, "allocatable.memory": 8 << 30,
        "requested.memory": 0, "allocatable.pods": 110, **{
            name: value for name, value in next(iter(table)).items() if "ephemeral" in name}}
    assert table.column("requested.cpu").tolist() == [1000, 0]
    pods = cluster.snapshot().pods.table()
    assert pods.columns["name"] == ["p", "q"] and pods.columns["requests.cpu"] == [1000, 0]
    assert pods.csv().splitlines()[1] == "default,p,a,0,,1000"
    assert read_stream(cluster.pods.__arrow_c_stream__())["node"] == ("U", ["a", "a"])
    with pytest.raises(libsched.NotFoundError, match='there are: namespace.*; did you mean "node"'):
        pods.column("nodes")


def test_a_notebook_shows_few_columns():
    many = {f"hugepages-{size}": "0" for size in ("2Mi", "1Gi")} | {"ephemeral-storage": "1Ti", "example.com/gpu": "2"}
    offered = {**node("a")["status"]["allocatable"], **many}
    cluster = libsched.Cluster([
        {**node("a", taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}]), "status": {"allocatable": offered}},
        node("b", unschedulable=True, taints=[{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}])])
    cluster.add_pods([pod("<p>", cpu="1500m")], "a")
    html = cluster.nodes._repr_html_()
    assert re.findall("<th>(.*?)</th>", html) == ["node", "taints", "cpu", "memory", "pods", "example.com/gpu"]
    cells = [re.findall("<td.*?>(.*?)</td>", row) for row in html.replace("\u00a0", " ").split("<tr>")[2:]]
    assert cells == [["a", "k=v:NoSchedule", "1.5 of 4", "0 of 8Gi", "1 of 110", "0 of 2"],
                     ["b", "cordoned", "0 of 4", "0 of 8Gi", "0 of 110", ""]]
    assert html in cluster._repr_html_()
    pods = cluster.pods._repr_html_()
    assert "default/&lt;p&gt;" in pods and "cpu 1.5" in pods
    # Many kinds of devices would be wider than the window.
    cluster.add_nodes({**node("c"), "status": {"allocatable": {f"example.com/{i}": "1" for i in range(9)}}})
    assert len(re.findall("<th>", cluster.nodes._repr_html_())) == 5


def test_results_are_tables(cluster, scheduler):
    fit = scheduler.fit(cluster, pod("x", cpu="2"))
    assert fit.table().columns == {
        "node": ["a", "b", "c"], "fits": [False, True, False],
        "plugin": ["NodeResourcesFit", None, "NodeUnschedulable"],
        "reasons": ["Insufficient cpu", None, "node(s) were unschedulable"]}
    scored = scheduler.score(cluster, pod("x")).table()
    assert scored.columns["score"][2] is None and scored.columns["score"][0] > 0
    parts = [column for name, column in scored.columns.items() if name.startswith("score.")]
    assert [sum(of) for of in zip(*(part[:2] for part in parts))] == scored.columns["score"][:2]
    none = scheduler.fit(libsched.Cluster(), pod("x"))
    assert len(none.table()) == 0 and list(none.table().columns) == ["node", "fits", "plugin", "reasons"]
    with cluster.fork():
        placed = scheduler.schedule(cluster, [pod("x", cpu="8"), pod("y", cpu="8")])
    assert placed == list(placed) and isinstance(placed, list)
    table = placed.table()
    assert table.columns["node"] == ["b", None] and table.columns["outcome"] == ["placed", "unschedulable"]
    assert "Insufficient cpu" in table.columns["text"][1] and table.columns["count"] == [1, 1]
    assert "<b>2 pods: 1 placed, 1 unschedulable</b>" in placed._repr_html_()
    assert pickle.loads(pickle.dumps(placed)).table() == table
    room = scheduler.capacity(cluster, pod("x", cpu="4"))
    assert dict(zip(*room.table().columns.values())) == room.nodes
    drained = scheduler.drain(cluster, "a", force=True).table()
    assert (drained.columns["name"], drained.columns["from_node"], drained.columns["to_node"]) == (["busy"], ["a"], [None])
    waits = scheduler.why(cluster, pod("x", cpu="9")).table()
    assert (waits.columns["node"][0], waits.columns["plugin"][0], waits.columns["reasons"][0]) == (
        "b", "NodeResourcesFit", "Insufficient cpu")
    with cluster.fork():
        before = cluster.clone()
        cluster.remove_node("b")
        compared = libsched.compare(before, cluster, [libsched.Pod(pod("x", cpu="4"))], [scheduler]).table()
    assert next(iter(compared)) == {
        "namespace": "default", "name": "x", "change": "lost", "node_before": "b", "node_after": None,
        "outcome_before": "placed", "outcome_after": "unschedulable", "reason": compared.columns["reason"][0]}
    for result in (fit, placed, room):
        assert read_stream(result.__arrow_c_stream__())
        pandas = pytest.importorskip("pandas")
        assert isinstance(result.to_pandas(), pandas.DataFrame) and len(result.to_pandas()) == len(result.table())
