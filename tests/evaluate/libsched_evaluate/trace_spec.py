"""The format of scripted plugins and steps of mode trace, and its checks.

It is that of tests/oracle: null counts as absent, and unknown members are ignored.
"""

from __future__ import annotations

import re
from typing import Any

from libsched.status import Code

from .case_text import BadCase

_TEXTS = ["text"]
_RULE = {"pod": "text", "node": "text", "other": "text", "code": "code", "reasons": _TEXTS,
         "error": "text", "nodeNames": _TEXTS, "score": "number",
         "normalized": {None: "number"}, "timeout": "duration", "allowParallel": "flag",
         "nominated": {"mode": "text", "node": "text"}, "fragments": {None: "any"}}
_CALLS = ("preEnqueue", "preFilter", "addPod", "removePod", "filter", "postFilter", "preScore",
          "score", "normalizeScore", "reserve", "permit", "preBindPreFlight", "preBind", "bind",
          "sign")
#: The key None of a dict stands for any name; a list has the form of all its entries.
FAKES = [{"name": "name", "points": ["point"], "script": {None: [_RULE]}, "factoryError": "text",
          "instanceName": "text"}]
STEPS = [{"do": "text", "pod": "text", "node": "text", "other": "text", "wait": [
    {"allow": "text", "reject": "text", "preempt": "text", "remove": "flag", "message": "text"}]}]
_POINTS = frozenset((
    "preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve",
    "permit", "preBind", "bind", "postBind", "sign", "addRemovePod", "normalize"))
_CODES = frozenset(code.label for code in Code)
_DURATION = re.compile(r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")


def checked(value: Any, form: Any, path: str) -> Any:
    """Returns a value without its members that are null.

    Raises
    ------
    BadCase
        It has another form.
    """
    if isinstance(form, str):
        return _scalar(value, form, path)
    if isinstance(form, list):
        if not isinstance(value, list):
            raise BadCase(f"{path}: expected a list")
        return [checked(_empty(form[0]) if entry is None else entry, form[0], f"{path}[{index}]")
                for index, entry in enumerate(value)]
    if not isinstance(value, dict):
        raise BadCase(f"{path}: expected a JSON object")
    result = {}
    if form.get("name") == "name" and value.get("name") is None:
        raise BadCase(f"{path}.name: missing")
    for key, entry in value.items():
        of_entry = form.get(key, form.get(None))
        if path.endswith(".script") and key not in _CALLS:
            raise BadCase(f'{path}: unknown call "{key}"')
        if of_entry is None or entry is None and None not in form:
            continue
        result[key] = checked(_empty(of_entry) if entry is None else entry, of_entry,
                              f"{path}.{key}")
    return result


def _empty(form: Any) -> Any:
    """Returns the value that null stands for in a list or a map."""
    if isinstance(form, (list, dict)):
        return type(form)()
    return {"number": 0, "flag": False, "any": None}.get(form, "")


def _scalar(value: Any, form: str, path: str) -> Any:
    if form == "any":
        return value
    if form in ("number", "flag"):
        is_flag = isinstance(value, bool)
        if not isinstance(value, int) or is_flag != (form == "flag"):
            raise BadCase(f"{path}: expected {'true or false' if form == 'flag' else 'an integer'}")
        if not -2**63 <= value < 2**63:
            raise BadCase(f"{path}: the number is too large")
        return value
    if not isinstance(value, str):
        raise BadCase(f"{path}: expected a text")
    if form == "name" and not value:
        raise BadCase(f"{path}: missing")
    if form == "point" and value not in _POINTS:
        raise BadCase(f'{path}: unknown point "{value}"')
    if form == "code" and value and value not in _CODES:
        raise BadCase(f'{path}: unknown code "{value}"')
    if form == "duration" and value and not _DURATION.fullmatch(value):
        raise BadCase(f'{path}: invalid duration "{value}"')
    return value
