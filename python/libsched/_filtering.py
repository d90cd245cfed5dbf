"""The extension points from PreEnqueue to Score, as methods of Framework."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core
from ._sources import Source
from .errors import InvalidError
from .objects import Pod
from .scores import Scores
from .state import CycleState
from .status import Status, status_of
from .view import View

if TYPE_CHECKING:
    import numpy
    import numpy.typing


@dataclasses.dataclass(frozen=True)
class PreFilterResult:
    """What PreFilter says beside its Status.

    Attributes
    ----------
    node_names : frozenset of str or None
        The nodes that are left; None: all of them.
    plugins : tuple of str
        The plugins that narrowed the nodes, sorted.
    """

    node_names: frozenset[str] | None
    plugins: tuple[str, ...]

    @property
    def all_nodes(self) -> bool:
        """Whether no plugin narrowed the nodes."""
        return self.node_names is None


class FilterCalls:
    """Upstream's calls up to Score, and Filter over all nodes."""

    __slots__ = ()

    def _pod(self, view: View, pod: Source) -> Pod:
        raise NotImplementedError

    def _take(self, view: View) -> tuple[list[_core.Evaluator], _core.Evaluator]:
        raise NotImplementedError

    def run_pre_enqueue_plugins(self, view: View, pod: Source) -> Status:
        """Runs PreEnqueue up to the first plugin that gates the pod.

        >>> from libsched import Cluster, Framework
        >>> gated = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {
        ...     "schedulingGates": [{"name": "example.com/wait"}], "containers": [{"name": "c"}]}}
        >>> Framework().run_pre_enqueue_plugins(Cluster(), gated).plugin
        'SchedulingGates'
        """
        checked = self._pod(view, pod)
        pool, evaluator = self._take(view)
        try:
            return status_of(evaluator.run_pre_enqueue(checked._handle))
        finally:
            pool.append(evaluator)

    def run_pre_filter_plugins(self, state: CycleState, view: View,
                               pod: Source) -> tuple[PreFilterResult, Status]:
        """Runs PreFilter and fills `state` for the calls that follow.

        Raises
        ------
        UnsupportedError
            The pod needs a plugin that is not available; `plugin` names it.
        """
        checked = self._pod(view, pod)
        pool, evaluator = self._take(view)
        try:
            status, all_nodes, nodes, plugins = evaluator.run_pre_filter(
                state._handle, checked._handle)
        finally:
            pool.append(evaluator)
        return (PreFilterResult(None if all_nodes else frozenset(nodes), tuple(plugins)),
                status_of(status))

    def run_filter_plugins(self, state: CycleState, view: View, pod: Pod, node: str) -> Status:
        """Runs Filter on one node. `state` has gone through PreFilter for the same pod.

        The PreFilterResult is not looked at. If the cluster has changed since, the answer is
        upstream's for this state and the node as it is now.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        pool, evaluator = self._take(view)
        try:
            return status_of(evaluator.run_filter(state._handle, pod._handle, node))
        finally:
            pool.append(evaluator)

    def run_pre_filter_extension_add_pod(self, state: CycleState, view: View, pod: Pod,
                                         other: Pod, node: str) -> Status:
        """What PreFilter found out for `pod` follows `other` coming to a node.

        Changes `state` alone, never the cluster. Plugins that PreFilter skipped are left out.

        Raises
        ------
        NotFoundError
            There is no such node.
        StateError
            PreFilter has not run for this pod with this state.
        StaleError
            The cluster has changed since.
        """
        pool, evaluator = self._take(view)
        try:
            return status_of(evaluator.run_pre_filter_extension_add_pod(
                state._handle, pod._handle, other._handle, node))
        finally:
            pool.append(evaluator)

    def run_pre_filter_extension_remove_pod(self, state: CycleState, view: View, pod: Pod,
                                            other: Pod, node: str) -> Status:
        """The same for `other` leaving a node."""
        pool, evaluator = self._take(view)
        try:
            return status_of(evaluator.run_pre_filter_extension_remove_pod(
                state._handle, pod._handle, other._handle, node))
        finally:
            pool.append(evaluator)

    @overload
    def filter_nodes(self, state: CycleState, view: View, pod: Pod, *, limit: int = 0,
                     accept: Any = None, start: int = 0, result: Literal["names"] = "names",
                     timeout: float | None = None) -> list[str]: ...
    @overload
    def filter_nodes(self, state: CycleState, view: View, pod: Pod, *, limit: int = 0,
                     accept: Any = None, start: int = 0, result: Literal["bitmap"],
                     timeout: float | None = None) -> bytes: ...
    @overload
    def filter_nodes(self, state: CycleState, view: View, pod: Pod, *, limit: int = 0,
                     accept: Any = None, start: int = 0, result: Literal["numpy"],
                     timeout: float | None = None) -> numpy.typing.NDArray[numpy.bool_]: ...

    def filter_nodes(self, state: CycleState, view: View, pod: Pod, *, limit: int = 0,
                     accept: Iterable[str] | bytes | Any = None, start: int = 0,
                     result: Literal["names", "bitmap", "numpy"] = "names",
                     timeout: float | None = None) -> Any:
        """The nodes on which every Filter plugin says yes, and which PreFilter left over.

        Parameters
        ----------
        state : CycleState
            It has gone through PreFilter for the same pod.
        view : Cluster or Snapshot
        pod : Pod
        limit : int
            Stop when that many nodes are found; 0: judge all.
        accept : optional
            Judge only these: names, a bitmap over rows as bytes (bit ``row % 8`` of byte
            ``row // 8``), or a numpy array of bool, one for each row.
        start : int
            Where in the node order to begin, going round; matters with `limit`.
        result : {"names", "bitmap", "numpy"}
            What to return: names in node order; a bitmap over rows as bytes, whole 64-bit words;
            or a numpy array of bool of shape ``(view.row_count,)``.
        timeout : float, optional
            As for `fit`.

        Raises
        ------
        StateError
            `state` has seen no PreFilter for this pod.
        InternalError
            A plugin failed.
        NotFoundError
            A name in `accept` is unknown.
        DeadlineExceeded
            `timeout` has passed; nothing has changed.
        """
        if limit < 0 or start < 0:
            raise InvalidError("limit and start must not be negative")
        if result not in ("names", "bitmap", "numpy"):
            raise InvalidError(f'result is "names", "bitmap" or "numpy", not {result!r}')
        bitmap = None if accept is None else _bitmap(view, accept)
        ends = nanoseconds(timeout)
        pool, evaluator = self._take(view)
        try:
            if result == "names":
                return evaluator.filter_names(state._handle, pod._handle, limit, bitmap, start,
                                              ends)
            found = evaluator.filter_bitmap(state._handle, pod._handle, limit, bitmap, start,
                                            ends)[0]
        finally:
            pool.append(evaluator)
        if result == "bitmap":
            return found
        import numpy

        bits = numpy.unpackbits(numpy.frombuffer(found, numpy.uint8), bitorder="little")
        return bits[: view.row_count].astype(numpy.bool_)

    def run_pre_score_plugins(self, state: CycleState, view: View, pod: Pod,
                              nodes: Any) -> Status:
        """Runs PreScore over the nodes that fit. `state` has gone through PreFilter for the pod.

        Parameters
        ----------
        nodes
            Names, a bitmap over rows as bytes, or a numpy array of bool: what `filter_nodes` gave.
        """
        bitmap = _bitmap(view, nodes)
        pool, evaluator = self._take(view)
        try:
            return status_of(evaluator.run_pre_score(state._handle, pod._handle, bitmap))
        finally:
            pool.append(evaluator)

    def run_score_plugins(self, state: CycleState, view: View, pod: Pod,
                          nodes: Any) -> tuple[Scores, Status]:
        """Runs Score, after PreScore over the same nodes. Without success the scores are empty.

        Raises
        ------
        StaleError
            The cluster has changed since a plugin prepared itself.
        """
        bitmap = _bitmap(view, nodes)
        pool, evaluator = self._take(view)
        try:
            table, names, status = evaluator.run_score(state._handle, pod._handle, bitmap)
        finally:
            pool.append(evaluator)
        return Scores(table, names), status_of(status)


def nanoseconds(timeout: float | None) -> int | None:
    """Seconds as the extension wants them; None: no end."""
    if timeout is None:
        return None
    if not timeout >= 0:
        raise InvalidError(f"timeout is a number of seconds from 0 on, not {timeout!r}")
    return round(timeout * 1e9) if timeout < 9e9 else None  # further than times go


def _bitmap(view: View, accept: Any) -> bytes:
    """A set of nodes as a bitmap over rows."""
    if isinstance(accept, (bytes, bytearray, memoryview)):
        words = bytes(accept)
    elif hasattr(accept, "dtype"):
        import numpy

        if accept.dtype != numpy.bool_ or accept.ndim != 1:
            raise InvalidError("accept: a numpy array must be one-dimensional and of bool")
        words = numpy.packbits(accept, bitorder="little").tobytes()
    elif isinstance(accept, str):
        raise InvalidError("accept: names of nodes are expected, not one text")
    else:
        bits = bytearray((view.row_count + 7) // 8)
        for name in accept:
            row = view.row(name)
            bits[row // 8] |= 1 << row % 8
        words = bytes(bits)
    return words + bytes(-len(words) % 8)
