"""Changed copies of pods and nodes, by way of their documents and of the edits of the core."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _core
from ._arguments import flag, items, mapping, text, texts, whole
from .errors import InvalidError, MisuseError, StateError

#: An amount of a resource: a quantity such as ``"500m"`` and ``"2Gi"``, or a number of thousandths
#: of ``"cpu"``, of bytes, or of units, as objects give amounts.
Amount = Union[str, int]


class Amounts(dict[str, int]):
    """Amounts by resource. Calling it with a resource gives its amount, 0 where there is none."""

    __slots__ = ()

    def __call__(self, resource: str) -> int:
        return self.get(text(resource, "resource"), 0)


def keeps_annotations(handle: _core.Pod | _core.Node) -> bool:
    try:
        handle.annotations()
    except StateError:
        return False
    return True


def pod_from(document: str, annotations: bool) -> _core.Pod:
    """Makes a pod of a document that the core has written."""
    return _core.Objects.parse(document, keep_annotations=annotations).pods()[0]


def node_from(document: str, annotations: bool) -> _core.Node:
    """Makes a node of a document that the core has written."""
    return _core.Objects.parse(document, keep_annotations=annotations).nodes()[0]


def quantity(resource: str, amount: Amount) -> str:
    if isinstance(amount, str):
        return amount
    if isinstance(amount, bool) or not hasattr(amount, "__index__"):
        raise MisuseError(f"{resource}: an amount is a text such as \"500m\" or a whole number, not {amount!r}")
    return f"{amount}m" if resource == "cpu" else str(amount)


def changed_node(handle: _core.Node, *, labels: Mapping[str, str] | None,
                 taints: Iterable[Any] | None, allocatable: Mapping[str, Amount] | None,
                 unschedulable: bool | None) -> _core.Node:
    document = json.loads(handle.json())
    if labels is not None:
        document["metadata"]["labels"] = dict(texts(labels, "labels"))
    if taints is not None:
        document["spec"]["taints"] = [
            _taint(taint) for taint in items(taints, "taints", "Taints, dicts and texts")]
    if allocatable is not None:
        document["status"]["allocatable"] = {
            name: quantity(name, amount)
            for name, amount in mapping(allocatable, "allocatable", "resources to amounts").items()}
    if unschedulable is not None:
        document["spec"]["unschedulable"] = flag(unschedulable, "unschedulable")
    found = _core.Objects.parse(json.dumps(document), strict=True,
                                keep_annotations=keeps_annotations(handle))
    return found.nodes()[0]


def _taint(taint: Any) -> dict[str, Any]:
    if isinstance(taint, Mapping):
        return dict(taint)
    text = str(taint)  # a Taint reads key=value:effect
    pair, colon, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    if not colon or not key or not effect:
        raise InvalidError(f"the taint {text!r} is not like key=value:NoSchedule")
    return {"key": key, "value": value, "effect": effect}


def pod_edits(handle: _core.Pod, *, labels: Mapping[str, str] | None,
              requests: Mapping[str, Any] | None, node_selector: Mapping[str, str] | None,
              priority: int | None, scheduler_name: str | None) -> list[str]:
    """Returns the fields to set, as the edit ``set`` takes them."""
    edits: list[str] = []

    def spec() -> dict[str, Any]:  # writing and reading the pod takes longer than the rest
        found: dict[str, Any] = json.loads(handle.json())["spec"]
        return found

    def replaced(field: str, now: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        edits.extend(f"{field}.{key}-" for key in now if key not in wanted)
        edits.extend(f"{field}.{key}={value}" for key, value in wanted.items())

    if labels is not None:
        replaced("labels", handle.labels(), texts(labels, "labels"))
    if node_selector is not None:
        replaced("nodeSelector", spec().get("nodeSelector", {}), texts(node_selector, "node_selector"))
    if requests is not None:
        for field, now, wanted in _requests(spec(), mapping(
                requests, "requests", "resources to amounts")):
            replaced(field, now, {name: quantity(name, amount) for name, amount in wanted.items()})
    if priority is not None:
        edits.append(f"priority={whole(priority, 'priority', -(1 << 31), (1 << 31) - 1)}")
    if scheduler_name is not None:
        edits.append(f"schedulerName={text(scheduler_name, 'scheduler_name')}")
    return edits


def _requests(spec: dict[str, Any], wanted: Mapping[str, Any]) -> Iterable[
        tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    containers = {one["name"]: one for one in
                  spec.get("initContainers", []) + spec.get("containers", [])}
    if wanted and all(isinstance(amounts, Mapping) for amounts in wanted.values()):
        for name, amounts in wanted.items():
            if name not in containers:
                raise InvalidError(f'no container "{name}"; there are: {", ".join(containers)}')
            yield f"containers.{name}.requests", _asked(containers[name]), amounts
        return
    if len(spec.get("containers", [])) != 1:
        raise InvalidError("the pod has several containers: give requests by container, as in "
                           'requests={"app": {"cpu": "2"}}')
    name = spec["containers"][0]["name"]
    yield f"containers.{name}.requests", _asked(containers[name]), wanted


def _asked(container: dict[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = container.get("resources", {}).get("requests", {})
    return found


def with_fields(handle: _core.Pod, fields: Mapping[str, Any]) -> _core.Pod:
    """Returns the pod with whole fields of its spec replaced, which are first checked alone.

    A value None removes the field.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    _core.Objects.parse(json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {**given, "containers": [{"name": "c"}]}}), strict=True)
    document = json.loads(handle.json())
    for name in fields:
        document["spec"].pop(name, None)
    document["spec"].update(given)
    return pod_from(json.dumps(document), keeps_annotations(handle))


def edited(handle: _core.Pod, edits: list[str]) -> _core.Pod:
    """Returns the pod after the edits ``set``, which the core applies."""
    if not edits:
        return handle
    key = f"{handle.namespace}/{handle.name}"
    return _core.Cluster(0).edit([f"set {key}:{edit}" for edit in edits], [handle], [""], [1])[0][0][0]
