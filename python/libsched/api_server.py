"""ApiServer: an API server in memory, for schedulers that run by themselves."""

from __future__ import annotations

import datetime
import json
import numbers
from collections.abc import Callable
from typing import Any, Literal, Union

from . import _core
from ._arguments import flag, instance, names_arguments, whole, wrong
from ._durations import duration_ns
from ._sources import Source
from .errors import InvalidError
from .objects import Node, Objects, Pod, _wrap_node, _wrap_pod
from .services import Clock

#: A request of a scheduler to the API server; empty: any.
Verb = Literal["", "bind", "deletePod", "patchPodStatus", "patchObject"]


@names_arguments
class ApiServer:
    """An API server in memory, as far as a scheduler sees one.

    It keeps objects, tells a `Scheduler` of each change, binds pods with the conflicts of a real server,
    deletes pods gracefully, and fails or delays requests on demand. Any thread may use it. Errors have
    the API server's texts.

    Parameters
    ----------
    clock : Clock, optional
        By default that of the machine. A scheduler on the server must have the same clock.
    grace : float or timedelta
        A deleted pod that has a node leaves so much later, and is terminating meanwhile.
    bind_volumes : bool
        A controller binds PersistentVolumeClaims while a scheduler on the server runs, as upstream's
        PersistentVolume controller and CSI's provisioners do: to volumes that are there, or to volumes
        that it makes where the class, the selected node and its CSINode want them. No volume is deleted,
        whatever the reclaim policy; no claim becomes Lost; CSIStorageCapacities stay as they are. Claims
        of generic ephemeral volumes are made, and go with their pods.
    provision_time : float or timedelta
        How long it takes to make a volume.
    release_claims : bool
        A controller takes ResourceClaims back while a scheduler on the server runs: pods that have gone or
        ended reserve none, a claim that nobody reserves any more loses its devices, and one that was made
        for such a pod is deleted. It makes no claims: `libsched.missing_claims` does.
    keep_calls, keep_events : bool
        Whether `take_calls` and `take_events` have something to give.
    fault_seed : int
        The seed of the random faults.
    fault_rate, slow_rate : float
        How many of a scheduler's requests fail, or take up to `most_slow`, between 0 and 1.
    most_slow : float or timedelta

    Raises
    ------
    InvalidError
        A time is negative, a rate is not between 0 and 1, or there is a `provision_time` without
        `bind_volumes`.

    Examples
    --------
    >>> server = ApiServer()
    >>> server.create({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "namespace": "d"}})
    >>> server.bind("d", "p", "node-a")
    >>> server.pod("d", "p").node_name
    'node-a'
    """

    __slots__ = ("_handle",)

    _handle: _core.ApiServer

    def __init__(self, *, clock: Clock | None = None, grace: Union[float, datetime.timedelta] = 0,
                 keep_calls: bool = False, keep_events: bool = False, fault_seed: int = 0,
                 fault_rate: float = 0, slow_rate: float = 0,
                 most_slow: Union[float, datetime.timedelta] = 0, bind_volumes: bool = False,
                 provision_time: Union[float, datetime.timedelta] = 0,
                 release_claims: bool = False) -> None:
        for name, on in (("keep_calls", keep_calls), ("keep_events", keep_events),
                         ("bind_volumes", bind_volumes), ("release_claims", release_claims)):
            flag(on, name)
        whole(fault_seed, "fault_seed", 0, (1 << 64) - 1)
        for name, rate in (("fault_rate", fault_rate), ("slow_rate", slow_rate)):
            if isinstance(rate, bool) or not isinstance(rate, numbers.Real):
                raise wrong(name, "a number from 0 to 1", rate)
            if not 0 <= rate <= 1:
                raise InvalidError(f"{name} is a number from 0 to 1, not {rate!r}")
        self._handle = _core.ApiServer(None if clock is None else instance(clock, Clock, "clock")._handle,
                                       duration_ns(grace, "grace"),
                                       keep_calls, keep_events, fault_seed, fault_rate, slow_rate,
                                       duration_ns(most_slow, "most_slow"), bind_volumes,
                                       duration_ns(provision_time, "provision_time"), release_claims)

    # What other clients do

    def create(self, source: Source) -> None:
        """Creates all objects of a document, or none. Workloads are left out.

        Parameters
        ----------
        source : Objects or what makes them
            Several documents are created one after the other, up to the first error.

        Raises
        ------
        ExistsError
            There is an object of this kind and name.
        """
        self._put(source, self._handle.create_pod, self._handle.create_node, self._handle.create)

    def update(self, source: Source) -> None:
        """Replaces all objects of a document by new versions, or none.

        Raises
        ------
        NotFoundError
            There is no object of this kind and name.
        """
        self._put(source, self._handle.update_pod, self._handle.update_node, self._handle.update)

    @staticmethod
    def _put(source: object, pod: Callable[[_core.Pod], None], node: Callable[[_core.Node], None],
             objects: Callable[[_core.Objects], None]) -> None:
        for part in _parts(source):
            if isinstance(part, Pod):
                pod(part._handle)
            elif isinstance(part, Node):
                node(part._handle)
            else:
                objects(part)

    def delete(self, kind: str, name: str, namespace: str = "") -> None:
        """Deletes an object of a kind such as "Pod", "Node" or "PersistentVolumeClaim".

        Raises
        ------
        NotFoundError
            There is no such object.
        InvalidError
            The server keeps no objects of this kind.
        """
        self._handle.delete(kind, namespace, name)

    def bind(self, namespace: str, name: str, node_name: str) -> None:
        """Binds a pod as another scheduler would.

        Raises
        ------
        NotFoundError
            There is no such pod.
        ExistsError
            A conflict: the pod is being deleted or has a node already.
        """
        self._handle.bind(namespace, name, node_name)

    def finish_pod(self, namespace: str, name: str) -> None:
        """The pod has run to its end and is removed at once.

        Raises
        ------
        NotFoundError
            There is no such pod.
        """
        self._handle.finish_pod(namespace, name)

    # Faults

    def add_fault(self, verb: Verb = "", key: str = "", *, error: str = "", times: int = 0,
                  slow: Union[float, datetime.timedelta] = 0) -> None:
        """Lets requests of a scheduler fail or take time. The first fault that fits a request is used.

        Parameters
        ----------
        verb : str
            By default any.
        key : str
            ``"namespace/name"``, or the name of an object without namespace; by default any.
        error : str
            ``"conflict"``, ``"notFound"``, ``"timeout"``, or the error's text; empty: it succeeds.
        times : int
            How many requests; 0: all.
        slow : float or timedelta
            The request takes so long, by a virtual clock, before it succeeds or fails.

        Raises
        ------
        InvalidError
            There is no such verb, or the time is negative.
        """
        self._handle.add_fault(verb, key, error, times, duration_ns(slow, "slow"))

    def clear_faults(self) -> None:
        """Removes all faults that were added; random ones stay."""
        self._handle.clear_faults()

    # The state

    def pod(self, namespace: str, name: str) -> Pod:
        """Returns the pod as it is now. Raises NotFoundError if there is none."""
        return _wrap_pod(self._handle.pod(namespace, name))

    def node(self, name: str) -> Node:
        """Returns the node as it is now. Raises NotFoundError if there is none."""
        return _wrap_node(self._handle.node(name))

    @property
    def objects(self) -> Objects:
        """All nodes and pods, in the order of their creation."""
        made = object.__new__(Objects)
        made._parts, made._reports = [self._handle.objects()], None
        return made

    @property
    def version(self) -> int:
        """The number of changes: the resource version of the latest."""
        return self._handle.version()

    def take_calls(self) -> list[dict[str, Any]]:
        """Returns the requests of schedulers since the last time.

        Each is a dict with ``at`` (nanoseconds), ``verb``, ``key``, and ``node``, ``patch`` and ``error``
        where they apply. Needs ``keep_calls=True``.
        """
        calls: list[dict[str, Any]] = json.loads(self._handle.take_calls())
        return calls

    def take_events(self) -> list[dict[str, Any]]:
        """Returns the events recorded about pods since the last time.

        Each is a dict with ``at`` (nanoseconds), ``key``, ``type``, ``reason``, ``action`` and ``note``.
        Those of the controller that binds volumes also have ``kind``: "PersistentVolumeClaim".
        Needs ``keep_events=True``.
        """
        events: list[dict[str, Any]] = json.loads(self._handle.take_events())
        return events

    def __repr__(self) -> str:
        return f"<ApiServer at version {self.version}>"


def _parts(source: Source) -> list[Union[_core.Objects, Pod, Node]]:
    objects = source if isinstance(source, Objects) else Objects(source)
    return objects._parts
