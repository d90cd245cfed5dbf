"""View: reading a cluster or a snapshot, node by node and pod by pod."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping

from . import _core
from ._html import nodes_table
from .columns import Columns
from .errors import NotFoundError
from .objects import Node, Objects, Pod, _wrap_node, _wrap_pod

#: The views that Python has objects for, by address: plugins are told of a view by it.
_views: weakref.WeakValueDictionary[int, View] = weakref.WeakValueDictionary()


class NodeInfo:
    """One node of a cluster or snapshot: the Node, its pods, and what is left of it.

    Looked up again at each question, so it follows the cluster's changes.
    """

    __slots__ = ("_view", "name")

    def __init__(self, view: View, name: str) -> None:
        self._view = view
        self.name = name

    @property
    def row(self) -> int:
        """The node's row: its bit in bitmaps over nodes.

        Raises
        ------
        NotFoundError
            The node has gone.
        """
        return self._view.row(self.name)

    @property
    def node(self) -> Node:
        handle = self._view._handle.node(self.row)
        if handle is None:
            raise NotFoundError(f'no node "{self.name}"')
        return _wrap_node(handle)

    @property
    def pods(self) -> list[Pod]:
        """The pods on the node, in upstream's order."""
        return [_wrap_pod(pod) for pod in self._view._handle.node_pods(self.row)]

    def allocatable(self, resource: str) -> int:
        """What the node offers: ``"cpu"`` in thousandths, ``"memory"`` in bytes, else units."""
        return self._view._handle.resource(self.row, resource)[0]

    def requested(self, resource: str) -> int:
        """What its pods ask for, in the units of `allocatable`."""
        return self._view._handle.resource(self.row, resource)[1]

    def __repr__(self) -> str:
        return f"<NodeInfo {self.name}>"


class Nodes(Mapping[str, NodeInfo]):
    """The nodes of a view by name, in the order in which they are walked."""

    __slots__ = ("_view",)

    def __init__(self, view: View) -> None:
        self._view = view

    def __getitem__(self, name: str) -> NodeInfo:
        self._view.row(name)
        return NodeInfo(self._view, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._view._node_names())

    def __len__(self) -> int:
        return self._view._handle.node_count

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._view._handle.find_node(name) is not None

    def __repr__(self) -> str:
        return _listing("nodes", list(self))


class Pods(Mapping[str, Pod]):
    """The bound pods of a view by ``namespace/name``, those of absent nodes included."""

    __slots__ = ("_view",)

    def __init__(self, view: View) -> None:
        self._view = view

    def __getitem__(self, key: str) -> Pod:
        found = self._view._handle.find_pod(*split_key(key))
        if found is None:
            raise NotFoundError(f'no pod "{key}" on any node')
        return _wrap_pod(found[0])

    def __iter__(self) -> Iterator[str]:
        return iter([f"{pod.namespace}/{pod.name}" for pod in self._view._handle.pods()])

    def __len__(self) -> int:
        return self._view._handle.pod_count

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._view._handle.find_pod(*split_key(key)) is not None

    def __repr__(self) -> str:
        return _listing("pods", list(self))


class View:
    """What a `Cluster` and a `Snapshot` have in common: they can be read and asked.

    ``len(view)`` is the number of nodes.
    """

    __slots__ = ("_classes", "_columns", "_evaluators", "_handle", "__weakref__")

    _handle: _core.View
    _classes: Objects | None
    _columns: Columns | None
    #: Idle evaluators of each framework that has been asked about the view.
    _evaluators: weakref.WeakKeyDictionary[object, list[_core.Evaluator]]

    @property
    def nodes(self) -> Nodes:
        """The nodes: a mapping from name to `NodeInfo`."""
        return Nodes(self)

    @property
    def pods(self) -> Pods:
        """The bound pods: a mapping from ``namespace/name`` to `Pod`."""
        return Pods(self)

    @property
    def columns(self) -> Columns:
        """The nodes' resources and labels as numpy arrays over all rows."""
        if self._columns is None:
            self._columns = Columns(self._handle)
        return self._columns

    @property
    def row_count(self) -> int:
        """All rows are less than this: the number of bits in a bitmap over nodes."""
        return self._handle.row_count

    @property
    def rows(self) -> list[int]:
        """The row of each node, in the order of `nodes`."""
        self._prepare()
        return self._handle.order()

    def row(self, name: str) -> int:
        """The row of a node: its bit in bitmaps over nodes.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        row = self._handle.find_node(name)
        if row is None:
            raise NotFoundError(f'no node "{name}"')
        return row

    def node_of(self, pod: Pod | str) -> str | None:
        """The name of the node that a pod (or ``namespace/name``) is on.

        None if the pod is not bound, or bound to a node that is not there.
        """
        found = self._handle.find_pod(*split_key(pod.key if isinstance(pod, Pod) else pod))
        if found is None:
            return None
        node = self._handle.node(found[1])
        return None if node is None else node.name

    def __len__(self) -> int:
        return self._handle.node_count

    def __bool__(self) -> bool:
        return True

    def _repr_html_(self) -> str:
        return nodes_table(repr(self), self._node_names(), self._handle)

    def _describe(self) -> str:
        nodes, pods = self._handle.node_count, self._handle.pod_count
        return f"{nodes} node{'s' * (nodes != 1)}, {pods} pod{'s' * (pods != 1)}"

    def _prepare(self) -> None:
        """Brings the node order up to date, where it can change."""

    def _node_names(self) -> list[str]:
        self._prepare()
        return self._handle.node_names()


def split_key(key: str) -> tuple[str, str]:
    """Namespace and name of ``namespace/name``; without a slash, namespace ``default``."""
    namespace, slash, name = key.partition("/")
    return (namespace, name) if slash else ("default", namespace)


def _listing(what: str, names: list[str]) -> str:
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    return f"<{len(names)} {what}: {shown}>" if names else f"<no {what}>"
