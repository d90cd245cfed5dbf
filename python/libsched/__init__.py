"""libsched: the Kubernetes scheduling framework as a library.

Does this pod fit, on which nodes, and why not on the others? The verdicts and reasons are those of
kube-scheduler, of the release `k8s_version` or another one; no running cluster is needed.

>>> import libsched
>>> cluster = libsched.Cluster({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "a"},
...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
>>> scheduler = libsched.Framework()
>>> scheduler.fit(cluster, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web"},
...     "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}})
<FitResult default/web: fits 1 of 1 node>

The names that matter most; ``help(libsched.Cluster)`` and so on tell more:

==============  ================================================================================
`Cluster`       nodes, pods and other objects; loads dumps; `fork`, `edit`, `nodes`, `pods`
`Framework`     a scheduler's profile; `fit`, `why`, `schedule`, `capacity`, `drain`, `score`
`FitResult`     the answer of `fit` and `score`: nodes, reasons, scores, tables
`Pod`, `Node`   parsed objects; `labels`, `requests`, `allocatable`, `replace`, `copies`
`Objects`       all objects of some documents
`plugin`        makes a plugin of a class; `Plugin` describes its methods
`sweep`         many what-ifs of one cluster, on threads, processes or Dask
`Scheduler`     a whole scheduler with its queue; `ApiServer` is an API server in memory
`Simulation`    a scheduler on a virtual clock, with a workload that arrives over time
`Sim`           a simulated cluster for very many questions: unnamed pods, numpy arrays, packing
==============  ================================================================================

`libsched.testing` helps to test plugins, `libsched.report` makes HTML pages, `libsched.cel` tests
selectors of devices.

All other names, by what they are for:

- Functions: `why`, `schedule`, `capacity`, `drain`, `compare`, `compare_releases`, `daemon_pods`, `missing_claims`, `pod_with_claims`, `admit`, `schedule_one`;
  `k8s_version`.
- Answers: `NodeVerdict`, `Status`, `Code`, `Scores`, `PluginScore`, `CycleResult`, `Placement`, `Placements`,
  `Capacity`, `Drain`, `DrainedPod`, `Comparison`, `ComparedPod`, `ComparedOutcome`, `ReleaseChange`, `DataTable`,
  `Why`, `NearNode`, `Lack`, `Suggestion`, `Admitted`, `Remark`.
- Clusters: `Edited`, `Snapshot`, `Fork`, `View`, `NodeInfo`, `Columns`, `Workload`, `Taint`, `Config`, `Scenario`, `Release`.
- Plugins: `Plugin`, `RemotePlugin`, `LentNode`, `NodeSet`, `CycleState`, `PreFilterResult`, `NodeStatuses`, `FirstFit`,
  `ClusterEvent`, `Action`, `ObjectChange`, `JSON`.
- Schedulers: `ApiServer`, `ApiClient`, `Services`, `Clock`, `Cancel`, `Queue`, `QueueCounts`, `QueuedPod`,
  `WaitingPod`, `Nomination`, `NominatingMode`, `Attempt`, `WriterQueue`, `SchedulerObserver`, `LogRecord`.
- Simulated clusters: `Catalog`, `SimVerdict`, `Stage`, `Hit`, `Placed`, `Packing`, `Ring`.
- Simulations: `TimedWorkload`, `SimulationResult`, `SimulationProgress`, `ResultTable`, `ResourceUse`,
  `Waits`.
- Errors: `Error` is the base of `InvalidError`, `NotFoundError`, `ExistsError`, `UnsupportedError`,
  `PluginError`, `FileError`, `LimitError`, `StateError`, `StaleError`, `MisuseError`, `NoMemoryError`,
  `BufferSizeError`, `CancelledError`, `DeadlineExceeded`, `InternalError`; `InputWarning` warns.

Sources of objects are paths, documents (JSON or YAML), dicts, objects of a Kubernetes client, and
iterables of all these.
"""

from ._core import k8s_version as _k8s_version
from ._core import version as _version
from ._filtering import PreFilterResult
from ._scheduling import FirstFit
from .admission import Admitted, Remark, admit
from .api_server import ApiServer
from .attempt import Attempt, WriterQueue, schedule_one
from .cancel import Cancel
from .capacity import Capacity, capacity
from .catalog import Catalog
from .claims import missing_claims, pod_with_claims
from .cluster import Cluster, Edited, Snapshot
from .columns import Columns
from .compare import ComparedOutcome, ComparedPod, Comparison, compare
from .config import Config
from .daemons import daemon_pods
from .data_table import DataTable
from .drain import Drain, DrainedPod, drain
from .errors import (
    BufferSizeError,
    CancelledError,
    DeadlineExceeded,
    Error,
    ExistsError,
    FileError,
    InputWarning,
    InternalError,
    InvalidError,
    LimitError,
    MisuseError,
    NoMemoryError,
    NotFoundError,
    PluginError,
    StaleError,
    StateError,
    UnsupportedError,
)
from .events import JSON, Action, ClusterEvent, ObjectChange
from .fit import FitResult
from .fork import Fork
from .framework import Framework
from .nodes import LentNode, NodeSet
from .objects import Node, Objects, Pod, Taint, Workload
from .pending import Lack, NearNode, Suggestion, Why, why
from .placement import Placement, Placements, schedule
from .plugins import Plugin, plugin
from .queue import Queue, QueueCounts, QueuedPod
from .release_changes import ReleaseChange, compare_releases
from .releases import Release
from .remote import RemotePlugin
from .scheduler import ApiClient, LogRecord, Scheduler, SchedulerObserver
from .scores import CycleResult, PluginScore, Scores
from .services import Clock, Nomination, NominatingMode, Services, WaitingPod
from .sim import Sim
from .sim_answers import Hit, Packing, Placed, Ring, SimVerdict, Stage
from .simulation import ResourceUse, Simulation, SimulationProgress, SimulationResult, Waits
from .state import CycleState
from .status import Code, Status
from .statuses import NodeStatuses
from .sweeps import Scenario, sweep
from .tables import ResultTable
from .verdicts import NodeVerdict
from .view import NodeInfo, View
from .workload import TimedWorkload

__version__: str = _version()
#: The version of Kubernetes whose semantics apply.
k8s_version: str = _k8s_version()

__all__ = [
    "Action",
    "Admitted",
    "ApiClient",
    "ApiServer",
    "Attempt",
    "BufferSizeError",
    "Cancel",
    "CancelledError",
    "Capacity",
    "Catalog",
    "Clock",
    "Cluster",
    "ClusterEvent",
    "Code",
    "Columns",
    "ComparedOutcome",
    "ComparedPod",
    "Comparison",
    "Config",
    "CycleResult",
    "CycleState",
    "DataTable",
    "DeadlineExceeded",
    "Drain",
    "DrainedPod",
    "Edited",
    "Error",
    "ExistsError",
    "FileError",
    "FirstFit",
    "FitResult",
    "Fork",
    "Framework",
    "Hit",
    "InputWarning",
    "InternalError",
    "InvalidError",
    "JSON",
    "Lack",
    "LentNode",
    "LimitError",
    "LogRecord",
    "MisuseError",
    "NearNode",
    "NoMemoryError",
    "Node",
    "NodeInfo",
    "NodeSet",
    "NodeStatuses",
    "NodeVerdict",
    "NominatingMode",
    "Nomination",
    "NotFoundError",
    "ObjectChange",
    "Objects",
    "Packing",
    "Placed",
    "Placement",
    "Placements",
    "Plugin",
    "PluginError",
    "PluginScore",
    "Pod",
    "PreFilterResult",
    "Queue",
    "QueueCounts",
    "QueuedPod",
    "Release",
    "ReleaseChange",
    "RemotePlugin",
    "Remark",
    "ResourceUse",
    "ResultTable",
    "Ring",
    "Scenario",
    "Scheduler",
    "SchedulerObserver",
    "Scores",
    "Services",
    "Sim",
    "SimVerdict",
    "Simulation",
    "SimulationProgress",
    "SimulationResult",
    "Snapshot",
    "Stage",
    "StaleError",
    "StateError",
    "Status",
    "Suggestion",
    "Taint",
    "TimedWorkload",
    "UnsupportedError",
    "View",
    "WaitingPod",
    "Waits",
    "Why",
    "Workload",
    "WriterQueue",
    "admit",
    "capacity",
    "compare",
    "compare_releases",
    "daemon_pods",
    "drain",
    "k8s_version",
    "missing_claims",
    "plugin",
    "pod_with_claims",
    "schedule",
    "schedule_one",
    "sweep",
    "why",
]

# Type checkers know the names by now. With `__all__`, help(libsched) would print all of their classes.
del __all__
