"""Judging a case: from the case to its golden result.

The format, including the order of fields and omitted fields, is that of tests/oracle.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from libsched.cluster import Cluster
from libsched.config import Config, gates_text
from libsched.errors import Error, NotFoundError, UnsupportedError
from libsched.framework import Framework
from libsched.objects import Objects, Pod
from libsched.state import CycleState
from libsched.status import Status

from .case_text import BadCase
from .cases import Case

_FIELDS = ("error", "preEnqueue", "preFilter", "nodes", "feasible", "skipScore", "scoreError",
           "scores", "fitError", "best")
_ASSUMED_FROM = 4_102_444_800  # 2100-01-01: assumed pods start from then on, one second apart
_MOST_CONFIGS = 64


class Frameworks:
    """A cache of the profiles of configurations, since most cases share them."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes | None, str, str], dict[str, Framework | UnsupportedError]] = {}

    def of(self, config: bytes | None, release: str,
           gates: dict[str, bool]) -> dict[str, Framework | UnsupportedError]:
        """Returns a Framework for each profile, or the reason why this version cannot run it."""
        key = config, release, gates_text(gates)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_CONFIGS:
                self._known.clear()
            found = self._known[key] = self._make(config, release, gates)
        return found

    def _make(self, config: bytes | None, release: str,
              gates: dict[str, bool]) -> dict[str, Framework | UnsupportedError]:
        try:
            parsed = Config(config, semantics=release)
        except Error as error:
            raise BadCase(f"config: {error.message}") from None
        made: dict[str, Framework | UnsupportedError] = {}
        for name in parsed.profiles:
            try:
                made[name] = Framework(parsed, profile=name, feature_gates=gates, semantics=release)
            except UnsupportedError as error:
                made[name] = error
            except Error as error:
                raise BadCase(f'profile "{name}": {error.message}') from None
        return made


@functools.cache
def _refusal(release: str) -> str:
    """Returns why there are no semantics of a release; empty if there are."""
    try:
        Framework(semantics=release)
    except UnsupportedError as error:
        return error.message
    return ""


def judge(case: Case, frameworks: Frameworks) -> dict[str, Any]:
    """Returns the golden result of a case.

    Raises
    ------
    BadCase
        The case cannot be loaded.
    """
    if case.release and (refusal := _refusal(case.release)):
        raise BadCase(f"release: {refusal}")
    if case.mode == "trace":
        from .trace import trace

        loaded = _parse(case.objects, "objects", False, None)
        for index, value in enumerate(case.object_values):
            if value["kind"] not in ("Node", "Pod"):
                raise BadCase(f"objects[{index}]: only nodes and pods in mode trace")
        return trace(case, [*loaded.nodes, *loaded.pods], _pods(case, loaded))
    if case.mode == "queue":
        from .queue_steps import run_queue

        return run_queue(case, _parse(case.objects, "objects", False, None))
    if case.mode == "config":
        return _config(case)
    if case.mode not in ("evaluate", "schedule"):
        raise BadCase(f'unknown mode "{case.mode}"')
    profiles = frameworks.of(case.config, case.release, case.gates)
    objects = _parse(case.objects, "objects", case.defaults, None)
    pods = _pods(case, objects)
    cluster = Cluster()
    cluster.apply(objects)
    nominated = _nominated(case, objects, cluster)
    golden: dict[str, Any] = {"name": case.name} if case.name else {}
    golden["mode"] = case.mode
    judging = _Judging(profiles, cluster, nominated)
    if case.changes:
        list(cluster.nodes)  # upstream takes a snapshot before the first change
    results = golden["pods"] = []
    for index, pod in enumerate(pods):
        if case.changes:
            _change(case, index, cluster)
        result = judging.evaluate(pod) if case.mode == "evaluate" else judging.schedule(pod)
        if case.changes:
            # Absent without nodes, as in the oracle's answers.
            if cluster.nodes:
                result["nodeOrder"] = list(cluster.nodes)
        results.append(result)
    return golden


def _config(case: Case) -> dict[str, Any]:
    """Returns the configuration with all defaults, and the plugins of each profile."""
    try:
        config = Config(case.config, semantics=case.release)
    except Error as error:
        raise BadCase(f"config: {error.message}") from None
    try:
        described = config.describe()
    except Error as error:
        raise BadCase(f"profile: {error.message}") from None
    described.pop("warnings", None)  # upstream has none
    return {**({"name": case.name} if case.name else {}), "mode": "config", **described}


def _change(case: Case, index: int, cluster: Cluster) -> None:
    """Makes the changes that come before the pod of this index."""
    for number, change in enumerate(case.changes):
        if change.before != index:
            continue
        try:
            for key in change.delete:
                kind, _, name = key.partition("/")
                try:
                    if kind == "Node":
                        cluster.remove_node(name)
                    else:
                        cluster.remove_pod(name)
                except NotFoundError:
                    raise BadCase(f'changes[{number}]: delete "{key}": not there') from None
            for kind in change.kinds:
                if kind not in ("Node", "Pod"):
                    raise BadCase(f"changes[{number}]: {kind} cannot change, only nodes and bound "
                                  "pods can")
            applied = _parse(change.apply, f"changes[{number}].apply", case.defaults, None)
            for pod in applied.pods:
                if not pod.node_name:
                    raise BadCase(f"changes[{number}]: pod {pod.key} is not bound")
            cluster.apply(applied)
        except Error as error:
            raise BadCase(f"changes[{number}]: {error}") from None


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
    """Returns the unbound pods of the case that are nominated to an existing node, as the cluster counts them."""
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


class _Judging:
    """Judges the pods of one case, one after the other."""

    def __init__(self, profiles: dict[str, Framework | UnsupportedError], cluster: Cluster,
                 nominated: list[Pod]) -> None:
        self._profiles = profiles
        self._cluster = cluster
        self._nominated = [(pod, pod.nominated_node_name) for pod in nominated]
        self._assumed = 0

    def evaluate(self, pod: Pod, state: CycleState | None = None) -> dict[str, Any]:
        """Returns the result of a pod, without changing the cluster."""
        result: dict[str, Any] = {"pod": pod.key, "profile": pod.scheduler_name}
        framework = self._profiles.get(pod.scheduler_name)
        if framework is None:
            return _failed(result, f'profile not found for scheduler name "{pod.scheduler_name}"')
        if isinstance(framework, UnsupportedError):
            return _failed(result, _needs(framework))
        try:
            decision = framework._decide(self._cluster, pod, judge_excluded=True, score=True,
                                         state=state, post_filter=True)
        except UnsupportedError as error:
            return _failed(result, _needs(error))
        details = json.loads(decision.explain())
        for field in _FIELDS:
            if field == "feasible":
                result[field] = details.get(field) or []
            elif details.get(field):
                result[field] = details[field]
        preemption = details.get("preemption")
        if preemption is not None:
            message = ", ".join(preemption.get("reasons", ()))
            result["fitErrorWithPostFilter"] = f"{result['fitError']} {message}".rstrip()
            # What upstream has; the budgets are more.
            result["postFilter"] = {name: value for name, value in preemption.items()
                                    if name not in ("numPDBViolations", "budgets")}
            for candidate in preemption.get("candidates", ()):
                candidate.pop("budgets", None)
        return result

    def schedule(self, pod: Pod) -> dict[str, Any]:
        """Returns the result of a pod, and puts it on the chosen node for the pods that follow.

        If it preempts, the victims leave at once, and it waits for their room as a nominated pod.
        """
        framework = self._profiles.get(pod.scheduler_name)
        if isinstance(framework, Framework):
            gate = framework.run_pre_enqueue_plugins(self._cluster, pod)
            if not gate.is_success:
                return {"pod": pod.key, "profile": pod.scheduler_name,
                        "preEnqueue": _plain(gate), "feasible": []}
        state = CycleState()
        result = self.evaluate(pod, state)
        if not isinstance(framework, Framework) or "error" in result:
            return result
        if result.get("postFilter", {}).get("nominatedNode"):
            self._preempt(pod, result["postFilter"])
        chosen = _choice(pod, result)
        if not chosen:
            return result
        self._assumed += 1
        status = framework.assume(self._cluster, pod, chosen, state,
                                  start_ns=(_ASSUMED_FROM + self._assumed) * 1_000_000_000)
        if status.is_success:
            result["chosen"] = chosen
            self._unnominate(pod)
        else:
            result["reserve"] = _plain(status)
        return result

    def _preempt(self, pod: Pod, answer: dict[str, Any]) -> None:
        """Removes the victims, and nominates the pod in place of less important pods."""
        for key in answer["victims"]:
            self._cluster.remove_pod(key)
        node = answer["nominatedNode"]
        for other, where in list(self._nominated):
            if where == node and other.priority < pod.priority:
                self._unnominate(other)
        self._unnominate(pod)
        self._nominate(pod, node)

    def _nominate(self, pod: Pod, node: str) -> None:
        self._cluster.services.nominate(pod, node)
        self._nominated.append((pod, node))

    def _unnominate(self, pod: Pod) -> None:
        self._cluster.services.nominate(pod, "")
        self._nominated = [(other, node) for other, node in self._nominated
                           if not _same(other, pod)]


def _choice(pod: Pod, result: dict[str, Any]) -> str:
    """Returns the nominated node if it takes the pod, else the best node with the smallest name.

    Upstream does not score if there is no choice.
    """
    feasible = result["feasible"]
    if len(feasible) == 1:
        return str(feasible[0])
    if pod.nominated_node_name in feasible:
        return pod.nominated_node_name
    return str(result["best"][0]) if result.get("best") else ""


def _plain(status: Status) -> dict[str, Any]:
    """Returns a status in the form of a golden result."""
    plain: dict[str, Any] = {"code": status.code.label}
    if status.plugin:
        plain["plugin"] = status.plugin
    if status.reasons:
        plain["reasons"] = sorted(status.reasons)
    return plain


def _same(one: Pod, other: Pod) -> bool:
    """Returns whether two objects are the same pod, by uid or, without uids, by name."""
    return one.uid == other.uid if one.uid or other.uid else one.key == other.key


def _failed(result: dict[str, Any], error: str) -> dict[str, Any]:
    return {**result, "error": error, "feasible": []}


def _needs(error: UnsupportedError) -> str:
    needs = f'needs plugin "{error.plugin}"'
    if not error.plugin or needs in error.message:
        return error.message
    return f"{needs}: {error.message}"
