"""Cluster and its immutable copies (Snapshot)."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable
from typing import Any, Literal

from . import _core
from ._arguments import flag, items, named_error, names_arguments_but, text, wrong
from ._near import hint
from ._pickling import reordered, restore, state_of
from ._sources import Source
from .errors import InvalidError, MisuseError, NotFoundError
from .fork import Fork, Forks
from .objects import Node, Objects, Pod, Workload, _wrap_pod, nodes_of, pods_of
from .services import Services
from .view import View, split_key

#: `upstream` alternates between zones, as kube-scheduler does; `insertion` is the order of adding.
NodeOrder = Literal["upstream", "insertion"]

def _changes(objects: Objects, how: int, *, others_only: bool = False) -> _core.Changes:
    """What puts all objects, in their order; or those that are neither nodes nor pods."""
    changes = _core.Changes()
    documents = how | _core.PUT_NO_NODES | _core.PUT_NO_PODS if others_only else how
    for part in objects._parts:
        if isinstance(part, _core.Objects):
            changes.put_objects(part, documents)
        elif others_only:
            continue
        elif isinstance(part, Node):
            changes.put_node(part._handle, how)
        else:
            changes.put_pod(part._handle, "", how)
    return changes


class Snapshot(View):
    """An immutable copy of a cluster, which any number of threads may use.

    >>> cluster = Cluster()
    >>> snapshot = cluster.snapshot()
    >>> cluster.add_nodes({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})
    >>> snapshot, len(cluster)
    (<Snapshot: 0 nodes, 0 pods>, 1)
    """

    __slots__ = ("_node_order",)

    _handle: _core.Snapshot
    _node_order: NodeOrder

    def __init__(self) -> None:
        raise TypeError("a Snapshot is made by Cluster.snapshot()")

    def __copy__(self) -> Snapshot:
        return self

    def __deepcopy__(self, memo: object) -> Snapshot:
        return self

    def __reduce__(self) -> Any:
        return _load_snapshot, (self._node_order, state_of(self._handle, self._node_names()),
                                self._classes is not None)

    def __repr__(self) -> str:
        return f"<Snapshot: {self._describe()}>"


class Edited(list[Pod | Workload]):
    """What `Cluster.edit` leaves of the pods and workloads that it was given.

    Attributes
    ----------
    notes : tuple of str
        For readers: what is left out of copies of nodes, and how many pods a taint evicts.
    """

    notes: tuple[str, ...] = ()


@names_arguments_but("remove_node", "remove_pod")
class Cluster(View, Forks):
    """The state of a cluster: nodes, pods and other objects that decisions depend on.

    Parameters
    ----------
    source : optional
        The first contents, as for `apply`; by default the cluster is empty.
    node_order : {"upstream", "insertion"}
        The order in which the scheduler visits nodes.
    defaults, strict : bool
        As for `Objects`.
    keep_raw : bool
        Keep the documents of what the cluster's methods parse, as `Objects` does, for `Node.raw` and
        for HTTP extenders, which get them. Objects that are given to it stay as they are.

    Notes
    -----
    One thread at a time uses a cluster; threads that share one take turns. To run threads in
    parallel, give each a `snapshot` or a `clone`. After ``os.fork()`` both processes have their own
    copy of a cluster. If another thread was using the cluster during the fork, the copy in the
    child raises StateError. Snapshots and other objects shared by threads stay usable in the child.

    A pickled and loaded cluster gives the same answers, and like a `clone` it has no open fork.
    `services`, documents kept for `raw`, and what objects have only as a hash stay behind; assumed
    changes of volumes and claims count as confirmed.

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

    __slots__ = ("_forks", "_keep_raw", "_node_order", "_services")

    _handle: _core.Cluster

    def __init__(self, source: Source | None = None, *, node_order: NodeOrder = "upstream",
                 defaults: bool = True, strict: bool = False, keep_raw: bool = False) -> None:
        if node_order not in ("upstream", "insertion"):
            raise InvalidError(f'node_order is "upstream" or "insertion", not {node_order!r}')
        self._adopt(_core.Cluster(0 if node_order == "upstream" else 1), node_order, keep_raw)
        if source is not None:
            self.apply(source, defaults=defaults, strict=strict)

    @classmethod
    def load(cls, source: Source, *, node_order: NodeOrder = "upstream", defaults: bool = True,
             strict: bool = False, keep_raw: bool = False) -> Cluster:
        """Does the same as calling the class with a source."""
        return cls(source, node_order=node_order, defaults=defaults, strict=strict,
                   keep_raw=keep_raw)

    def _adopt(self, handle: _core.Cluster, node_order: NodeOrder, keep_raw: bool = False) -> None:
        self._handle = handle
        self._keep_raw = keep_raw
        self._node_order: NodeOrder = node_order
        self._evaluators = weakref.WeakKeyDictionary()
        self._columns = None
        self._forks: list[Fork] = []
        self._classes = None
        self._services: Services | None = None

    # Changes

    def apply(self, source: Source, *, defaults: bool = True, strict: bool = False) -> None:
        """Adds or replaces every object of a source.

        All of a source, or nothing after an error, also inside a fork. Pods without a nodeName and
        pods that have ended are left out, and leave the cluster if they are in it; of a pending pod
        with a ``status.nominatedNodeName`` the nomination is kept, which filters count. Applying a
        source for the second time changes nothing.

        Parameters
        ----------
        source
            As for `Objects`.

        Raises
        ------
        InvalidError
            The input is invalid. Nothing has changed.
        """
        objects = source if isinstance(source, Objects) else Objects(
            source, defaults=defaults, strict=strict, keep_raw=self._keep_raw)
        self._handle.apply(_changes(objects, _core.PUT_APPLY))
        if objects.priority_classes() is not None:
            self._classes = objects

    def put_objects(self, source: Source, *, only_new: bool = False, defaults: bool = True,
                    strict: bool = False) -> int:
        """Adds or replaces objects such as claims, classes and Services; also inside a fork.

        Nodes and pods of the source are left out.

        Parameters
        ----------
        source
            As for `Objects`.
        only_new : bool
            Keep the objects that the cluster has already, by kind, namespace and name.

        Returns
        -------
        int
            The number of objects added or changed.
        """
        objects = source if isinstance(source, Objects) else Objects(
            source, defaults=defaults, strict=strict, keep_raw=self._keep_raw)
        how = _core.PUT_MISSING if flag(only_new, "only_new") else _core.PUT_APPLY
        return self._handle.apply(_changes(objects, how, others_only=True))

    def add_nodes(self, nodes: Source) -> None:
        """Adds all of the nodes, or none after an error.

        Parameters
        ----------
        nodes
            A `Node`, an iterable of them, or a source as for `Objects`.

        Raises
        ------
        ExistsError
            The cluster has one of the nodes already.
        """
        self._handle.add_nodes([node._handle for node in nodes_of(nodes, self._keep_raw)])

    def add_pods(self, pods: Source, nodes: str | Iterable[str] | None = None, *,
                 unknown_node: bool = False) -> None:
        """Adds all of the pods, or none after an error.

        Parameters
        ----------
        pods
            A `Pod`, an iterable of them, or a source as for `Objects`.
        nodes : str or iterable of str, optional
            The node of all pods, or of each pod. By default each pod goes to its own nodeName. If
            that node does not exist, the pod becomes visible when the node is added.
        unknown_node : bool
            Accept nodes that do not exist in `nodes`, too.

        Raises
        ------
        ExistsError
            The cluster has one of the pods already.
        NotFoundError
            There is no such node.
        InvalidError
            A pod has no node, or the numbers of pods and nodes differ.
        """
        if isinstance(pods, list) and pods and isinstance(pods[0], tuple) and len(pods[0]) == 2 and isinstance(pods[0][1], str):
            raise MisuseError("pods[0] is a pair of a pod and a node: nodes are an argument of their own, as in "
                              "add_pods([pod], [node])")
        found = pods_of(pods, self._classes, self._keep_raw)
        names: list[str] | None = None
        if isinstance(nodes, str):
            names = [nodes] * len(found)
        elif nodes is not None:
            names = list(nodes)
            if len(names) != len(found):
                raise InvalidError(f"{len(found)} pods, but {len(names)} nodes to put them on")
        if not flag(unknown_node, "unknown_node") and names is not None:
            self._must_know(names)
        self._handle.add_pods([pod._handle for pod in found], names)

    def _must_know(self, nodes: Iterable[str]) -> None:
        for name in dict.fromkeys(nodes):
            if name and self._handle.find_node(name) is None:
                raise NotFoundError(f'no node "{name}"; unknown_node=True allows that',
                                    hint=lambda: hint(name, self._node_names()))

    def update(self, *objects: Node | Pod | Source, node: str | None = None,
               unknown_node: bool = False) -> None:
        """Adds or replaces all of the nodes and pods, or none after an error.

        Parameters
        ----------
        *objects
            Nodes, pods, or sources as for `Objects`.
        node : str, optional
            The node of all pods; by default each pod goes to its own nodeName. A replaced pod
            becomes the last pod of its node.
        unknown_node : bool
            Accept a `node` that neither the cluster nor `objects` have. Its pods become visible
            when the node is added.

        Raises
        ------
        InvalidError
            A pod has no node.
        NotFoundError
            There is no such node.
        """
        pods = [one for one in objects if isinstance(one, Pod)]
        nodes = [one for one in objects if isinstance(one, Node)]
        if len(pods) + len(nodes) != len(objects):
            found = Objects(objects, classes=self._classes, keep_raw=self._keep_raw)
            pods, nodes = found.pods, found.nodes
        if not flag(unknown_node, "unknown_node") and node is not None and all(
                node != added.name for added in nodes):
            self._must_know([node])
        for pod in pods:
            if node is None and not pod.node_name:
                raise InvalidError(f"pod {pod.key} has no nodeName; say which node it goes to")
        changes = _core.Changes()
        for changed in nodes:
            changes.put_node(changed._handle, _core.PUT_UPDATE)
        for pod in pods:
            changes.put_pod(pod._handle, node or "", _core.PUT_UPDATE)
        self._handle.apply(changes)

    def remove(self, *objects: Node | Pod) -> None:
        """Removes all of the nodes and pods, by name, or none after an error.

        The pods of a removed node are hidden until the node is added again.

        Raises
        ------
        NotFoundError
            The cluster lacks one of the objects.
        """
        changes = _core.Changes()
        for found in objects:
            if isinstance(found, Node):
                changes.remove("Node", "", found.name)
            elif isinstance(found, Pod):
                changes.remove("Pod", found.namespace, found.name)
            else:
                raise MisuseError("remove() takes Nodes and Pods; for names there are "
                                  "remove_node() and remove_pod()")
        self._handle.apply(changes)

    def remove_node(self, name: str) -> None:
        """Removes a node. Its pods are hidden until the node is added again.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        try:
            self._handle.remove_node(name)
        except TypeError as error:
            raise named_error(error, Cluster.remove_node, self, name) from None

    def remove_pod(self, key: str) -> None:
        """Removes the pod ``namespace/name``.

        Raises
        ------
        NotFoundError
            There is no such pod.
        """
        try:
            self._handle.remove_pod(*split_key(key))
        except (TypeError, AttributeError) as error:
            raise named_error(error, Cluster.remove_pod, self, key) from None

    def remove_object(self, kind: str, name: str, namespace: str = "") -> None:
        """Removes an object other than a pod or a node, by its kind as in manifests.

        Raises
        ------
        NotFoundError
            There is no such object.
        InvalidError
            Clusters do not store objects of this kind.
        """
        self._handle.remove_object(kind, namespace, name)

    def edit(self, edits: str | Iterable[str],
             pods: Iterable[Pod | Workload] = ()) -> Edited:
        """Applies edits, all of them or none after an error; also inside a fork.

        Each edit sees the effects of those before it:

        ``add-node NODE=N``
            N copies of a node, named ``NODE-0`` and so on, with copies of its DaemonSets' pods,
            static pods and CSINode. They have neither its cordon nor the taints that the node lifecycle
            controller manages.
        ``remove-node NODE``
            Without the node and its pods. Nothing takes their place. One of `pods` that was on the node
            has none in the result, as if it were new.
        ``cordon NODE``
            The node becomes unschedulable and, as the node lifecycle controller has it, gets the taint
            ``node.kubernetes.io/unschedulable:NoSchedule``.
        ``uncordon NODE``
            Takes exactly that away again.
        ``taint NODE KEY=VALUE:EFFECT`` or ``taint NODE KEY:EFFECT``
            With the effect ``NoExecute``, pods that do not tolerate the taint for good are gone.
        ``untaint NODE KEY:EFFECT``, or ``untaint NODE KEY`` for all effects
            The same as ``taint NODE KEY:EFFECT-``, as kubectl has it.
        ``label NODE KEY=VALUE`` (``KEY-`` takes the label away)
        ``scale NAMESPACE/NAME=N``
            N pods of a workload. Pods are taken away, the newest first, or copies of the newest pod,
            without a node, are added to the result.
        ``set NAMESPACE/NAME:FIELD=VALUE`` (``FIELD-`` takes the field away)
            A pod, or all pods of a workload. Fields: ``requests.R`` and ``limits.R`` of the only
            container, ``containers.C.requests.R`` and ``containers.C.limits.R``,
            ``nodeSelector.KEY``, ``labels.KEY``, ``priority``, ``schedulerName``.

        ``NODE`` is the name of a node, or a selector of labels with an operator (``pool=gpu``,
        ``!spot``, ``pool in (a, b)``) or behind ``-l`` (``-l spot``), as for kubectl: the edit applies
        to each node that it matches. Only edits and drains include what controllers make of them;
        `apply` and its like take objects as they are.

        Parameters
        ----------
        edits : str or iterable of str
        pods : iterable of Pod and Workload
            What a cluster does not hold: pods without a node, and workloads. Edits reach them, too.

        Returns
        -------
        Edited
            A list of Pod and Workload: those passed, in order, as they are now, without pods taken away;
            then the pods that ``scale`` has made. Its `notes` tell what is left out of copies of
            nodes, and how many pods a taint evicts.

        Raises
        ------
        InvalidError, NotFoundError
            An edit is wrong. The error names it, and the nearest name. Nothing has changed.

        Examples
        --------
        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})
        >>> with cluster.fork():
        ...     cluster.edit(["add-node a=2", "cordon a"])
        ...     list(cluster.nodes)
        []
        ['a', 'a-0', 'a-1']
        """
        told, notes = self._edit(edits, items(pods, "pods", "Pods and Workloads"))
        edited = Edited(pod for pod, _ in told)
        edited.notes = tuple(notes)
        return edited

    def _edit(self, edits: str | Iterable[str], pods: list[Pod | Workload]
              ) -> tuple[list[tuple[Pod | Workload, int | None]], list[str]]:
        """Does the same as `edit`; beside each pod is its index among `pods`, None for a new one."""
        listed = [edits] if isinstance(edits, str) else items(edits, "edits", "texts")
        for index, edit in enumerate(listed):
            text(edit, f"edits[{index}]")
        for index, one in enumerate(pods):
            if not isinstance(one, (Pod, Workload)):
                raise wrong(f"pods[{index}]", "a Pod or a Workload", one)
        kinds = [one.kind if isinstance(one, Workload) else "" for one in pods]
        edited, notes = self._handle.edit(
            listed, [(one.pod if isinstance(one, Workload) else one)._handle for one in pods], kinds,
            [one.replicas if isinstance(one, Workload) else 1 for one in pods])
        told: list[tuple[Pod | Workload, int | None]] = []
        for handle, origin, replicas in edited:
            pod, kind = _wrap_pod(handle), "" if origin is None else kinds[origin]
            told.append((Workload(kind, replicas, pod) if kind else pod, origin))
        return told, notes

    def assume(self, pod: Source, node: str, *, unknown_node: bool = False) -> None:
        """Puts a pod on a node until the API server confirms it, or until `forget`.

        No plugins run; `Framework.assume` runs Reserve as well.

        Raises
        ------
        ExistsError
            The cluster has the pod already.
        NotFoundError
            There is no such node, and `unknown_node` is false.
        """
        if not flag(unknown_node, "unknown_node"):
            self._must_know([node])
        for one in pods_of(pod, self._classes, self._keep_raw):
            self._handle.assume(one._handle, node)

    def forget(self, key: str) -> None:
        """Removes the assumed pod ``namespace/name`` from its node, if the cluster has it.

        Raises
        ------
        StateError
            The cluster has the pod, but it is not assumed.
        """
        self._handle.forget(*split_key(key))

    # What-ifs

    def fork(self) -> Fork:
        """Opens a fork: a series of changes that can be undone. Forks nest and are cheap.

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
        except BaseException:  # raised by a plugin that is notified of the fork
            if self._handle.fork_depth > depth:
                with contextlib.suppress(Exception):
                    self._handle.revert()
            raise
        return self._opened(self._classes)

    def _restore(self, before: Any) -> None:
        self._classes = before

    @property
    def services(self) -> Services:
        """The services of frameworks that were made without services of their own."""
        if self._services is None:
            self._services = Services()
        return self._services

    # Copies

    def clone(self) -> Cluster:
        """Returns an independent cluster with the same state and no open fork."""
        made = object.__new__(Cluster)
        made._adopt(self._handle.clone(), self._node_order, self._keep_raw)
        made._classes = self._classes
        return made

    def snapshot(self) -> Snapshot:
        """Returns an immutable copy, also inside a fork; the copy outlives the fork."""
        made = object.__new__(Snapshot)
        made._handle = self._handle.snapshot()
        made._node_order = self._node_order
        made._evaluators = weakref.WeakKeyDictionary()
        made._columns = None
        made._classes = self._classes
        return made

    def __copy__(self) -> Cluster:
        return self.clone()

    def __deepcopy__(self, memo: object) -> Cluster:
        return self.clone()

    def __reduce__(self) -> Any:
        return _load_cluster, (self._node_order, state_of(self._handle, self._node_names()),
                               self._classes is not None)

    def __repr__(self) -> str:
        depth = self._handle.fork_depth
        forks = f", {depth} fork{'s' * (depth != 1)} open" if depth else ""
        return f"<Cluster: {self._describe()}{forks}>"

    def _prepare(self) -> None:
        self._handle.refresh()


def _load_cluster(node_order: NodeOrder, state: tuple[Any, ...], admits: bool) -> Cluster:
    made = Cluster(node_order=node_order)
    if not restore(made._handle, state):
        made = Cluster(node_order=node_order)
        reordered(made._handle, state)
    if admits:
        made._classes = Objects(state[0], defaults=False)
    return made


def _load_snapshot(node_order: NodeOrder, state: tuple[Any, ...], admits: bool) -> Snapshot:
    return _load_cluster(node_order, state, admits).snapshot()


def cluster_of(snapshot: Snapshot) -> Cluster:
    """Returns a cluster with the state of a snapshot."""
    _, arguments = snapshot.__reduce__()
    return _load_cluster(*arguments)
