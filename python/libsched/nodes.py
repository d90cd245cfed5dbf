"""The nodes that plugins get: LentNode for a single one, NodeSet for a batch."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import named_error, names_arguments, names_arguments_but, wrong
from .objects import Node, Pod, _wrap_node, _wrap_pod
from .view import NodeInfo, View, _views

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    _Array = numpy.typing.NDArray[Any]
    _Ints = numpy.typing.NDArray[numpy.int64]


@names_arguments_but("label", "allocatable", "requested")
class LentNode:
    """A node in a method of a plugin, like upstream's NodeInfo. Valid only during the method.

    While preemption or nominated pods are tried, it is a copy of the node with other pods.
    """

    __slots__ = ("_handle",)

    _handle: _core.NodeInfo

    def __init__(self) -> None:
        raise TypeError("a LentNode is lent to a plugin's method")

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
        """Returns the value of a label; None if there is no such label."""
        try:
            return self._handle.label(key)
        except TypeError as error:
            raise named_error(error, LentNode.label, self, key) from None

    def allocatable(self, resource: str) -> int:
        """Returns a resource: thousandths of ``"cpu"``, bytes of ``"memory"``, else units."""
        try:
            return self._handle.allocatable(resource)
        except TypeError as error:
            raise named_error(error, LentNode.allocatable, self, resource) from None

    def requested(self, resource: str) -> int:
        """Returns the sum of the requests of the node's pods, in the units of `allocatable`."""
        try:
            return self._handle.requested(resource)
        except TypeError as error:
            raise named_error(error, LentNode.requested, self, resource) from None

    def __repr__(self) -> str:
        return f"<node {self.name}>"


@names_arguments
class NodeSet(Sequence[NodeInfo]):
    """The nodes of a batch in a method of a plugin. Valid only during the method.

    Arrays have an element for each node of the set, in its order.
    """

    __slots__ = ("_everything", "_handle", "_rows", "_view")

    _handle: _core.NodeSet
    _rows: _Array
    _view: View
    _everything: bool

    def __init__(self) -> None:
        raise TypeError("a NodeSet is lent to a plugin's method")

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
        """The cluster or snapshot that the nodes belong to."""
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
        """Returns a resource of the nodes, as `Columns.allocatable` does."""
        return self.take(self.view.columns.allocatable(resource, missing=missing))

    def requested(self, resource: str, *, missing: int | None = None) -> _Ints:
        """Returns the requests of the nodes' pods, in the units of `allocatable`."""
        column = self.view.columns.requested(resource, missing=missing)
        if self._handle.count == 1:  # the node may be a copy with other pods
            amount = self._handle.only_resource(resource)[1]
            if amount or missing is None or resource in self.view._handle.resources():
                import numpy

                return numpy.array([amount])
        return self.take(column)

    def free(self, resource: str, *, missing: int | None = None) -> _Ints:
        """Returns the part of a resource that is not requested."""
        return (self.allocatable(resource, missing=missing)
                - self.requested(resource, missing=missing))

    def label(self, key: str) -> _Array:
        """Returns the values of a label; None for nodes without it."""
        return self.take(self.view.columns.label(key))

    def by_label(self, key: str, values: Mapping[str, float], default: float = 0) -> _Array:
        """Maps the value of a label to a number, for each node."""
        import numpy

        if not isinstance(values, Mapping):
            raise wrong("values", "a mapping of texts to numbers", values)
        if not isinstance(default, numbers.Real):
            raise wrong("default", "a number", default)
        codes, known = self.view.columns.label_codes(key)
        found = numpy.array([*(values.get(value, default) for value in known), default])
        return found[self.take(codes)]

    def take(self, column: _Array) -> _Array:
        """Selects the elements of the set's nodes from an array over all rows."""
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
