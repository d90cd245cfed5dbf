"""Why: what keeps a pod from its node, and what would help."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._amounts import amounts
from ._arguments import names_arguments, whole
from ._durations import timeout_ns
from ._evaluators import Judge, taken_by
from ._facts import fact_text
from ._html import escaped
from ._sources import Source
from .cancel import Cancel, handle_of
from .cluster import Cluster
from .data_table import DataTable, Tabular, table_of
from .errors import InvalidError
from .objects import Pod, Workload
from .placement import pod_of, wanted_of
from .status import NO_REASON


@dataclasses.dataclass(frozen=True, slots=True)
class Lack:
    """A plugin's rejection of a node, as if the other plugins accepted it.

    Attributes
    ----------
    plugin : str
    reasons : tuple of str
        As upstream gives them.
    facts : tuple of dict
        The numbers, names and labels behind the reasons (docs/facts.md).
    """

    plugin: str
    reasons: tuple[str, ...]
    facts: tuple[Mapping[str, Any], ...]

    @property
    def told(self) -> str:
        """The facts in words; empty if there are none."""
        return "; ".join(text for text in (fact_text(fact) for fact in self.facts) if text)

    def __str__(self) -> str:
        told = self.told
        return (", ".join(self.reasons) or NO_REASON) + (f" ({told})" if told else "")


@dataclasses.dataclass(frozen=True, slots=True)
class NearNode:
    """A node that few plugins reject, with all of their rejections.

    Attributes
    ----------
    node : str
    shortage : float
        The sum over resources of the part of the request that is not free.
    lacks : tuple of Lack
    """

    node: str
    shortage: float
    lacks: tuple[Lack, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Suggestion:
    """A change with which the pod fits, and with one step less of which it does not.

    Attributes
    ----------
    kind : str
        "AddNodes", "Uncordon", "SelectedNode", "SpreadTaints", "Tolerate", "TolerateDevice",
        "NodeSelector", "NodeAffinity", "PodAffinity", "PodAntiAffinity", "TopologySpread" or
        "LessResource".
    subject : str
        The node to copy or to uncordon, the claim, the taint, the key, or the resource.
    text : str
        What to do, such as ``add 2 nodes like gpu-1``.
    edit : str
        The same for `Cluster.edit`; empty where no edit can do it.
    nodes : int
        How many nodes would take the pod.
    node : str
        The first of them by name.
    container : str
        Of "LessResource", unless it is the pod's only one.
    amounts : tuple of (int, int, int), optional
        From, to and step: of "AddNodes" nodes; of "LessResource" what is requested and what fits, cpu
        in thousandths.
    alike : tuple of str
        Of "AddNodes" and "Uncordon", further nodes of the same kind of machine for which the same
        helps.
    """

    kind: str
    subject: str
    text: str
    edit: str
    nodes: int
    node: str
    container: str
    amounts: tuple[int, int, int] | None
    alike: tuple[str, ...] = ()

    @property
    def others(self) -> str:
        """Which further nodes the same is true of, in words; empty if there are none."""
        if not self.alike:
            return ""
        more = f" and {len(self.alike) - 1:,} more" if len(self.alike) > 1 else ""
        return f"or {self.alike[0]}{more}"


@dataclasses.dataclass(frozen=True, slots=True)
class Beyond:
    """A resource of which the pod asks more than any node has.

    Attributes
    ----------
    resource : str
    requested, largest : int
        What the pod asks for, and the most that a node has; cpu in thousandths.
    node : str
        The node that has the most; empty if no node has any.
    """

    resource: str
    requested: int
    largest: int
    node: str

    def __str__(self) -> str:
        asked, largest = amounts(self.resource, self.requested, self.largest)
        most = f" (the largest: {largest}, {self.node})" if self.node else ""
        return f"no node has {asked} {self.resource}{most}"


@dataclasses.dataclass(frozen=True)
class Why(Tabular):
    """All about a pod that waits. Made by `Framework.why` and `libsched.why`.

    Attributes
    ----------
    pod : Pod
    fits : int
        The number of nodes that take the pod; then nothing is suggested.
    text : str
        Upstream's message; empty if the pod fits.
    gate : Lack or None
        What keeps the pod out of the queue.
    reasons : tuple of (int, str, str)
        How many nodes, which plugin, which reason: each node by the first plugin that rejects it.
    plugins : dict of str to int
        How many nodes each plugin rejects by itself.
    pre_filter : Lack or None
        Why PreFilter rejects the pod on all nodes, or fails.
    nearest : tuple of NearNode
        The nodes that the fewest plugins reject; after an error of a plugin, nodes where it failed.
    beyond : tuple of Beyond
    unbound_claims : tuple of str
        The pod's claims that get a volume once a scheduler has chosen its node; of a pod whose ``nodeName``
        was set by hand they never do.
    preemption : dict or None
        What preemption would do: "nominatedNode" and "victims" where it can make room, with the number
        of victims that violate a PodDisruptionBudget ("numPDBViolations"), and these "budgets".
    suggestions : tuple of Suggestion
    """

    pod: Pod
    _said: Mapping[str, Any] = dataclasses.field(repr=False)

    @property
    def fits(self) -> int:
        return int(self._said["fits"])

    @property
    def text(self) -> str:
        return str(self._said.get("text", ""))

    @property
    def gate(self) -> Lack | None:
        return _lack(self._said["gate"]) if "gate" in self._said else None

    @property
    def pre_filter(self) -> Lack | None:
        return _lack(self._said["preFilter"]) if "preFilter" in self._said else None

    @property
    def beyond(self) -> tuple[Beyond, ...]:
        return tuple(Beyond(one["resource"], one["requested"], one["largest"], one.get("node", ""))
                     for one in self._said.get("beyond", ()))

    @property
    def unbound_claims(self) -> tuple[str, ...]:
        return tuple(self._said.get("unboundClaims", ()))

    @property
    def reasons(self) -> tuple[tuple[int, str, str], ...]:
        return tuple((one["nodes"], one["plugin"], one["reason"])
                     for one in self._said.get("reasons", ()))

    @property
    def plugins(self) -> dict[str, int]:
        return {one["plugin"]: one["nodes"] for one in self._said.get("plugins", ())}

    @property
    def nearest(self) -> tuple[NearNode, ...]:
        return tuple(NearNode(one["node"], one["shortage"], tuple(map(_lack, one["lacks"])))
                     for one in self._said.get("nearest", ()))

    @property
    def preemption(self) -> Mapping[str, Any] | None:
        return self._said.get("preemption")

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        return tuple(_suggestion(one) for one in self._said["suggestions"])

    @property
    def preemption_text(self) -> str:
        """A line about preemption; empty if it was not asked."""
        said = self.preemption
        if said is None:
            return ""
        if "nominatedNode" not in said:
            reasons = ", ".join(said.get("reasons", ["no reason"]))
            return "preemption makes no room: " + reasons.removeprefix("preemption: ")
        victims = said.get("victims", [])
        pods = f"{len(victims):,} pod{'s' * (len(victims) != 1)}"
        named = ", ".join(victims[:5]) + (", ..." if len(victims) > 5 else "")
        budgets = said.get("budgets", [])
        violated = (f"; that violates the PodDisruptionBudget{'s' * (len(budgets) != 1)} {', '.join(budgets)} "
                    f"({said['numPDBViolations']:,} pod{'s' * (said['numPDBViolations'] != 1)})") if budgets else ""
        return f"preemption would evict {pods} from {said['nominatedNode']}: {named}{violated}"

    @property
    def headline(self) -> str:
        """A line like ``default/web: fits none of 41 nodes``."""
        nodes = int(self._said["nodes"])
        if self.gate is not None:
            return f"{self.pod.key}: is not tried: {self.gate}"
        if self.fits:
            return f"{self.pod.key}: fits {self.fits:,} of {nodes:,} node{'s' * (nodes != 1)}"
        if not nodes:
            return f"{self.pod.key}: {self.text}"
        return f"{self.pod.key}: fits none of {nodes:,} node{'s' * (nodes != 1)}"

    def explain(self) -> str:
        """Returns a readable text."""
        lines = [self.headline]
        if self.pre_filter is not None:
            lines.append(f"  {self.pre_filter}")
        elif self.reasons:
            lines += ["does not fit:", *(f"  {count:,}  {plugin}  {reason}"
                                         for count, plugin, reason in self.reasons)]
        if self.nearest:
            lines.append("nearest:")
        for node in self.nearest:
            lines.append(f"  {node.node}")
            lines += [f"    {lack.plugin}: {lack}" for lack in node.lacks]
        lines += map(str, self.beyond)
        if self.preemption_text:
            lines.append(self.preemption_text)
        if self.suggestions:
            lines.append("it would fit, if you")
        lines += [f"  {one.text}{' ' * bool(one.others)}{one.others}  ({one.node}{_others(one.nodes)})"
                  for one in self.suggestions]
        if not self.fits and not self.suggestions and self.gate is None:
            lines.append("no single change helps")
        return "\n".join(lines)

    def table(self) -> DataTable:
        """Returns a table of the nearest nodes with a row for each plugin that rejects one: ``node``, ``plugin``, ``reasons``,
        and the numbers behind them in ``facts``.
        """
        return table_of(["node", "plugin", "reasons", "facts"], (
            [near.node, lack.plugin, ", ".join(lack.reasons) or NO_REASON, lack.told or None]
            for near in self.nearest for lack in near.lacks))

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as plain data, as `libsched_why_json()` writes it."""
        return dict(self._said)

    def __repr__(self) -> str:
        return f"<Why {self.headline}>"

    def _repr_html_(self) -> str:
        near = "".join(
            f"<tr><th style='text-align:left'>{escaped(node.node)}</th><td style='text-align:left'>"
            + "<br>".join(f"{escaped(lack.plugin)}: {escaped(str(lack))}" for lack in node.lacks)
            + "</td></tr>" for node in self.nearest)
        help_ = "".join(f"<li>{escaped(one.text)} {escaped(one.others)} ({escaped(one.node)}{_others(one.nodes)})</li>"
                        for one in self.suggestions)
        return (f"<p><b>{escaped(self.headline)}</b></p>"
                + (f"<table><thead><tr><th>nearest</th><th>lacks</th></tr></thead>"
                   f"<tbody>{near}</tbody></table>" if near else "")
                + "".join(f"<p>{escaped(str(one))}</p>" for one in self.beyond)
                + (f"<p>{escaped(self.preemption_text)}</p>" if self.preemption_text else "")
                + (f"<p>It would fit, if you</p><ul>{help_}</ul>" if help_ else ""))


def _others(nodes: int) -> str:
    return f" and {nodes - 1:,} more" if nodes > 1 else ""


def _lack(said: Mapping[str, Any]) -> Lack:
    return Lack(said.get("plugin", ""), tuple(said.get("reasons", ())), tuple(said.get("facts", ())))


def _suggestion(said: Mapping[str, Any]) -> Suggestion:
    amounts = (said["from"], said["to"], said["step"]) if "step" in said else None
    return Suggestion(said["kind"], said["subject"], said["text"], said.get("edit", ""),
                      said["nodes"], said["node"], said.get("container", ""), amounts,
                      tuple(said.get("alike", ())))


@names_arguments
def why(cluster: Cluster, pod: Source | Workload, frameworks: Sequence[Judge], *, max_nodes: int = 100,
        nearest: int = 5, other_profile: str = "", claims_from_templates: bool = True,
        timeout: float | None = None, cancel: Cancel | None = None) -> Why:
    """Finds out why a pod waits for a node, and what would help.

    Suggestions are found by trying: with each the pod fits, with one step less it does not. The
    cluster does not change.

    Parameters
    ----------
    cluster : Cluster
    pod
        A pod, or what makes one; a workload stands for its pod template.
    frameworks : sequence of Framework
        One for each profile; the pod's ``schedulerName`` chooses.
    max_nodes : int
        The most nodes that a suggestion may add; 0: none.
    nearest : int
        How many nodes to describe.
    other_profile, claims_from_templates
        As for `libsched.schedule`.
    timeout, cancel
        As for `Framework.fit`.

    Raises
    ------
    InvalidError
        There is no profile for the pod, or not one pod is given.
    CancelledError, DeadlineError
    MisuseError
        No framework is given, or two of one profile.
    """
    whole(max_nodes, "max_nodes", 0, (1 << 32) - 1)
    whole(nearest, "nearest", 1, (1 << 32) - 1)
    limit = timeout_ns(timeout)
    wanted = wanted_of(cluster, pod)
    if len(wanted) != 1:
        raise InvalidError(f"{len(wanted)} pods where one is expected")
    asked = pod_of(wanted[0])
    with taken_by(frameworks, cluster) as evaluators:
        said = _core.why_json(evaluators, asked._handle, max_nodes,
                              nearest, claims_from_templates, other_profile, limit, handle_of(cancel))
    return Why(asked, json.loads(said))
