"""Cluster, its what-ifs (Fork) and its immutable copies (Snapshot)."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType
from typing import Literal

from . import _core
from ._sources import Source
from .errors import InvalidError, MisuseError, NotFoundError, StateError
from .objects import Node, Objects, Pod, nodes_of, pods_of
from .services import Services
from .view import View, split_key

#: `upstream`: zones take turns, as kube-scheduler walks its nodes; `insertion`: as they were added.
NodeOrder = Literal["upstream", "insertion"]

_Change = Callable[[], None]


class Snapshot(View):
    """An immutable copy of a cluster; any number of threads may read it and ask about it.

    >>> cluster = Cluster()
    >>> snapshot = cluster.snapshot()
    >>> cluster.add_nodes({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})
    >>> snapshot, len(cluster)
    (<Snapshot: 0 nodes, 0 pods>, 1)
    """

    __slots__ = ()

    _handle: _core.Snapshot

    def __init__(self) -> None:
        raise TypeError("a Snapshot is made by Cluster.snapshot()")

    def __repr__(self) -> str:
        return f"<Snapshot: {self._describe()}>"


class Fork:
    """A what-if: everything since it was opened can be undone. Made by `Cluster.fork`.

    As a context manager it reverts at the end, unless it was committed.
    """

    __slots__ = ("_cluster",)

    def __init__(self, cluster: Cluster) -> None:
        self._cluster: Cluster | None = cluster

    @property
    def is_open(self) -> bool:
        """Whether it was neither committed nor reverted."""
        return self._cluster is not None

    def commit(self) -> None:
        """Keeps the changes.

        Raises
        ------
        StateError
            It is closed already, or another fork was opened after it and is still open.
        """
        self._innermost("commit").commit()

    def revert(self) -> None:
        """Undoes every change since the fork was opened, forks opened after it included.

        Raises
        ------
        StateError
            It is closed already.
        """
        cluster = self._cluster
        if cluster is None:
            raise StateError("cannot revert: the fork is closed already")
        while self._cluster is not None:
            cluster.revert()

    def _innermost(self, verb: str) -> Cluster:
        if self._cluster is None:
            raise StateError(f"cannot {verb}: the fork is closed already")
        if self._cluster._forks[-1] is not self:
            raise StateError(f"cannot {verb}: a fork that was opened after this one is still open")
        return self._cluster

    def __enter__(self) -> Fork:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if self._cluster is not None:
            self.revert()

    def __repr__(self) -> str:
        return f"<Fork, {'open' if self.is_open else 'closed'}>"


class Cluster(View):
    """The state of a cluster: nodes, pods and what else decisions depend on.

    Parameters
    ----------
    source : optional
        What is in it, as for `Objects`; nothing by default. `apply` says what becomes of it.
    node_order : {"upstream", "insertion"}
        The order in which nodes are walked.
    defaults, strict : bool
        As for `Objects`.

    Notes
    -----
    A cluster is meant for one thread at a time. Threads that share one take turns; give each a
    `snapshot` or a `clone` to run them side by side. After ``os.fork()`` both processes have a
    cluster of their own; one that another thread was using at that moment raises StateError in the
    child. Snapshots and all else that threads share may be used there whatever the threads did.

    Examples
    --------
    >>> node = Node({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
    ...              "status": {"allocatable": {"cpu": "4", "pods": "110"}}})
    >>> cluster = Cluster(node)
    >>> with cluster.fork():
    ...     cluster.add_nodes(node.copies(3))
    ...     print(cluster)
    <Cluster: 4 nodes, 0 pods, 1 fork open>
    >>> cluster
    <Cluster: 1 node, 0 pods>
    """

    __slots__ = ("_forks", "_services")

    _handle: _core.Cluster

    def __init__(self, source: Source | None = None, *, node_order: NodeOrder = "upstream",
                 defaults: bool = True, strict: bool = False) -> None:
        if node_order not in ("upstream", "insertion"):
            raise InvalidError(f'node_order is "upstream" or "insertion", not {node_order!r}')
        self._adopt(_core.Cluster(0 if node_order == "upstream" else 1))
        if source is not None:
            self.apply(source, defaults=defaults, strict=strict)

    @classmethod
    def load(cls, source: Source, *, node_order: NodeOrder = "upstream", defaults: bool = True,
             strict: bool = False) -> Cluster:
        """The same as calling the class with a source."""
        return cls(source, node_order=node_order, defaults=defaults, strict=strict)

    def _adopt(self, handle: _core.Cluster) -> None:
        self._handle = handle
        self._evaluators = weakref.WeakKeyDictionary()
        self._columns = None
        self._forks: list[Fork] = []
        self._classes = None
        self._services: Services | None = None

    # Changes

    def apply(self, source: Source, *, defaults: bool = True, strict: bool = False) -> None:
        """Adds or replaces every object of a source.

        Nodes, namespaces, classes, and pods that have a nodeName and have not ended; other pods
        are not stored. The same source twice changes nothing.

        Parameters
        ----------
        source
            As for `Objects`.

        Raises
        ------
        InvalidError
            The input is wrong; nothing was changed.
        StateError
            A fork is open; use `add_nodes`, `add_pods`, `update` and `remove` there.
        """
        if self._handle.fork_depth:
            raise StateError("apply() is not allowed while a fork is open; use add_nodes(), "
                             "add_pods(), update() or remove()")
        objects = source if isinstance(source, Objects) else Objects(
            source, defaults=defaults, strict=strict)
        for part in objects._parts:
            if isinstance(part, Node):
                self._handle.update_node(part._handle)
            elif not isinstance(part, Pod):
                self._handle.apply(part)
            elif part.node_name and part.phase not in ("Succeeded", "Failed"):
                self._handle.update_pod(part._handle, part.node_name)
        if objects.priority_classes() is not None:
            self._classes = objects

    def put_objects(self, source: Source, *, only_new: bool = False, defaults: bool = True,
                    strict: bool = False) -> int:
        """Adds or replaces the objects of a source that are neither nodes nor pods.

        Such as claims, classes and Services; also inside a fork. Nodes and pods are left out.

        Parameters
        ----------
        source
            As for `Objects`.
        only_new : bool
            Leave those as they are that the cluster has already, by kind, namespace and name.

        Returns
        -------
        int
            How many were put.
        """
        objects = source if isinstance(source, Objects) else Objects(
            source, defaults=defaults, strict=strict)
        return sum(self._handle.put_objects(part, only_new) for part in objects._parts
                   if isinstance(part, _core.Objects))

    def add_nodes(self, nodes: Source) -> None:
        """Adds nodes, all or none.

        Parameters
        ----------
        nodes
            A `Node`, an iterable of them, or a source as for `Objects`.

        Raises
        ------
        ExistsError
            One of them is there already.
        """
        self._handle.add_nodes([node._handle for node in nodes_of(nodes)])

    def add_pods(self, pods: Source, nodes: str | Iterable[str] | None = None, *,
                 unknown_node: bool = False) -> None:
        """Adds pods, all or none.

        Parameters
        ----------
        pods
            A `Pod`, an iterable of them, or a source as for `Objects`.
        nodes : str or iterable of str, optional
            The node of all pods, or of each. By default each goes to its own nodeName, which may be
            of a node that is not there (yet): the pod waits for it.
        unknown_node : bool
            Allow such names in `nodes`, too.

        Raises
        ------
        ExistsError
            One of them is there already.
        NotFoundError
            There is no such node.
        InvalidError
            A pod has no node, or there are not as many nodes as pods.
        """
        found = pods_of(pods, self._classes)
        names: list[str] | None = None
        if isinstance(nodes, str):
            names = [nodes] * len(found)
        elif nodes is not None:
            names = list(nodes)
            if len(names) != len(found):
                raise InvalidError(f"{len(found)} pods, but {len(names)} nodes to put them on")
        if names is not None and not unknown_node:
            self._must_know(names)
        self._handle.add_pods([pod._handle for pod in found], names)

    def _must_know(self, nodes: Iterable[str]) -> None:
        for name in dict.fromkeys(nodes):
            if name and self._handle.find_node(name) is None:
                raise NotFoundError(f'no node "{name}"; unknown_node=True allows that')

    def update(self, *objects: Node | Pod | Source, node: str | None = None,
               unknown_node: bool = False) -> None:
        """Adds or replaces nodes and pods, all or none.

        Parameters
        ----------
        *objects
            Nodes, pods, or sources as for `Objects`.
        node : str, optional
            Where pods go; by default each goes to its own nodeName. A replaced pod becomes the
            last one of its node.
        unknown_node : bool
            Allow a `node` that is neither there nor among `objects`: its pods wait for it.

        Raises
        ------
        InvalidError
            A pod has no node.
        NotFoundError
            There is no such node.
        """
        found = Objects(list(objects), classes=self._classes)
        pods = found.pods
        if node is not None and not unknown_node and all(
                node != added.name for added in found.nodes):
            self._must_know([node])
        for pod in pods:
            if node is None and not pod.node_name:
                raise InvalidError(f"pod {pod.key} has no nodeName; say which node it goes to")
        changes: list[_Change] = [partial(self._handle.update_node, changed._handle)
                                  for changed in found.nodes]
        changes += [partial(self._handle.update_pod, pod._handle,
                            pod.node_name if node is None else node) for pod in pods]
        self._change(changes)

    def remove(self, *objects: Node | Pod) -> None:
        """Removes nodes and pods, known by their names, all or none.

        The pods of a removed node are hidden, and come back with it.

        Raises
        ------
        NotFoundError
            One of them is not there.
        """
        changes: list[_Change] = []
        for found in objects:
            if isinstance(found, Node):
                changes.append(partial(self._handle.remove_node, found.name))
            elif isinstance(found, Pod):
                changes.append(partial(self._handle.remove_pod, found.namespace, found.name))
            else:
                raise MisuseError("remove() takes Nodes and Pods; for names there are "
                                  "remove_node() and remove_pod()")
        self._change(changes)

    def _change(self, changes: list[_Change]) -> None:
        """Makes all changes or none. Several are tried in a fork first: plugins hear of objects
        that change outside of forks only."""
        if len(changes) > 1:
            with self.fork() as fork:
                for change in changes:
                    change()
                if self._handle.fork_depth > 1:
                    fork.commit()
                    return
        for change in changes:
            change()

    def remove_node(self, name: str) -> None:
        """Removes a node; its pods are hidden, and come back with it.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        self._handle.remove_node(name)

    def remove_pod(self, key: str) -> None:
        """Removes the pod ``namespace/name``.

        Raises
        ------
        NotFoundError
            There is no such pod.
        """
        self._handle.remove_pod(*split_key(key))

    def remove_object(self, kind: str, name: str, namespace: str = "") -> None:
        """Removes an object that is neither a pod nor a node, by its kind as in manifests.

        Raises
        ------
        NotFoundError
            There is no such object.
        InvalidError
            A cluster keeps no objects of this kind.
        """
        self._handle.remove_object(kind, namespace, name)

    def assume(self, pod: Source, node: str, *, unknown_node: bool = False) -> None:
        """Puts a pod on a node until the API server's word comes, or `forget`.

        No plugin is asked; `Framework.assume` does that.

        Raises
        ------
        ExistsError
            The cluster has the pod already.
        NotFoundError
            There is no such node, and `unknown_node` does not allow that.
        """
        if not unknown_node:
            self._must_know([node])
        for one in pods_of(pod, self._classes):
            self._handle.assume(one._handle, node)

    def forget(self, key: str) -> None:
        """Takes the assumed pod ``namespace/name`` off its node, if it is there.

        Raises
        ------
        StateError
            The pod is there, but not assumed.
        """
        self._handle.forget(*split_key(key))

    # What-ifs

    def fork(self) -> Fork:
        """Opens a what-if; forks nest, and opening one costs nothing.

        >>> cluster = Cluster()
        >>> with cluster.fork() as fork:
        ...     cluster.add_nodes({"metadata": {"name": "a"}, "kind": "Node", "apiVersion": "v1"})
        ...     fork.commit()
        >>> list(cluster.nodes)
        ['a']
        """
        depth = self._handle.fork_depth
        try:
            self._handle.fork()
        except BaseException:  # a plugin has heard of the fork and raised
            if self._handle.fork_depth > depth:
                with contextlib.suppress(Exception):
                    self._handle.revert()
            raise
        fork = Fork(self)
        self._forks.append(fork)
        return fork

    def commit(self) -> None:
        """Keeps the changes of the innermost fork.

        Raises
        ------
        StateError
            No fork is open.
        """
        try:
            self._handle.commit()
        finally:
            self._close_forks()

    def revert(self) -> None:
        """Undoes the changes of the innermost fork.

        Raises
        ------
        StateError
            No fork is open.
        """
        try:
            self._handle.revert()
        finally:
            self._close_forks()

    def _close_forks(self) -> None:
        """Follows the core, which has closed a fork also if a plugin that heard of it raised."""
        while len(self._forks) > self._handle.fork_depth:
            self._forks.pop()._cluster = None

    @property
    def services(self) -> Services:
        """Nominated and waiting pods, clock and API client of frameworks that bring none."""
        if self._services is None:
            self._services = Services()
        return self._services

    @property
    def fork_depth(self) -> int:
        """How many forks are open."""
        return self._handle.fork_depth

    # Copies

    def clone(self) -> Cluster:
        """An independent cluster with the same state and no open fork."""
        made = object.__new__(Cluster)
        made._adopt(self._handle.clone())
        made._classes = self._classes
        return made

    def snapshot(self) -> Snapshot:
        """An immutable copy for other threads; may be taken inside a fork and outlives it."""
        made = object.__new__(Snapshot)
        made._handle = self._handle.snapshot()
        made._evaluators = weakref.WeakKeyDictionary()
        made._columns = None
        made._classes = self._classes
        return made

    def __repr__(self) -> str:
        depth = self._handle.fork_depth
        forks = f", {depth} fork{'s' * (depth != 1)} open" if depth else ""
        return f"<Cluster: {self._describe()}{forks}>"

    def _prepare(self) -> None:
        self._handle.refresh()
