"""Views, results and frameworks as plain data, for pickle, copies and other processes."""

from __future__ import annotations

from typing import Any

from . import _core
from ._changed import keeps_annotations
from .errors import StateError


class KeptDecision:
    """The parts of a decision that results read, as plain data."""

    def __init__(self, decision: Any) -> None:
        self.plain: bool = decision.plain
        self.node_count: int = decision.node_count
        self.total: int = decision.total
        self.fit_error: str = decision.fit_error
        self.score_error: str = decision.score_error
        self.absent: list[str] = decision.absent
        self._feasible = decision.feasible()
        self._best = decision.best()
        self._skip_score = decision.skip_score()
        self._codes = bytes(memoryview(decision.codes()))
        self._verdicts = list(decision.verdicts())
        self._pod_facts = decision.facts(decision.node_count)
        self._explained: str = decision.explain()
        table = decision.scores()
        self._scores = None if table is None else KeptScores(table)

    def feasible(self) -> list[str]:
        return list(self._feasible)

    def best(self) -> list[str]:
        return list(self._best)

    def skip_score(self) -> list[str]:
        return list(self._skip_score)

    def codes(self) -> memoryview:
        return memoryview(self._codes)

    def verdicts(self) -> list[Any]:
        return self._verdicts

    def facts(self, node: int) -> Any:
        return self._pod_facts if node == self.node_count else self._verdicts[node][4]

    def explain(self) -> str:
        return self._explained

    def scores(self) -> KeptScores | None:
        return self._scores


class KeptScores:
    """A table of scores as plain data."""

    def __init__(self, table: Any) -> None:
        self._columns = list(table.columns())
        self._totals = bytes(memoryview(table.totals()))
        self._scores = [tuple(bytes(memoryview(read(index))) for read in (
            table.raw, table.normalized, table.weighted)) for index in range(len(self._columns))]

    def columns(self) -> list[Any]:
        return self._columns

    def totals(self) -> memoryview:
        return memoryview(self._totals).cast("q")

    def raw(self, column: int) -> memoryview:
        return memoryview(self._scores[column][0]).cast("q")

    def normalized(self, column: int) -> memoryview:
        return memoryview(self._scores[column][1]).cast("q")

    def weighted(self, column: int) -> memoryview:
        return memoryview(self._scores[column][2]).cast("q")


def state_of(view: _core.View, order: list[str]) -> tuple[Any, ...]:
    """Returns what `restore` needs to make a cluster with the same answers."""
    nodes = (view.node(row) for row in range(view.row_count))
    pods = (pod for row in range(view.row_count) for pod in view.node_pods(row))
    first: Any = next((node for node in nodes if node is not None), None) or next(pods, None)
    kept = first is not None and keeps_annotations(first)
    return view.json(), kept, order, view.assumed()


def restore(handle: _core.Cluster, state: tuple[Any, ...]) -> bool:
    """Fills an empty cluster. False if its nodes have another order: see `reordered`."""
    document, kept, order, assumed = state
    objects = _core.Objects.parse(document, keep_annotations=kept)
    _fill(handle, objects, objects.nodes(), assumed)
    handle.refresh()
    return bool(handle.node_names() == order)


def reordered(handle: _core.Cluster, state: tuple[Any, ...]) -> None:
    """Fills an empty cluster whose nodes are added in the order in which they are visited."""
    document, kept, order, assumed = state
    objects = _core.Objects.parse(document, keep_annotations=kept)
    nodes = {node.name: node for node in objects.nodes()}
    _fill(handle, objects, [nodes[name] for name in order], assumed)
    handle.refresh()
    if handle.node_names() != order:
        raise StateError("the order of the pickled cluster's nodes cannot be restored")


def _fill(handle: _core.Cluster, objects: _core.Objects, nodes: list[_core.Node],
          assumed: list[tuple[str, str]]) -> None:
    others = _core.Changes()
    others.put_objects(objects, _core.PUT_APPLY | _core.PUT_NO_NODES | _core.PUT_NO_PODS)
    handle.apply(others)
    handle.add_nodes(nodes)
    pods = [pod for pod in objects.pods() if pod.node_name]
    nominated = _core.Changes()
    for pod in objects.pods():
        if not pod.node_name:
            nominated.put_pod(pod, "", _core.PUT_APPLY)
    handle.apply(nominated)
    if not assumed:
        handle.add_pods(pods, None)
        return
    unconfirmed = set(assumed)
    for pod in pods:  # in the order in which their nodes list them
        if (pod.namespace, pod.name) in unconfirmed:
            handle.assume(pod, pod.node_name)
        else:
            handle.add_pods([pod], None)
