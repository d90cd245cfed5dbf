"""Scheduler: a scheduler that runs by itself, on an API server in memory or on an API client."""

from __future__ import annotations

import datetime
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Literal, Optional, Union

from . import _core
from ._arguments import instance, items, names_arguments, whole, wrong
from ._durations import duration_ns, later_ns
from ._ties import ties_number
from .api_server import ApiServer
from .cancel import Cancel, handle_of
from .cluster import Cluster
from .errors import CancelledError, InvalidError
from .framework import Framework
from .objects import Node, Objects, Pod
from .queue import Queue
from .services import Clock, Services, _wrap_services
from .status import Status, status_of

# A run looks for Ctrl-C so often.
_SLICE_NS = 100_000_000


class ApiClient:
    """The requests of a scheduler to an API server; derive from it for a server of your own.

    Any other object with some of these methods will do. What a method raises is the error of its
    request, and the scheduler tries the pod again. The methods are called on the thread that runs the
    scheduler, or with ``binding_threads`` on several threads at once. They cannot change its cluster.
    """

    def bind(self, pod: Pod, node_name: str) -> None:
        """Binds the pod."""

    def delete_pod(self, pod: Pod) -> None:
        """Deletes a pod, which preemption has chosen."""

    def patch_pod_status(self, pod: Pod, patch: dict[str, Any]) -> None:
        """Applies a strategic merge patch of a pod's status."""

    def patch_object(self, kind: str, namespace: str, name: str, patch: dict[str, Any]) -> None:
        """Applies a JSON merge patch of another object."""

    def create_object(self, kind: str, namespace: str, object: dict[str, Any]) -> dict[str, Any]:
        """Creates an object that has ``metadata.generateName`` instead of a name; returns it as created.

        It is a ResourceClaim for extended resources that DeviceClasses provide.
        """
        raise NotImplementedError(f"the API client creates no {kind}")

    def delete_object(self, kind: str, namespace: str, name: str) -> None:
        """Deletes an object other than a pod."""

    def event(self, pod: Pod, type: str, reason: str, action: str, note: str) -> None:
        """Records an event about the pod."""


class SchedulerObserver:
    """Is told what becomes of pods; derive from it. Any object with some of these methods will do.

    The methods are called one at a time. What one raises on the thread that runs the scheduler ends in
    that run's exception, after the run.
    """

    def popped(self, pod: Pod) -> None:
        """The pod's attempt begins."""

    def assumed(self, pod: Pod, node_name: str) -> None:
        """The pod has a node, and its binding begins."""

    def bound(self, pod: Pod, node_name: str) -> None:
        """The pod was bound."""

    def failed(self, pod: Pod, node_name: str, status: Status) -> None:
        """The attempt has failed; ``node_name`` is the node that the pod was assumed on, or empty."""


@dataclass(frozen=True)
class LogRecord:
    """A line that kube-scheduler would log; `str` makes it as klog would.

    Parameters
    ----------
    level : int
        The verbosity at which it appears; 0 for errors.
    error : bool
    time_ns : int
        By the scheduler's clock.
    message : str
        Upstream's.
    fields : mapping of str to str
        In upstream's order. Objects are "namespace/name", lists are JSON arrays.
    """

    level: int
    error: bool
    time_ns: int
    message: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        return " ".join([json.dumps(self.message, ensure_ascii=False)]
                        + [f"{key}={json.dumps(value, ensure_ascii=False)}"
                           for key, value in self.fields.items()])


class _Told:
    """Passes statuses and lines of the log on as objects."""

    def __init__(self, observer: Any, log: Optional[Callable[[LogRecord], object]]) -> None:
        if log is not None:
            self.log = lambda *line: log(LogRecord(*line))
        for name in ("popped", "assumed", "bound"):
            if hasattr(observer, name):
                setattr(self, name, getattr(observer, name))
        if hasattr(observer, "failed"):
            self.failed = lambda pod, node, status: observer.failed(pod, node, status_of(status))


@names_arguments
class Scheduler:
    """The queue, the cycles and the handlers of events around a cluster: upstream's scheduler.

    It runs only inside of calls. On a virtual clock one action happens at a time, in an order that the
    input alone determines. One thread at a time uses a scheduler and its cluster, except `deliver`.

    Parameters
    ----------
    frameworks : Framework or sequence of Framework
        Frameworks of different profiles; pods of other schedulers are left alone.
    cluster : Cluster
        It may have nodes and pods already; pods without a node come from the API server.
    api : ApiServer, ApiClient or None
        An `ApiServer` is watched, and its grace periods end in time. With any other client call
        `deliver` for each change. None: requests are only recorded (``services.requests``).
    clock : Clock, optional
        By default that of the machine; with an `ApiServer` it must be the server's.
    ties : {"upstream", "name", "random"}
        The choice among equal nodes.
    seed : int
        Of ``ties="random"``.
    sampling : bool
        Whether to look at a part of a large cluster only, as upstream does.
    binding_threads : int
        On a clock that is not virtual: how many threads bind pods and send the requests of preemption;
        0: they run in line.
    initial_backoff, max_backoff, max_in_unschedulable : float
        Seconds, as for a `Queue`.
    observer : SchedulerObserver, optional
    log : callable, optional
        Gets each line that kube-scheduler would log, as a `LogRecord`. Plugins may be running: it must
        not use the scheduler, its cluster or its queue.
    verbosity : int
        The highest level of `log`, as kube-scheduler's ``-v``: at 2 what becomes of pods, at 3 and 4 also
        what is delivered, at 5 the moves in the queue.

    Raises
    ------
    StateError
        The virtual clock drives another scheduler.

    Examples
    --------
    >>> clock = Clock.virtual()
    >>> server, cluster = ApiServer(clock=clock), Cluster()
    >>> scheduler = Scheduler(Framework(), cluster, server, clock=clock)
    >>> server.create({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "node-a"},
    ...                "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "9"}}})
    >>> server.create({"kind": "Pod", "apiVersion": "v1",
    ...                "metadata": {"name": "p", "namespace": "d"},
    ...                "spec": {"containers": [{"name": "c"}]}})
    >>> scheduler.run_for(1)
    >>> server.pod("d", "p").node_name
    'node-a'
    """

    __slots__ = ("_clock", "_cluster", "_handle", "_started")

    _handle: _core.Scheduler

    def __init__(self, frameworks: Framework | Sequence[Framework], cluster: Cluster,
                 api: Any = None, *, clock: Clock | None = None,
                 ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
                 sampling: bool = False, binding_threads: int = 0, initial_backoff: float = 1.0,
                 max_backoff: float = 10.0, max_in_unschedulable: float = 300.0,
                 observer: Any = None, log: Optional[Callable[[LogRecord], object]] = None,
                 verbosity: int = 2) -> None:
        whole(verbosity, "verbosity", 0, 2**32 - 1)
        tie_breaking = ties_number(ties, seed)
        profiles = [frameworks] if isinstance(frameworks, Framework) else [
            instance(one, Framework, f"frameworks[{index}]")
            for index, one in enumerate(items(frameworks, "frameworks", "Frameworks"))]
        if log is not None and not callable(log):
            raise wrong("log", "a function", log)
        whole(binding_threads, "binding_threads", 0, (1 << 31) - 1)
        self._handle = _core.Scheduler(
            [framework._handle for framework in profiles], instance(cluster, Cluster, "cluster")._handle,
            api._handle if isinstance(api, ApiServer) else api,
            None if clock is None else instance(clock, Clock, "clock")._handle, tie_breaking, seed, sampling,
            binding_threads, duration_ns(initial_backoff, "initial_backoff"), duration_ns(max_backoff, "max_backoff"),
            duration_ns(max_in_unschedulable, "max_in_unschedulable"),
            None if observer is None and log is None else _Told(observer, log),
            None if log is None else verbosity)
        self._cluster = cluster  # plugins may ask for it
        self._clock = self.services.clock
        self._started = False

    def deliver(self, before: Pod | Node | Objects | None,
                after: Pod | Node | Objects | None) -> None:
        """Tells the scheduler of a change at the API server; any thread may do so.

        Parameters
        ----------
        before, after : Pod, Node or Objects of one other object
            The versions before and after the change. An added object has no version before, a deleted
            one none after. A pod that has ended counts as deleted.

        Raises
        ------
        InvalidError
            Both are None, or they are two objects.
        """
        known = after if after is not None else before
        if isinstance(known, Pod):
            self._handle.deliver_pod(_handle(before, Pod), _handle(after, Pod))
        elif isinstance(known, Node):
            self._handle.deliver_node(_handle(before, Node), _handle(after, Node))
        elif isinstance(known, Objects):
            self._handle.deliver_object(_part(before), _part(after))
        else:
            raise InvalidError("a change has a version before or after it")

    def start(self) -> None:
        """Starts the timers of the queue. The first run does so, too."""
        if not self._started:
            self._handle.start()
            self._started = True

    def run_one(self) -> bool:
        """Does one action. Returns whether there was one that needs no more time."""
        self.start()
        return self._handle.run_one()

    def settle(self, *, hold: bool = False, max_actions: int = 0) -> None:
        """Does actions until none is left, without letting time pass.

        Parameters
        ----------
        hold : bool
            Whether to leave out scheduling cycles.
        max_actions : int
            0: no limit.

        Raises
        ------
        LimitError
            There is more to do after `max_actions`.
        """
        self.start()
        self._handle.settle(hold, max_actions)

    def run_until(self, time_ns: int, cancel: Cancel | None = None) -> None:
        """Lets time pass until `time_ns` by the scheduler's clock, and does all that happens meanwhile.

        Waits on a clock that is not virtual, and ends with the action under way at that time: there may
        be more to do then. Ctrl-C ends the run within a tenth of a second.

        Raises
        ------
        CancelledError
            `cancel` was set.
        LimitError
            On a virtual clock: the system provides no thread for a scheduling cycle that may wait. Pods
            on their way to a node need none. A later call goes on.
        """
        self.start()
        flag = handle_of(cancel)
        if self._handle.is_virtual:
            return self._run_virtual(time_ns, cancel)
        while True:
            slice_end = min(time_ns, self._clock.now_ns + _SLICE_NS)
            self._handle.run_until(slice_end, flag)
            if slice_end >= time_ns:
                return None

    def _run_virtual(self, time_ns: int, cancel: Cancel | None) -> None:
        # Python handles signals between calls, on its main thread alone.
        if threading.current_thread() is not threading.main_thread():
            return self._handle.run_until(time_ns, handle_of(cancel))
        while True:
            slice_end = Cancel()
            if cancel is not None and cancel.is_set():
                slice_end = cancel
            timer = threading.Timer(_SLICE_NS / 1e9, slice_end.set)
            timer.daemon = True
            try:
                timer.start()
            except RuntimeError:  # the system provides no thread: signals wait until the end
                return self._handle.run_until(time_ns, handle_of(cancel))
            try:
                return self._handle.run_until(time_ns, slice_end._handle)
            except CancelledError:
                if slice_end is cancel:
                    raise
            finally:
                timer.cancel()

    def run_for(self, duration: Union[float, datetime.timedelta],
                cancel: Cancel | None = None) -> None:
        """Lets so much time pass, as `run_until` does.

        Raises
        ------
        InvalidError
            The time ends beyond the year 2262.
        """
        self.run_until(later_ns(self._clock.now_ns, duration), cancel)

    @property
    def next_due_ns(self) -> int | None:
        """The next time at which something happens by itself; None: never."""
        return self._handle.next_due()

    def stop(self) -> None:
        """Stops the queue. Pods that wait on Permit are rejected, and binding cycles end."""
        self._handle.stop()

    @property
    def queue(self) -> Queue:
        """The queue, to be read between two runs."""
        made = object.__new__(Queue)
        made._handle, made._cluster = self._handle.queue, self._cluster
        return made

    @property
    def services(self) -> Services:
        """The clock, the API client, nominations and waiting pods, about which any thread may decide."""
        return _wrap_services(self._handle.services)

    @property
    def in_cycle(self) -> bool:
        """Whether a scheduling cycle waits for a slow request."""
        return self._handle.state()[0]

    @property
    def binding_count(self) -> int:
        """How many binding cycles have begun but not ended."""
        return self._handle.state()[1]

    def metrics_text(self) -> str:
        """Returns upstream's metrics in Prometheus' exposition format.

        Families of features that libsched does not have are registered but never observed; ``loop.h`` lists
        them.
        """
        return self._handle.metrics_text()

    def __repr__(self) -> str:
        counts = self.queue.counts
        return f"<Scheduler: {counts.active} active, {counts.unschedulable} unschedulable pods>"


def _handle(version: Any, kind: type[Any]) -> Any:
    if version is not None and not isinstance(version, kind):
        raise InvalidError(f"a {type(version).__name__} is no version of a {kind.__name__}")
    return None if version is None else version._handle


def _part(version: Any) -> Any:
    if version is None:
        return None
    parts = version._parts if isinstance(version, Objects) else []
    if len(parts) != 1 or not isinstance(parts[0], _core.Objects):
        raise InvalidError("a change is of one object: Objects of one document")
    return parts[0]
