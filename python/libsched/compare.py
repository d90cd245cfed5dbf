"""Compare: where the same pods go under two configurations, or in two states of a cluster."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from . import _core
from ._arguments import names_arguments
from ._durations import timeout_ns
from ._evaluators import Judge, taken_by
from ._html import escaped, grid
from ._ties import ties_number
from .cancel import Cancel, handle_of
from .cluster import Cluster
from .daemons import daemon_pods
from .data_table import DataTable, Tabular, table_of
from .objects import Pod, Workload, _wrap_pod
from .placement import OUTCOMES, Outcome
from .replicas import Replicas
from .utilisation import Use


@dataclasses.dataclass(frozen=True, slots=True)
class ComparedOutcome:
    """What became of a pod on one side.

    Attributes
    ----------
    outcome : {"placed", "unschedulable", "gated", "refused", "bound", "kept", "ended", "error"}
    node : str
        The pod's node, if it has one.
    text : str
        Why it was not placed.
    plugin : str
        The plugin that rejected it, if a single one did.
    profile : str
        The profile that judged it.
    """

    outcome: Outcome
    node: str
    text: str
    plugin: str
    profile: str


@dataclasses.dataclass(frozen=True, slots=True)
class ComparedPod:
    """A pod on both sides; None on a side that does not have it.

    `changed` says whether its node differs, having none included, or a side lacks the pod.
    """

    pod: Pod
    changed: bool
    before: ComparedOutcome | None
    after: ComparedOutcome | None

    @property
    def reason(self) -> str:
        """Why the pod has no node, after or else before; otherwise empty."""
        for side in (self.after, self.before):
            if side is not None and not side.node:
                return side.text
        return ""


@dataclasses.dataclass(frozen=True, slots=True)
class UseOfNodes:
    """The nodes of one side of a comparison, after its pods are placed.

    A node is in use if it has a pod that is neither static nor of a DaemonSet.

    Attributes
    ----------
    nodes, nodes_in_use : int
    empty : tuple of str
        The names of the nodes that are not in use.
    resources : dict of str to Use
        The sums over all nodes.
    resources_in_use : dict of str to Use
        The sums over the nodes in use.
    """

    nodes: int
    nodes_in_use: int
    empty: tuple[str, ...]
    resources: Mapping[str, Use]
    resources_in_use: Mapping[str, Use]


@dataclasses.dataclass(frozen=True)
class Comparison(Tabular):
    """Where pods go on two sides. Made by `libsched.compare`.

    Attributes
    ----------
    pods : tuple of ComparedPod
        In the order in which they were placed before, then those that only the side after has.
    before, after : UseOfNodes
        The nodes of the sides, with the pods that were placed there.
    """

    pods: tuple[ComparedPod, ...]
    before: UseOfNodes
    after: UseOfNodes
    _use: tuple[Mapping[str, Any], Mapping[str, Any]] = dataclasses.field(repr=False)

    @property
    def changed(self) -> list[ComparedPod]:
        """The pods whose node differs, or which one side lacks."""
        return [one for one in self.pods if one.changed]

    @property
    def counts(self) -> Counter[str]:
        """How many pods "stay", have "moved" to another node, have "gained" or "lost" a node, "wait"
        on both sides, and are "new" or "gone" because one side lacks them."""
        return Counter(kind_of(one) for one in self.pods)

    @property
    def headline(self) -> str:
        """A line like ``12 pods: 9 stay, 2 moved, 1 gained``."""
        counts = self.counts
        told = ", ".join(f"{counts[kind]:,} {kind}" for kind in KINDS if counts[kind])
        return f"{len(self.pods):,} pod{'s' * (len(self.pods) != 1)}" + (f": {told}" if told else "")

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as plain data."""
        return {"counts": {kind: self.counts[kind] for kind in KINDS if self.counts[kind]},
                "before": dict(self._use[0]), "after": dict(self._use[1]),
                "pods": [_plain(one) for one in self.pods]}

    def table(self) -> DataTable:
        """Returns a table of the pods: ``namespace``, ``name``, ``change`` as in `counts`, ``node_before``, ``node_after``,
        ``outcome_before``, ``outcome_after`` and ``reason``.
        """
        sides = ("node_before", "node_after", "outcome_before", "outcome_after")
        return table_of(["namespace", "name", "change", *sides, "reason"], (
            [one.pod.namespace, one.pod.name, kind_of(one),
             *(side and side.node or None for side in (one.before, one.after)),
             *(side and side.outcome for side in (one.before, one.after)), one.reason or None] for one in self.pods))

    @property
    def uses(self) -> dict[str, tuple[Use, Use]]:
        """The use of each resource on the nodes in use, before and after."""
        before, after = self.before.resources_in_use, self.after.resources_in_use
        return {name: (before.get(name, Use(0, 0)), after.get(name, Use(0, 0)))
                for name in dict.fromkeys([*before, *after])}

    @property
    def use_text(self) -> str:
        """A line like ``nodes in use 41 -> 12, cpu of used nodes 41% -> 96%``."""
        told = [f"nodes in use {_change(f'{self.before.nodes_in_use:,}', f'{self.after.nodes_in_use:,}')}"]
        for resource, sides in self.uses.items():
            if any(side.requested for side in sides):
                told.append(f"{resource} of used nodes {_change(*(f'{side.share:.0%}' for side in sides))}")
        return ", ".join(told)

    def __repr__(self) -> str:
        return f"<Comparison {self.headline}>"

    def _repr_html_(self) -> str:
        changed = self.changed
        rows = ([one.pod.key, node_text(one.before), node_text(one.after), one.reason] for one in changed)
        return f"<p><b>{escaped(self.headline)}</b></p><p>{escaped(self.use_text)}</p>" + grid(
            ["pod", "before", "after", "why"], rows, len(changed), "pods that changed")


#: What may become of a pod from one side to the other.
KINDS = ("stay", "moved", "gained", "lost", "wait", "new", "gone")


def _change(before: str, after: str) -> str:
    return before if before == after else f"{before} -> {after}"


def kind_of(one: ComparedPod) -> str:
    """Returns what has become of a pod, one of `KINDS`."""
    if one.before is None or one.after is None:
        return "new" if one.before is None else "gone"
    before, after = one.before.node, one.after.node
    if before == after:
        return "stay" if before else "wait"
    return "moved" if before and after else "gained" if after else "lost"


def node_text(side: ComparedOutcome | None) -> str:
    """Returns a node's name, or why there is none, in a word."""
    return "(absent)" if side is None else side.node or f"({side.outcome})"


@names_arguments
def compare(before: Cluster, after: Cluster, pods: Iterable[Pod | Workload],
            frameworks_before: Sequence[Judge], frameworks_after: Sequence[Judge] | None = None, *,
            pods_after: Iterable[Pod | Workload] | None = None, all: bool = False,
            other_profile: str = "", other_profile_after: str | None = None,
            claims_from_templates: bool = True,
            ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
            timeout: float | None = None, cancel: Cancel | None = None) -> Comparison:
    """Compares where pods go on two sides: two states of a cluster, or two configurations.

    The pods are placed in order on each side, as by `libsched.schedule`. Nothing changes.

    Parameters
    ----------
    before, after : Cluster
        They may be the same.
    pods : iterable of Pod and Workload
        A workload stands for its replicas.
    frameworks_before, frameworks_after : sequence of Framework
        One for each profile. By default those of both sides are the same.
    pods_after : iterable of Pod and Workload, optional
        The pods of the other side, if they differ. Pods are the same if namespace and name are.
    all : bool
        Also place all pods of the clusters, before the others, without their nodeName, on nodes that
        are empty but for static pods: by priority, the highest first, then by creation.
    other_profile, other_profile_after, claims_from_templates, ties, seed
        As for `libsched.schedule`.
    timeout, cancel
        As for `Framework.fit`, for each side.

    Raises
    ------
    DeadlineExceeded, CancelledError
        `timeout` has passed, or `cancel` has been set.
    MisuseError
        No framework is given, or two of one profile.
    """
    tie_breaking = ties_number(ties, seed)
    limit = timeout_ns(timeout)
    listed = list(pods)
    listed_after = listed if pods_after is None else list(pods_after)
    made = _core.Comparison()
    for is_after, cluster, handles, name, frameworks, other in (
            (False, before, _handles(before, listed), "frameworks_before", frameworks_before, other_profile),
            (True, after, _handles(after, listed_after), "frameworks_after",
             frameworks_before if frameworks_after is None else frameworks_after,
             other_profile if other_profile_after is None else other_profile_after)):
        with taken_by(frameworks, cluster, name) as evaluators:
            made.place(is_after, evaluators, handles, all,
                       tie_breaking, seed, claims_from_templates, other, limit, handle_of(cancel))
    said = json.loads(made.use_json(False)), json.loads(made.use_json(True))
    return Comparison(tuple(
        ComparedPod(_wrap_pod(pod), changed, _outcome(old), _outcome(new))
        for pod, changed, old, new in made.pods()), _use_of(said[0]), _use_of(said[1]), said)


def _use_of(said: Mapping[str, Any]) -> UseOfNodes:
    return UseOfNodes(
        said["nodes"], said["nodesInUse"], tuple(said["emptyNodes"]),
        {one["resource"]: Use(one["allocatable"], one["requested"]) for one in said["resources"]},
        {one["resource"]: Use(one["allocatableInUse"], one["requestedInUse"]) for one in said["resources"]})


def _handles(cluster: Cluster, pods: Iterable[Pod | Workload]) -> list[_core.Pod]:
    handles = []
    for one in pods:
        if isinstance(one, Workload) and one.kind == "DaemonSet":
            handles += [pod._handle for pod in daemon_pods(cluster, one)]
        elif isinstance(one, Workload):
            maker = Replicas(one)
            handles += [maker.make(index)._handle for index in range(one.replicas)]
        else:
            handles.append(one._handle)
    return handles


def _outcome(side: tuple[int, str, str, str, str] | None) -> ComparedOutcome | None:
    return None if side is None else ComparedOutcome(OUTCOMES[side[0]], *side[1:])


def _plain(one: ComparedPod) -> dict[str, Any]:
    line: dict[str, Any] = {"pod": one.pod.key, "change": kind_of(one)}
    for name, side in (("before", one.before), ("after", one.after)):
        if side is not None:
            line[name] = {key: value for key, value in dataclasses.asdict(side).items() if value}
    return line
