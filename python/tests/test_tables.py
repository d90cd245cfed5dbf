"""Nodes and pods as tables, and tables as Arrow streams, read through the C structs."""

import ctypes

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
    assert "<td>k:NoSchedule</td>" in cluster.nodes._repr_html_()
    assert "<td>p</td>" in cluster.pods._repr_html_()
    with pytest.raises(libsched.NotFoundError, match="there are: namespace"):
        pods.column("nodes")
