"""Simulation: a whole scheduler with a workload over time, on a virtual clock."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, Union

from . import _core, plots
from ._arguments import checks_arguments, names_arguments, wrong
from ._durations import duration_ns
from ._html import escaped
from ._ties import ties_number
from .cancel import Cancel, handle_of
from .errors import InvalidError, MisuseError
from .framework import Framework
from .tables import ResultTable
from .view import View
from .workload import TimedWorkload

_STATES = ("waiting", "pending", "running", "finished", "preempted", "ignored", "replaced")
#: The date of the beginning, if none is given; the library's own default.
START = "2026-01-01T00:00:00Z"
TABLES = ("pods", "series", "resources", "pending", "preemptions", "volumes")

#: Seconds, or a timedelta.
Duration = Union[float, datetime.timedelta]


@dataclasses.dataclass(frozen=True, slots=True)
class SimulationProgress:
    """How far a simulation is.

    Attributes
    ----------
    now : float
        Seconds since the beginning.
    total, arrived, bound, ended, pending : int
        Pods: of the workload; that have arrived; that have been bound; that have ended since; that
        are not bound.
    """

    now: float
    total: int
    arrived: int
    bound: int
    ended: int
    pending: int


@dataclasses.dataclass(frozen=True, slots=True)
class Waits:
    """How long pods waited that were bound, in seconds."""

    mean: float
    median: float
    p90: float
    p99: float
    longest: float


@dataclasses.dataclass(frozen=True, slots=True)
class ResourceUse:
    """A resource over all nodes, in the library's units (thousandths of ``cpu``).

    Attributes
    ----------
    resource : str
    allocatable, used, free : int
    fragmented : float
        What is free on nodes that cannot take a pod, or for a pod that does not request the resource:
        the mean over the pods of the workload.
    utilisation, fragmentation : float
        ``used / allocatable`` and ``fragmented / free``.
    """

    resource: str
    allocatable: int
    used: int
    free: int
    fragmented: float
    utilisation: float
    fragmentation: float


@names_arguments
class SimulationResult:
    """The results of a simulation up to a time.

    Attributes
    ----------
    time : float
        Seconds since the beginning.
    quiet : bool
        Whether nothing more would happen.
    pods_total, arrived, bound, attempts, preemption_count : int
        `pods_total` counts the pods of CronJobs as soon as a run of theirs starts.
    states : dict
        The number of pods by state: "waiting", "pending", "running", "finished", "preempted",
        "ignored" (its schedulerName has no profile) or "replaced" (by another run of its CronJob).
    wait : Waits
    pending_reasons : dict
        The numbers of pending pods by reason: the plugins that rejected them, "gated by" a plugin, "its group"
        (others of its PodGroup fit nowhere), "no nodes" or "error".
    ignored_schedulers : dict
        The ignored pods by schedulerName.
    resources_now : tuple of ResourceUse
    """

    __slots__ = ("_tables", "arrived", "attempts", "bound", "ignored_schedulers",
                 "pending_reasons", "pods_total", "preemption_count", "quiet", "resources_now",
                 "states", "summary", "time", "wait")

    def __init__(self, summary: dict[str, Any], tables: dict[str, ResultTable]) -> None:
        self.summary: dict[str, Any] = summary
        self.time: float = summary["time"]
        self.quiet: bool = summary["quiet"]
        self.pods_total: int = summary["pods"]
        self.arrived: int = summary["arrived"]
        self.bound: int = summary["bound"]
        self.attempts: int = summary["attempts"]
        self.preemption_count: int = summary["preemptions"]
        self.states: dict[str, int] = {state: summary[state] for state in _STATES}
        self.wait: Waits = Waits(**summary["wait"])
        self.pending_reasons: dict[str, int] = {
            entry["reason"]: entry["pods"] for entry in summary["pendingReasons"]}
        self.ignored_schedulers: dict[str, int] = {
            entry["schedulerName"]: entry["pods"] for entry in summary["ignoredSchedulers"]}
        self.resources_now: tuple[ResourceUse, ...] = tuple(ResourceUse(**entry) for entry in summary["resources"])
        self._tables = tables

    @property
    def pods(self) -> ResultTable:
        """A row for each pod that has arrived: state, arrival, bound, wait, end, node, reason, ..."""
        return self._tables["pods"]

    @property
    def series(self) -> ResultTable:
        """The number of pods in each state over time."""
        return self._tables["series"]

    @property
    def resources(self) -> ResultTable:
        """Utilisation and fragmentation of each resource over time."""
        return self._tables["resources"]

    @property
    def pending(self) -> ResultTable:
        """The pending pods by reason over time."""
        return self._tables["pending"]

    @property
    def preemptions(self) -> ResultTable:
        """A row for each preempted pod."""
        return self._tables["preemptions"]

    @property
    def volumes(self) -> ResultTable:
        """What happened to PersistentVolumeClaims: time, action (provisioned, bound, failed), namespace,
        claim, volume, storageClass, node (the selected one), message (of what failed)."""
        return self._tables["volumes"]

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """All of them."""
        return tuple(self._tables.values())

    def plot(self, path: Union[str, os.PathLike[str], None] = None) -> Any:
        """Draws pods, resources and pending pods over time with matplotlib.

        Parameters
        ----------
        path : path, optional
            Writes the figure there, as PNG, SVG or PDF by its name.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        UnsupportedError
            matplotlib is not installed (``pip install libsched[plots]``).
        FileError
        """
        figure = plots.draw({table.name: table for table in self.tables})
        if path is not None:
            plots.save(figure, path)
        return figure

    def to_dict(self) -> dict[str, Any]:
        """Returns the summary and all tables, as they would be in JSON."""
        return {"summary": self.summary,
                **{name: json.loads(table.json()) for name, table in self._tables.items()}}

    def to_pandas(self) -> dict[str, Any]:
        """Returns all tables as pandas DataFrames by name."""
        return {name: table.to_pandas() for name, table in self._tables.items()}

    def _repr_html_(self) -> str:
        rows = [("pods", f"{self.pods_total:,}"),
                *((state, f"{count:,}") for state, count in self.states.items() if count),
                ("time", f"{self.time:,.3f} s"), ("median wait", f"{self.wait.median:,.3f} s"),
                *((f"{use.resource} used", f"{use.utilisation:.1%}")
                  for use in self.resources_now)]
        cells = "".join(f"<tr><th style='text-align:left'>{escaped(name)}</th>"
                        f"<td>{escaped(value)}</td></tr>" for name, value in rows)
        return f"<p><b>{escaped(repr(self))}</b></p><table><tbody>{cells}</tbody></table>"

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {state}" for state, count in self.states.items() if count)
        return f"<SimulationResult at {self.time:,.3f} s: {counts or 'no pods'}>"


@names_arguments
class Simulation:
    """A scheduler, an API server in memory and a timed workload, on a virtual clock.

    The same cluster, workload, frameworks and options give the same results. Pods finish after their
    duration, and Jobs and CronJobs make theirs as their controllers do; preempted pods of others are not
    made again. Pods whose schedulerName has no profile are ignored and counted.

    Parameters
    ----------
    cluster : Cluster or Snapshot
        It is copied: its nodes, running pods and all other objects.
    workload : TimedWorkload
        It cannot be added to afterwards.
    frameworks : Framework or sequence of Framework, optional
        One for each profile; by default upstream's default profile.
    ties : {"upstream", "name", "random"}
        Which of several best nodes is chosen: see `Framework.cycle`.
    seed : int
        Of random ties, and of where preemption begins.
    sampling : bool
        Look at some of the nodes only, as upstream does in large clusters.
    resources : bool
        Measure utilisation and fragmentation.
    volumes : bool
        A controller binds PersistentVolumeClaims and makes volumes for them, as in `ApiServer`. Without
        it claims stay as they are, and pods do not wait for them.
    claims_from_templates : bool
        Arriving pods have the claims of their templates, as controllers make them: see
        `libsched.missing_claims`. Without a ResourceClaimTemplate the pod waits.
    provision_time : float or timedelta
        How long it takes to make a volume.
    sample_interval : float or timedelta
        At least so much time is between two samples; 0: about 1,000 samples, by what happens.
    initial_backoff, max_backoff, max_in_unschedulable : float or timedelta
        As for `Queue`.
    start : str or datetime
        The date of the beginning, by which CronJobs are due, as RFC 3339; a datetime has a time zone.

    Raises
    ------
    ExistsError
        The cluster and the workload have a pod of one name.
    InvalidError
        A time is negative, there is a `provision_time` without `volumes`, or `start` is no time from
        1970 to 2149.

    Examples
    --------
    >>> from libsched import Cluster
    >>> cluster = Cluster({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"},
    ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
    >>> workload = TimedWorkload()
    >>> workload.add({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "job"},
    ...     "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}},
    ...     replicas=2, duration=60)
    >>> result = Simulation(cluster, workload).run()
    >>> result.states["finished"], round(result.wait.longest)
    (2, 60)
    """

    __slots__ = ("_handle",)

    def __init__(self, cluster: View, workload: TimedWorkload,
                 frameworks: Union[Framework, Sequence[Framework], None] = None, *,
                 ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
                 sampling: bool = False, resources: bool = True, volumes: bool = True,
                 claims_from_templates: bool = True, provision_time: Duration = 0,
                 sample_interval: Duration = 0,
                 initial_backoff: Duration = 1, max_backoff: Duration = 10,
                 max_in_unschedulable: Duration = 300,
                 start: Union[str, datetime.datetime] = START) -> None:
        tie_breaking = ties_number(ties, seed)
        if not isinstance(workload, TimedWorkload):
            raise wrong("workload", "a TimedWorkload", workload)
        if frameworks is None:
            frameworks = [Framework()]
        elif isinstance(frameworks, Framework):
            frameworks = [frameworks]
        self._handle = _core.Simulation(
            [framework._handle for framework in frameworks], cluster._handle, workload._handle,
            tie_breaking, seed, sampling, resources, volumes, claims_from_templates,
            duration_ns(provision_time, "provision_time"),
            duration_ns(sample_interval, "sample_interval"), duration_ns(initial_backoff, "initial_backoff"),
            duration_ns(max_backoff, "max_backoff"),
            duration_ns(max_in_unschedulable, "max_in_unschedulable"),
            start.isoformat() if isinstance(start, datetime.datetime) else start)

    @property
    def now(self) -> float:
        """Seconds since the beginning."""
        return self._handle.now_ns / 1e9

    @checks_arguments
    def run(self, until: Duration | None = None, *,
            progress: Callable[[SimulationProgress], object] | None = None,
            cancel: Cancel | None = None) -> SimulationResult:
        """Runs until a time, or until all is quiet, and returns the results so far.

        It is quiet when all pods have arrived, no pod that runs will end, and the pods that are left
        have been tried in vain. It can be called again to continue.

        Parameters
        ----------
        until : float or timedelta, optional
            Since the beginning. A workload with a CronJob is never quiet, so it needs one.
        progress : callable, optional
            Gets a `SimulationProgress` now and then; False ends the run. It must not use the
            simulation.
        cancel : Cancel, optional

        Raises
        ------
        CancelledError
            `progress` returned False, or `cancel` was set.
        InvalidError
            `until` is negative, or is missing though the workload has a CronJob.
        """
        end = -1 if until is None else duration_ns(until, "until")
        if until is not None and end < 0:
            raise InvalidError("the time to run to is negative")

        def tell(now_ns: int, *counts: int) -> object:
            assert progress is not None
            return progress(SimulationProgress(now_ns / 1e9, *counts))

        self._handle.run(end, handle_of(cancel), None if progress is None else tell)
        return self.result()

    def result(self) -> SimulationResult:
        """Returns the results so far."""
        return SimulationResult(
            json.loads(self._handle.summary()),
            {name: ResultTable(name, self._handle.table(name)) for name in TABLES})

    def __repr__(self) -> str:
        return f"<Simulation at {self.now:,.3f} s>"
