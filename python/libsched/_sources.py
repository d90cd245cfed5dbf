"""Sources of Kubernetes objects, converted to documents that the library parses.

The library loads paths by itself; dicts and objects of a Kubernetes client are written as JSON
here. No client package is imported: any object with an `attribute_map` can be written as JSON.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import operator
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Protocol, Union

from .errors import FileError, InvalidError, MisuseError

#: A source of Kubernetes objects: a path, a document, a dict, a client's object, or an iterable of
#: these.
Source = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]", Mapping[str, Any],
               Iterable[Any], object]
SOURCE_WORDS = "a path, a document, a dict, an object of a Kubernetes client or an iterable of these"


class _Readable(Protocol):
    """An open file."""

    def read(self) -> Any: ...


#: A configuration: a path, a document, a dict or an open file.
ConfigSource = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]", Mapping[str, Any], _Readable]

_GROUPS = {
    "apps": ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"),
    "batch": ("Job", "CronJob"),
    "policy": ("PodDisruptionBudget",),
    "scheduling.k8s.io": ("PriorityClass", "PodGroup", "CompositePodGroup"),
    "node.k8s.io": ("RuntimeClass",),
    "storage.k8s.io": ("StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity",
                       "VolumeAttachment"),
    "resource.k8s.io": ("ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass",
                        "DeviceTaintRule"),
}
_GROUP_OF = {kind: group for group, kinds in _GROUPS.items() for kind in kinds}
_CLASS_NAME = re.compile(r"V(\d+(?:(?:alpha|beta)\d+)?)([A-Z]\w*)")


@dataclasses.dataclass(frozen=True)
class Document:
    """A document for the library to parse: the path of a file, or a text.

    If the text is a List made here, `places` holds the user's name for each of its `items[...]`.
    """

    path: str | None = None
    text: str | bytes | bytearray | memoryview | None = None
    places: tuple[str, ...] = ()


def documents(source: Source) -> Iterator[Document | object]:
    """Yields the documents of a source in order. Objects of libsched are yielded unchanged."""
    if _is_parsed(source):  # before clients' objects: these have a to_dict, too
        yield source
    elif isinstance(source, Mapping):
        yield Document(text=_dump(_typed(source)))
    elif _is_client_object(source):
        yield Document(text=_dump(_typed(_plain(source, ""))))
    elif isinstance(source, str):
        yield Document(path=source) if _is_path(source) else Document(text=source)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        yield Document(text=source)
    elif isinstance(source, os.PathLike):
        yield Document(path=os.fsdecode(source))
    elif callable(read := getattr(source, "read", None)):
        yield Document(text=read())
    elif isinstance(source, Iterable):
        yield from _many(source)
    else:
        raise MisuseError(f"{type(source).__name__} holds no Kubernetes objects; expected {SOURCE_WORDS}")


def is_source(value: object) -> bool:
    """Returns whether a value is of a type that `documents` takes."""
    return (isinstance(value, (str, bytes, bytearray, memoryview, os.PathLike, Iterable)) or _is_parsed(value)
            or _is_client_object(value) or callable(getattr(value, "read", None)))


def config_document(source: ConfigSource) -> Document:
    """Returns the document of a configuration, which is a path, a text or a dict."""
    if isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike, Mapping)) or callable(
            getattr(source, "read", None)):
        found = next(documents(source))
        assert isinstance(found, Document)
        return found
    raise MisuseError(f"a configuration is a path, a document or a dict, not a "
                      f"{type(source).__name__}")


def _many(sources: Iterable[Any]) -> Iterator[Document | object]:
    """Yields the documents of several sources; consecutive dicts are parsed as a single List."""
    items: list[Any] = []
    places: list[str] = []

    def flush() -> Iterator[Document]:
        if items:
            text = _dump({"apiVersion": "v1", "kind": "List", "items": items})
            yield Document(text=text, places=tuple(places))
            items.clear()
            places.clear()

    for index, source in enumerate(sources):
        place = f"[{index}]"
        if not _is_parsed(source) and _is_client_object(source):
            source = _plain(source, place)
        if isinstance(source, Mapping):
            source = _typed(source)
            if "items" in source and str(source.get("kind", "")).endswith("List"):
                for inner, item in enumerate(source["items"] or ()):
                    items.append(item)
                    places.append(f"{place}.items[{inner}]")
            else:
                items.append(source)
                places.append(place)
        else:
            yield from flush()
            yield from documents(source)
    yield from flush()


def _is_parsed(source: object) -> bool:
    return getattr(type(source), "_libsched_parsed", False)


def _is_client_object(value: object) -> bool:
    return not isinstance(value, (type, Mapping)) and callable(getattr(value, "to_dict", None))


def _is_path(text: str) -> bool:
    if "\n" in text or "\0" in text or len(text) > 4096:
        return False
    if os.path.exists(text):
        return True
    start = text.lstrip()[:1]
    if start in ("", "{", "[", "#", "-") or ": " in text or text.rstrip().endswith(":"):
        return False
    raise FileError(f"{text}: no such file")


def _typed(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Adds the kind that a list implies to those of its items that have none."""
    kind = document.get("kind")
    items = document.get("items")
    if not isinstance(kind, str) or not kind.endswith("List") or kind == "List" or not isinstance(
            items, (list, tuple)):
        return document
    implied = {"apiVersion": document.get("apiVersion"), "kind": kind[:-4]}
    return {**document, "kind": "List", "apiVersion": "v1", "items": [
        {**implied, **item} if isinstance(item, Mapping) and "kind" not in item
        else _plain(item, "") if _is_client_object(item) else item for item in items]}


def _dump(document: object) -> str:
    try:
        return json.dumps(document, allow_nan=False, default=_default)
    except (TypeError, ValueError, RecursionError) as error:
        _plain(document, "")  # raises an error with the place, if there is one
        raise InvalidError(f"cannot be written as JSON: {error}") from None


def _default(value: Any) -> Any:
    """Converts a value for json.dumps, which calls this for types that it does not know."""
    return _plain(value, "")


def _plain(value: Any, path: str) -> Any:
    """Converts a value to the types of JSON; an InvalidError names the path of a bad part."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise InvalidError(f"{value} is no JSON number", path)
        return value
    try:
        return _plain_object(value, path)
    except RecursionError:
        raise InvalidError("nested too deeply, or contains itself", path[:200]) from None


def _plain_object(value: Any, path: str) -> Any:
    if isinstance(value, Mapping):
        plain = {}
        for key, item in value.items():
            if not isinstance(key, (str, bool, int, float)):
                raise InvalidError(f"a key of type {type(key).__name__}", path)
            plain[key] = _plain(item, f"{path}.{key}" if path else str(key))
        return plain
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=datetime.timezone.utc)
        return value.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if _is_client_object(value):
        return _client_object(value, path)
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidError(
            f"a value of type {type(value).__name__} cannot be part of a Kubernetes object",
            path) from None


def _client_object(value: Any, path: str) -> Any:
    """Converts an object of a Kubernetes client to the API's JSON."""
    names = getattr(value, "attribute_map", None)
    if not isinstance(names, Mapping):  # to_dict() of this client uses the API's names
        document = value.to_dict()
        if not isinstance(document, Mapping):
            raise InvalidError(f"to_dict() of a {type(value).__name__} gives no dict", path)
        return _plain(document, path)
    document = {}
    for attribute, name in names.items():
        item = getattr(value, attribute, None)
        if item is not None:
            document[name] = _plain(item, f"{path}.{name}" if path else name)
    # Clients leave out the kind of objects in a list, because the list's kind implies it.
    found = _CLASS_NAME.fullmatch(type(value).__name__)
    if found and "kind" in names.values() and "kind" not in document:
        version, kind = found.groups()
        group = _GROUP_OF.get(kind.removesuffix("List"))
        document["kind"] = kind
        document.setdefault("apiVersion", f"{group}/v{version}" if group else f"v{version}")
    return document
