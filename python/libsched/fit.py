"""FitResult: whether and where a pod fits, and why not on other nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _explain
from ._arguments import names_arguments
from ._pickling import KeptDecision
from .data_table import DataTable, Tabular
from .objects import Pod
from .status import NO_REASON
from .verdicts import Verdicts
from .view import View


@names_arguments
class FitResult(Verdicts, Tabular):
    """Whether a pod fits, on which nodes, and why not on the others. Made by `Framework.fit`.

    A result is true if the pod fits on any node. ``result["node"]`` is the verdict on a node, and
    iteration yields all verdicts in the order of the nodes' names.

    Examples
    --------
    >>> import libsched
    >>> cluster = libsched.Cluster([
    ...     {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name},
    ...      "spec": {"unschedulable": name == "b"},
    ...      "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}}
    ...     for name in "abc"])
    >>> web = libsched.Pod({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c"}]}})
    >>> result = libsched.Framework().fit(cluster, web)
    >>> result.nodes
    ['a', 'c']
    >>> result.reasons
    Counter({'node(s) were unschedulable': 1})
    >>> print(result.explain())
    default/web: fits 2 of 3 nodes
      a  c
    does not fit:
      1  NodeUnschedulable  node(s) were unschedulable
    """

    def explain(self, node: str | None = None) -> str:
        """Returns a readable text: a summary of all nodes, or one node plugin by plugin.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        lines = _explain.summary(self) if node is None else _explain.about_node(self, node)
        return "\n".join(lines)

    def to_html(self, cluster: View | None = None) -> str:
        """Returns a self-contained HTML page about the decision: see `libsched.report`.

        With the cluster, the page also has its nodes' free resources, labels and taints.
        """
        from .report import explain_html

        return explain_html(self, cluster=cluster)

    def table(self) -> DataTable:
        """Returns a table of the nodes: ``node``, ``fits``, ``plugin`` and ``reasons`` of a rejection.

        A result of `Framework.score` has also ``score``, the total, and ``score.PLUGIN``, the weighted score of each
        plugin; None for nodes that do not take the pod.
        """
        verdicts = list(self)
        columns: dict[str, list[Any]] = {
            "node": [one.node for one in verdicts], "fits": [one.fits for one in verdicts],
            "plugin": [one.status.plugin or None for one in verdicts],
            "reasons": [None if one.fits else one.status.message or NO_REASON for one in verdicts]}
        scores = None if self.score_error else self.scores
        if scores is not None:
            sums = {"score": scores.totals, **{f"score.{name}": scores.weighted(name) for name in scores.plugins}}
            for name, column in sums.items():
                by_node = dict(zip(scores.nodes, column, strict=True))
                columns[name] = [by_node.get(one.node) for one in verdicts]
        return DataTable(columns)

    def __copy__(self) -> FitResult:
        return self

    def __deepcopy__(self, memo: object) -> FitResult:
        return self

    def __reduce__(self) -> Any:
        decision = self._decision
        kept = decision if isinstance(decision, KeptDecision) else KeptDecision(decision)
        plugins = {point: list(named) for point, named in self._plugins.items()}
        return _load_result, (kept, self.pod, self.profile, plugins)

    def __repr__(self) -> str:
        return f"<FitResult {_explain.headline(self)}>"

    def _repr_html_(self) -> str:
        from ._fit_table import fit_table

        return fit_table(self)


def _load_result(decision: Any, pod: Pod, profile: str,
                 plugins: Mapping[str, Sequence[tuple[str, int]]]) -> FitResult:
    return FitResult(decision, pod, profile, plugins)
