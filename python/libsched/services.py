"""Services: what the evaluators of one scheduler share besides the cluster.

The clock, the API client, nominated pods and waiting pods.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
from collections.abc import Mapping
from typing import Any, Protocol

from . import _core
from .errors import InvalidError
from .objects import Pod, _wrap_pod
from .status import Status, status_of


class _Deliverable(Protocol):
    """What requests can be delivered to: a `Cluster`, which stands above this module."""

    _handle: _core.Cluster


class Clock:
    """A clock: the machine's, or one that stands still until it is moved.

    >>> clock = Clock.virtual()
    >>> clock.advance(90)
    >>> clock.now_ns
    7258118490000000000
    """

    __slots__ = ("_handle",)

    _handle: _core.Clock

    def __init__(self) -> None:
        raise TypeError("a Clock is made by Clock.system() or Clock.virtual()")

    @classmethod
    def system(cls) -> Clock:
        """The machine's clock."""
        return cls._of(_core.Clock.system())

    @classmethod
    def virtual(cls, now_ns: int = 7258118400 * 10**9) -> Clock:
        """A clock that stands at a time, by default the beginning of 2200.

        Who waits for a time by such a clock moves it there at once.
        """
        return cls._of(_core.Clock.virtual(now_ns))

    @classmethod
    def _of(cls, handle: _core.Clock) -> Clock:
        made = object.__new__(cls)
        made._handle = handle
        return made

    @property
    def now_ns(self) -> int:
        """Nanoseconds since 1970."""
        return self._handle.now()

    def advance(self, duration: float | datetime.timedelta) -> None:
        """Moves a virtual clock on, by seconds or a timedelta.

        Raises
        ------
        StateError
            It is the machine's clock.
        """
        self._handle.advance_to(self.now_ns + nanoseconds(duration))

    def __repr__(self) -> str:
        return f"<Clock at {self.now_ns} ns>"


class NominatingMode(enum.IntEnum):
    """What a Nomination does."""

    NONE = 0
    NOOP = 1
    OVERRIDE = 2


@dataclasses.dataclass(frozen=True)
class Nomination:
    """Upstream's NominatingInfo: what becomes of a pod's nominated node.

    Attributes
    ----------
    node : str
        Empty with OVERRIDE: the nomination is taken back.
    mode : NominatingMode
        OVERRIDE names the node; NOOP and NONE leave it as it is.
    """

    node: str = ""
    mode: NominatingMode = NominatingMode.OVERRIDE


class WaitingPod:
    """A pod whose Permit plugins let it wait; any thread may decide about it."""

    __slots__ = ("_handle",)

    _handle: _core.WaitingPod

    def __init__(self) -> None:
        raise TypeError("waiting pods are found with Services.waiting_pod()")

    @classmethod
    def _of(cls, handle: _core.WaitingPod) -> WaitingPod:
        made = object.__new__(cls)
        made._handle = handle
        return made

    @property
    def pod(self) -> Pod:
        return _wrap_pod(self._handle.pod)

    @property
    def pending_plugins(self) -> list[str]:
        """The plugins that have not allowed it yet, sorted."""
        pending: list[str] = json.loads(self._handle.pending())
        return pending

    def allow(self, plugin: str) -> None:
        """A plugin does not want it to wait any longer."""
        self._handle.allow(plugin)

    def reject(self, plugin: str, message: str = "") -> bool:
        """Ends the wait: Unschedulable. Whether it was this call that ended it."""
        return self._handle.reject(plugin, message)

    def preempt(self, plugin: str, message: str = "") -> bool:
        """Ends the wait so that the pod is tried again soon."""
        return self._handle.preempt(plugin, message)

    @property
    def decision(self) -> Status | None:
        """How the wait has ended; None while it lasts."""
        decided = self._handle.decided()
        return None if decided is None else status_of(decided)

    def __repr__(self) -> str:
        return f"<WaitingPod {self.pod.key}: {', '.join(self.pending_plugins)}>"


class Services:
    """The clock, the API client, nominated pods and waiting pods of a scheduler.

    Parameters
    ----------
    clock : Clock, optional
        By default a virtual one for plugins and waiting pods, and the machine's for the timeouts
        of calls.
    api : optional
        An object with any of these methods; what they raise is the API server's error:

        - ``bind(pod, node_name)``, ``delete_pod(pod)``
        - ``patch_pod_status(pod, patch)``: a strategic merge patch as a dict
        - ``patch_object(kind, namespace, name, patch)``: a JSON merge patch as a dict
        - ``event(pod, type, reason, action, note)``

        Nothing: the requests are only kept, see `requests` and `deliver`.
    preemption_seed : int, optional
        Preemption begins at a node that is drawn by this seed; otherwise at the first.

    Examples
    --------
    >>> services = Services()
    >>> pod = Pod({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}})
    >>> services.nominate(pod, "node-a")
    >>> services.nominated_node(pod)
    'node-a'
    """

    __slots__ = ("_handle",)

    _handle: _core.Services

    def __init__(self, clock: Clock | None = None, api: Any = None, *,
                 preemption_seed: int | None = None) -> None:
        self._handle = _core.Services(None if clock is None else clock._handle, api,
                                      preemption_seed)

    @property
    def clock(self) -> Clock:
        return Clock._of(self._handle.clock)

    # The API server

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What was asked of the API server, where there is no client.

        Dicts with ``verb`` (``bind``, ``deletePod``, ``patchPodStatus``, ``patchObject``,
        ``event``) and what belongs to it.

        Raises
        ------
        StateError
            There is a client.
        """
        requests: list[dict[str, Any]] = json.loads(self._handle.requests())
        return requests

    def deliver(self, cluster: _Deliverable) -> None:
        """Does to the cluster what the kept requests would bring about, and forgets them.

        Bound pods run on their nodes, deleted ones have left.
        """
        self._handle.deliver(cluster._handle)

    # Nominated pods

    def nominate(self, pod: Pod, nomination: Nomination | str | None = None) -> None:
        """Upstream's AddNominatedPod: filters count on the pod on that node.

        Parameters
        ----------
        nomination : Nomination or str, optional
            A node; nothing, or no OVERRIDE: the pod's own status.nominatedNodeName.
        """
        if isinstance(nomination, str):
            nomination = Nomination(nomination)
        nomination = nomination or Nomination("", NominatingMode.NONE)
        self._handle.nominate(pod._handle, int(nomination.mode), nomination.node)

    def remove_nomination(self, pod: Pod) -> None:
        """Upstream's DeleteNominatedPodIfExists."""
        self._handle.remove_nomination(pod._handle)

    def nominated_node(self, pod: Pod) -> str | None:
        """The node that the pod is nominated to."""
        return self._handle.nominated_node(pod._handle) or None

    # Waiting pods

    def add_waiting_pod(self, pod: Pod,
                        waits: Mapping[str, float | datetime.timedelta]) -> None:
        """A pod whose Permit said Wait begins to wait.

        Parameters
        ----------
        waits : mapping from plugin to seconds or timedelta
            What `Framework.run_permit_plugins` gave; at least one plugin.

        Raises
        ------
        InvalidError
            No plugin waits, so nobody could decide.
        """
        self._handle.add_waiting_pod(
            pod._handle, [(plugin, nanoseconds(wait)) for plugin, wait in waits.items()])

    @property
    def waiting_pods(self) -> list[WaitingPod]:
        """All of them, by uid."""
        return [WaitingPod._of(handle) for handle in self._handle.waiting_pods()]

    def waiting_pod(self, pod: Pod | str) -> WaitingPod | None:
        """A waiting pod by its uid; None if it does not wait."""
        handle = self._handle.waiting_pod(pod.uid if isinstance(pod, Pod) else pod)
        return None if handle is None else WaitingPod._of(handle)

    def reject_waiting_pod(self, pod: Pod | str) -> bool:
        """Upstream's RejectWaitingPod. False if it does not wait."""
        return self._handle.reject_waiting_pod(pod.uid if isinstance(pod, Pod) else pod)

    def __repr__(self) -> str:
        return "<Services>"


def _wrap_services(handle: _core.Services) -> Services:
    made = object.__new__(Services)
    made._handle = handle
    return made


def nanoseconds(duration: float | datetime.timedelta) -> int:
    """Of seconds, or of a timedelta."""
    if isinstance(duration, datetime.timedelta):
        return ((duration.days * 86400 + duration.seconds) * 10**6 + duration.microseconds) * 1000
    if isinstance(duration, bool) or not isinstance(duration, (int, float)):
        raise InvalidError(f"seconds or a timedelta are expected, not {duration!r}")
    return duration * 10**9 if isinstance(duration, int) else round(duration * 1e9)
