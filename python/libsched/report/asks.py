"""What a pod asks of its node, in lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._amounts import amount
from ..objects import Pod

_Entry = Mapping[str, Any]


def asks_data(pod: Pod) -> dict[str, Any]:
    """Returns the pod's requests, lines (title, text) about the rest, and the labels that these name.

    >>> asks_data(Pod({"metadata": {"name": "web"}, "spec": {"nodeSelector": {"disk": "ssd"},
    ...     "containers": [{"name": "c", "resources": {"requests": {"cpu": "1500m"}}}]}}))
    {'requests': [['cpu', 1500, '1.5'], ['pods', 1, '1']], 'lines': [['node selector', 'disk=ssd']], 'keys': ['disk']}
    """
    spec = pod.to_dict().get("spec") or {}
    keys: dict[str, None] = {}
    requests = {**pod.requests, "pods": 1}
    return {"requests": [[name, number, amount(name, number)] for name, number in requests.items()],
            "lines": [list(line) for line in _lines(spec, pod, keys)], "keys": list(keys)}


def _lines(spec: _Entry, pod: Pod, keys: dict[str, None]) -> Iterator[tuple[str, str]]:
    selector = spec.get("nodeSelector") or {}
    keys.update(dict.fromkeys(selector))
    if selector:
        yield "node selector", ", ".join(f"{key}={value}" for key, value in selector.items())
    affinity = spec.get("affinity") or {}
    nodes = affinity.get("nodeAffinity") or {}
    terms = (nodes.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get(
        "nodeSelectorTerms") or []
    if terms:
        yield "required node", " or ".join(_term(term, keys) for term in terms)
    for entry in nodes.get("preferredDuringSchedulingIgnoredDuringExecution") or []:
        yield f"preferred node, {entry.get('weight')}", _term(entry.get("preference") or {}, keys)
    for kind, word in (("podAffinity", "near pods"), ("podAntiAffinity", "away from pods")):
        yield from _neighbours(affinity.get(kind) or {}, word, keys)
    for entry in spec.get("topologySpreadConstraints") or []:
        keys[entry.get("topologyKey", "")] = None
        yield "spread", (f"over {entry.get('topologyKey')}, max skew {entry.get('maxSkew')}, "
                         f"{entry.get('whenUnsatisfiable', 'DoNotSchedule')}")
    tolerated = [_toleration(entry) for entry in spec.get("tolerations") or []]
    if tolerated:
        yield "tolerates", ", ".join(tolerated)
    if pod.priority:
        yield "priority", f"{pod.priority:,}"
    ports = [f"{port['hostPort']}/{port.get('protocol', 'TCP')}"
             for container in spec.get("containers") or [] for port in container.get("ports") or []
             if port.get("hostPort")]
    if ports:
        yield "host ports", ", ".join(ports)
    claims = [volume["persistentVolumeClaim"].get("claimName", "")
              for volume in spec.get("volumes") or [] if volume.get("persistentVolumeClaim")]
    if claims:
        yield "claims", ", ".join(claims)


def _term(term: _Entry, keys: dict[str, None]) -> str:
    parts = []
    for name in ("matchExpressions", "matchFields"):
        for entry in term.get(name) or []:
            if name == "matchExpressions":
                keys[entry.get("key", "")] = None
            parts.append(_requirement(entry))
    return " and ".join(parts) or "nothing"


def _requirement(entry: _Entry) -> str:
    values = entry.get("values") or []
    if entry.get("operator") == "In" and len(values) == 1:
        return f"{entry.get('key')}={values[0]}"
    listed = f" [{', '.join(values)}]" if values else ""
    return f"{entry.get('key')} {entry.get('operator')}{listed}"


def _neighbours(affinity: _Entry, word: str, keys: dict[str, None]) -> Iterator[tuple[str, str]]:
    for term in affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or []:
        yield f"required {word}", _topology(term, keys)
    for entry in affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or []:
        yield (f"preferred {word}, {entry.get('weight')}",
               _topology(entry.get("podAffinityTerm") or {}, keys))


def _topology(term: _Entry, keys: dict[str, None]) -> str:
    keys[term.get("topologyKey", "")] = None
    return f"{_selector(term.get('labelSelector') or {})} in the same {term.get('topologyKey')}"


def _selector(selector: _Entry) -> str:
    parts: Iterable[str] = [
        *(f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()),
        *(_requirement(entry) for entry in selector.get("matchExpressions") or [])]
    return ", ".join(parts) or "any pod"


def _toleration(entry: _Entry) -> str:
    value = f"={entry['value']}" if entry.get("value") else ""
    effect = f":{entry['effect']}" if entry.get("effect") else ""
    return f"{entry.get('key') or 'everything'}{value}{effect}"
