"""Reading JSON without losing its text: values with their positions.

Bytes are read as Latin-1, which maps one to one, and numbers stay texts, so the library gets exactly
the bytes of the case.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
#: Kinds without a namespace.
_CLUSTER_SCOPED = frozenset((
    "Node", "Namespace", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver",
    "VolumeAttachment", "DeviceClass", "ResourceSlice",
    "DeviceTaintRule", "PriorityClass"))


class BadCase(ValueError):
    """A text is not a case. `name` is the name of the case, if it is known."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class Number(str):
    """The text of a number."""

    __slots__ = ()


DECODER = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number,
                           strict=False)
#: A member of an object: its key and value, and where its value begins and ends.
Member = tuple[str, Any, int, int]


def members_at(text: str, start: int) -> tuple[list[Member], int]:
    """Returns the members of a JSON object, and the end of the object."""
    if text[start] != "{":
        raise BadCase("a case is a JSON object")
    members: list[Member] = []
    at = skip_space(text, start + 1)
    try:
        if text[at] == "}":
            return members, at + 1
        while True:
            if text[at] != '"':
                raise BadCase("the JSON is wrong: expected a member", name_of(text, members))
            key, at = DECODER.raw_decode(text, at)
            at = skip_space(text, at)
            if text[at] != ":":
                raise BadCase("the JSON is wrong: expected a colon", name_of(text, members))
            at = skip_space(text, at + 1)
            value, end = DECODER.raw_decode(text, at)
            members.append((key, value, at, end))
            at = skip_space(text, end)
            if text[at] == "}":
                return members, at + 1
            if text[at] != ",":
                raise BadCase("the JSON is wrong: expected a comma", name_of(text, members))
            at = skip_space(text, at + 1)
    except json.JSONDecodeError as error:
        raise BadCase(f"the JSON is wrong: {error.msg}", name_of(text, members)) from None
    except IndexError:
        raise BadCase("the JSON ends in the middle", name_of(text, members)) from None
    except RecursionError:
        raise BadCase("the JSON is nested too deeply", name_of(text, members)) from None


def skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def name_of(text: str, members: list[Member]) -> str:
    """Returns the value of the member `name` if it is a text."""
    found = [text[at:end] for key, _, at, end in members if key == "name"]
    return string(found[-1]) if found and found[-1].startswith('"') else ""


def string(text: str) -> str:
    """Decodes a JSON string that was read as Latin-1; invalid Unicode becomes U+FFFD."""
    value: str = json.loads(text.encode("latin-1").decode("utf-8", "replace"), strict=False)
    return value.encode("utf-8", "replace").decode("utf-8")


def entries_at(text: str, start: int) -> list[tuple[Any, int, int]]:
    """Returns the entries of a JSON list: each with its value, and where it begins and ends."""
    entries = []
    at = skip_space(text, start + 1)
    while text[at] != "]":
        value, end = DECODER.raw_decode(text, at)
        entries.append((value, at, end))
        at = skip_space(text, end)
        if text[at] == ",":
            at = skip_space(text, at + 1)
    return entries


def without_group(text: str, group: str) -> str:
    """Removes the objects of an API group from a list."""
    kept = []
    for value, at, end in entries_at(text, 0):
        version = value.get("apiVersion") if isinstance(value, dict) else None
        if not (isinstance(version, str) and version.startswith(f"{group}/")):
            kept.append(text[at:end])
    return f"[{','.join(kept)}]"


def with_uids(text: str) -> str:
    """Adds the uid ``Kind/namespace/name`` to each object of a list that has none.

    The API server gives every object a uid, which distinguishes owners and claims.
    """
    parts, done = [], 0
    for value, at, _ in entries_at(text, 0):
        if isinstance(value, dict):
            begin, stop, uid = _uid_of(text, at)
            parts += [text[done:begin], uid]
            done = stop
    return "".join(parts) + text[done:]


def _uid_of(text: str, start: int) -> tuple[int, int, str]:
    """Returns the range of an object's text to replace, and the text that gives it a uid."""
    of_object = {key: (value, at) for key, value, at, _ in members_at(text, start)[0]}
    kind, _ = of_object.get("kind", (None, 0))
    metadata, begin = of_object.get("metadata", (None, 0))
    if not isinstance(metadata, dict) or metadata.get("uid") not in (None, "") or (
            not isinstance(kind, str) or isinstance(kind, Number)):
        return start, start, ""
    said = {key: text[at:end] for key, _, at, end in members_at(text, begin)[0]}
    names = [said.get("name", "")[1:-1]]
    if kind not in _CLUSTER_SCOPED:
        namespace = said["namespace"][1:-1] if metadata.get("namespace") else "default"
        names.insert(0, namespace)
    uid = f'"{kind}/{"/".join(names)}"'
    for key, _, at, end in members_at(text, begin)[0]:
        if key == "uid":
            return at, end, uid
    return begin + 1, begin + 1, f'"uid":{uid}' + ("," if metadata else "")
