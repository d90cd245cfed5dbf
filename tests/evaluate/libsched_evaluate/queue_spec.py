"""The form of cases of mode queue: fake plugins, options and the script, and checks of them.

It is that of tests/oracle. The texts of the pods and nodes of a script are kept as they are.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from .case_text import BadCase, entries_at, members_at, with_uids
from .trace_spec import checked

_TEXTS = ["text"]
_RULES = [{"pod": "text", "node": "text", "object": "text", "times": "number", "code": "code",
           "reasons": _TEXTS, "error": "text", "hint": "text", "score": "number",
           "timeout": "duration", "sleep": "duration", "skip": "flag",
           "nominated": {"mode": "text", "node": "text"}, "activate": _TEXTS}]
_PLUGINS = [{"name": "name", "rules": {None: _RULES},
             "events": [{"resource": "text", "actions": _TEXTS, "hint": _RULES}],
             "gang": {"label": "text", "sizes": {None: "number"}, "timeout": "duration"}}]
_OPTIONS = {"initialBackoffSeconds": "number", "maxBackoffSeconds": "number",
            "maxInUnschedulable": "duration", "tick": "duration"}
_STEP = {"do": "text", "name": "text", "names": _TEXTS, "listerOnly": "flag", "wait": "flag",
         "unschedulable": _TEXTS, "pending": _TEXTS, "resource": "text", "actions": _TEXTS,
         "label": "text", "maxPriority": "number", "except": "text", "held": "number",
         "by": "duration", "node": "text", "mode": "text", "plugin": "text", "point": "text",
         "rules": _RULES}
_OBJECTS = ("pod", "old", "new")
_POINTS = ("preEnqueue", "preFilter", "filter", "postFilter", "score", "reserve", "permit",
           "preBindPreFlight", "preBind", "postBind")


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of a script: its members, and each of its objects as a List of one."""

    members: dict[str, Any]
    objects: dict[str, bytes]


@dataclasses.dataclass(frozen=True)
class QueueSpec:
    """The parts of a case that only mode queue has."""

    gates: dict[str, bool]
    options: dict[str, Any]
    plugins: list[dict[str, Any]]
    script: list[Step]


def queue_spec(texts: dict[str, str]) -> QueueSpec:
    """Reads the members of a case, given as texts that were read as Latin-1.

    Raises
    ------
    BadCase
        A member has another form.
    """

    def read(key: str, form: Any, absent: str) -> Any:
        value = json.loads(texts.get(key, absent).encode("latin-1"))
        return checked(json.loads(absent) if value is None else value, form, key)

    plugins = read("plugins", _PLUGINS, "[]")
    for index, plugin in enumerate(plugins):
        for point in plugin.get("rules", ()):
            _check_point(point, f"plugins[{index}].rules")
    return QueueSpec(read("gates", {None: "flag"}, "{}"), read("options", _OPTIONS, "{}"), plugins,
                     _script(texts.get("script", "[]")))


def _check_point(point: str, path: str) -> None:
    if point not in _POINTS:
        raise BadCase(f'{path}: unknown point "{point}"')


def _script(text: str) -> list[Step]:
    if text == "null":
        return []
    if not text.startswith("["):
        raise BadCase("script: expected a list")
    return [_step(text[begin:end], f"script[{index}]")
            for index, (_, begin, end) in enumerate(entries_at(text, 0))]


def _step(text: str, path: str) -> Step:
    if not text.startswith("{"):
        raise BadCase(f"{path}: expected a JSON object")
    members: dict[str, Any] = {}
    objects: dict[str, bytes] = {}
    for key, value, begin, end in members_at(text, 0)[0]:
        if key not in _OBJECTS:
            members[key] = json.loads(text[begin:end].encode("latin-1"))
        elif value is not None:
            items = with_uids(f"[{text[begin:end]}]")
            objects[key] = f'{{"apiVersion":"v1","kind":"List","items":{items}}}'.encode("latin-1")
    members = checked(members, _STEP, path)
    if "point" in members:
        _check_point(members["point"], path)
    return Step(members, objects)
