"""The questions of a `Sim`, and their arguments."""

from __future__ import annotations

import json
import operator
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._arguments import named_error, names_arguments_but, wrong
from ._durations import timeout_ns
from ._sim_numbers import array_of, integer, natural, numbers_of
from .cancel import Cancel, handle_of
from .catalog import Catalog, Content
from .errors import InvalidError, NotFoundError
from .fork import Forks
from .sim_answers import Hit, Packing, Placed, Ring, SimVerdict, verdict_of

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    _Ids = numpy.typing.NDArray[numpy.uint64]
    _Array = numpy.typing.NDArray[Any]

#: A node of a Sim: its id, or its name.
NodeId = Union[int, str]
#: A set of nodes: see `Sim.first`.
Accept = Union[Sequence[NodeId], bytes, bytearray, memoryview, "_Array"]

_MASK = 0xFFFFFFFF
_HIT = [("node", "u8"), ("pod", "u8"), ("position", "u8")]
_STOPS = ("", "nodes", "deadline", "permit")


@names_arguments_but("check", "first")
class SimQuestions(Forks):
    """The questions of Sim."""

    __slots__ = ()

    _handle: _core.Sim
    catalog: Catalog

    def check(self, pod: Content, node: NodeId, *, without: Sequence[int] | _Ids | None = None,
              plugins: Sequence[str] | None = None, ignore: Sequence[str] | None = None,
              timeout: float | None = None, cancel: Cancel | None = None) -> SimVerdict:
        """Runs PreFilter, and Filter on one node.

        Parameters
        ----------
        without : array of ids, optional
            Pods of the sim: the answer is as if they were not there, such as the pod itself that
            would move.
        plugins, ignore : sequence of str, optional
            The plugins that are asked, as if the profile had no others, or those that are left out; one
            of both. Answers of such a question are not kept for the next one.
        timeout, cancel
            As for `Framework.fit`; real time counts.

        Raises
        ------
        StaleError
            The reference or the id is stale.
        InvalidError
            A plugin is none of the profile's, or both `plugins` and `ignore` are given.
        UnsupportedError
            The pod needs a plugin that is not available; `plugin` names it.
        DeadlineExceeded, CancelledError
            `timeout` has passed, or `cancel` has been set.
        """
        try:
            return verdict_of(self._handle.check(self._pod_ref(pod), self._node(node),
                                               _query(cancel=cancel, without=without,
                                                      plugins=self._asked(plugins, ignore)), timeout_ns(timeout)))
        except (TypeError, AttributeError) as error:
            raise named_error(error, SimQuestions.check, self, pod, node, without=without, plugins=plugins, ignore=ignore,
                              timeout=timeout, cancel=cancel) from None

    def first(self, pod: Content, *, place: bool = False, skip_unschedulable: bool = False,
              start: int = 0, count: int = 0, ring: Ring | None = None,
              order: Sequence[NodeId] | _Ids | None = None,
              accept: Accept | None = None, without: Sequence[int] | _Ids | None = None,
              plugins: Sequence[str] | None = None, ignore: Sequence[str] | None = None,
              timeout: float | None = None, cancel: Cancel | None = None) -> Hit:
        """Finds the first node that takes a pod. A plugin's Error on a node counts as a rejection.

        Parameters
        ----------
        place : bool
            Put the pod onto the node that is found.
        skip_unschedulable : bool
            Leave out nodes with ``spec.unschedulable``, also for pods that tolerate it.
        start : int
            The position where the search begins, without a `ring`; it wraps around.
        count : int
            How many positions the search looks at; 0: all.
        ring : Ring, optional
            Begin behind the latest hit.
        order : array of ids or sequence of names, optional
            Search these nodes and no others, in this order.
        accept : optional
            Search these nodes only: ids, names, an array of bool in the order of nodes, or a bitmap as
            bytes or memoryview, such as ``sim.feasible(other, result="bits").data``.
        without, plugins, ignore, timeout, cancel
            As for `check`.

        Raises
        ------
        StaleError, UnsupportedError, DeadlineExceeded, CancelledError
            As `check`. Nothing has been placed.
        InvalidError
            As `check`, and `place` together with `without`, `plugins` or `ignore`.
        """
        try:
            query = self._query(skip_unschedulable, start, count, ring, order, accept, cancel, without,
                                self._asked(plugins, ignore))
            node, placed, position, why = self._handle.first(
                self._pod_ref(pod), query, place, timeout_ns(timeout))
        except (TypeError, AttributeError) as error:
            raise named_error(error, SimQuestions.first, self, pod, place=place, skip_unschedulable=skip_unschedulable, start=start,
                              count=count, ring=ring, order=order, accept=accept, without=without, plugins=plugins, ignore=ignore,
                              timeout=timeout, cancel=cancel) from None
        return Hit(node, position, placed, verdict_of(why))

    def feasible(self, pod: Content, *, result: str = "ids", skip_unschedulable: bool = False,
                 accept: Accept | None = None, without: Sequence[int] | _Ids | None = None,
                 plugins: Sequence[str] | None = None, ignore: Sequence[str] | None = None,
                 timeout: float | None = None, cancel: Cancel | None = None) -> _Array:
        """Finds all nodes that take a pod.

        Parameters
        ----------
        result : {"ids", "mask", "bits"}
            Ids in the order of nodes; bool of shape ``(len(sim),)`` in the order of nodes; or a bitmap
            of uint64 words by the index of ids, which are their lower 32 bits.
        skip_unschedulable, accept, without, plugins, ignore, timeout, cancel
            As for `first`.

        Returns
        -------
        numpy array of uint64 or bool
        """
        if result not in ("ids", "mask", "bits"):
            raise InvalidError(f'result is "ids", "mask" or "bits", not {result!r}')
        import numpy

        query = self._query(skip_unschedulable, 0, 0, None, None, accept, cancel, without,
                            self._asked(plugins, ignore))
        words, _ = self._handle.feasible(self._pod_ref(pod), query, timeout_ns(timeout))
        if result == "bits":
            return numpy.frombuffer(words, numpy.uint64)
        bits = numpy.unpackbits(numpy.frombuffer(words, numpy.uint8), bitorder="little")
        nodes = self.nodes
        mask = bits[(nodes & _MASK).astype(numpy.intp)].view(numpy.bool_)
        return mask if result == "mask" else nodes[mask]

    def check_many(self, pods: Sequence[Content] | _Ids,
                   nodes: Sequence[NodeId] | _Ids | None = None, *,
                   without: Sequence[int] | _Ids | None = None,
                   plugins: Sequence[str] | None = None, ignore: Sequence[str] | None = None,
                   timeout: float | None = None, cancel: Cancel | None = None) -> _Array:
        """Checks every pod on every node, each alone.

        Parameters
        ----------
        pods : array of references
        nodes : array of ids, optional
            By default all nodes in their order.
        without, plugins, ignore, timeout, cancel
            As for `check`.

        Returns
        -------
        numpy array of uint8 of shape (pods, nodes)
            0 if the pod fits on the node, otherwise 1 + the index in `plugins` of the plugin that
            rejects it first.
        """
        import numpy

        refs = self._pod_refs(pods)
        ids = self._handle.nodes() if nodes is None else self._nodes(nodes)
        query = _query(cancel=cancel, without=without, plugins=self._asked(plugins, ignore))
        out = self._handle.check_many(refs, ids, query, timeout_ns(timeout))
        shape = (memoryview(refs).nbytes // 8, memoryview(ids).nbytes // 8)
        return numpy.frombuffer(out, numpy.uint8).reshape(shape)

    def copies(self, pod: Content, nodes: Sequence[NodeId] | _Ids | None = None, *, max: int = 0,
               without: Sequence[int] | _Ids | None = None,
               plugins: Sequence[str] | None = None, ignore: Sequence[str] | None = None,
               timeout: float | None = None, cancel: Cancel | None = None) -> _Array:
        """Counts how many copies of a pod fit on each node while there are none on the others.

        Parameters
        ----------
        nodes : array of ids, optional
            By default all nodes in their order.
        max : int
            No more than so many are tried on a node; 0: 1,000,000.
        without, plugins, ignore, timeout, cancel
            As for `check`.

        Returns
        -------
        numpy array of uint64 of shape (nodes,)
        """
        import numpy

        ids = self._handle.nodes() if nodes is None else self._nodes(nodes)
        query = _query(cancel=cancel, without=without, plugins=self._asked(plugins, ignore))
        out = self._handle.copies(self._pod_ref(pod), ids, natural(max, "max"), query, timeout_ns(timeout))
        return numpy.frombuffer(out, numpy.uint64)

    @property
    def plugins(self) -> tuple[str, ...]:
        """The names of plugins that `check_many` counts from 1."""
        return tuple(self._handle.plugins())

    def place_many(self, pods: Sequence[Content] | _Ids, *, hints: Sequence[int] | _Ids | None = None,
                   stop_at_failure: bool = False, retry_failed: bool = False,
                   skip_unschedulable: bool = False, start: int = 0, count: int = 0,
                   ring: Ring | None = None, order: Sequence[NodeId] | _Ids | None = None,
                   accept: Accept | None = None, timeout: float | None = None,
                   cancel: Cancel | None = None) -> Placed:
        """Places pods, each on the first node that takes it; every pod sees those before it.

        Parameters
        ----------
        pods : array of references
        hints : array of ids of the same length, optional
            A node for each pod that is tried before all others, if `accept` has it; 0: none. One
            that is stale is passed over.
        stop_at_failure : bool
            End at the first pod that finds no node.
        retry_failed : bool
            Try a pod although one of the same content has found no node in this call.
        skip_unschedulable, start, count, ring, order, accept, timeout, cancel
            As for `first`; but when a limit ends the call, it is no error: see `Placed.ended`.

        Raises
        ------
        StaleError, UnsupportedError, KeyboardInterrupt
            Nothing has been placed.
        """
        import numpy

        query = self._query(skip_unschedulable, start, count, ring, order, accept, cancel)
        hits, placed, ended = self._handle.place_many(
            self._pod_refs(pods), query, stop_at_failure, retry_failed,
            None if hints is None else numbers_of(hints), timeout_ns(timeout))
        return Placed(numpy.frombuffer(hits, numpy.dtype(_HIT)), placed, ended)

    def bin_pack(self, groups: Mapping[Any, int] | Iterable[tuple[Content, int]], like: Content, *,
                 prefix: str = "new-", max_nodes: int = 0, keep_order: bool = False,
                 existing_too: bool = False, node_pods: Sequence[Content] | _Ids = (), objects_of: str = "",
                 permit: Callable[[], object] | None = None, ring: Ring | None = None,
                 timeout: float | None = None, cancel: Cancel | None = None) -> Packing:
        """Packs groups of equal pods onto new nodes, as the Cluster Autoscaler's estimator does it.

        Largest pods first, the pods of each group onto the new nodes as long as they fit there, then
        onto the latest node, or a new one. It happens in a fork, which stays open: revert or commit the
        result, or use it in a ``with`` statement.

        Parameters
        ----------
        groups : mapping from references to numbers, or iterable of (pod, number)
        like
            The content of new nodes.
        prefix : str
            New nodes are named ``prefix`` and a number; numbers of existing names are left out.
        max_nodes : int
            0: any number.
        keep_order : bool
            Pack the groups as they come, instead of the largest first.
        existing_too : bool
            Try the nodes that are there already as well.
        node_pods : array of references
            Pods that every new node has, such as those of DaemonSets.
        objects_of : str
            The name of a node, which need not be there: every new node has copies of its CSINode and of
            the ResourceSlices that name it, with devices of its own.
        permit : callable, optional
            Asked before each new node: whether it may be added. It must not use the sim.
        ring : Ring, optional
            Of the searches among new nodes; by default from the first one each time.
        timeout, cancel
            As for `check`, but they are no error: see `Packing.stop`.

        Raises
        ------
        StaleError, UnsupportedError, LimitError, KeyboardInterrupt
            No fork is open; so too if `permit` raises an exception.
        """
        import numpy

        pairs = list(groups.items() if isinstance(groups, Mapping) else groups)
        refs = numbers_of([self._pod_ref(pod) for pod, _ in pairs])
        counts = array("Q", [natural(number, "the number of pods") for _, number in pairs])
        nodes, places, pods, placed, stop = self._handle.bin_pack(
            refs, counts, self._node_ref(like), keep_order, existing_too, prefix,
            natural(max_nodes, "max_nodes"), self._pod_refs(node_pods), objects_of, permit,
            None if ring is None else ring._handle, timeout_ns(timeout), handle_of(cancel))
        return Packing(array_of(nodes), numpy.frombuffer(places, numpy.int32), array_of(pods), placed,
                       _STOPS[stop], self._opened())

    def remove(self, node: NodeId, move: Sequence[int] | _Ids | None = None, *, keep: bool = False,
               ghost: Content | None = None, hints: Sequence[int] | _Ids | None = None,
               skip_unschedulable: bool = False, start: int = 0, ring: Ring | None = None,
               order: Sequence[NodeId] | _Ids | None = None,
               accept: Accept | None = None, timeout: float | None = None,
               cancel: Cancel | None = None) -> tuple[bool, _Array]:
        """Tries whether a node can go: takes all pods off it and places some of them elsewhere.

        Parameters
        ----------
        move : array of ids of pods on the node, optional
            The pods to place elsewhere, in this order, until one finds no place; by default all.
        keep : bool
            If all find a place, the node is removed and they stay there. Otherwise nothing changes.
        ghost : optional
            The content that stands in for the node meanwhile, without pods, so that its domains stay;
            no pod is placed on it. By default the node is removed at once.
        hints : array of ids of nodes of the same length as `move`, optional
            As for `place_many`.
        skip_unschedulable, start, ring, order, accept, timeout, cancel
            As for `first`.

        Returns
        -------
        (bool, structured numpy array of shape (move,))
            Whether all find a place, and the place of each as in `Placed.hits`; its pod is 0 unless
            `keep`.

        Raises
        ------
        InvalidError
            A pod of `move` is not on the node, or occurs twice.
        StaleError, UnsupportedError, DeadlineExceeded, CancelledError
            As `check`. Nothing has changed.
        """
        import numpy

        there = self._node(node)
        pods = self._handle.pods_on(there) if move is None else numbers_of(move)
        query = self._query(skip_unschedulable, start, 0, ring, order, accept, cancel)
        removed, hits = self._handle.remove(
            there, pods, query, keep, 0 if ghost is None else self._node_ref(ghost),
            None if hints is None else numbers_of(hints), timeout_ns(timeout))
        return removed, numpy.frombuffer(hits, numpy.dtype(_HIT))

    def explain(self, pod: Content, node: NodeId | None = None) -> dict[str, Any]:
        """Returns everything about a pod and one node, or all nodes, with facts: docs/explain.md.

        Raises
        ------
        StaleError, UnsupportedError
            As `check`.
        """
        told: dict[str, Any] = json.loads(self._handle.explain(
            self._pod_ref(pod), 0 if node is None else self._node(node)))
        return told

    # Arguments

    def _pod_ref(self, pod: Content) -> int:
        number = integer(pod)
        return self.catalog.pod(pod) if number is None else number

    def _node_ref(self, node: Content) -> int:
        number = integer(node)
        return self.catalog.node(node) if number is None else number

    def _node(self, node: NodeId) -> int:
        return self.find(node) if isinstance(node, str) else operator.index(node)

    def _nodes(self, nodes: Sequence[NodeId] | _Ids) -> Any:
        if isinstance(nodes, (list, tuple)) and any(isinstance(one, str) for one in nodes):
            nodes = [self._node(one) for one in nodes]
        return numbers_of(nodes)

    def _pod_refs(self, pods: Sequence[Content] | _Ids) -> Any:
        if isinstance(pods, (list, tuple)):
            return numbers_of([self._pod_ref(one) for one in pods])
        return numbers_of(pods)

    def _query(self, skip_unschedulable: bool, start: int, count: int, ring: Ring | None,
               order: Sequence[NodeId] | _Ids | None, accept: Accept | None,
               cancel: Cancel | None, without: Sequence[int] | _Ids | None = None,
               plugins: Any = None) -> _core.SimQuery:
        return _query(skip_unschedulable, natural(start, "start"), natural(count, "count"), ring,
                      None if order is None else self._nodes(order),
                      None if accept is None else self._bitmap(accept), cancel, without, plugins)

    def _asked(self, plugins: Sequence[str] | None, ignore: Sequence[str] | None) -> Any:
        """The bitmap of the plugins that are asked; None: all."""
        if plugins is None and ignore is None:
            return None
        if plugins is not None and ignore is not None:
            raise InvalidError("plugins and ignore in one question")
        names = plugins if plugins is not None else ignore
        if isinstance(names, str):
            raise wrong("ignore" if plugins is None else "plugins", "a list of names of plugins", names)
        known = self.plugins
        if unknown := [name for name in names or () if name not in known]:
            raise InvalidError(f"the profile has no plugin {unknown[0]}")
        words = array("Q", bytes(8 * (len(known) // 64 + 1)))
        for index, name in enumerate(known):
            if (name in (names or ())) == (plugins is not None):
                words[index >> 6] |= 1 << (index & 63)
        return words

    def _bitmap(self, accept: Any) -> Any:
        if isinstance(accept, (bytes, bytearray, memoryview)):
            return accept
        if getattr(accept, "dtype", None) == bool:
            nodes = self.nodes
            if accept.shape != nodes.shape:
                raise InvalidError(f"accept: {accept.shape} elements for {len(nodes)} nodes")
            accept = nodes[accept]
        words = array("Q", bytes(8 * ((self._handle.node_limit + 63) // 64)))
        for one in memoryview(self._nodes(accept)).cast("B").cast("Q"):
            index = one & _MASK
            if index >> 6 < len(words):
                words[index >> 6] |= 1 << (index & 63)
        return words

    @property
    def nodes(self) -> _Ids:
        """The ids of all nodes in their order."""
        return array_of(self._handle.nodes())

    def find(self, name: str) -> int:
        """Returns the id of a node.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        found = self._handle.find_node(name)
        if found == 0:
            raise NotFoundError(f'no node "{name}"')
        return found


def _query(skip_unschedulable: bool = False, start: int = 0, count: int = 0,
           ring: Ring | None = None, order: Any = None, accept: Any = None,
           cancel: Cancel | None = None, without: Any = None, plugins: Any = None) -> _core.SimQuery:
    return _core.SimQuery(skip_unschedulable, start, count, None if ring is None else ring._handle,
                          order, accept, None if without is None else numbers_of(without), plugins, handle_of(cancel))
