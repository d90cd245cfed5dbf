"""`libsched config check --semantics 1.33..1.37`: what does each release make of a configuration?"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterator
from typing import Any

from ..config import Config
from ..errors import Error
from . import configs
from .terminal import Terminal, print_json

#: What a release has otherwise than the first one: the place, and the value in both; None if it has none.
Difference = tuple[str, Any, Any]


def check(options: argparse.Namespace, where: str, place: str, text: bytes, releases: list[str]) -> int:
    """Checks a configuration, which stands at a place of a file, by each release; returns 0 or 1."""
    answers, first = [], ""
    base: dict[str, Any] = {}
    for release in releases:
        try:
            config = Config(text, semantics=release)
            described = config.describe()
        except Error as error:
            hint = configs.hint(error, text)
            answers.append({"release": release, "valid": False, "error": error.message, "path": error.path,
                            **({"hint": hint} if hint else {})})
            continue
        warnings = described.pop("warnings", [])
        first, base = first or release, base or described
        answers.append({"release": release, "valid": True, "warnings": warnings,
                        "cannotRun": list(configs.unable(config)),
                        "differences": [{"path": at, "before": before, "after": after}
                                        for at, before, after in _differences(base, described)]})
    valid = all(one["valid"] for one in answers)
    if options.json:
        print_json({"valid": valid, **({"place": place} if place else {}), "comparedWith": first or None,
                    "releases": answers})
    else:
        _write(Terminal(sys.stdout), where, answers, first)
    return 0 if valid else 1


def _differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Difference]:
    yield from _changed("", before["config"], after["config"])
    for number, (old, new) in enumerate(zip(before["profiles"], after["profiles"], strict=True)):
        at = f"profiles[{number}]"
        for point in configs.POINTS:
            pair = [one["plugins"].get(point, []) for one in (old, new)]
            if pair[0] != pair[1]:
                yield f"{at}.plugins.{point}", *pair
        args = [{one["name"]: one["args"] for one in profile["pluginConfig"]} for profile in (old, new)]
        for name in sorted(args[0].keys() | args[1].keys()):
            yield from _changed(f"{at}.pluginConfig[{name}].args", args[0].get(name), args[1].get(name))


def _changed(at: str, before: Any, after: Any) -> Iterator[Difference]:
    """Yields what differs between two values, by the smallest part of objects."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from _changed(f"{at}.{key}" if at else key, before.get(key), after.get(key))
    elif before != after:
        yield at, before, after


def _write(out: Terminal, where: str, answers: list[dict[str, Any]], first: str) -> None:
    out.line(f"{where}:")
    told = [(one["release"], list(_lines(out, one, first))) for one in answers]
    for lines, alike in itertools.groupby(told, key=lambda one: one[1]):
        names = [name for name, _ in alike]
        out.line(f"  {names[0]}{f' to {names[-1]}' if len(names) > 1 else ''}: {lines[0]}")
        for line in lines[1:]:
            out.line(f"    {line}")


def _lines(out: Terminal, answer: dict[str, Any], first: str) -> Iterator[str]:
    """Yields what is said of a release, without its name."""
    if not answer["valid"]:
        error = Error(answer["error"], answer["path"])
        yield out.paint("bad", "refused")
        yield f"{error}" + (f"; {answer['hint']}" if "hint" in answer else "")
        return
    differences = answer["differences"]
    yield out.paint("good", "valid") + (f", with other defaults than {first}" if differences else "")
    for warning in answer["warnings"]:
        yield f"{out.paint('note', 'warning')}: {warning}"
    for entry in answer["cannotRun"]:
        yield f'{out.paint("note", "warning")}: profile "{entry["profile"]}" cannot run here: {entry["error"]}'
    told: dict[str, list[str]] = {}
    for one in differences:
        at, before, after = one["path"], one["before"], one["after"]
        stem, _, point = at.rpartition(".")
        if stem.endswith(".plugins"):
            for text in _of_plugins(before, after):
                told.setdefault(f"{stem}: {text}", []).append(point)
        else:
            told.setdefault(f"{at}: {_value(after)}, not {_value(before)}", [])
    for text, points in told.items():
        yield text + (f" at {', '.join(points)}" if points else "")


def _of_plugins(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Iterator[str]:
    """Yields what differs between the lists of a point."""
    old, new = ({one["name"]: one.get("weight", 0) for one in plugins} for plugins in (before, after))
    for name in new:
        if name not in old:
            yield f"also {name}" + (f" (weight {new[name]})" if new[name] else "")
        elif new[name] != old[name]:
            yield f"{name} has the weight {new[name]}, not {old[name]}"
    for name in old:
        if name not in new:
            yield f"no {name}"
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield f"in the order {', '.join(new)}"


def _value(value: Any) -> str:
    return "absent" if value is None else json.dumps(value, ensure_ascii=False)
