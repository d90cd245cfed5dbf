"""One pod's scheduling and binding cycle, for schedulers that are built on the library."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

from . import _core
from ._arguments import names_arguments
from ._durations import timeout_ns
from ._evaluators import Judge, taken_by
from ._ties import ties_number
from .cancel import Cancel, handle_of
from .cluster import Cluster
from .objects import Pod
from .services import Nomination, NominatingMode
from .state import CycleState
from .status import Status, status_of

#: How far a pod has come. "assumed" goes on with its binding cycle; "deleted" and "kept" were not
#: tried, because the pod is being deleted, or assumed already.
Stage = Literal["assumed", "failed", "deleted", "kept", "bound"]

_STAGES: tuple[Stage, ...] = ("assumed", "failed", "deleted", "kept", "bound")


@names_arguments
class WriterQueue:
    """What binding cycles, on any thread, want changed by the thread that changes a cluster."""

    __slots__ = ("_handle",)

    def __init__(self) -> None:
        self._handle = _core.WriterQueue()

    def apply(self, cluster: Cluster) -> tuple[int, int]:
        """Applies the messages in their order.

        Pods that were bound are no longer only assumed; others are unreserved and taken off their
        nodes. A message changes nothing if its pod has gone, or the cluster has learnt something
        newer of it.

        Returns
        -------
        (int, int)
            How many were applied, and how many came too late.
        """
        return self._handle.apply(cluster._handle)

    def __len__(self) -> int:
        return self._handle.pending


@dataclasses.dataclass(frozen=True, slots=True)
class Attempt:
    """What became of a pod in `schedule_one`, and in its binding cycle; true if it has a node.

    Attributes
    ----------
    pod : Pod
    stage : {"assumed", "failed", "deleted", "kept", "bound"}
    profile : str
        The profile that decided.
    node : str
        The node that was chosen, also if the pod was turned away there; empty: none.
    total : int
        The node's score; 0 if no other node was feasible.
    feasible, evaluated : int
        How many nodes passed the filters, and how many were looked at.
    status : Status
        Of a failure: upstream's FitError, a plugin's answer, or an Error.
    rejectors, pending : tuple of str
        Of a FitError: the plugins whose events may help the pod, and those of them that only wait.
    nomination : Nomination or None
        Of a failure: what becomes of the pod's nomination.
    """

    pod: Pod
    stage: Stage
    profile: str
    node: str
    total: int
    feasible: int
    evaluated: int
    status: Status
    rejectors: tuple[str, ...]
    pending: tuple[str, ...]
    nomination: Nomination | None
    _handle: _core.Scheduling = dataclasses.field(repr=False, compare=False)

    def bind(self) -> Attempt:
        """Runs the binding cycle of an assumed pod, once, and returns what became of it.

        It looks at no cluster, so it may run on any thread while the cluster changes: what is to be
        done there goes to the writer queue.

        Raises
        ------
        StateError
            The pod is not assumed, or its binding cycle has run.
        """
        self._handle.bind()
        return _attempt(self.pod, self._handle)

    def __bool__(self) -> bool:
        return self.stage in ("assumed", "bound")


@names_arguments
def schedule_one(cluster: Cluster, pod: Pod, frameworks: Sequence[Judge], writer: WriterQueue, *,
                 other_profile: str = "",
                 ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
                 sampling: bool = False, node_by_node: bool = False,
                 state: CycleState | None = None, timeout: float | None = None,
                 cancel: Cancel | None = None) -> Attempt:
    """Runs one pod's scheduling cycle, like upstream's scheduleOnePod.

    PreFilter, Filter, PostFilter if no node takes the pod, Score, the choice of a node, assume,
    Reserve and Permit. A pod that is turned away leaves the cluster as it was; its nomination
    follows in the services, and the API client gets upstream's event and condition.

    Parameters
    ----------
    cluster : Cluster
    pod : Pod
    frameworks : sequence of Framework
        One for each profile; the pod's ``schedulerName`` chooses.
    writer : WriterQueue
        Learns what becomes of the pod in its binding cycle.
    other_profile, ties, seed, sampling, timeout, cancel
        As for `schedule`.
    node_by_node : bool
        Filter one node after the other, so that plugins see upstream's calls.
    state : CycleState, optional
        Is filled, and used until the pod is bound.

    Raises
    ------
    NotFoundError
        No profile is the pod's.
    DeadlineExceeded, CancelledError
        `timeout` has passed, or `cancel` has been set; nothing has changed.

    Examples
    --------
    >>> from libsched import Cluster, Framework, Node, Pod
    >>> cluster = Cluster(Node({"metadata": {"name": "a"},
    ...                         "status": {"allocatable": {"cpu": "4", "pods": "110"}}}))
    >>> writer = WriterQueue()
    >>> pod = Pod({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}})
    >>> attempt = schedule_one(cluster, pod, [Framework()], writer)
    >>> attempt.stage, attempt.node, attempt.bind().stage
    ('assumed', 'a', 'bound')
    >>> writer.apply(cluster)
    (1, 0)
    """
    tie_breaking = ties_number(ties, seed)
    limit = timeout_ns(timeout)
    state = CycleState() if state is None else state
    with taken_by(frameworks, cluster) as evaluators:
        return _attempt(pod, _core.schedule_one(
            evaluators, pod._handle, state._handle, writer._handle,
            tie_breaking, seed, sampling, node_by_node, other_profile, None, limit,
            handle_of(cancel)))


def _attempt(pod: Pod, handle: _core.Scheduling) -> Attempt:
    (stage, profile, node, total, feasible, evaluated, (mode, wanted), status, rejectors,
     pending) = handle.outcome()
    nomination = Nomination(wanted, NominatingMode(mode)) if mode else None
    return Attempt(pod, _STAGES[stage], profile, node, total, feasible, evaluated,
                   status_of(status), tuple(rejectors), tuple(pending), nomination, handle)
