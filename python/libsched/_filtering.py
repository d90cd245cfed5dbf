"""The extension points from PreEnqueue to Score, as methods of Framework."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from ._arguments import MOST, instance, items, names_arguments, whole
from ._durations import timeout_ns
from ._evaluators import Calls
from ._sources import Source
from .cancel import Cancel, handle_of
from .errors import InvalidError
from .objects import Pod, pod_handle
from .scores import Scores
from .state import CycleState
from .state import handle_of as state_handle
from .status import Status, status_of
from .view import View

if TYPE_CHECKING:
    import numpy
    import numpy.typing


@dataclasses.dataclass(frozen=True)
class PreFilterResult:
    """The nodes that PreFilter leaves for Filter.

    Attributes
    ----------
    node_names : frozenset of str or None
        The names of the nodes; None means all nodes.
    plugins : tuple of str
        The plugins that excluded nodes, sorted by name.
    """

    node_names: frozenset[str] | None
    plugins: tuple[str, ...]

    @property
    def all_nodes(self) -> bool:
        """Whether no plugin excluded nodes."""
        return self.node_names is None


@names_arguments
class FilterCalls(Calls):
    """The calls of Framework from PreEnqueue to Score, and Filter over all nodes."""

    __slots__ = ()

    def run_pre_enqueue_plugins(self, view: View, pod: Source) -> Status:
        """Runs PreEnqueue up to the first plugin that gates the pod.

        >>> from libsched import Cluster, Framework
        >>> gated = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {
        ...     "schedulingGates": [{"name": "example.com/wait"}], "containers": [{"name": "c"}]}}
        >>> Framework().run_pre_enqueue_plugins(Cluster(), gated).plugin
        'SchedulingGates'
        """
        checked = self._pod(view, pod)
        with self._take(view) as evaluator:
            return status_of(evaluator.run_pre_enqueue(checked._handle))

    def run_pre_filter_plugins(self, state: CycleState, view: View,
                               pod: Source) -> tuple[PreFilterResult, Status]:
        """Runs PreFilter, which fills `state` for the calls that follow.

        Raises
        ------
        UnsupportedError
            The pod needs a plugin that is not available; `plugin` names it.
        """
        checked = self._pod(view, pod)
        with self._take(view) as evaluator:
            status, all_nodes, nodes, plugins = evaluator.run_pre_filter(
                state_handle(state), checked._handle)
        return (PreFilterResult(None if all_nodes else frozenset(nodes), tuple(plugins)),
                status_of(status))

    def run_filter_plugins(self, state: CycleState, view: View, pod: Pod, node: str) -> Status:
        """Runs Filter on one node. PreFilter must have run with `state` for the same pod.

        The PreFilterResult has no influence. If the cluster has changed since PreFilter, the answer
        is upstream's for this state and the current node.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        with self._take(view) as evaluator:
            return status_of(evaluator.run_filter(state_handle(state), pod_handle(pod), node))

    def run_pre_filter_extension_add_pod(self, state: CycleState, view: View, pod: Pod,
                                         other: Pod, node: str) -> Status:
        """Updates the data of PreFilter for `pod` as if `other` were added to a node.

        Only `state` changes, never the cluster. Plugins that PreFilter skipped do not run.

        Raises
        ------
        NotFoundError
            There is no such node.
        StateError
            PreFilter has not run for this pod with this state.
        StaleError
            The cluster has changed since.
        """
        with self._take(view) as evaluator:
            return status_of(evaluator.run_pre_filter_extension_add_pod(
                state_handle(state), pod_handle(pod), pod_handle(other, "other"), node))

    def run_pre_filter_extension_remove_pod(self, state: CycleState, view: View, pod: Pod,
                                            other: Pod, node: str) -> Status:
        """Updates the data of PreFilter for `pod` as if `other` were removed from a node."""
        with self._take(view) as evaluator:
            return status_of(evaluator.run_pre_filter_extension_remove_pod(
                state_handle(state), pod_handle(pod), pod_handle(other, "other"), node))

    @overload
    def filter_nodes(self, state: CycleState, view: View, pod: Pod, *, limit: int = 0,
                     accept: Any = None, start: int = 0, result: Literal["names"] = "names",
                     timeout: float | None = None,
                     cancel: Cancel | None = None) -> list[str]: ...
    @overload
    def filter_nodes(self, state: CycleState, view: View, pod: Pod, *, limit: int = 0,
                     accept: Any = None, start: int = 0, result: Literal["bitmap"],
                     timeout: float | None = None,
                     cancel: Cancel | None = None) -> bytes: ...
    @overload
    def filter_nodes(self, state: CycleState, view: View, pod: Pod, *, limit: int = 0,
                     accept: Any = None, start: int = 0, result: Literal["numpy"],
                     timeout: float | None = None,
                     cancel: Cancel | None = None) -> numpy.typing.NDArray[numpy.bool_]: ...

    def filter_nodes(self, state: CycleState, view: View, pod: Pod, *, limit: int = 0,
                     accept: Iterable[str] | bytes | Any = None, start: int = 0,
                     result: Literal["names", "bitmap", "numpy"] = "names",
                     timeout: float | None = None,
                     cancel: Cancel | None = None) -> Any:
        """Returns the nodes that PreFilter left over and that pass all Filter plugins.

        Parameters
        ----------
        state : CycleState
            A state with which PreFilter has run for the same pod.
        view : Cluster or Snapshot
        pod : Pod
        limit : int
            Stop after that many nodes have passed; 0 means no limit.
        accept : optional
            Filter only these nodes: names, a bitmap over rows as bytes (bit ``row % 8`` of byte
            ``row // 8``), or a numpy array of bool with an element for each row.
        start : int
            The position in the node order at which to start, wrapping around at the end. It matters
            with `limit`.
        result : {"names", "bitmap", "numpy"}
            The form of the result: names in node order; a bitmap over rows as bytes, in whole
            64-bit words; or a numpy array of bool of shape ``(view.row_count,)``.
        timeout : float, optional
            As for `fit`.
        cancel : Cancel, optional
            As for `fit`.

        Raises
        ------
        StateError
            PreFilter has not run with `state` for this pod.
        PluginError
            A plugin failed.
        NotFoundError
            A name in `accept` is unknown.
        DeadlineExceeded
            The timeout has expired. Nothing has changed.
        CancelledError
            `cancel` has been set. Nothing has changed.
        """
        whole(limit, "limit", 0, MOST)
        whole(start, "start", 0, MOST)
        if result not in ("names", "bitmap", "numpy"):
            raise InvalidError(f'result is "names", "bitmap" or "numpy", not {result!r}')
        bitmap = None if accept is None else bitmap_of(view, accept)
        ends = timeout_ns(timeout)
        with self._take(view) as evaluator:
            if result == "names":
                return evaluator.filter_names(state_handle(state), pod_handle(pod), limit, bitmap, start,
                                              ends, handle_of(cancel))
            found = evaluator.filter_bitmap(state_handle(state), pod_handle(pod), limit, bitmap, start,
                                            ends, handle_of(cancel))[0]
        if result == "bitmap":
            return found
        import numpy

        bits = numpy.unpackbits(numpy.frombuffer(found, numpy.uint8), bitorder="little")
        return bits[: view.row_count].astype(numpy.bool_)

    def run_pre_score_plugins(self, state: CycleState, view: View, pod: Pod,
                              nodes: Any) -> Status:
        """Runs PreScore for the nodes that fit. PreFilter must have run with `state` for the pod.

        Parameters
        ----------
        nodes
            The result of `filter_nodes`: names, a bitmap over rows, or a numpy array of bool.
        """
        bitmap = bitmap_of(view, nodes, "nodes")
        with self._take(view) as evaluator:
            return status_of(evaluator.run_pre_score(state_handle(state), pod_handle(pod), bitmap))

    def run_score_plugins(self, state: CycleState, view: View, pod: Pod,
                          nodes: Any) -> tuple[Scores, Status]:
        """Runs Score; PreScore must have run for the same nodes. After an error, scores are empty.

        Raises
        ------
        StaleError
            The cluster has changed since a plugin prepared its data.
        """
        bitmap = bitmap_of(view, nodes, "nodes")
        with self._take(view) as evaluator:
            table, names, status = evaluator.run_score(state_handle(state), pod_handle(pod), bitmap)
        return Scores(table, names), status_of(status)


def bitmap_of(view: View, accept: Any, argument: str = "accept") -> bytes:
    """Converts a set of nodes to a bitmap over rows."""
    if isinstance(accept, (bytes, bytearray, memoryview)):
        words = bytes(accept)
    elif hasattr(accept, "dtype"):
        import numpy

        if accept.dtype != numpy.bool_ or accept.ndim != 1:
            raise InvalidError(f"{argument}: a numpy array must be one-dimensional and of bool")
        words = numpy.packbits(accept, bitorder="little").tobytes()
    else:
        bits = bytearray((view.row_count + 7) // 8)
        for name in items(accept, argument, "names of nodes"):
            row = view.row(name)
            bits[row // 8] |= 1 << row % 8
        words = bytes(bits)
    return words + bytes(-len(words) % 8)
