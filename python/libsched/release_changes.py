"""compare_releases: what other releases of Kubernetes make of a pod, plugin by plugin."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from ._arguments import names_arguments
from ._sources import Source
from .differences import Kind, between
from .fit import FitResult
from .framework import Framework
from .status import NO_REASON, Status
from .view import View


@dataclasses.dataclass(frozen=True, slots=True)
class ReleaseChange:
    """What a plugin makes otherwise of a pod in another release. Made by `compare_releases`.

    Attributes
    ----------
    before, after : str
        The releases.
    kind : {"verdict", "reason", "score"}
        What differs: whether nodes take the pod, only why they do not, or their weighted scores.
    plugins : tuple of str
        The plugin, or both if different ones refuse the nodes.
    nodes : tuple of str
        The nodes, by name; empty if it is about the pod as a whole.
    was, now : str
        What is said of the nodes; of scores, what is said of the first one.
    differences : tuple of str
        The headings, on the page "Releases" of the documentation, of the differences between the
        two releases that may be behind it.
    """

    before: str
    after: str
    kind: Kind
    plugins: tuple[str, ...]
    nodes: tuple[str, ...]
    was: str
    now: str
    differences: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as plain data."""
        return dataclasses.asdict(self)


@names_arguments
def compare_releases(view: View, pod: Source, frameworks: Mapping[str, Framework]) -> list[ReleaseChange]:
    """Compares what releases make of a pod: verdicts, reasons and scores, plugin by plugin.

    Parameters
    ----------
    view : Cluster or Snapshot
    pod
        A `Pod`, or a source of one.
    frameworks : mapping from str to Framework
        The frameworks by release, of which neighbours are compared, in their order.

    Raises
    ------
    Error
        As for `Framework.score`.

    Examples
    --------
    >>> from libsched import Cluster
    >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
    ...     "spec": {"taints": [{"key": "gpu", "value": "a100", "effect": "NoSchedule"}]},
    ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
    >>> pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"},
    ...        "spec": {"containers": [{"name": "c"}]}}
    >>> for change in compare_releases(cluster, pod, {
    ...         release: Framework(semantics=release) for release in ("1.33", "1.34", "1.35")}):
    ...     print(change.after, change.kind, change.differences)
    1.34 reason ('The reason names the taint',)
    """
    results = [(release, framework.score(view, pod)) for release, framework in frameworks.items()]
    return [change for before, after in itertools.pairwise(results)
            for change in changes_between(*before, *after)]


def changes_between(before: str, old: FitResult, after: str, new: FitResult) -> Iterator[ReleaseChange]:
    """Compares the answers of two releases about a pod."""
    def made(kind: Kind, plugins: tuple[str, ...], nodes: list[str], was: str, now: str) -> ReleaseChange:
        return ReleaseChange(before, after, kind, plugins, tuple(nodes), was, now,
                             between(before, after, plugins, kind))

    # A pod that is gated, or about which a plugin fails, has no verdicts.
    without = [result.error or ("" if result.pre_enqueue is None else _said(result.pre_enqueue))
               for result in (old, new)]
    if any(without):
        if without[0] != without[1]:
            yield made("verdict", _plugins(old.pre_enqueue, new.pre_enqueue), [],
                       *(text or "has verdicts" for text in without))
        return
    alike: dict[tuple[Kind, tuple[str, ...], str, str], list[str]] = {}
    later = {verdict.node: verdict.status for verdict in new}
    for verdict in old:
        was, now = verdict.status, later[verdict.node]
        if was is not now and (_said(was), was.plugin) != (_said(now), now.plugin):
            kind: Kind = "verdict" if was.is_success != now.is_success else "reason"
            alike.setdefault((kind, _plugins(was, now), _said(was), _said(now)), []).append(verdict.node)
    for (kind, plugins, was_said, now_said), nodes in alike.items():
        yield made(kind, plugins, nodes, was_said, now_said)
    left = set(new.nodes)
    both = [node for node in old.nodes if node in left]  # others are told above
    scored = [_scores(result) for result in (old, new)]
    for plugin in dict.fromkeys([*scored[0], *scored[1]]):
        were, are = (scores.get(plugin, {}) for scores in scored)
        # A plugin that a release does not ask adds nothing.
        nodes = [node for node in both if were.get(node, 0) != are.get(node, 0)]
        if nodes:
            yield made("score", (plugin,), nodes, str(were.get(nodes[0], 0)), str(are.get(nodes[0], 0)))


def _scores(result: FitResult) -> dict[str, dict[str, int]]:
    """Returns the weighted scores of each plugin by node."""
    scores = None if result.score_error else result.scores
    if scores is None:
        return {}
    return {plugin: dict(zip(scores.nodes, scores.weighted(plugin), strict=True)) for plugin in scores.plugins}


def _plugins(*statuses: Status | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(status.plugin for status in statuses if status is not None and status.plugin))


def _said(status: Status) -> str:
    return "fits" if status.is_success else status.message or NO_REASON
