"""Timed workloads: pods that arrive over time, for simulations."""

from __future__ import annotations

import json
import os
from typing import Union

from . import _core
from ._arguments import names_arguments
from ._durations import duration_ns
from ._sources import Source
from .errors import FileError, InvalidError
from .objects import Node, Objects, Pod, Workload

#: A path of a file, or the text itself as bytes.
Text = Union[str, "os.PathLike[str]", bytes]


@names_arguments
class TimedWorkload:
    """Pods that arrive over time. A pod is made when it arrives.

    A document is added whole or, after an error, not at all. A workload that a `Simulation` has cannot
    be added to any more; it may be in several simulations.

    >>> workload = TimedWorkload()
    >>> workload.add({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "job"}},
    ...              arrival=10, duration=60, replicas=3, interval=5)
    >>> len(workload)
    3
    """

    __slots__ = ("_handle",)

    def __init__(self) -> None:
        self._handle = _core.Workload()

    def __len__(self) -> int:
        """The number of pods, without those of CronJobs: a simulation makes them as long as it runs."""
        return self._handle.size()

    @property
    def warnings(self) -> list[dict[str, str]]:
        """What of the added objects has no effect, as ``path`` and ``message``.

        That is a misspelt annotation ``libsched/...``, a field of Jobs that is not imitated, or a
        suspended Job.
        """
        return list(json.loads(self._handle.warnings()))

    def add(self, pod: Source, *, arrival: float = 0, duration: float | None = None,
            replicas: int | None = None, interval: float = 0) -> None:
        """Adds a pod, or replicas of it that are named as a StatefulSet's.

        Parameters
        ----------
        pod : Pod or source of one
        arrival : float
            Seconds since the simulation's beginning.
        duration : float, optional
            How long each pod runs once it is bound; by default until the simulation ends.
        replicas : int, optional
            How many; by default one pod with its own name.
        interval : float
            Seconds between the arrivals of two replicas.

        Raises
        ------
        ExistsError
            The workload has a pod of this name.
        InvalidError
            A time is negative or beyond 50 years.
        StateError
            A simulation has the workload.
        """
        if replicas is not None and replicas < 1:
            raise InvalidError(f"replicas is a positive number, not {replicas}")
        one = pod if isinstance(pod, Pod) else Pod(pod)
        lasting = -1 if duration is None else duration_ns(duration, "duration")
        if duration is not None and lasting < 0:
            raise InvalidError("the duration is negative")
        self._handle.add(one._handle, replicas or 0,
                         (duration_ns(arrival, "arrival"), lasting, duration_ns(interval, "interval")))

    def add_objects(self, source: Source | Workload) -> None:
        """Adds all pods, and the replicas of all workloads, with the times of their annotations.

        The annotations of a pod, or of a workload's pod template or else of the workload, are Go
        durations ("1m30s"): ``libsched/arrival``, ``libsched/duration`` and ``libsched/interval``
        (between replicas). Pods that have ended are left out. A Job makes ``parallelism`` pods at a
        time until ``completions`` have run for their duration, and a CronJob starts such Jobs by its
        schedule. `warnings` tells what has no effect.

        Parameters
        ----------
        source : Objects, Workload or what makes Objects
            An `Objects`, `Workload` or `Pod` must have been made with ``keep_annotations=True``.
            Several documents are added one after the other, up to the first error.

        Raises
        ------
        ExistsError, StateError
            As `add`.
        InvalidError
            An annotation is no duration, or a CronJob has no valid schedule or time zone.
        """
        if isinstance(source, Workload):
            if source.replicas > 0:
                self._handle.add(source.pod._handle, source.replicas, None)
            return
        objects = source if isinstance(source, Objects) else Objects(source, keep_annotations=True)
        for part in objects._parts:
            if isinstance(part, Pod):
                self._handle.add(part._handle, 0, None)
            elif not isinstance(part, Node):
                self._handle.add_objects(part)

    def add_trace(self, source: Text, *, file: str = "", namespace: str = "default",
                  scheduler_name: str = "", gpu_resource: str = "",
                  gpu_model_label: str = "") -> None:
        """Adds the rows of CSV in the columns of the openb trace.

        ``name``, ``cpu_milli`` and ``memory_mib`` are required; ``num_gpu``, ``gpu_milli`` (of each
        GPU), ``gpu_spec`` (types joined by ``|``), ``qos``, ``pod_phase``, ``creation_time``,
        ``deletion_time`` and ``scheduled_time`` (seconds) may be missing. A pod arrives at
        ``creation_time`` and runs for ``deletion_time - scheduled_time``.

        Parameters
        ----------
        source : path or bytes
        file : str
            The name of the text in errors; by default the path's.
        namespace, scheduler_name : str
            Of all pods.
        gpu_resource : str
            The resource of which ``num_gpu * gpu_milli`` are requested; by default
            ``alibabacloud.com/gpu-milli``.
        gpu_model_label : str
            The label of nodes that ``gpu_spec`` selects by; by default
            ``alibabacloud.com/gpu-card-model``.

        Raises
        ------
        InvalidError
            A bad row: the message begins with ``FILE:LINE: COLUMN: ``.
        FileError
        """
        if not isinstance(source, bytes):
            path = os.fspath(source)
            file = file or path
            try:
                with open(path, "rb") as opened:
                    source = opened.read()
            except OSError as error:
                raise FileError(f"{path}: {error.strerror}") from None
        self._handle.add_trace(source, file, namespace, scheduler_name, gpu_resource,
                               gpu_model_label)

    def __repr__(self) -> str:
        return f"<TimedWorkload: {len(self):,} pod{'s' * (len(self) != 1)}>"
