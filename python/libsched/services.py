"""Services: the state that the evaluators of a scheduler share besides the cluster.

It consists of the clock, the API client, nominated pods and waiting pods.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from . import _core
from ._arguments import check_fields, checks_arguments, instance, mapping, names_arguments, whole
from ._durations import duration_ns, later_ns
from ._handled import Handled
from .errors import InvalidError
from .objects import Pod, _wrap_pod
from .status import Status, status_of


class _Deliverable(Protocol):
    """A target of deliveries: a `Cluster`, which this module cannot import."""

    _handle: _core.Cluster


@names_arguments
class Clock(Handled):
    """A clock: that of the machine, a virtual one that stands still until it is advanced, or a custom one.

    >>> clock = Clock.virtual()
    >>> clock.advance(90)
    >>> clock.now_ns
    7258118490000000000
    """

    __slots__ = ()

    _handle: _core.Clock

    def __init__(self) -> None:
        raise TypeError("a Clock is made by Clock.system(), Clock.virtual() or Clock.custom()")

    @classmethod
    def system(cls) -> Clock:
        """Returns the clock of the machine."""
        return cls._of(_core.Clock.system())

    @classmethod
    def virtual(cls, now_ns: int = 7258118400 * 10**9) -> Clock:
        """Returns a clock that stands still, by default at the beginning of 2200.

        Waiting for a time by such a clock advances it to that time at once.
        """
        return cls._of(_core.Clock.virtual(now_ns))

    @classmethod
    @checks_arguments
    def custom(cls, now: Callable[[], int],
               sleep: Callable[[int], int] | None = None) -> Clock:
        """Returns a clock of two functions, which may be called on any thread.

        Parameters
        ----------
        now : callable
            The time in nanoseconds since 1970; a time that is less than before is not taken over.
        sleep : callable, optional
            Of a time by this clock: how many nanoseconds of real time to sleep before ``now`` is asked
            again, at most a second. By default 10 ms.

        Notes
        -----
        An exception of a function is reported as unraisable; the clock then stands still.
        """
        return cls._of(_core.Clock.custom(now, sleep))

    @property
    def now_ns(self) -> int:
        """Nanoseconds since 1970."""
        return self._handle.now()

    def advance(self, duration: float | datetime.timedelta) -> None:
        """Advances a virtual clock by seconds or by a timedelta.

        Raises
        ------
        StateError
            The clock is not virtual.
        InvalidError
            The time is beyond the year 2262.
        """
        self._handle.advance_to(later_ns(self.now_ns, duration))

    def advance_to(self, now_ns: int) -> None:
        """Advances a virtual clock to a time in nanoseconds since 1970, never back.

        Raises
        ------
        StateError
            The clock is not virtual.
        """
        self._handle.advance_to(now_ns)

    def __repr__(self) -> str:
        return f"<Clock at {self.now_ns} ns>"


class NominatingMode(enum.IntEnum):
    """The effect of a Nomination."""

    NONE = 0
    NOOP = 1
    OVERRIDE = 2


@dataclasses.dataclass(frozen=True)
class Nomination:
    """A change of a pod's nominated node: upstream's NominatingInfo.

    Attributes
    ----------
    node : str
        The new node. An empty name withdraws the nomination.
    mode : NominatingMode
        OVERRIDE sets the node; NOOP and NONE leave the nomination as it is.
    """

    node: str = ""
    mode: NominatingMode = NominatingMode.OVERRIDE

    def __post_init__(self) -> None:
        check_fields(self)


@names_arguments
class WaitingPod(Handled):
    """A pod that Permit plugins made wait. Any thread may decide about it."""

    __slots__ = ()

    _handle: _core.WaitingPod

    def __init__(self) -> None:
        raise TypeError("waiting pods are found with Services.waiting_pod()")

    @property
    def pod(self) -> Pod:
        return _wrap_pod(self._handle.pod)

    @property
    def pending_plugins(self) -> list[str]:
        """The plugins that have not allowed the pod yet, sorted."""
        return self._handle.pending()

    def allow(self, plugin: str) -> None:
        """Allows the pod on behalf of a plugin; the last plugin to do so ends the wait."""
        self._handle.allow(plugin)

    def reject(self, plugin: str, message: str = "") -> bool:
        """Ends the wait with Unschedulable. Returns whether this call ended it."""
        return self._handle.reject(plugin, message)

    def preempt(self, plugin: str, message: str = "") -> bool:
        """Ends the wait so that the pod is retried soon. Returns whether this call ended it."""
        return self._handle.preempt(plugin, message)

    @property
    def decision(self) -> Status | None:
        """The status that ended the wait; None while the pod is waiting."""
        decided = self._handle.decided()
        return None if decided is None else status_of(decided)

    def __repr__(self) -> str:
        return f"<WaitingPod {self.pod.key}: {', '.join(self.pending_plugins)}>"


@names_arguments
class Services(Handled):
    """The clock, the API client, nominated pods and waiting pods of a scheduler.

    Parameters
    ----------
    clock : Clock, optional
        By default a virtual clock for plugins and waiting pods, and the clock of the machine for
        the timeouts of calls.
    api : optional
        An object with any of these methods. An exception of a method is an error of the API server:

        - ``bind(pod, node_name)``, ``delete_pod(pod)``
        - ``patch_pod_status(pod, patch)``: a strategic merge patch as a dict
        - ``patch_object(kind, namespace, name, patch)``: a JSON merge patch as a dict
        - ``create_object(kind, namespace, object)``: returns the object, a dict with
          ``metadata.generateName``, as it was created, with its name and uid; needed for extended
          resources that DeviceClasses provide
        - ``delete_object(kind, namespace, name)``
        - ``event(pod, type, reason, action, note)``

        By default requests are only recorded: see `requests` and `deliver`.
    preemption_seed : int, optional
        The seed that selects the node at which preemption starts.
    preemption_offset : int, optional
        Without a seed: where preemption starts among the nodes where it might help, counted from the
        first one in the node order and going round.

    Examples
    --------
    >>> services = Services()
    >>> pod = Pod({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}})
    >>> services.nominate(pod, "node-a")
    >>> services.nominated_node(pod)
    'node-a'
    """

    __slots__ = ()

    _handle: _core.Services

    def __init__(self, clock: Clock | None = None, api: Any = None, *,
                 preemption_seed: int | None = None, preemption_offset: int = 0) -> None:
        whole(preemption_offset, "preemption_offset", 0, (1 << 64) - 1)
        if preemption_seed is not None:
            whole(preemption_seed, "preemption_seed", 0, (1 << 64) - 1)
        self._handle = _core.Services(None if clock is None else instance(clock, Clock, "clock")._handle, api,
                                      preemption_seed, preemption_offset)

    @property
    def clock(self) -> Clock:
        return Clock._of(self._handle.clock)

    # The API server

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The recorded requests to the API server.

        Each is a dict with ``verb`` (``bind``, ``deletePod``, ``patchPodStatus``, ``patchObject``
        or ``event``) and its arguments.

        Raises
        ------
        StateError
            The services have an API client, so nothing is recorded.
        """
        requests: list[dict[str, Any]] = json.loads(self._handle.requests())
        return requests

    def deliver(self, cluster: _Deliverable) -> None:
        """Applies the effects of the recorded requests to the cluster, and forgets the requests.

        Bound pods are added to their nodes, and deleted pods are removed.
        """
        self._handle.deliver(cluster._handle)

    # Nominated pods, beside the pending pods of a cluster that are nominated by their status

    def nominate(self, pod: Pod, nomination: Nomination | str | None = None) -> None:
        """Nominates a pod to a node, where filters then count it: upstream's AddNominatedPod.

        Parameters
        ----------
        nomination : Nomination or str, optional
            The node. By default, and in modes other than OVERRIDE, it is the pod's
            status.nominatedNodeName.
        """
        if isinstance(nomination, str):
            nomination = Nomination(nomination)
        nomination = nomination or Nomination("", NominatingMode.NONE)
        self._handle.nominate(pod._handle, int(nomination.mode), nomination.node)

    def remove_nomination(self, pod: Pod) -> None:
        """Removes the pod's nomination, if any: upstream's DeleteNominatedPodIfExists."""
        self._handle.remove_nomination(pod._handle)

    def nominated_node(self, pod: Pod) -> str | None:
        """Returns the node that the pod is nominated to; None if there is none."""
        return self._handle.nominated_node(pod._handle) or None

    # Waiting pods

    def add_waiting_pod(self, pod: Pod,
                        waits: Mapping[str, float | datetime.timedelta]) -> None:
        """Adds a pod whose Permit status is Wait.

        Parameters
        ----------
        waits : mapping from plugin to seconds or timedelta
            The result of `Framework.run_permit_plugins`, with at least one plugin.

        Raises
        ------
        InvalidError
            `waits` is empty, so nothing could ever end the wait.
        """
        self._handle.add_waiting_pod(
            pod._handle, [(plugin, duration_ns(wait, f"waits[{plugin!r}]"))
                          for plugin, wait in mapping(waits, "waits", "plugins to durations").items()])

    @property
    def waiting_pods(self) -> list[WaitingPod]:
        """The waiting pods, ordered by uid."""
        return [WaitingPod._of(handle) for handle in self._handle.waiting_pods()]

    def waiting_pod(self, pod: Pod | str) -> WaitingPod | None:
        """Returns a waiting pod, found by uid; None if it is not waiting."""
        handle = self._handle.waiting_pod(pod.uid if isinstance(pod, Pod) else pod)
        return None if handle is None else WaitingPod._of(handle)

    def reject_waiting_pod(self, pod: Pod | str) -> bool:
        """Rejects a waiting pod: upstream's RejectWaitingPod. False if it is not waiting."""
        return self._handle.reject_waiting_pod(pod.uid if isinstance(pod, Pod) else pod)

    def __repr__(self) -> str:
        return "<Services>"


_wrap_services = Services._of
