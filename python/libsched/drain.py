"""Drain: what becomes of the pods of nodes that are emptied, as by ``kubectl drain``."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from . import _core
from ._arguments import items, names_arguments, text
from ._durations import timeout_ns
from ._evaluators import Judge, taken_by
from ._html import escaped, grid
from ._ties import ties_number
from .cancel import Cancel, handle_of
from .cluster import Cluster
from .data_table import DataTable, Tabular, table_of
from .objects import Pod, _wrap_pod

#: What becomes of a pod: "moved" and "pending" pods are evicted, and the pods in their stead find a
#: node or none; "deleted" pods are evicted and not replaced. The others stay: of a DaemonSet or
#: static ("stays"), refused without `force` or `delete_emptydir_data`, "blocked" by their
#: PodDisruptionBudget, or "kept" because another pod of the node is refused. "returned" pods are evicted,
#: and the pods in their stead go to a drained node, because a cordon does not keep them away.
DrainOutcome = Literal["moved", "pending", "deleted", "stays", "refused", "blocked", "kept", "returned"]

OUTCOMES: tuple[DrainOutcome, ...] = (
    "moved", "pending", "deleted", "stays", "refused", "blocked", "kept", "returned")


@dataclasses.dataclass(frozen=True, slots=True)
class DrainedPod:
    """What becomes of a pod of a drained node.

    Attributes
    ----------
    pod : Pod
    outcome : {"moved", "pending", "deleted", "stays", "refused", "blocked", "kept", "returned"}
    from_node : str
        The drained node.
    to_node : str
        The node of the pod in its stead, if it is "moved" or "returned"; otherwise empty.
    text : str
        Why, unless it is "moved".
    plugin : str
        The plugin that decided about a "pending" pod, if a single one did.
    budget : str
        The budget that blocks the pod, in its namespace; empty if several budgets select it.
    profile : str
        The profile that judged a "moved", "returned" or "pending" pod.
    """

    pod: Pod
    outcome: DrainOutcome
    from_node: str
    to_node: str
    text: str
    plugin: str
    budget: str
    profile: str

    def __bool__(self) -> bool:
        return self.outcome in ("moved", "deleted", "stays")


#: The fields of a pod in tables, where an empty text is None.
_TEXTS = ("from_node", "to_node", "text", "plugin", "budget", "profile")


@dataclasses.dataclass(frozen=True)
class Drain(Tabular):
    """What becomes of the pods of drained nodes. Made by `Framework.drain` and `libsched.drain`.

    A drain is true if every pod is moved, deleted or stays.

    Attributes
    ----------
    nodes : tuple of str
        The drained nodes, in order.
    pods : tuple of DrainedPod
        Their pods, node by node in the order of their evictions.
    complete : bool
        Whether every pod is moved, deleted or stays.
    """

    nodes: tuple[str, ...]
    pods: tuple[DrainedPod, ...]
    complete: bool

    @property
    def outcomes(self) -> Counter[str]:
        """The number of pods with each outcome."""
        return Counter(one.outcome for one in self.pods)

    @property
    def headline(self) -> str:
        """A line like ``2 nodes: 12 moved, 1 pending, 3 stays``."""
        counts = self.outcomes
        told = ", ".join(f"{counts[one]:,} {one}" for one in OUTCOMES if counts[one]) or "no pods"
        return f"{len(self.nodes):,} node{'s' * (len(self.nodes) != 1)}: {told}"

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as plain data."""
        return {"nodes": list(self.nodes), "complete": self.complete,
                "outcomes": {one: self.outcomes[one] for one in OUTCOMES if self.outcomes[one]},
                "pods": [_plain(one) for one in self.pods]}

    def table(self) -> DataTable:
        """Returns a table of the pods: ``namespace``, ``name``, and the fields of `DrainedPod`."""
        return table_of(["namespace", "name", "outcome", *_TEXTS], (
            [one.pod.namespace, one.pod.name, one.outcome, *(getattr(one, field) or None for field in _TEXTS)]
            for one in self.pods))

    def __bool__(self) -> bool:
        return self.complete

    def __repr__(self) -> str:
        return f"<Drain {self.headline}>"

    def _repr_html_(self) -> str:
        rows = ([one.pod.key, one.from_node, one.outcome, one.text or one.to_node] for one in self.pods)
        return f"<p><b>{escaped(self.headline)}</b></p>" + grid(
            ["pod", "from", "outcome", "to, or why"], rows, len(self.pods), "pods")


@names_arguments
def drain(cluster: Cluster, nodes: str | Iterable[str], frameworks: Sequence[Judge], *,
          force: bool = False, delete_emptydir_data: bool = False, other_profile: str = "",
          ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
          timeout: float | None = None, cancel: Cancel | None = None) -> Drain:
    """Finds out what ``kubectl drain`` would do to nodes, and where their pods would go.

    All nodes are cordoned first, with the taint that the node lifecycle controller adds, and then
    emptied in the given order. The pods of a node are evicted
    by priority, the highest first, then by namespace and name, as the eviction API allows: a
    PodDisruptionBudget counts down with each eviction, and never up. Once a pod is evicted, the pod
    that its controller makes in its stead is placed as by `libsched.schedule`; it keeps the name.
    The cluster does not change.

    Parameters
    ----------
    cluster : Cluster
    nodes : str or iterable of str
        The names of the nodes, or selectors of nodes as for `Cluster.edit`.
    frameworks : sequence of Framework
        One for each profile; a pod's ``schedulerName`` chooses.
    force : bool
        Evict pods that declare no controller. Nothing takes their place.
    delete_emptydir_data : bool
        Evict pods with emptyDir volumes.
    other_profile, ties, seed
        As for `libsched.schedule`.
    timeout, cancel
        As for `Framework.fit`, for all pods together.

    Raises
    ------
    NotFoundError
        There is no such node, or no node that a selector matches.
    InvalidError
        A node is given twice, or a selector is wrong.
    DeadlineExceeded, CancelledError
        `timeout` has passed, or `cancel` has been set.
    MisuseError
        No framework is given, or two of one profile.
    """
    tie_breaking = ties_number(ties, seed)
    limit = timeout_ns(timeout)
    names = (nodes,) if isinstance(nodes, str) else tuple(
        text(node, f"nodes[{index}]") for index, node in enumerate(items(nodes, "nodes", "names")))
    with taken_by(frameworks, cluster) as evaluators:
        complete, drained, pods = _core.drain_nodes(
            evaluators, names, force, delete_emptydir_data,
            tie_breaking, seed, other_profile, limit, handle_of(cancel))
    return Drain(tuple(drained), tuple(DrainedPod(_wrap_pod(pod), OUTCOMES[outcome], *more)
                              for pod, outcome, *more in pods), complete)


def _plain(one: DrainedPod) -> dict[str, Any]:
    line = {"pod": one.pod.key, "outcome": one.outcome, "from": one.from_node, "to": one.to_node,
            "text": one.text, "plugin": one.plugin, "budget": one.budget, "profile": one.profile}
    return {name: value for name, value in line.items() if value}
