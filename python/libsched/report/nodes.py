"""What pages know of the nodes of a cluster: what is free, labels, taints, and by what to group.

All data fits into JSON. Texts that many nodes share are numbered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..utilisation import POOL_LABELS
from ..view import View

_PLACES = (("Zone", ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")),
           ("Region", ("topology.kubernetes.io/region",)),
           ("Pool", POOL_LABELS[:-1]),
           ("Instance type", ("node.kubernetes.io/instance-type",)),
           ("Architecture", ("kubernetes.io/arch",)))
_MOST_GROUPS = 60


def nodes_data(view: View, resources: Iterable[str] = ()) -> dict[str, Any]:
    """Returns the nodes of a cluster or snapshot for a page.

    cpu, memory, pods and the given resources have a column each for what is allocatable and for what
    the pods on the node request.
    """
    names = list(view.nodes)
    rows = [view.row(name) for name in names]
    nodes = [view.nodes[name].node for name in names]
    keys, values, taints = _Numbers(), _Numbers(), _Numbers()
    labels = [[number for key, value in node.labels.items()
               for number in (keys.of(key), values.of(value))] for node in nodes]
    columns = []
    for resource in dict.fromkeys(["cpu", "memory", "pods", *resources]):
        figures = [view._handle.resource(row, resource) for row in rows]
        columns.append({"name": resource, "allocatable": [amount for amount, _ in figures],
                        "requested": [amount for _, amount in figures]})
    return {
        "names": names,
        "resources": columns,
        "labels": labels, "keys": keys.texts, "values": values.texts,
        "taints": [[taints.of(str(taint)) for taint in node.taints] for node in nodes],
        "taintTexts": taints.texts,
        "cordoned": [at for at, node in enumerate(nodes) if node.unschedulable],
        "groups": _groups(labels, keys.texts),
    }


def _groups(labels: list[list[int]], keys: list[str]) -> list[dict[str, Any]]:
    """Returns the labels that sort nodes into groups: places and pools first, then by key."""
    found: dict[int, set[int]] = {}
    for entry in labels:
        for key, value in zip(entry[::2], entry[1::2], strict=True):
            found.setdefault(key, set()).add(value)
    most = min(_MOST_GROUPS, max(2, len(labels) // 2))
    fitting = {keys[key]: key for key, seen in found.items() if 1 < len(seen) <= most}
    groups = []
    for title, places in _PLACES:
        for name in places:
            if name in fitting:
                groups.append({"title": title, "label": name, "key": fitting.pop(name)})
                break
    return groups + [{"title": name, "label": name, "key": fitting[name]}
                     for name in sorted(fitting)]


class _Numbers:
    """Numbers texts in the order in which they come."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._known: dict[str, int] = {}

    def of(self, text: str) -> int:
        number = self._known.get(text)
        if number is None:
            number = self._known[text] = len(self.texts)
            self.texts.append(text)
        return number
