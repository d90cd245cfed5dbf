"""Verdicts: what a profile says about a pod and each node, as data without any layout."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _core
from .errors import InternalError, NotFoundError
from .objects import Pod
from .scores import Scores
from .status import Code, Status, status_of


@dataclasses.dataclass(frozen=True, slots=True)
class NodeVerdict:
    """What was said about one node.

    Attributes
    ----------
    node : str
        Its name.
    status : Status
        What Filter said; or what PreFilter said, if the node was ruled out then.
    by_pre_filter : bool
        Whether PreFilter ruled the node out.
    """

    node: str
    status: Status
    by_pre_filter: bool = False

    @property
    def fits(self) -> bool:
        return self.status.is_success


class Verdicts:
    """The verdicts on a pod: a mapping from node to `NodeVerdict`, and what led to them.

    The base of `FitResult`, which adds the texts and tables.
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
        """Whether any node takes the pod now. A gated pod fits nowhere."""
        return bool(self.nodes) and self._is_plain

    @property
    def pre_enqueue(self) -> Status | None:
        """Why the pod is not even tried, such as scheduling gates; None if it is."""
        return None if self._is_plain else _status(self.to_dict().get("preEnqueue"))

    @property
    def pre_filter(self) -> Status | None:
        """What PreFilter said; None if it was not asked."""
        return _status(self.to_dict().get("preFilter"))

    @property
    def error(self) -> str:
        """Why there is no answer, such as a plugin that failed; empty if there is one."""
        return "" if self._is_plain else str(self.to_dict().get("error", ""))

    @property
    def fit_error(self) -> str:
        """Upstream's message: ``0/5 nodes are available: ...``; empty if the pod fits."""
        return self._decision.fit_error

    @property
    def preemption(self) -> dict[str, Any] | None:
        """What DefaultPreemption answered, in the form that the C API documents for its JSON.

        ``nominatedNode`` and ``victims`` are there if pods have to leave a node for this one. None
        if PostFilter did not run: `Framework.fit` runs it on demand, where no node takes the pod.
        """
        return self.to_dict().get("preemption")

    @property
    def scores(self) -> Scores | None:
        """The scores of `nodes`; None if they were not asked for, or no node fits.

        `Framework.score` asks for them.

        Raises
        ------
        InternalError
            Scoring failed, because a plugin answered with an Error: see `score_error`.
        """
        if self._scores is None:
            if self.score_error:
                raise InternalError(f"there are no scores: {self.score_error}")
            table = self._decision.scores()
            self._scores = None if table is None else Scores(table, self.nodes)
        return self._scores

    @property
    def score_error(self) -> str:
        """Upstream's text if scoring failed, otherwise empty."""
        return self._decision.score_error

    @property
    def skipped_scores(self) -> list[str]:
        """The plugins whose Score was skipped, sorted."""
        return self._decision.skip_score()

    @property
    def best(self) -> list[str]:
        """The nodes with the highest total score, sorted; empty if there are no scores."""
        return self._decision.best()

    @property
    def codes(self) -> memoryview:
        """The codes of the nodes that were judged, in the order of their names, without a copy.

        ``numpy.asarray(result.codes)`` makes none, either. Nodes that PreFilter ruled out were not
        judged.
        """
        return memoryview(self._decision.codes())

    @property
    def node_count(self) -> int:
        """How many nodes the question was about."""
        return self._decision.total

    @property
    def reasons(self) -> Counter[str]:
        """On how many nodes each reason stands in the way. A node may have several."""
        total: Counter[str] = Counter()
        for (_, reason), count in self.reasons_by_plugin.items():
            total[reason] += count
        return total

    @property
    def reasons_by_plugin(self) -> Counter[tuple[str, str]]:
        """The same for pairs (plugin, reason)."""
        return Counter((verdict.status.plugin, reason) for verdict in self
                       if not verdict.fits for reason in verdict.status.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, in the form that the C API documents for its JSON."""
        if self._details is None:
            details: dict[str, Any] = json.loads(self._decision.explain())
            self._details = details
        return self._details

    def filter_plugins(self) -> list[tuple[str, bool]]:
        """The Filter plugins in their order, each with whether PreFilter skipped it."""
        skipped = set(self.to_dict().get("preFilter", {}).get("skipFilter", ()))
        return [(name, name in skipped) for name, _ in self._plugins.get("filter", ())]

    def score_plugins(self) -> list[tuple[str, int]]:
        """The Score plugins in their order, each with its weight, skipped ones included."""
        return list(self._plugins.get("score", ()))

    def __getitem__(self, node: str) -> NodeVerdict:
        try:
            return self._table()[node]
        except KeyError:
            raise NotFoundError(f'no node "{node}" was judged') from None

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
        """Whether the pod was tried and no plugin failed, known without all the details."""
        return self._decision.plain and bool(self._decision.node_count)

    def _table(self) -> dict[str, NodeVerdict]:
        if self._verdicts is None:
            self._verdicts = {
                node: NodeVerdict(node, status_of((code, plugin, reasons)))
                for node, code, plugin, reasons in self._decision.verdicts()}
            if self._decision.absent:
                self._verdicts.update(self._ruled_out(self._decision.absent))
                self._verdicts = dict(sorted(self._verdicts.items()))
        return self._verdicts

    def _ruled_out(self, names: list[str]) -> dict[str, NodeVerdict]:
        """The verdicts on nodes that PreFilter ruled out, in upstream's words."""
        status = self.pre_filter
        if status is None:
            return {}
        if status.is_success:
            by = self.to_dict()["preFilter"].get("restrictedBy", [])
            status = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ", ".join(by),
                            (f"node(s) didn't satisfy plugin(s) [{' '.join(by)}]",))
        return {name: NodeVerdict(name, status, True) for name in names}


def _status(entry: dict[str, Any] | None) -> Status | None:
    if entry is None:
        return None
    return Status(Code.of(entry["code"]), entry.get("plugin", ""), tuple(entry.get("reasons", ())))
