"""Reading a stream of cases: JSON objects, each on a line of its own or spread over many.

The texts of a case are kept byte for byte, except that objects get uids, so the library parses the
text of the file and not Python's version of it. After a text that is not a case, reading continues
with the next line.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from .case_text import (
    DECODER,
    BadCase,
    Number,
    members_at,
    skip_space,
    string,
    with_uids,
    without_group,
)
from .queue_spec import QueueSpec, queue_spec
from .trace_spec import FAKES, STEPS, checked

_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]')
#: Releases whose dynamic resource allocation is off: their schedulers read nothing of resource.k8s.io.
_WITHOUT_DEVICES = frozenset(("1.31", "1.32", "1.33"))
#: The members of a JSON object, each as a value and as a text.
_Members = dict[str, tuple[Any, str]]

@dataclasses.dataclass(frozen=True)
class Change:
    """A change of nodes and bound pods before the pod of index `before`.

    `delete` holds keys, ``Node/NAME`` and ``Pod/NAMESPACE/NAME``; `apply` is a List of objects of
    these `kinds`.
    """

    before: int
    delete: list[str]
    apply: bytes
    kinds: list[str]


@dataclasses.dataclass(frozen=True)
class Case:
    """A case.

    Attributes
    ----------
    name, mode : str
    defaults : bool
        Whether to apply the API server's defaults and priority admission.
    release : str
        The minor release of Kubernetes whose semantics apply; empty: the default.
    config : bytes or None
        The configuration as a document; None: upstream's defaults.
    objects, pods : bytes
        Lists of the objects in the API server and of the pods to judge.
    object_values, pod_values : list
        The same lists decoded, with numbers as texts.
    changes : list of Change
    profile : bytes
        Of mode trace: a KubeSchedulerProfile, the scripted plugins, and the steps to drive.
    fakes, steps : list of dict
    gates : dict of bool
        The feature gates that differ from their defaults.
    queue : QueueSpec or None
        Of mode queue.
    line : bytes
        Of modes cycles, cel and dra: the whole case as one line of JSON.
    """

    name: str
    mode: str
    defaults: bool
    config: bytes | None
    objects: bytes
    pods: bytes
    object_values: list[Any]
    pod_values: list[Any]
    changes: list[Change]
    profile: bytes = b""
    fakes: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    steps: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    queue: QueueSpec | None = None
    line: bytes = b""
    release: str = ""
    gates: dict[str, bool] = dataclasses.field(default_factory=dict)


def open_cases(path: str) -> IO[bytes]:
    """Opens a file of cases, gzip or not."""
    file = open(path, "rb")  # noqa: SIM115 (the caller closes it)
    if file.peek(2)[:2] == b"\x1f\x8b":
        return gzip.open(file, "rb")  # type: ignore[return-value]
    return file


def read_cases(stream: IO[bytes],
               advance: Callable[[int], None] = lambda size: None) -> Iterator[Case | BadCase]:
    """Yields the cases of a stream, each as soon as its last line is read.

    `advance` is called with the number of bytes read from the stream.
    """
    buffer = b""
    depth = 0
    for line in _lines(stream):
        if isinstance(line, BadCase):
            yield line
            break
        advance(len(line))
        if not buffer and not line.strip():
            continue
        if buffer and line.startswith(b"{") and _is_whole(line):
            yield BadCase("the JSON ends in the middle")  # a new case begins
            buffer, depth = b"", 0
        buffer += line
        depth += _depth(line)
        if depth <= 0:
            yield from _decode(buffer)
            buffer, depth = b"", 0
    if buffer.strip():
        yield BadCase("the JSON ends in the middle")


def _lines(stream: IO[bytes]) -> Iterator[bytes | BadCase]:
    try:
        yield from iter(stream.readline, b"")
    except (EOFError, OSError, zlib.error) as error:
        yield BadCase(f"cannot be read: {error}")


def _depth(line: bytes) -> int:
    """Returns the number of brackets that a line leaves open. JSON strings do not span lines."""
    found = _STRING_OR_BRACKET.findall(line)
    return (found.count(b"{") + found.count(b"[")) - (found.count(b"}") + found.count(b"]"))


def _is_whole(line: bytes) -> bool:
    try:
        value, end = DECODER.raw_decode(line.decode("latin-1"))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not line[end:].strip() and (
        "pods" in value or "objects" in value or "script" in value)


def _decode(buffer: bytes) -> Iterator[Case | BadCase]:
    """Yields the cases of a text."""
    text = buffer.decode("latin-1")
    end = skip_space(text, 0)
    while end < len(text):
        try:
            members, end = _members(text, end)
        except BadCase as error:
            yield error
            return
        try:
            yield _case(members)
        except BadCase as error:
            yield error
        end = skip_space(text, end)


def _members(text: str, start: int) -> tuple[_Members, int]:
    """Returns the members of a JSON object as values and texts, and the end of the object."""
    members, end = members_at(text, start)
    return {key: (value, text[at:stop]) for key, value, at, stop in members}, end


def _case(members: _Members) -> Case:
    name_text = members.get("name", ("", ""))[1]
    name = string(name_text) if name_text.startswith('"') else ""

    def of_type(key: str, kind: type, what: str, absent: Any) -> Any:
        value = members.get(key, (None, ""))[0]
        if value is None:
            return absent
        if not isinstance(value, kind) or isinstance(value, Number):
            raise BadCase(f"{key}: expected {what}", name)
        return value

    of_type("name", str, "a text", "")
    config_value, config_text = members.get("config", (None, ""))
    config: bytes | None = None
    if config_text.startswith('"'):
        config = string(config_text).encode()
    elif config_value is not None:
        config = config_text.encode("latin-1")
    mode = of_type("mode", str, "a text", "") or "evaluate"
    release = of_type("release", str, "a text", "")
    objects, objects_text = members.get("objects", (None, ""))
    if release in _WITHOUT_DEVICES and isinstance(objects, list):
        members["objects"] = objects, without_group(objects_text, "resource.k8s.io")
    return Case(
        name=name,
        mode=mode,
        defaults=of_type("defaults", bool, "true or false", False),
        config=config,
        objects=_list(members, "objects"),
        pods=_list(members, "pods"),
        object_values=of_type("objects", list, "a list", []),
        pod_values=of_type("pods", list, "a list", []),
        changes=_changes(members, name),
        profile=members.get("profile", ("", "{}"))[1].encode("latin-1"),
        fakes=_whole(members, "fakes", FAKES, name),
        steps=_whole(members, "steps", STEPS, name),
        queue=_queue(members, name) if mode == "queue" else None,
        line=_line(members) if mode in ("cycles", "cel", "dra") else b"",
        release=release,
        gates=_gates(of_type("gates", dict, "a JSON object", {}), name),
    )


def _gates(gates: dict[str, Any], name: str) -> dict[str, bool]:
    for gate, enabled in gates.items():
        if not isinstance(enabled, bool):
            raise BadCase(f"gates.{gate}: expected true or false", name)
    return gates


def _line(members: _Members) -> bytes:
    parts = [f"{json.dumps(key, ensure_ascii=False)}:{text}" for key, (_, text) in members.items()]
    return ("{" + ",".join(parts) + "}").replace("\n", " ").replace("\r", " ").encode("latin-1")


def _queue(members: _Members, name: str) -> QueueSpec:
    try:
        return queue_spec({key: text for key, (_, text) in members.items()})
    except BadCase as error:
        raise BadCase(str(error), name) from None


def _whole(members: _Members, key: str, form: Any, name: str) -> list[dict[str, Any]]:
    """Decodes a list of objects of mode trace, including its numbers."""
    value, text = members.get(key, (None, ""))
    if value is None:
        return []
    try:
        found: list[dict[str, Any]] = checked(json.loads(text.encode("latin-1")), form, key)
    except BadCase as error:
        raise BadCase(str(error), name) from None
    return found


def _changes(members: _Members, name: str) -> list[Change]:
    value, text = members.get("changes", (None, ""))
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadCase("changes: expected a list", name)
    changes = []
    at = 1
    for index, entry in enumerate(value):
        at = skip_space(text, at)
        if entry is None:
            at = skip_space(text, at + len("null")) + 1
            changes.append(Change(0, [], _list({}, "apply"), []))
            continue
        if not isinstance(entry, dict):
            raise BadCase(f"changes[{index}]: expected a JSON object", name)
        parts, at = _members(text, at)
        at = skip_space(text, at) + 1  # the comma
        delete = [] if entry.get("delete") is None else entry["delete"]
        if isinstance(delete, list):
            delete = ["" if key is None else key for key in delete]
        before = entry.get("before")
        if before is not None and not (isinstance(before, Number)
                                       and re.fullmatch(r"-?\d{1,18}", before)):
            raise BadCase(f"changes[{index}].before: expected an integer", name)
        if not isinstance(delete, list) or not all(
                isinstance(key, str) and not isinstance(key, Number) for key in delete):
            raise BadCase(f"changes[{index}].delete: expected a list of texts", name)
        apply = entry.get("apply")
        if apply is None:
            apply = []
        if not isinstance(apply, list):
            raise BadCase(f"changes[{index}].apply: expected a list", name)
        kinds = [str(value.get("kind")) for value in apply if isinstance(value, dict)]
        changes.append(Change(int(before or 0), delete, _list(parts, "apply"), kinds))
    return changes


def _list(members: _Members, key: str) -> bytes:
    value, text = members.get(key, (None, ""))
    items = with_uids(text) if isinstance(value, list) else "[]"
    return f'{{"apiVersion":"v1","kind":"List","items":{items}}}'.encode("latin-1")
