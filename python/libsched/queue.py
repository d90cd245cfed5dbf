"""The scheduling queue, for schedulers that are built on the library."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from . import _core
from ._arguments import checks_arguments, names_arguments
from ._durations import duration_ns
from ._evaluators import Judge, taken_by
from ._handled import Handled
from .cluster import Cluster
from .errors import InvalidError
from .events import Action
from .objects import Node, Objects, Pod, _wrap_pod

#: A part of a queue. "backoff" are the rejected pods that back off, "errorBackoff" those whose cycle
#: failed; "unschedulable" pods wait for an event or a gate, the latter are also "gated".
Part = Literal["active", "backoff", "errorBackoff", "unschedulable", "gated"]

_PARTS: tuple[Part, ...] = ("active", "backoff", "errorBackoff", "unschedulable", "gated")


class QueuedPod(Handled):
    """A pod in the queue, or on its way through a cycle: upstream's QueuedPodInfo.

    Times are nanoseconds since 1970. All properties are read when they are asked for.
    """

    __slots__ = ()

    _handle: _core.QueuedPod

    def __init__(self) -> None:
        raise TypeError("queued pods are those of a Queue")

    @property
    def pod(self) -> Pod:
        """The version of the pod that the queue got last."""
        return _wrap_pod(self._handle.pod)

    @property
    def key(self) -> str:
        """``"namespace/name"``."""
        return self.pod.key

    @property
    def attempts(self) -> int:
        """How often the pod was popped."""
        return self._handle.info()[0]

    @property
    def timestamp_ns(self) -> int:
        """When the pod was added, or came back last."""
        return self._handle.info()[1]

    @property
    def initial_attempt_ns(self) -> int | None:
        """When the pod could first be popped."""
        return self._handle.info()[2]

    @property
    def backoff_expiration_ns(self) -> int | None:
        """When the backoff ends; None: it was not worked out, or there is none."""
        return self._handle.info()[3]

    @property
    def unschedulable_count(self) -> int:
        return self._handle.info()[4]

    @property
    def consecutive_errors_count(self) -> int:
        return self._handle.info()[5]

    @property
    def was_flushed(self) -> bool:
        """Whether the pod was rejected too long ago, and is tried again for that reason."""
        return self._handle.info()[6]

    @property
    def gating_plugin(self) -> str:
        """The PreEnqueue plugin that holds the pod back; empty: none."""
        return self._handle.info()[7]

    @property
    def unschedulable_plugins(self) -> tuple[str, ...]:
        """The plugins that rejected the pod, sorted."""
        return self._handle.plugins(False)

    @property
    def pending_plugins(self) -> tuple[str, ...]:
        """The plugins for which the pod waits, sorted."""
        return self._handle.plugins(True)

    def __repr__(self) -> str:
        return f"<QueuedPod {self.key}>"


@dataclasses.dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many pods are where.

    Attributes
    ----------
    active, backoff, error_backoff, unschedulable, gated : int
        Gated pods are not counted as unschedulable.
    in_flight_pods, in_flight_events : int
        Popped pods that are not done, and the events that are kept for them.
    scheduling_cycle : int
        How many pods were popped.
    move_request_cycle : int
        The cycle of the last event that could have moved pods; -1: none came.
    closed : bool
    """

    active: int
    backoff: int
    error_backoff: int
    unschedulable: int
    gated: int
    in_flight_pods: int
    in_flight_events: int
    scheduling_cycle: int
    move_request_cycle: int
    closed: bool


@names_arguments
class Queue:
    """Which pod is tried next, and when a pod that was turned away is tried again.

    Upstream's PriorityQueue without threads of its own: nothing blocks, and time is that of the
    services' clock. Plugins that it asks may look at it, but not change it. An exception of a
    plugin counts as upstream's error of it; the call does all it has to do and raises it then.

    Parameters
    ----------
    cluster : Cluster
        Queueing hints look at its objects.
    frameworks : sequence of Framework
        One for each profile; a pod's ``schedulerName`` chooses. They share their services. The
        order is that of the first one's QueueSort, and the feature gates are the first one's.
    initial_backoff, max_backoff : float
        Seconds. The backoff of the first failure, which doubles with each further one, and the
        longest; 0 for the longest: none at all.
    max_in_unschedulable : float
        Seconds after which a rejected pod is tried again, whatever happens.

    Examples
    --------
    >>> from libsched import Cluster, Framework, Pod
    >>> cluster = Cluster()
    >>> queue = Queue(cluster, [Framework()])
    >>> for name, priority in (("a", 0), ("b", 10)):
    ...     queue.add(Pod({"metadata": {"name": name}, "spec": {
    ...         "priority": priority, "containers": [{"name": "c"}]}}))
    >>> queued = queue.pop()
    >>> queued.key
    'default/b'
    >>> queue.add_unschedulable(queued, unschedulable=["NodeResourcesFit"])
    >>> [one.key for one in queue.list("unschedulable")]
    ['default/b']
    """

    __slots__ = ("_cluster", "_handle")

    def __init__(self, cluster: Cluster, frameworks: Sequence[Judge], *,
                 initial_backoff: float = 1.0, max_backoff: float = 10.0,
                 max_in_unschedulable: float = 300.0) -> None:
        with taken_by(frameworks, cluster) as evaluators:
            self._handle = _core.Queue(
                evaluators, duration_ns(initial_backoff, "initial_backoff"),
                duration_ns(max_backoff, "max_backoff"), duration_ns(max_in_unschedulable, "max_in_unschedulable"))
            self._cluster = cluster  # plugins may ask for it

    def add(self, pod: Pod) -> None:
        """A pod without a node came. It is tried soon, unless a PreEnqueue plugin gates it."""
        self._handle.add(pod._handle)

    def update(self, old: Pod, new: Pod) -> None:
        """A pod without a node changed. One that is in no queue and not in flight is new."""
        self._handle.update(old._handle, new._handle)

    def delete(self, pod: Pod) -> None:
        """A pod has gone, or has a node. One in flight stays there until it is done."""
        self._handle.delete(pod._handle)

    def pop(self) -> QueuedPod | None:
        """Returns the next pod to be tried, which is in flight from now on; None: there is none."""
        return _queued(self._handle.pop())

    def pop_specific(self, pod: Pod) -> QueuedPod | None:
        """Returns this pod as if it came next; None if it is in no queue, or gated."""
        return _queued(self._handle.pop_specific(pod._handle))

    def done(self, pod: Pod | str) -> None:
        """A pod, or the pod with this uid, is in flight no more."""
        if isinstance(pod, str):
            self._handle.done(pod)
        else:
            self._handle.done(pod.uid or f"{pod.namespace}/{pod.name}")

    @checks_arguments
    def add_unschedulable(self, queued: QueuedPod, *, pod: Pod | None = None,
                          unschedulable: Iterable[str] = (), pending: Iterable[str] = ()) -> None:
        """A popped pod comes back; it is done then.

        It waits for an event that helps it, unless one came while it was in flight, or no plugin is
        to blame: then for the end of its backoff.

        Parameters
        ----------
        queued : QueuedPod
        pod : Pod, optional
            Its present version.
        unschedulable, pending : iterable of str
            The plugins that turned it away; none: its cycle failed.

        Raises
        ------
        ExistsError
            A pod of this name is in the queue.
        """
        self._handle.add_unschedulable(queued._handle, None if pod is None else pod._handle,
                                       list(unschedulable), list(pending))

    @checks_arguments
    def move_all(self, resource: str, actions: Action | int, *, label: str = "",
                 old: Pod | Node | Objects | None = None, new: Pod | Node | Objects | None = None,
                 max_priority: int | None = None, except_pod: Pod | None = None) -> None:
        """An event: pods whose rejecting plugins it may help are tried again.

        Parameters
        ----------
        resource : str
            As in `ClusterEvent`; also ``"AssignedPod"``, ``"UnscheduledPod"`` and ``"TargetPod"``
            (before 1.37 ``"AssignedPod"`` and ``"UnschedulablePod"``).
        actions : Action
        label : str
            The name of the event; empty: resource and action.
        old, new : Pod, Node or Objects, optional
            The object before and after; Objects have one object.
        max_priority : int, optional
            Move only pods with this priority or a lower one.
        except_pod : Pod, optional
            Do not move the pod of this name.
        """
        self._handle.move_all(resource, int(actions), label, _object(old), _object(new),
                              max_priority, None if except_pod is None else except_pod._handle)

    def node_updated(self, old: Node, new: Node, *, max_priority: int | None = None,
                     except_pod: Pod | None = None) -> None:
        """An update of a node: `move_all` for each event that it stands for, in upstream's order."""
        self._handle.node_updated(old._handle, new._handle, max_priority,
                                  None if except_pod is None else except_pod._handle)

    def assigned_pod_added(self, pod: Pod) -> None:
        """Upstream's AssignedPodAdded: moves only pods that are related to this one."""
        self._handle.assigned_pod_added(pod._handle)

    def assigned_pod_updated(self, old: Pod, new: Pod) -> None:
        """Upstream's AssignedPodUpdated for each event that the update stands for."""
        self._handle.assigned_pod_updated(old._handle, new._handle)

    def activate(self, pods: Iterable[Pod]) -> None:
        """Pods are tried again at once, whatever they wait for but gates."""
        self._handle.activate([pod._handle for pod in pods])

    def flush_backoff(self) -> None:
        """Pods whose backoff is over are tried again."""
        self._handle.flush_backoff()

    def flush_unschedulable(self) -> None:
        """Pods that were rejected too long ago are tried again."""
        self._handle.flush_unschedulable()

    def run(self) -> None:
        """Begins upstream's timers: from now on `next_due` says when `run_due` has something to do.

        Raises
        ------
        StateError
            The timers have begun, or the queue is closed.
        """
        self._handle.run()

    def next_due(self) -> int | None:
        """The time when the next timer is due, in nanoseconds since 1970; None: never."""
        return self._handle.next_due()

    def run_due(self) -> None:
        """Runs the timers that are due by now, each once."""
        self._handle.run_due()

    def close(self) -> None:
        """Ends the timers; no pod is in flight any more. Pods that are there can still be popped.

        Raises
        ------
        StateError
            The queue is closed.
        """
        self._handle.close()

    def in_flight(self) -> Sequence[Pod | str]:
        """The popped pods that are not done and, by label, the events that came since; oldest first."""
        return [one if isinstance(one, str) else _wrap_pod(one)
                for one in self._handle.in_flight()]

    def nominated(self) -> dict[str, Sequence[Pod]]:
        """The nominated pods of the services, by node, in the order in which they came.

        Nominations that were withdrawn stand under the empty name.
        """
        out: dict[str, list[Pod]] = {}
        for node, pod in self._handle.nominated():
            out.setdefault(node, []).append(_wrap_pod(pod))
        return dict(out)

    @property
    def counts(self) -> QueueCounts:
        return QueueCounts(*self._handle.counts())

    def metrics(self) -> dict[str, Any]:
        """Upstream's counters: incoming pods, unschedulable pods by plugin, events in flight."""
        out: dict[str, Any] = json.loads(self._handle.metrics())
        return out

    def list(self, part: Part) -> list[QueuedPod]:
        """Lists the pods of a part of the queue.

        Active pods come in the order of `pop`; pods that back off by expiration, then by QueueSort
        or, after errors, by key; others by key.
        """
        if part not in _PARTS:
            raise InvalidError(f"a queue has no part {part!r}; there are: {', '.join(_PARTS)}")
        return [QueuedPod._of(one) for one in self._handle.pods(_PARTS.index(part))]

    def __repr__(self) -> str:
        c = self.counts
        return (f"<Queue: {c.active} active, {c.backoff + c.error_backoff} backing off, "
                f"{c.unschedulable + c.gated} waiting>")


def _object(
        source: Pod | Node | Objects | None) -> _core.Pod | _core.Node | _core.Objects | None:
    if source is None:
        return None
    if isinstance(source, Objects):
        if len(source._parts) != 1:
            raise InvalidError(f"an event has one object, not {len(source._parts)} documents")
        part = source._parts[0]
        return part._handle if isinstance(part, (Pod, Node)) else part
    return source._handle


def _queued(handle: _core.QueuedPod | None) -> QueuedPod | None:
    return None if handle is None else QueuedPod._of(handle)
