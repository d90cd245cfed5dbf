"""From a case to its golden result: what `libsched evaluate` does with each case.

The form, with the order of fields and what is left out, is that of tests/oracle.
"""

from __future__ import annotations

import json
from typing import Any

from ..cluster import Cluster
from ..errors import Error, UnsupportedError
from ..framework import Config, Framework
from ..objects import Objects, Pod
from .cases import BadCase, Case

_FIELDS = ("error", "preEnqueue", "preFilter", "nodes", "feasible", "fitError")
_MOST_CONFIGS = 64


class Frameworks:
    """The profiles of configurations, remembered: most cases have the same."""

    def __init__(self) -> None:
        self._known: dict[bytes | None, dict[str, Framework | UnsupportedError]] = {}

    def of(self, config: bytes | None) -> dict[str, Framework | UnsupportedError]:
        """A Framework for each profile, or why this version has none for it."""
        found = self._known.get(config)
        if found is None:
            if len(self._known) >= _MOST_CONFIGS:
                self._known.clear()
            found = self._known[config] = self._make(config)
        return found

    def _make(self, config: bytes | None) -> dict[str, Framework | UnsupportedError]:
        try:
            parsed = Config() if config is None else Config(config)
        except Error as error:
            raise BadCase(f"config: {error}") from None
        made: dict[str, Framework | UnsupportedError] = {}
        for name in parsed.profiles:
            try:
                made[name] = Framework(parsed, profile=name)
            except UnsupportedError as error:
                made[name] = error
            except Error as error:
                raise BadCase(f'profile "{name}": {error.message}') from None
        return made


def judge(case: Case, frameworks: Frameworks) -> dict[str, Any]:
    """The golden result of a case.

    Raises
    ------
    BadCase
        The case cannot be loaded.
    """
    if case.mode in ("schedule", "trace"):
        raise BadCase(f'mode "{case.mode}" is not available yet, only "evaluate" is')
    if case.mode != "evaluate":
        raise BadCase(f'unknown mode "{case.mode}"')
    profiles = frameworks.of(case.config)
    objects = _parse(case.objects, "objects", case.defaults, None)
    pods = _pods(case, objects)
    cluster = Cluster()
    cluster.apply(objects)
    nominated = _nominated(case, objects, cluster)
    golden: dict[str, Any] = {"name": case.name} if case.name else {}
    golden["mode"] = "evaluate"
    golden["pods"] = [_judge_pod(pod, profiles, cluster, nominated) for pod in pods]
    return golden


def _parse(document: bytes, what: str, defaults: bool, classes: Objects | None) -> Objects:
    try:
        return Objects.parse(document, defaults=defaults, classes=classes)
    except Error as error:
        if error.path.startswith("items["):
            error.path = what + error.path[len("items"):]
        else:
            error.path = f"{what}.{error.path}" if error.path else what
        raise BadCase(str(error)) from None


def _pods(case: Case, objects: Objects) -> list[Pod]:
    for index, value in enumerate(case.pod_values):
        if isinstance(value, dict) and value.get("kind", "Pod") != "Pod":
            raise BadCase(f"pods[{index}]: not a Pod")
    pods = _parse(case.pods, "pods", case.defaults, objects).pods
    if len(pods) != len(case.pod_values):
        raise BadCase(f"{len(case.pod_values)} entries, but {len(pods)} pods")
    return pods


def _nominated(case: Case, objects: Objects, cluster: Cluster) -> list[Pod]:
    """Pods of the case that hold a nomination to a node that is there, and are not bound."""
    keys = set()
    for value in case.object_values:
        if not isinstance(value, dict) or value.get("kind") != "Pod":
            continue
        status = value.get("status")
        node = status.get("nominatedNodeName") if isinstance(status, dict) else None
        if node and node in cluster.nodes:
            metadata = value.get("metadata") or {}
            keys.add((metadata.get("namespace") or "default", metadata.get("name")))
    return [pod for pod in objects.pods if (pod.namespace, pod.name) in keys
            and not pod.node_name and pod.phase not in ("Succeeded", "Failed")] if keys else []


def _judge_pod(pod: Pod, profiles: dict[str, Framework | UnsupportedError], cluster: Cluster,
               nominated: list[Pod]) -> dict[str, Any]:
    result: dict[str, Any] = {"pod": pod.key, "profile": pod.scheduler_name}
    framework = profiles.get(pod.scheduler_name)
    if framework is None:
        return _failed(result, f'profile not found for scheduler name "{pod.scheduler_name}"')
    if isinstance(framework, UnsupportedError):
        return _failed(result, _needs(framework))
    if any(other.priority >= pod.priority and not _same(other, pod) for other in nominated):
        return _failed(result, "needs nominated pods to be taken into account, which is not "
                               "available yet")
    try:
        details = json.loads(framework._decide(cluster, pod, judge_excluded=True).explain())
    except UnsupportedError as error:
        return _failed(result, _needs(error))
    for field in _FIELDS:
        if field == "feasible":
            result[field] = details.get(field) or []
        elif details.get(field):
            result[field] = details[field]
    return result


def _same(one: Pod, other: Pod) -> bool:
    """Whether two objects stand for one pod: by uid, or by name where there is none."""
    return one.uid == other.uid if one.uid or other.uid else one.key == other.key


def _failed(result: dict[str, Any], error: str) -> dict[str, Any]:
    return {**result, "error": error, "feasible": []}


def _needs(error: UnsupportedError) -> str:
    needs = f'needs plugin "{error.plugin}"'
    if not error.plugin or needs in error.message:
        return error.message
    return f"{needs}: {error.message}"
