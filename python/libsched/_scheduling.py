"""What is built of many calls of the framework, as methods of Framework."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from ._arguments import MOST, names_arguments, whole
from ._durations import timeout_ns
from ._evaluators import Calls
from ._filtering import bitmap_of
from ._sources import Source
from .cancel import Cancel, handle_of
from .capacity import Capacity, capacity
from .cluster import Cluster
from .drain import Drain, drain
from .objects import Pod, Workload
from .pending import Why, why
from .placement import Placement, Placements, schedule
from .state import CycleState
from .state import handle_of as state_handle
from .status import Status, status_of
from .view import View


@dataclasses.dataclass(frozen=True, slots=True)
class FirstFit:
    """The node that `Framework.first_fit` found; it is true if there is one.

    Attributes
    ----------
    node : str or None
    row : int or None
    position : int
        Where the node stands in the node order: the next search may start at ``position + 1``.
    status : Status
        Why there is no node: PreFilter's answer, or Unschedulable if no node passed the filters.
    """

    node: str | None
    row: int | None
    position: int
    status: Status

    def __bool__(self) -> bool:
        return self.node is not None


@names_arguments
class SchedulingCalls(Calls):
    """Calls that decide about a pod, or many, with all of a scheduler's steps."""

    __slots__ = ()

    @property
    def profile(self) -> str:
        raise NotImplementedError

    def _plugin_lists(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        raise NotImplementedError

    def first_fit(self, view: View, pod: Source, *, start: int = 0,
                  accept: Iterable[str] | bytes | Any = None, state: CycleState | None = None,
                  timeout: float | None = None, cancel: Cancel | None = None) -> FirstFit:
        """The first node in node order that takes a pod.

        PreFilter, then Filter until a node is found. Nominated pods count, unlike in
        `filter_nodes`.

        Parameters
        ----------
        view : Cluster or Snapshot
        pod
            A `Pod`, or what makes one.
        start : int
            Where in the node order to begin, going round.
        accept : optional
            Look only at these, as in `filter_nodes`.
        state : CycleState, optional
            Is filled for what follows, such as `assume`.
        timeout, cancel
            As for `fit`.

        Raises
        ------
        UnsupportedError
            The pod needs a plugin that is not available; `plugin` names it.
        PluginError
            A plugin failed on a node.
        DeadlineExceeded, CancelledError
            `timeout` has passed, or `cancel` has been set; nothing has changed.

        Examples
        --------
        >>> from libsched import Cluster, Framework
        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
        ...     for name in "abc")
        >>> pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"},
        ...     "spec": {"containers": [{"name": "c"}]}}
        >>> found = Framework().first_fit(cluster, pod, start=1)
        >>> found.node, found.position
        ('b', 1)
        """
        whole(start, "start", 0, MOST)
        words = None if accept is None else bitmap_of(view, accept)
        limit = timeout_ns(timeout)
        checked = self._pod(view, pod)
        state = CycleState() if state is None else state
        with self._take(view) as evaluator:
            node, row, position, status = evaluator.first_fit(
                state_handle(state), checked._handle, words, start, limit,
                handle_of(cancel))
        return FirstFit(node, row, position, status_of(status))

    def schedule(self, cluster: Cluster, pods: Source | Workload, *,
                 ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
                 sampling: bool = False, stop_at_failure: bool = False,
                 placed: Callable[[Placement], object] | None = None,
                 timeout: float | None = None,
                 cancel: Cancel | None = None) -> Placements:
        """Places pods one after the other; each sees those before it, and the cluster keeps them.

        All pods are judged by this framework, whatever their ``schedulerName``; the function
        `libsched.schedule` takes several profiles, and describes the parameters.

        Returns
        -------
        Placements
            A list of `Placement` in order, which is a table, too.

        Raises
        ------
        DeadlineExceeded, CancelledError
            `timeout` has passed, or `cancel` has been set. The pods placed before that stay.

        Examples
        --------
        >>> from libsched import Cluster, Framework
        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
        ...     for name in "ab")
        >>> web = {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "web"},
        ...     "spec": {"replicas": 50, "template": {"spec": {"containers": [
        ...         {"name": "c", "resources": {"requests": {"cpu": "2"}}}]}}}}
        >>> [(one.outcome, one.node, one.count) for one in Framework().schedule(cluster, web)]
        ... # doctest: +NORMALIZE_WHITESPACE
        [('placed', 'a', 1), ('placed', 'b', 1), ('placed', 'a', 1), ('placed', 'b', 1),
         ('unschedulable', '', 46)]
        """
        return schedule(cluster, pods, [self], other_profile=self.profile, ties=ties, seed=seed,
                        sampling=sampling, stop_at_failure=stop_at_failure, placed=placed,
                        timeout=timeout, cancel=cancel)

    def capacity(self, cluster: Cluster, pods: Source | Workload, *, max: int = 1_000_000,
                 ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
                 timeout: float | None = None, cancel: Cancel | None = None) -> Capacity:
        """Counts how many more pods like these fit; the cluster does not change.

        All pods are judged by this framework, whatever their ``schedulerName``; the function
        `libsched.capacity` takes several profiles, and describes the parameters.

        Examples
        --------
        >>> from libsched import Cluster, Framework
        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
        ...     for name in "ab")
        >>> web = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web"}, "spec": {
        ...     "containers": [{"name": "c", "resources": {"requests": {"cpu": "1500m"}}}]}}
        >>> print(Framework().capacity(cluster, web).explain())
        4 more pods fit
        the next is unschedulable: 0/2 nodes are available: 2 Insufficient cpu.
        does not fit:
          2  NodeResourcesFit  Insufficient cpu
          nearest: a: cpu: asks 1.5, free 1 of 4
        on 2 of 2 nodes:
          2  a
          2  b
        """
        return capacity(cluster, pods, [self], max=max, other_profile=self.profile, ties=ties,
                        seed=seed, timeout=timeout, cancel=cancel)

    def why(self, cluster: Cluster, pod: Source | Workload, *, max_nodes: int = 100, nearest: int = 5,
            timeout: float | None = None, cancel: Cancel | None = None) -> Why:
        """Finds out why a pod waits for a node, and what would help; the cluster does not change.

        The pod is judged by this framework, whatever its ``schedulerName``; the function
        `libsched.why` takes several profiles, and describes the parameters.

        Examples
        --------
        >>> from libsched import Cluster, Framework
        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
        ...     "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]},
        ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
        >>> web = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web"}, "spec": {
        ...     "containers": [{"name": "c", "resources": {"requests": {"cpu": "1500m"}}}]}}
        >>> print(Framework().why(cluster, web).explain())
        default/web: fits none of 1 node
        does not fit:
          1  TaintToleration  node(s) had untolerated taint(s)
        nearest:
          a
            TaintToleration: node(s) had untolerated taint(s) (taint gpu:NoSchedule)
        preemption makes no room: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.
        it would fit, if you
          tolerate the taint gpu:NoSchedule  (a)
        """
        return why(cluster, pod, [self], max_nodes=max_nodes, nearest=nearest,
                   other_profile=self.profile, timeout=timeout, cancel=cancel)

    def drain(self, cluster: Cluster, nodes: str | Iterable[str], *, force: bool = False,
              delete_emptydir_data: bool = False,
              ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
              timeout: float | None = None, cancel: Cancel | None = None) -> Drain:
        """Finds out where the pods of nodes would go if these were drained.

        All pods are judged by this framework, whatever their ``schedulerName``; the function
        `libsched.drain` takes several profiles, and describes the parameters. The cluster does not
        change.

        Examples
        --------
        >>> from libsched import Cluster, Framework
        >>> cluster = Cluster([{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
        ...     for name in "ab"] + [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web",
        ...     "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r",
        ...     "uid": "1", "controller": True}]}, "spec": {"nodeName": "a", "containers": []}}])
        >>> Framework().drain(cluster, "a")
        <Drain 1 node: 1 moved>
        """
        return drain(cluster, nodes, [self], force=force,
                     delete_emptydir_data=delete_emptydir_data, other_profile=self.profile,
                     ties=ties, seed=seed, timeout=timeout, cancel=cancel)
