"""All objects of a source as one document, for `Sim.load` and `Sim.put_objects`."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from .cluster import Cluster
from .objects import Objects
from .view import View


def one_document(source: Any, defaults: bool, strict: bool) -> _core.Objects:
    """Returns all objects of a source as one document."""
    if isinstance(source, View):
        return _document_of(source)
    objects = source if isinstance(source, Objects) else Objects(
        source, defaults=defaults, strict=strict)
    if len(objects._parts) == 1 and isinstance(objects._parts[0], _core.Objects):
        return objects._parts[0]
    items = [item for part in objects._parts for item in _items(part)]
    return _core.Objects.parse(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


def _items(part: Any) -> list[Any]:
    """The manifests of a part."""
    if isinstance(part, _core.Objects):
        cluster = Cluster(node_order="insertion")
        changes = _core.Changes()
        changes.put_objects(part, _core.PUT_APPLY)
        cluster._handle.apply(changes)
        return list(json.loads(cluster._handle.json())["items"])
    return [json.loads(part._handle.json())]


def _document_of(view: View) -> _core.Objects:
    """A view's objects, with the nodes in the view's order."""
    document = json.loads(view._handle.json())
    places = {name: index for index, name in enumerate(view._handle.node_names())}
    document["items"].sort(key=lambda item: places.get(item["metadata"]["name"], -1)
                           if item["kind"] == "Node" else -1)
    return _core.Objects.parse(json.dumps(document))
