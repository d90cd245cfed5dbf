"""Nodes as plugins see them: one by one, as a set, and as numpy columns over a view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import NotFoundError
from .objects import Node, Pod, _wrap_node, _wrap_pod
from .view import NodeInfo, View, _views

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    _Array = numpy.typing.NDArray[Any]
    _Ints = numpy.typing.NDArray[numpy.int64]


class LentNode:
    """One node in a method of a plugin, as upstream's NodeInfo; not valid after the method.

    While preemption or nominated pods are tried out it is a copy with other pods on it.
    """

    __slots__ = ("_handle",)

    _handle: _core.NodeInfo

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def row(self) -> int:
        """The node's row: its bit in bitmaps over nodes."""
        return self._handle.row

    @property
    def node(self) -> Node:
        return _wrap_node(self._handle.node)

    @property
    def pods(self) -> list[Pod]:
        """The pods on the node, in upstream's order."""
        return [_wrap_pod(pod) for pod in self._handle.pods]

    def label(self, key: str) -> str | None:
        """The value of a label; None if there is no such label."""
        return self._handle.label(key)

    def allocatable(self, resource: str) -> int:
        """What the node offers: ``"cpu"`` in thousandths, ``"memory"`` in bytes, else units."""
        return self._handle.allocatable(resource)

    def requested(self, resource: str) -> int:
        """What its pods ask for, in the units of `allocatable`."""
        return self._handle.requested(resource)

    def __repr__(self) -> str:
        return f"<node {self.name}>"


class Columns:
    """The nodes of a view as numpy arrays, one element for each row; made once for each state.

    Rows without a node are 0, or None. The arrays are read-only.

    >>> from libsched import Cluster
    >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a",
    ...     "labels": {"zone": "x"}}, "status": {"allocatable": {"cpu": "4"}}})
    >>> cluster.columns.allocatable("cpu"), cluster.columns.label("zone")
    (array([4000]), array(['x'], dtype=object))
    """

    __slots__ = ("_allocatable", "_requested", "_texts", "_version", "_view")

    def __init__(self, view: View) -> None:
        self._view = view._handle
        self._version = -1
        self._allocatable: dict[str, _Ints] = {}
        self._requested: dict[str, _Ints] = {}
        self._texts: dict[str | None, _Texts] = {}

    def allocatable(self, resource: str, *, missing: int | None = None) -> _Ints:
        """What the nodes offer: ``"cpu"`` in thousandths, ``"memory"`` in bytes, else units.

        Parameters
        ----------
        resource : str
        missing : int, optional
            What to give for every node if none of them knows the resource.

        Raises
        ------
        NotFoundError
            No node offers the resource and no pod asks for it, and there is no `missing`.
        """
        return self._numbers(self._allocatable, self._view.allocatable_column, resource, missing)

    def requested(self, resource: str, *, missing: int | None = None) -> _Ints:
        """What the nodes' pods ask for, in the units of `allocatable`, with whose errors."""
        return self._numbers(self._requested, self._view.requested_column, resource, missing)

    def _numbers(self, made: dict[str, _Ints], read: Callable[[str], bytes], resource: str,
                 missing: int | None) -> _Ints:
        self._refresh()
        found = made.get(resource)
        if found is not None:
            return found
        import numpy

        found = numpy.frombuffer(read(resource), numpy.int64)
        if not found.any():
            known = self._view.resources()
            if resource not in known:
                if missing is None:
                    raise NotFoundError(f'no node and no pod has the resource "{resource}"; there '
                                        f"are: {', '.join(sorted(known))}")
                found = numpy.full(len(found), missing, numpy.int64)
                found.flags.writeable = False
                return found
        made[resource] = found
        return found

    @property
    def names(self) -> _Array:
        """The nodes' names."""
        return self._text(None).array()

    def label(self, key: str) -> _Array:
        """The values of a label; None where there is no such label."""
        return self._text(key).array()

    def label_codes(self, key: str) -> tuple[_Array, list[str]]:
        """The values of a label as indexes into a list of the different ones; -1: no such label."""
        text = self._text(key)
        return text.codes, text.values

    def _text(self, key: str | None) -> _Texts:
        self._refresh()
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = _Texts(key)
        if found.version != self._version:
            found.update(self._view)
            found.version = self._version
        return found

    def _refresh(self) -> None:
        version = self._view.version
        if version != self._version:
            self._version = version
            self._allocatable.clear()
            self._requested.clear()


class _Texts:
    """A column of texts; only rows whose node has changed are read again."""

    __slots__ = ("_array", "_column", "codes", "values", "version")

    def __init__(self, key: str | None) -> None:
        self._column = _core.TextColumn(key)
        self._array: _Array | None = None
        self.codes: Any = None
        self.values: list[str] = []
        self.version = -1

    def update(self, view: _core.View) -> None:
        if self._column.update(view) or self.codes is None:
            import numpy

            self.codes = numpy.frombuffer(self._column.codes(), numpy.int32)
            self.values = self._column.values()
            self._array = None

    def array(self) -> _Array:
        if self._array is None:
            import numpy

            values = numpy.array([*self.values, None], dtype=object)  # -1 is the last one
            self._array = values[self.codes]
            self._array.flags.writeable = False
        return self._array


class NodeSet(Sequence[NodeInfo]):
    """The nodes of a batch in a method of a plugin; the set is not valid after the method.

    Arrays have one element for each node of the set, in its order.
    """

    __slots__ = ("_everything", "_handle", "_rows", "_view")

    _handle: _core.NodeSet
    _rows: _Array
    _view: View
    _everything: bool

    def __len__(self) -> int:
        return self._handle.count

    @property
    def rows(self) -> _Array:
        """The nodes' rows: their bits in bitmaps over nodes."""
        try:
            return self._rows
        except AttributeError:
            import numpy

            self._rows = numpy.frombuffer(self._handle.rows, numpy.uint32)
            return self._rows

    @property
    def view(self) -> View:
        """The cluster or snapshot that is asked about."""
        try:
            return self._view
        except AttributeError:
            self._view = _views[self._handle.view_address]
            return self._view

    @property
    def names(self) -> _Array:
        """The nodes' names."""
        return self.take(self.view.columns.names)

    def allocatable(self, resource: str, *, missing: int | None = None) -> _Ints:
        """What the nodes offer, as `Columns.allocatable`."""
        return self.take(self.view.columns.allocatable(resource, missing=missing))

    def requested(self, resource: str, *, missing: int | None = None) -> _Ints:
        """What the nodes' pods ask for, in the units of `allocatable`."""
        column = self.view.columns.requested(resource, missing=missing)
        if self._handle.count == 1:  # it may be a copy of the node with other pods on it
            amount = self._handle.only_resource(resource)[1]
            if amount or missing is None or resource in self.view._handle.resources():
                import numpy

                return numpy.array([amount])
        return self.take(column)

    def free(self, resource: str, *, missing: int | None = None) -> _Ints:
        """What is left of a resource."""
        return (self.allocatable(resource, missing=missing)
                - self.requested(resource, missing=missing))

    def label(self, key: str) -> _Array:
        """The values of a label; None where there is no such label."""
        return self.take(self.view.columns.label(key))

    def by_label(self, key: str, values: Mapping[str, float], default: float = 0) -> _Array:
        """A number for each node: what a mapping says of the value of its label."""
        import numpy

        codes, known = self.view.columns.label_codes(key)
        numbers = numpy.array([*(values.get(value, default) for value in known), default])
        return numbers[self.take(codes)]

    def take(self, column: _Array) -> _Array:
        """The set's elements of an array that has one for each row."""
        count = self._handle.count
        if count != len(column) or count == 0:
            return column[self.rows]
        try:
            everything = self._everything
        except AttributeError:
            rows = self.rows
            everything = self._everything = bool(
                rows[0] == 0 and rows[-1] == count - 1 and (rows[1:] > rows[:-1]).all())
        return column if everything else column[self.rows]

    def __getitem__(self, index: Any) -> Any:
        names = self.names[index]
        if isinstance(index, slice):
            return [NodeInfo(self.view, name) for name in names]
        return NodeInfo(self.view, names)

    def __iter__(self) -> Iterator[NodeInfo]:
        view = self.view
        return iter([NodeInfo(view, name) for name in self.names])

    def __repr__(self) -> str:
        return f"<{len(self)} nodes>"
