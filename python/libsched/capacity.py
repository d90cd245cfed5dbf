"""Capacity: how many more pods fit, where, and why not one more."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from . import _core, _explain
from ._arguments import MOST, names_arguments, whole
from ._durations import timeout_ns
from ._evaluators import Judge, taken_by
from ._html import escaped, grid
from ._sources import Source
from ._ties import ties_number
from .cancel import Cancel, handle_of
from .cluster import Cluster
from .data_table import DataTable, Tabular
from .fit import FitResult
from .objects import Workload, _wrap_pod
from .placement import Placement, placement_of, pod_of, wanted_of

#: Why the count has ended. All but "stopped" mean that at least so many pods fit.
CapacityEnd = Literal["stopped", "maximum", "deadline", "cancelled"]

_ENDS: tuple[CapacityEnd, ...] = ("stopped", "maximum", "deadline", "cancelled")


@dataclasses.dataclass(frozen=True)
class Capacity(Tabular):
    """How many more pods fit. Made by `Framework.capacity` and `libsched.capacity`.

    A capacity is true if at least one pod fits.

    Attributes
    ----------
    count : int
        The number of pods that fit.
    end : {"stopped", "maximum", "deadline", "cancelled"}
        Why the count has ended: the next pod is not placed, or `count` is only a lower bound.
    counts : tuple of int
        The number of pods that fit by template, in the order of the templates.
    nodes : dict of str to int
        The number of pods by node, for all nodes, sorted by name.
    next : Placement or None
        The outcome of the next pod, with ``end`` "stopped".
    verdicts : FitResult or None
        The verdicts of all nodes about the next pod, on the full cluster, if it is unschedulable.
    """

    count: int
    end: CapacityEnd
    counts: tuple[int, ...]
    nodes: Mapping[str, int]
    next: Placement | None
    verdicts: FitResult | None

    @property
    def is_exact(self) -> bool:
        """Whether no further pod fits; otherwise `count` is a lower bound."""
        return self.end == "stopped"

    @property
    def headline(self) -> str:
        """A line like ``46 more pods fit``, or ``at least 1,000 more pods fit (maximum)``."""
        pods = f"{self.count:,} more pod{'s' * (self.count != 1)} fit{'s' * (self.count == 1)}"
        return pods if self.is_exact else f"at least {pods} ({self.end})"

    def explain(self) -> str:
        """Returns a readable text: the number of pods, the reasons against one more, the nodes."""
        return "\n".join(_explain.capacity(self.headline, self.next, self.verdicts, self.nodes))

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the verdicts as plain data, with the members of the command line's JSON."""
        line: dict[str, Any] = {"count": self.count, "end": self.end, "counts": list(self.counts),
                                "nodes": dict(self.nodes)}
        if self.next is not None:
            said = {"pod": self.next.pod.key, "outcome": self.next.outcome, "text": self.next.text}
            if self.next.plugin:
                said["plugin"] = self.next.plugin
            line["next"] = said
        if self.verdicts is not None:
            nearest = _explain.nearest(self.verdicts)
            line["reasons"] = [
                {"nodes": count, "plugin": plugin, "reason": reason,
                 **({"nearest": dict(zip(("node", "fact"), nearest[plugin, reason], strict=True))}
                    if (plugin, reason) in nearest else {})}
                for count, plugin, reason in _explain.reason_counts(self.verdicts)]
        return line

    def table(self) -> DataTable:
        """Returns a table of the nodes: ``node`` and ``pods``, the number that fits there."""
        return DataTable({"node": list(self.nodes), "pods": list(self.nodes.values())})

    def __bool__(self) -> bool:
        return self.count > 0

    def __repr__(self) -> str:
        return f"<Capacity {self.headline}>"

    def _repr_html_(self) -> str:
        head = f"<p><b>{escaped(self.headline)}</b></p>"
        if self.next is not None:
            head += f"<p>{escaped(self.next.outcome)}: {escaped(self.next.text)}</p>"
        ranked = _explain.ranked(self.nodes)
        return head + grid(["node", "pods"], ranked, len(ranked))


class CapacityJudge(Judge, Protocol):
    """What `capacity` needs of a `Framework`."""

    @property
    def profile(self) -> str: ...

    def _plugin_lists(self) -> Mapping[str, Sequence[tuple[str, int]]]: ...


@names_arguments
def capacity(cluster: Cluster, pods: Source | Workload, frameworks: Sequence[CapacityJudge], *,
             max: int = 1_000_000, other_profile: str = "", claims_from_templates: bool = True,
             ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
             timeout: float | None = None, cancel: Cancel | None = None) -> Capacity:
    """Counts how many more pods like these fit, as the tool cluster-capacity does.

    Copies of the pods are placed in rotation, as by `libsched.schedule`, until one is not placed.
    The cluster does not change.

    Parameters
    ----------
    cluster : Cluster
    pods
        Pods and workloads, or what makes them; a workload stands for its pod template. Their
        nodeName and status do not count.
    frameworks : sequence of Framework
        One for each profile; a pod's ``schedulerName`` chooses.
    max : int
        Stop at so many pods.
    other_profile, claims_from_templates, ties, seed
        As for `libsched.schedule`.
    timeout : float, optional
        Seconds after which the count ends. Methods of plugins are not interrupted.
    cancel : Cancel, optional
        Ends the count when another thread sets it.

    Raises
    ------
    InvalidError
        No pod is given, or `max` is not positive.
    MisuseError
        No framework is given, or two of one profile.
    """
    tie_breaking = ties_number(ties, seed)
    whole(max, "max", 1, MOST)
    limit = timeout_ns(timeout)
    wanted = wanted_of(cluster, pods)
    with taken_by(frameworks, cluster) as evaluators:
        end, count, counts, nodes, then, decision = _core.count_capacity(
            evaluators, [pod_of(one)._handle for one in wanted], max,
            tie_breaking, seed, claims_from_templates, other_profile, limit, handle_of(cancel))
    placement = None if then is None else placement_of(_wrap_pod(then[0]), *then[1:])
    verdicts = None
    if decision is not None and placement is not None:
        judge = next(one for one in frameworks if one.profile == placement.profile)
        verdicts = FitResult(decision, placement.pod, judge.profile, judge._plugin_lists())
    return Capacity(count, _ENDS[end], tuple(counts), nodes, placement, verdicts)
