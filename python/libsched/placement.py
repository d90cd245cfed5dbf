"""Placing many pods: each sees those that were placed before it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeGuard

from . import _core
from ._arguments import names_arguments
from ._durations import timeout_ns
from ._evaluators import Judge, taken_by
from ._html import grid
from ._parsing import some
from ._sources import Source
from ._ties import ties_number
from .cancel import Cancel, handle_of
from .cluster import Cluster
from .daemons import daemon_pods
from .data_table import DataTable, Tabular, table_of
from .errors import MisuseError
from .objects import Objects, Pod, Workload, _wrap_pod, pods_of
from .replicas import Replicas
from .view import View

#: What became of a pod. "bound" has a nodeName already and is put there; "kept" is in the cluster
#: already; "gated" is held back by PreEnqueue, "refused" by Reserve.
Outcome = Literal["placed", "unschedulable", "gated", "refused", "bound", "kept", "ended", "error"]

OUTCOMES: tuple[Outcome, ...] = (
    "placed", "unschedulable", "gated", "refused", "bound", "kept", "ended", "error")
#: The fields of a placement in tables, where an empty text is None.
_FIELDS = ("outcome", "node", "score", "feasible", "text", "plugin", "profile", "count")


@dataclasses.dataclass(frozen=True, slots=True)
class Placement:
    """What became of a pod, or of several replicas that fare the same.

    Attributes
    ----------
    pod : Pod
        The first of `count`.
    outcome : {"placed", "unschedulable", "gated", "refused", "bound", "kept", "ended", "error"}
    node : str
        Of a pod that is placed, bound or kept; else empty.
    score : int or None
        The node's; None where nothing was scored, because no other node was feasible.
    feasible : int
        How many nodes passed the filters.
    text : str
        Why the pod was not placed.
    plugin : str
        By which plugin, if one alone is to be named.
    profile : str
        The profile that judged; empty if none did.
    count : int
        For how many pods this is said. The replicas behind one that is not placed would fare the
        same: they are counted, not tried.
    """

    pod: Pod
    outcome: Outcome
    node: str
    score: int | None
    feasible: int
    text: str
    plugin: str
    profile: str
    count: int

    def __bool__(self) -> bool:
        return self.outcome in ("placed", "bound", "kept")


class Placements(list[Placement], Tabular):
    """The placements of `schedule`, in order: a list that is also a table.

    >>> from libsched import Cluster, Framework
    >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
    ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
    >>> placed = Framework().schedule(cluster, {"metadata": {"name": "web"}, "spec": {"containers": [
    ...     {"name": "c"}]}})
    >>> placed[0].node, placed.table().column("node")
    ('a', array(['a'], dtype=object))
    """

    __slots__ = ()

    def table(self) -> DataTable:
        """Returns a table of the pods: ``namespace``, ``name``, and the fields of `Placement`."""
        return table_of(["namespace", "name", *_FIELDS], (
            [one.pod.namespace, one.pod.name, *(None if (value := getattr(one, field)) == "" else value for field in _FIELDS)]
            for one in self))

    def _repr_html_(self) -> str:
        pods = sum(one.count for one in self)
        counts = {outcome: sum(one.count for one in self if one.outcome == outcome) for outcome in OUTCOMES}
        told = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items() if count)
        rows = ([one.pod.key, one.count, one.outcome, one.score, one.node or one.text] for one in self)
        return (f"<p><b>{pods:,} pod{'s' * (pods != 1)}{': ' * bool(told)}{told}</b></p>"
                + grid(["pod", "count", "outcome", "score", "node, or why"], rows, len(self), "rows"))


@names_arguments
def schedule(cluster: Cluster, pods: Source | Workload, frameworks: Sequence[Judge], *,
             other_profile: str = "", ties: Literal["upstream", "name", "random"] = "upstream",
             seed: int = 0, sampling: bool = False, stop_at_failure: bool = False,
             claims_from_templates: bool = True,
             placed: Callable[[Placement], object] | None = None,
             timeout: float | None = None, cancel: Cancel | None = None) -> Placements:
    """Places pods one after the other, as a scheduler with these profiles and an empty queue would.

    PreEnqueue, a scheduling cycle over all nodes, and Reserve: a pod that is placed is assumed on its
    node, so the pods after it take it into account. Nothing is preempted. The same cluster, pods and
    seed give the same placements.

    Parameters
    ----------
    cluster : Cluster
        It is changed. To only ask, do it inside of ``with cluster.fork():``.
    pods
        Pods and workloads, or what makes them. The replicas of a workload are made one by one and
        named like its controller's pods; a DaemonSet has those of `libsched.daemon_pods`.
    frameworks : sequence of Framework
        One for each profile; a pod's ``schedulerName`` chooses.
    other_profile : str
        The profile of pods whose ``schedulerName`` names none; empty: such a pod is an "error".
    ties, sampling
        As for `Framework.cycle`.
    seed : int
        Of random ties.
    stop_at_failure : bool
        End at the first pod that is unschedulable, gated, refused or an error.
    claims_from_templates : bool
        Each pod has the claims of its templates, as controllers make them: see
        `libsched.missing_claims`. They stay with the pods that are placed.
    placed : callable, optional
        Gets each `Placement` as it comes and may read the cluster; False ends the call.
    timeout, cancel
        As for `Framework.fit`, for all pods together.

    Returns
    -------
    Placements
        A list of `Placement` in order, which is a table, too.

    Raises
    ------
    DeadlineExceeded, CancelledError
        `timeout` has passed, or `cancel` has been set. The pods placed before that stay.
    MisuseError
        No framework is given, or two of one profile.
    """
    tie_breaking = ties_number(ties, seed)
    limit = timeout_ns(timeout)
    wanted: list[Pod | Workload] = []
    for one in wanted_of(cluster, pods):
        wanted += daemon_pods(cluster, one) if _is_daemon_set(one) else [one]
    makers = [Replicas(one) if isinstance(one, Workload) else None for one in wanted]
    told = Placements()

    def make(request: int, index: int) -> _core.Pod:
        maker = makers[request]
        return pod_of(wanted[request])._handle if maker is None else maker.make(index)._handle

    def tell(pod: _core.Pod, outcome: int, *more: Any) -> bool:
        told.append(placement_of(_wrap_pod(pod), outcome, *more))
        return placed is None or placed(told[-1]) is not False

    with taken_by(frameworks, cluster) as evaluators:
        _core.schedule(evaluators,
                       [pod_of(one)._handle for one in wanted],
                       [one.replicas if isinstance(one, Workload) else 1 for one in wanted],
                       tie_breaking, seed, sampling, stop_at_failure, claims_from_templates,
                       other_profile, make, tell, limit, handle_of(cancel))
    return told


def placement_of(pod: Pod, outcome: int, *more: Any) -> Placement:
    """Makes a placement of what the C API tells."""
    return Placement(pod, OUTCOMES[outcome], *more)


def pod_of(one: Pod | Workload) -> Pod:
    """Returns a pod, or the pod template of a workload."""
    return one if isinstance(one, Pod) else one.pod


def _is_daemon_set(one: Pod | Workload) -> TypeGuard[Workload]:
    return isinstance(one, Workload) and one.kind == "DaemonSet"


def wanted_of(cluster: Cluster, pods: Source | Workload) -> list[Pod | Workload]:
    """Returns the pods and workloads of a source."""
    if isinstance(pods, (Pod, Workload)):
        return [pods]
    if isinstance(pods, dict) and "kind" not in pods:
        return [*pods_of({"apiVersion": "v1", "kind": "Pod", **pods}, cluster._classes)]
    if isinstance(pods, Iterable) and not isinstance(pods, (str, bytes, bytearray, memoryview, dict)):
        listed = list(pods)
        if all(isinstance(one, (Pod, Workload)) for one in listed):
            return listed
        pods = listed
    objects = pods if isinstance(pods, Objects) else Objects(pods, classes=cluster._classes)
    found: list[Pod | Workload] = [*objects.pods, *objects.workloads]
    return some(found, "pod or workload", objects) if objects._parts else found
