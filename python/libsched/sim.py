"""Sim: a simulated cluster for programs that ask the same questions very often, such as autoscalers."""

from __future__ import annotations

import json
import weakref
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from . import _core
from ._amounts import amounts
from ._arguments import items, named_error, names_arguments_but
from ._html import MOST_ROWS, escaped, more
from ._sim_documents import one_document
from ._sim_numbers import array_of, numbers_of
from ._sim_questions import NodeId, SimQuestions
from ._sources import Source
from .catalog import Catalog, Content
from .errors import NotFoundError
from .fork import Fork
from .framework import Framework
from .objects import Objects
from .view import View, _views

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    _Ids = numpy.typing.NDArray[numpy.uint64]
    _Array = numpy.typing.NDArray[Any]

_NO_POSITION = 0xFFFFFFFFFFFFFFFF


@names_arguments_but("add_pod", "remove_pods")
class Sim(SimQuestions):
    """A simulated cluster: does this pod fit, which node is the first that takes it, and what if?

    Nodes and pods are made of the contents of a `Catalog`. Pods need no names, so one content may be
    placed any number of times. Nodes are walked in the order in which they were added. Answers are
    those of upstream's PreFilter and Filter; nominated pods do not count.

    A content is given as a reference of the catalog, or as what `Catalog.pod` and `Catalog.node` make
    one of. A node is given by its id or its name, a pod that is there by its id. Ids are ints that
    are never 0; the id of a node or pod that is gone is stale. Methods about many take numpy arrays of
    uint64, or sequences of ints, and return new arrays that belong to the caller.

    Parameters
    ----------
    framework : Framework, optional
        By default one with upstream's defaults. Its plugins in Python are called for each question.
    catalog : Catalog, optional
        By default a new one.

    Notes
    -----
    One thread at a time uses a Sim; threads that share one take turns, and long calls release the
    GIL. Ctrl-C ends the calls that place or pack pods, and those about many pairs; they change
    nothing then. A Sim cannot be pickled.

    Examples
    --------
    >>> sim = Sim()
    >>> shape = {"metadata": {"name": "any"}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}}
    >>> ids = sim.add_nodes(shape, ["a", "b"])
    >>> web = sim.catalog.pod({"metadata": {"name": "web"}, "spec": {"containers": [
    ...     {"name": "c", "resources": {"requests": {"cpu": "3"}}}]}})
    >>> sim.place_many([web] * 3).count
    2
    >>> sim.check(web, "a")
    <SimVerdict FILTER_REJECTED by NodeResourcesFit: Insufficient cpu>
    >>> with sim.fork():
    ...     new = sim.add_nodes(shape, ["c"])
    ...     sim.node_name(sim.first(web).node)
    'c'
    >>> sim
    <Sim: 2 nodes, 2 pods>
    """

    __slots__ = ("_forks", "_framework", "_handle", "_view", "catalog", "__weakref__")

    catalog: Catalog

    def __init__(self, framework: Framework | None = None, catalog: Catalog | None = None) -> None:
        self._framework = Framework() if framework is None else framework
        self.catalog = Catalog() if catalog is None else catalog
        self._handle = _core.Sim(self._framework._handle, self.catalog._handle)
        self._forks: list[Fork] = []
        self._view: View | None = None
        if self._framework._given:  # plugins get the address of the view
            self._view = object.__new__(View)
            self._view._handle = self._handle.view()
            self._view._classes = self._view._columns = None
            self._view._evaluators = weakref.WeakKeyDictionary()
            _views[self._view._handle.address] = self._view

    @classmethod
    def from_dump(cls, source: Source | View, framework: Framework | None = None,
                  catalog: Catalog | None = None, *, defaults: bool = True,
                  strict: bool = False) -> Sim:
        """Makes a Sim with the contents of a dump, or of a `Cluster` or `Snapshot`: see `load`."""
        sim = cls(framework, catalog)
        sim.load(source, defaults=defaults, strict=strict)
        return sim

    @property
    def framework(self) -> Framework:
        return self._framework

    # Changes

    def load(self, source: Source | View, *, defaults: bool = True, strict: bool = False) -> None:
        """Ends all forks and replaces the contents.

        Parameters
        ----------
        source
            A `Cluster` or `Snapshot`, or a source as for `Objects`. Its nodes keep their order, its
            pods are those that run on one of them and have not ended, and its other objects replace
            those of the same name.
        defaults, strict : bool
            As for `Objects`.

        Raises
        ------
        ExistsError
            A node's name occurs twice. Nothing has changed.
        """
        self._handle.load(one_document(source, defaults, strict))
        self._close_forks()

    def reset(self, nodes: Sequence[int] | _Ids, names: Sequence[str],
              pods: Sequence[int] | _Ids = (),
              on_node: Sequence[int] | _Array = ()) -> tuple[_Ids, _Ids]:
        """Ends all forks and replaces all nodes and pods; other objects stay.

        Parameters
        ----------
        nodes : array of references, of shape (nodes,)
        names : sequence of str, of the same length
        pods : array of references, of shape (pods,)
        on_node : array of int, of the same length
            The index of each pod's node in `nodes`.

        Returns
        -------
        (numpy array of uint64, numpy array of uint64)
            The ids of the nodes and of the pods.

        Raises
        ------
        StaleError, ExistsError, InvalidError
            A reference is stale, a name occurs twice, or a name is empty or an index too large.
            Nothing has changed.
        """
        made = self._handle.reset(numbers_of(nodes), items(names, "names", "texts"), numbers_of(pods), numbers_of(on_node, "I"))
        self._close_forks()
        return array_of(made[0]), array_of(made[1])

    def add_nodes(self, like: Content, names: str | Iterable[str]) -> _Ids:
        """Adds nodes of one content behind all others, and returns their ids.

        Raises
        ------
        ExistsError
            A name exists already, or occurs twice. Nothing has changed.
        StaleError
            The reference is stale.
        """
        listed = [names] if isinstance(names, str) else list(names)
        return array_of(self._handle.add_nodes(self._node_ref(like), listed))

    def remove_node(self, node: NodeId) -> None:
        """Removes a node and its pods.

        Raises
        ------
        StaleError, NotFoundError
            The node is gone, or there is no such name.
        """
        self._handle.remove_node(self._node(node))

    def replace_node(self, node: NodeId, like: Content) -> None:
        """Gives a node another content; its name, id, position and pods stay."""
        self._handle.replace_node(self._node(node), self._node_ref(like))

    def add_pods(self, pods: Sequence[int] | _Ids,
                 nodes: NodeId | Sequence[NodeId] | _Ids) -> _Ids:
        """Puts pods onto nodes, without asking whether they fit, and returns their ids.

        Parameters
        ----------
        pods : array of references
        nodes : array of ids, or sequence of names, of the same length; or one node for all

        Raises
        ------
        StaleError
            A reference or an id is stale. Nothing has changed.
        """
        refs = numbers_of(pods)
        if isinstance(nodes, (int, str)):
            nodes = [self._node(nodes)] * len(memoryview(refs))
        return array_of(self._handle.add_pods(refs, self._nodes(nodes)))

    def add_pod(self, pod: Content, node: NodeId) -> int:
        """Puts a pod onto a node, without asking whether it fits, and returns its id."""
        try:
            made = self._handle.add_pods(array("Q", [self._pod_ref(pod)]),
                                         array("Q", [self._node(node)]))
        except (TypeError, AttributeError) as error:
            raise named_error(error, Sim.add_pod, self, pod, node) from None
        return memoryview(made).cast("Q")[0]

    def remove_pods(self, pods: int | Sequence[int] | _Ids) -> None:
        """Removes pods by their ids.

        Raises
        ------
        StaleError
            A pod is gone, or occurs twice. Nothing has changed.
        """
        try:
            self._handle.remove_pods(numbers_of([pods] if isinstance(pods, int) else pods))
        except (TypeError, AttributeError) as error:
            raise named_error(error, Sim.remove_pods, self, pods) from None

    def unplace_pods(self, pods: int | Sequence[int] | _Ids) -> None:
        """Removes pods by their ids, and takes back what placing them has taken.

        As by the Cluster Autoscaler no ResourceClaim is reserved for them, and claims that were made for
        them, or that nobody reserves any more, lose their devices.

        Raises
        ------
        StaleError
            A pod is gone, or occurs twice. Nothing has changed.
        """
        self._handle.unplace_pods(numbers_of([pods] if isinstance(pods, int) else pods))

    def put_objects(self, source: Source, *, defaults: bool = True, strict: bool = False) -> None:
        """Adds or replaces objects other than pods and nodes: claims, volumes, CSINodes, ...

        Raises
        ------
        InvalidError
            The source has a pod or a node. Nothing has changed.
        """
        objects = source if isinstance(source, Objects) else Objects(
            source, defaults=defaults, strict=strict)
        self._handle.put_objects(one_document(objects, defaults, strict))

    def reset_objects(self, source: Source, *, defaults: bool = True, strict: bool = False) -> None:
        """The same as `put_objects`, and removes all others of such objects.

        Raises
        ------
        InvalidError
            The source has a pod or a node. Nothing has changed.
        """
        objects = source if isinstance(source, Objects) else Objects(
            source, defaults=defaults, strict=strict)
        self._handle.reset_objects(one_document(objects, defaults, strict))

    def objects(self, kind: str, *, namespace: str = "", name: str = "") -> list[dict[str, Any]]:
        """As `Cluster.objects`: a ResourceClaim has the devices that a placed pod took."""
        found: list[dict[str, Any]] = json.loads(self._handle.view().objects_json(kind, namespace, name))["items"]
        return found

    def objects_version(self, kind: str) -> int:
        """A number that changes with every change of an object of the kind; a revert restores the old one. 0: none are kept."""
        return self._handle.view().objects_version(kind)

    def remove_object(self, kind: str, name: str, namespace: str = "") -> None:
        """Removes an object other than a pod or a node, by its kind as in manifests.

        Raises
        ------
        NotFoundError
            There is no such object.
        InvalidError
            Objects of this kind are not kept.
        """
        self._handle.remove_object(kind, namespace, name)

    def fork(self) -> Fork:
        """Opens a what-if; forks nest, and a revert restores ids and orders.

        >>> with Sim().fork() as fork:
        ...     fork.commit()
        """
        self._handle.fork()
        return self._opened()

    # Reading

    def __len__(self) -> int:
        return self._handle.node_count

    @property
    def pod_count(self) -> int:
        return self._handle.pod_count

    @property
    def names(self) -> list[str]:
        """The names of all nodes in their order."""
        return self._handle.node_names(self._handle.nodes())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._handle.find_node(name) != 0

    def node_name(self, node: int) -> str:
        """Returns a node's name; empty if the id is stale."""
        return self._handle.node_names(array("Q", [node]))[0]

    def position(self, node: NodeId) -> int:
        """Returns the node's index in the order of nodes.

        Raises
        ------
        NotFoundError
            The node is gone.
        """
        found = memoryview(self._handle.positions(array("Q", [self._node(node)]))).cast("Q")[0]
        if found == _NO_POSITION:
            raise NotFoundError(f"no node with the id {node}")
        return found

    def pods_on(self, node: NodeId) -> _Ids:
        """Returns the ids of a node's pods.

        Raises
        ------
        StaleError
            The node is gone.
        """
        return array_of(self._handle.pods_on(self._node(node)))

    def node_refs(self, nodes: Sequence[NodeId] | _Ids) -> _Ids:
        """Returns the content of each node; 0 for stale ids."""
        return array_of(self._handle.node_refs(self._nodes(nodes)))

    def pod_refs(self, pods: Sequence[int] | _Ids) -> _Ids:
        """Returns the content of each pod; 0 for stale ids."""
        return array_of(self._handle.pod_refs(numbers_of(pods)))

    def pod_nodes(self, pods: Sequence[int] | _Ids) -> _Ids:
        """Returns the id of each pod's node; 0 for stale ids."""
        return array_of(self._handle.pod_nodes(numbers_of(pods)))

    @property
    def resources(self) -> list[str]:
        """The names of the columns of `requested` and `allocatable`; empty for one without use."""
        return self._handle.resources()

    def requested(self, nodes: NodeId | Sequence[NodeId] | _Ids | None = None) -> _Array:
        """Returns what the pods of nodes request together.

        Parameters
        ----------
        nodes : optional
            One node, or several; by default all in their order.

        Returns
        -------
        numpy array of int64 of shape (nodes, resources), or (resources,) for one node
            Thousandths of cpu, bytes of memory, else units; `resources` names the columns.

        Raises
        ------
        StaleError
            A node is gone.
        """
        return self._amounts(self._handle.requested, nodes)

    def allocatable(self, nodes: NodeId | Sequence[NodeId] | _Ids | None = None) -> _Array:
        """Returns what nodes offer; otherwise as `requested`."""
        return self._amounts(self._handle.allocatable, nodes)

    def _amounts(self, read: Callable[[Any], tuple[bytearray, int]],
                 nodes: NodeId | Sequence[NodeId] | _Ids | None) -> _Array:
        import numpy

        if isinstance(nodes, (int, str)):
            found, _ = read(array("Q", [self._node(nodes)]))
            return numpy.frombuffer(found, numpy.int64)
        found, width = read(self._handle.nodes() if nodes is None else self._nodes(nodes))
        return numpy.frombuffer(found, numpy.int64).reshape(-1, width)

    # Python

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Sim cannot be pickled: give the other process a dump, or a Cluster")

    def __copy__(self) -> NoReturn:
        raise TypeError("a Sim cannot be copied; fork() begins a what-if")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()

    def __repr__(self) -> str:
        nodes, pods, forks = len(self), self.pod_count, self.fork_depth
        opened = f", {forks} fork{'s' * (forks != 1)} open" if forks else ""
        return (f"<Sim: {nodes:,} node{'s' * (nodes != 1)}, {pods:,} pod{'s' * (pods != 1)}"
                f"{opened}>")

    def _repr_html_(self) -> str:
        ids = memoryview(self._handle.nodes()).cast("Q")
        shown = array("Q", ids[:MOST_ROWS])
        used, width = self._handle.requested(shown)
        offered, _ = self._handle.allocatable(shown)
        used_of, offered_of = memoryview(used).cast("q"), memoryview(offered).cast("q")
        rows = []
        for row, name in enumerate(self._handle.node_names(shown)):
            at = row * width
            cells = (f"{used_of[at] / 1000:g} of {offered_of[at] / 1000:g}",
                     " of ".join(amounts("memory", used_of[at + 1], offered_of[at + 1])),
                     f"{used_of[at + 3]} of {offered_of[at + 3]}")
            rows.append(f"<tr><th style='text-align:left'>{escaped(name)}</th>"
                        + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        return (f"<p><b>{escaped(repr(self)[1:-1])}</b></p><table><thead><tr><th>node</th><th>cpu</th>"
                f"<th>memory</th><th>pods</th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
                f"{more(len(ids))}")


