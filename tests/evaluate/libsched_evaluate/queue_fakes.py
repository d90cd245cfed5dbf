"""The fake plugins of mode queue: each answers from its tables."""

from __future__ import annotations

from typing import Any

from libsched.events import Action, ClusterEvent
from libsched.status import Status

from .case_text import BadCase
from .trace_fake import rule_status

_ACTIONS = {"Add": Action.ADD, "Delete": Action.DELETE, "Update": Action.UPDATE, "All": Action.ALL,
            "UpdateNodeAllocatable": Action.UPDATE_NODE_ALLOCATABLE,
            "UpdateNodeLabel": Action.UPDATE_NODE_LABEL,
            "UpdateNodeTaint": Action.UPDATE_NODE_TAINT,
            "UpdateNodeCondition": Action.UPDATE_NODE_CONDITION,
            "UpdateNodeAnnotation": Action.UPDATE_NODE_ANNOTATION,
            "UpdateNodeDeclaredFeature": Action.UPDATE_NODE_DECLARED_FEATURE,
            "UpdatePodLabel": Action.UPDATE_POD_LABEL,
            "UpdatePodScaleDown": Action.UPDATE_POD_SCALE_DOWN,
            "UpdatePodToleration": Action.UPDATE_POD_TOLERATION,
            "UpdatePodSchedulingGatesEliminated": Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
            "UpdatePodGeneratedResourceClaim": Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM}


class HintError(Exception):
    """The error of a hint rule."""


def actions_of(names: list[str], path: str) -> Action:
    """Returns the set of some actions, given by their upstream names."""
    found = Action(0)
    for name in names:
        if name not in _ACTIONS:
            raise BadCase(f'{path}: unknown action "{name}"')
        found |= _ACTIONS[name]
    return found


class World:
    """The rules that the fakes of a case have at the moment, and how often each was used."""

    def __init__(self, plugins: list[dict[str, Any]]) -> None:
        self.rules = {spec["name"]: dict(spec.get("rules", {})) for spec in plugins}
        self._used: dict[int, int] = {}

    def set_rules(self, plugin: str, point: str, rules: list[dict[str, Any]]) -> None:
        if plugin not in self.rules:
            raise BadCase(f'no plugin "{plugin}"')
        self.rules[plugin][point] = rules

    def pick(self, rules: list[dict[str, Any]], pod: str, target: str = "") -> dict[str, Any]:
        """Returns the first rule that fits, and counts its use.

        `target` is the name of a node, or of an event's object.
        """
        for rule in rules:
            used = self._used.get(id(rule), 0)
            if rule.get("pod", "") in ("", pod) and (
                    (rule.get("node") or rule.get("object") or "") in ("", target)) and (
                    used < rule["times"] if rule.get("times") else True):
                self._used[id(rule)] = used + 1
                return rule
        return {}


def fake_plugin(spec: dict[str, Any], world: World, index: int) -> type:
    """Makes a plugin class for a description."""
    members: dict[str, Any] = {"rules": world.rules[spec["name"]], "world": world,
                               "__module__": __name__}
    if "events" not in spec:
        return type(spec["name"], (_Fake,), members)
    events = [ClusterEvent(event["resource"] if "resource" in event else "", actions_of(
        event.get("actions", []), f"plugins[{index}].events")) for event in spec["events"]]
    members["events"] = events
    # Events are told apart by identity, because a plugin may register one twice.
    members["tables"] = {id(event): told.get("hint")
                         for event, told in zip(events, spec["events"], strict=True)}
    return type(spec["name"], (_EventFake,), members)


class _Fake:
    """The methods of the points at which the profiles of mode queue have fakes."""

    rules: dict[str, list[dict[str, Any]]]
    world: World

    def _status(self, point: str, pod: Any, node: str = "") -> Status | None:
        return rule_status(self.world.pick(self.rules.get(point, []), pod.name, node))

    def pre_enqueue(self, pod: Any) -> Status | None:
        return self._status("preEnqueue", pod)

    def filter(self, state: Any, pod: Any, node: Any) -> Status | None:
        return self._status("filter", pod, node.name)

    def permit(self, state: Any, pod: Any, node: str) -> Status | None:
        return self._status("permit", pod, node)


class _EventFake(_Fake):
    """A fake with EnqueueExtensions."""

    events: list[ClusterEvent]
    tables: dict[int, list[dict[str, Any]] | None]

    def events_to_register(self) -> list[ClusterEvent]:
        return self.events

    def queueing_hint(self, event: Any, pod: Any, change: Any) -> bool:
        rules = self.tables[id(event)]
        if rules is None:  # no hint function stands for Queue
            return True
        rule = self.world.pick(rules, pod.name, change.name)
        if rule.get("error"):
            raise HintError(rule["error"])
        return bool(rule.get("hint") == "Queue")
