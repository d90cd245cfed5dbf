"""View: read access to a cluster or a snapshot, by node and by pod."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from . import _core
from ._amounts import amount
from ._arguments import checks_arguments, named_error, names_arguments, names_arguments_but
from ._html import MOST_ROWS, escaped, grid, nodes_table
from ._near import hint
from .columns import Columns
from .data_table import DataTable, Tabular
from .errors import NotFoundError
from .objects import Node, Objects, Pod, _wrap_node, _wrap_pod
from .releases import Release, release_of

_Object = TypeVar("_Object")

#: The views with an object in Python, by address: plugins get the address of a view.
_views: weakref.WeakValueDictionary[int, View] = weakref.WeakValueDictionary()


@names_arguments_but("allocatable", "requested")
class NodeInfo:
    """A node of a cluster or snapshot, with its pods and resources.

    Every access looks the node up again, so a NodeInfo follows the changes of its cluster.
    """

    __slots__ = ("_view", "name")

    def __init__(self, view: View, name: str) -> None:
        self._view = view
        self.name: str = name

    @property
    def row(self) -> int:
        """The node's row: its bit in bitmaps over nodes.

        Raises
        ------
        NotFoundError
            The node was removed.
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
        """Returns a resource: thousandths of ``"cpu"``, bytes of ``"memory"``, else units."""
        try:
            return self._view._handle.resource(self.row, resource)[0]
        except TypeError as error:
            raise named_error(error, NodeInfo.allocatable, self, resource) from None

    def requested(self, resource: str) -> int:
        """Returns the sum of the requests of the node's pods, in the units of `allocatable`."""
        try:
            return self._view._handle.resource(self.row, resource)[1]
        except TypeError as error:
            raise named_error(error, NodeInfo.requested, self, resource) from None

    def __repr__(self) -> str:
        return f"<NodeInfo {self.name}>"


@names_arguments
class _Listed(Mapping[str, _Object], Tabular):
    """The base of what a view lists by name, and as a table."""

    __slots__ = ("_view",)

    def __init__(self, view: View) -> None:
        self._view = view

    def table(self, labels: Iterable[str] = ()) -> DataTable:
        raise NotImplementedError

    def to_pandas(self, labels: Iterable[str] = ()) -> Any:
        """Returns the `table` as a pandas DataFrame."""
        return self.table(labels).to_pandas()


@names_arguments_but("__getitem__")
class Nodes(_Listed[NodeInfo]):
    """The nodes of a view by name, in the order in which the scheduler visits them.

    It is also a table with a row for each node: see `table`.
    """

    __slots__ = ()

    def __getitem__(self, name: str) -> NodeInfo:
        self._view.row(name)
        return NodeInfo(self._view, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._view._node_names())

    def __len__(self) -> int:
        return self._view._handle.node_count

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._view._handle.find_node(name) is not None

    @checks_arguments
    def table(self, labels: Iterable[str] = ()) -> DataTable:
        """Returns a table of the nodes.

        Its columns are ``name``, ``unschedulable``, ``taints``, ``pods`` (a number), and for each
        resource ``allocatable.R`` and ``requested.R``: thousandths of cpu, bytes of memory, else
        units.

        Parameters
        ----------
        labels : iterable of str
            Labels to add as columns.

        Examples
        --------
        >>> from libsched import Cluster
        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a",
        ...     "labels": {"zone": "x"}}, "status": {"allocatable": {"cpu": "4"}}})
        >>> table = cluster.nodes.table(labels=["zone"])
        >>> table.columns["zone"], table.column("allocatable.cpu")
        (['x'], array([4000]))
        """
        view, names = self._view, list(self)
        rows = [view.row(name) for name in names]
        nodes = [NodeInfo(view, name).node for name in names]
        columns: dict[str, list[Any]] = {
            "name": names,
            "unschedulable": [node.unschedulable for node in nodes],
            "taints": [", ".join(map(str, node.taints)) for node in nodes],
            "pods": [len(view._handle.node_pods(row)) for row in rows]}
        for resource in view._handle.resources():
            figures = [view._handle.resource(row, resource) for row in rows]
            columns[f"allocatable.{resource}"] = [amount for amount, _ in figures]
            if resource != "pods":
                columns[f"requested.{resource}"] = [amount for _, amount in figures]
        for key in labels:
            columns[key] = [node.label(key) for node in nodes]
        return DataTable(columns)

    def __repr__(self) -> str:
        return _listing("nodes", list(self))

    def _repr_html_(self) -> str:
        return nodes_table(list(self), self._view._handle)


@names_arguments
class Pods(_Listed[Pod]):
    """The bound pods of a view by ``namespace/name``, including those of absent nodes.

    It is also a table with a row for each pod: see `table`.
    """

    __slots__ = ()

    def __getitem__(self, key: str) -> Pod:
        found = self._view._handle.find_pod(*split_key(key))
        if found is None:
            raise NotFoundError(f'no pod "{key}" on any node', hint=lambda: hint("/".join(split_key(key)), self))
        return _wrap_pod(found[0])

    def __iter__(self) -> Iterator[str]:
        return iter([f"{pod.namespace}/{pod.name}" for pod in self._view._handle.pods()])

    def __len__(self) -> int:
        return self._view._handle.pod_count

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._view._handle.find_pod(*split_key(key)) is not None

    @checks_arguments
    def table(self, labels: Iterable[str] = ()) -> DataTable:
        """Returns a table of the pods.

        Its columns are ``namespace``, ``name``, ``node``, ``priority``, ``phase``, and
        ``requests.R`` for each resource that a pod requests: thousandths of cpu, bytes of memory,
        else units.

        Parameters
        ----------
        labels : iterable of str
            Labels to add as columns.
        """
        handle = self._view._handle
        pods: list[Pod] = []
        nodes: list[str] = []
        for row in range(handle.row_count):
            node = handle.node(row)
            for pod in map(_wrap_pod, handle.node_pods(row)):
                pods.append(pod)
                nodes.append(pod.node_name if node is None else node.name)
        requests = [pod.requests for pod in pods]
        columns: dict[str, list[Any]] = {
            "namespace": [pod.namespace for pod in pods], "name": [pod.name for pod in pods],
            "node": nodes, "priority": [pod.priority for pod in pods],
            "phase": [pod.phase for pod in pods]}
        for resource in sorted({name for asked in requests for name in asked}):
            columns[f"requests.{resource}"] = [asked.get(resource, 0) for asked in requests]
        for key in labels:
            columns[key] = [pod.label(key) for pod in pods]
        return DataTable(columns)

    def __repr__(self) -> str:
        return _listing("pods", list(self))

    def _repr_html_(self) -> str:
        handle = self._view._handle
        first = [_wrap_pod(pod) for pod in handle.pods()[:MOST_ROWS]]
        return grid(["pod", "node", "priority", "requests"],
                    [[pod.key, self._view.node_of(pod), pod.priority, ", ".join(
                        f"{name} {amount(name, asked)}" for name, asked in pod.requests.items())] for pod in first],
                    len(self), "pods")


@names_arguments_but("row", "node_of")
class View:
    """The base of `Cluster` and `Snapshot`: a state that can be read and scheduled on.

    ``len(view)`` is the number of nodes.
    """

    __slots__ = ("_classes", "_columns", "_evaluators", "_handle", "__weakref__")

    _handle: _core.View
    _classes: Objects | None
    _columns: Columns | None
    #: Idle evaluators of each framework that has used the view.
    _evaluators: weakref.WeakKeyDictionary[object, list[_core.Evaluator]]

    def __init__(self) -> None:
        raise TypeError("a View is a Cluster or a Snapshot")

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
    def release(self) -> Release:
        """The release of Kubernetes that the cluster has, by its kube-scheduler or API server pods, or
        else by its newest kubelet.

        Each access looks at all nodes and pods.
        """
        return release_of(self._handle)

    def objects(self, kind: str, *, namespace: str = "", name: str = "") -> list[dict[str, Any]]:
        """Returns the objects of a kind other than pods and nodes, with assumed changes.

        A ResourceClaim has the devices that a placed pod took, for example. The documents have the fields
        that plugins read.

        Parameters
        ----------
        kind : str
            As in manifests, such as ``"ResourceClaim"``.
        namespace, name : str
            Only the objects with these; empty: any.

        Raises
        ------
        InvalidError
            Objects of this kind are not kept.
        """
        found: list[dict[str, Any]] = json.loads(self._handle.objects_json(kind, namespace, name))["items"]
        return found

    @property
    def row_count(self) -> int:
        """The number of rows, which is the number of bits in a bitmap over nodes."""
        return self._handle.row_count

    @property
    def rows(self) -> list[int]:
        """The row of each node, in the order of `nodes`."""
        self._prepare()
        return self._handle.order()

    def row(self, name: str) -> int:
        """Returns the row of a node: its bit in bitmaps over nodes.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        try:
            row = self._handle.find_node(name)
        except TypeError as error:
            raise named_error(error, View.row, self, name) from None
        if row is None:
            raise NotFoundError(f'no node "{name}"', hint=lambda: hint(name, self._node_names()))
        return row

    def node_of(self, pod: Pod | str) -> str | None:
        """Returns the name of the node of a pod (or of ``namespace/name``).

        None if the pod is not bound, or its node does not exist.
        """
        try:
            found = self._handle.find_pod(*split_key(pod.key if isinstance(pod, Pod) else pod))
        except (TypeError, AttributeError) as error:
            raise named_error(error, View.node_of, self, pod) from None
        if found is None:
            return None
        node = self._handle.node(found[1])
        return None if node is None else node.name

    def __len__(self) -> int:
        return self._handle.node_count

    def __bool__(self) -> bool:
        return True

    def _repr_html_(self) -> str:
        return f"<p><b>{escaped(repr(self))}</b></p>{nodes_table(self._node_names(), self._handle)}"

    def _describe(self) -> str:
        nodes, pods = self._handle.node_count, self._handle.pod_count
        return f"{nodes} node{'s' * (nodes != 1)}, {pods} pod{'s' * (pods != 1)}"

    def _prepare(self) -> None:
        """Updates the node order, in views whose order can change."""

    def _node_names(self) -> list[str]:
        self._prepare()
        return self._handle.node_names()


def split_key(key: str) -> tuple[str, str]:
    """Splits ``namespace/name``; the namespace of a text without a slash is ``default``."""
    namespace, slash, name = key.partition("/")
    return (namespace, name) if slash else ("default", namespace)


def _listing(what: str, names: list[str]) -> str:
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    return f"<{len(names)} {what}: {shown}>" if names else f"<no {what}>"
