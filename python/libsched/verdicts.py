"""Verdicts: the answer of a profile about a pod and every node, as plain data."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union

from . import _core
from ._arguments import names_arguments
from ._near import hint
from .errors import PluginError, NotFoundError
from .objects import Pod
from .scores import Scores
from .status import NO_REASON, Code, Status, status_of


#: A fact behind a reason: "reason" and the fields of its plugin.
Fact = dict[str, Union[int, bool, str, list[str]]]


@dataclasses.dataclass(frozen=True, slots=True)
class NodeVerdict:
    """The verdict on a node.

    Attributes
    ----------
    node : str
        The name of the node.
    status : Status
        The status of Filter, or that of PreFilter if it excluded the node.
    by_pre_filter : bool
        Whether PreFilter excluded the node.
    facts : tuple of dict
        What is behind each reason, such as ``{"reason": "Insufficient cpu", "resource": "cpu",
        "requested": 2000, "used": 3500, "free": 500, "allocatable": 4000}``; a reason has one or
        several. Amounts of cpu are in thousandths of a core, those of memory and storage in bytes;
        docs/facts.md lists the fields of each plugin. Empty unless `Framework.fit` was asked for
        them; plugins that are not part of the library give none.
    """

    node: str
    status: Status
    by_pre_filter: bool = False
    facts: tuple[Fact, ...] = dataclasses.field(default=(), hash=False)

    @property
    def fits(self) -> bool:
        return self.status.is_success


@names_arguments
class Verdicts:
    """The verdicts of a profile on a pod, by node, with statuses, reasons and scores.

    The base of `FitResult`, which adds texts and tables.
    """

    def __init__(self, decision: _core.Decision, pod: Pod, profile: str,
                 plugins: Mapping[str, Sequence[tuple[str, int]]]) -> None:
        self._decision = decision
        self._plugins = plugins
        self._details: dict[str, Any] | None = None
        self._verdicts: dict[str, NodeVerdict] | None = None
        self._scores: Scores | None = None
        #: The pod.
        self.pod = pod
        #: The scheduler name of the profile that judged.
        self.profile = profile
        #: The names of the nodes that take the pod, sorted.
        self.nodes: list[str] = decision.feasible()

    @property
    def fits(self) -> bool:
        """Whether any node takes the pod. A gated pod fits nowhere."""
        return bool(self.nodes) and self._is_plain

    @property
    def pre_enqueue(self) -> Status | None:
        """The status that keeps the pod out of the queue, such as a gate; None if it passes."""
        return None if self._is_plain else _status(self.to_dict().get("preEnqueue"))

    @property
    def pre_filter(self) -> Status | None:
        """The status of PreFilter; None if it did not run."""
        return _status(self.to_dict().get("preFilter"))

    @property
    def pod_facts(self) -> tuple[Fact, ...]:
        """The facts of a rejection of the pod as a whole, by PreEnqueue or PreFilter.

        They are as `NodeVerdict.facts`.
        """
        return self._decision.facts(self._decision.node_count)

    @property
    def error(self) -> str:
        """The reason why there are no verdicts, such as a failed plugin; empty if there are."""
        return "" if self._is_plain else str(self.to_dict().get("error", ""))

    @property
    def fit_error(self) -> str:
        """Upstream's message: ``0/5 nodes are available: ...``; empty if the pod fits."""
        return self._decision.fit_error

    @property
    def preemption(self) -> dict[str, Any] | None:
        """The answer of DefaultPreemption, in the form that the C API documents for its JSON.

        It has ``nominatedNode`` and ``victims`` if pods have to leave a node for this one. None if
        PostFilter did not run: `Framework.fit` runs it on demand and if no node takes the pod.
        """
        return self.to_dict().get("preemption")

    @property
    def scores(self) -> Scores | None:
        """The scores of `nodes`; None without `Framework.score`, or if no node fits.

        Raises
        ------
        PluginError
            Scoring failed because a plugin answered with an Error: see `score_error`.
        """
        if self._scores is None:
            if self.score_error:
                raise PluginError(f"there are no scores: {self.score_error}")
            table = self._decision.scores()
            self._scores = None if table is None else Scores(table, self.nodes)
        return self._scores

    @property
    def score_error(self) -> str:
        """Upstream's text if scoring failed; otherwise empty."""
        return self._decision.score_error

    @property
    def skipped_scores(self) -> list[str]:
        """The plugins whose Score was skipped, sorted by name."""
        return self._decision.skip_score()

    @property
    def best(self) -> list[str]:
        """The nodes with the highest total score, sorted; empty if there are no scores."""
        return self._decision.best()

    @property
    def codes(self) -> memoryview:
        """The codes of the filtered nodes, in the order of their names, without a copy.

        ``numpy.asarray(result.codes)`` makes no copy, either. Nodes that PreFilter excluded were
        not filtered.
        """
        return memoryview(self._decision.codes())

    @property
    def node_count(self) -> int:
        """The number of nodes that the result is about."""
        return self._decision.total

    @property
    def reasons(self) -> Counter[str]:
        """The number of nodes that each reason excludes. A node may have several reasons.

        Those of a plugin that gives no reason count as ``(no reason given)``.
        """
        total: Counter[str] = Counter()
        for (_, reason), count in self.reasons_by_plugin.items():
            total[reason] += count
        return total

    @property
    def reasons_by_plugin(self) -> Counter[tuple[str, str]]:
        """The number of nodes that each pair (plugin, reason) excludes."""
        return Counter((verdict.status.plugin, reason) for verdict in self
                       if not verdict.fits for reason in verdict.status.reasons or (NO_REASON,))

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as plain data, in the form that the C API documents for its JSON."""
        if self._details is None:
            details: dict[str, Any] = json.loads(self._decision.explain())
            self._details = details
        return self._details

    def filter_plugins(self) -> list[tuple[str, bool]]:
        """Returns the Filter plugins in their order, each with whether it was skipped."""
        skipped = set(self.to_dict().get("preFilter", {}).get("skipFilter", ()))
        return [(name, name in skipped) for name, _ in self._plugins.get("filter", ())]

    def score_plugins(self) -> list[tuple[str, int]]:
        """Returns the Score plugins in their order with their weights, skipped ones included."""
        return list(self._plugins.get("score", ()))

    def __getitem__(self, node: str) -> NodeVerdict:
        try:
            return self._table()[node]
        except KeyError:
            raise NotFoundError(f'no node "{node}" was judged', hint=lambda: hint(node, self._table())) from None

    def __contains__(self, node: object) -> bool:
        return node in self._table()

    def __iter__(self) -> Iterator[NodeVerdict]:
        return iter(self._table().values())

    def __len__(self) -> int:
        return len(self._table())

    def __bool__(self) -> bool:
        return self.fits

    @property
    def _is_plain(self) -> bool:
        """Whether PreEnqueue passed and no plugin failed; cheaper than `to_dict`."""
        return self._decision.plain and bool(self._decision.node_count)

    def _table(self) -> dict[str, NodeVerdict]:
        if self._verdicts is None:
            self._verdicts = {
                node: NodeVerdict(node, status_of((code, plugin, reasons)), facts=facts)
                for node, code, plugin, reasons, facts in self._decision.verdicts()}
            if self._decision.absent:
                self._verdicts.update(self._ruled_out(self._decision.absent))
                self._verdicts = dict(sorted(self._verdicts.items()))
        return self._verdicts

    def _ruled_out(self, names: list[str]) -> dict[str, NodeVerdict]:
        """Returns the verdicts on nodes that PreFilter excluded, in upstream's words."""
        status = self.pre_filter
        if status is None:
            return {}
        if status.is_success:
            by = self.to_dict()["preFilter"].get("restrictedBy", [])
            status = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ", ".join(by),
                            (f"node(s) didn't satisfy plugin(s) [{' '.join(by)}]",))
        facts = tuple(fact for fact in self.pod_facts if fact["reason"] in status.reasons)
        return {name: NodeVerdict(name, status, True, facts) for name in names}


def _status(entry: dict[str, Any] | None) -> Status | None:
    if entry is None:
        return None
    return Status(Code.of(entry["code"]), entry.get("plugin", ""), tuple(entry.get("reasons", ())))
