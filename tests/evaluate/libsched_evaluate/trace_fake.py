"""The scripted plugins of mode trace: each answers by its rules and records the calls."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from libsched.errors import InvalidError
from libsched.events import JSON
from libsched.services import Nomination, NominatingMode
from libsched.status import Code, Status

#: The methods of each point that a fake may have.
_METHODS = {
    "preEnqueue": ("pre_enqueue",), "queueSort": ("less",), "preFilter": ("pre_filter",),
    "filter": ("filter",), "postFilter": ("post_filter",), "preScore": ("pre_score",),
    "score": ("score",), "reserve": ("reserve", "unreserve"), "permit": ("permit",),
    "preBind": ("pre_bind_pre_flight", "pre_bind"), "bind": ("bind",),
    "postBind": ("post_bind",), "sign": ("sign_pod",), "addRemovePod": ("add_pod", "remove_pod"),
    "normalize": ("normalize_score",),
}
_UNIT = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9,
         "h": 3600 * 10**9}
_PART = re.compile(r"(\d*)(?:\.(\d*))?(ns|us|µs|ms|s|m|h)")


class Tracer:
    """The calls of a phase, and the scores that fakes gave."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.raw: dict[tuple[str, str], int] = {}
        self.normalized: dict[tuple[str, str], int] = {}
        self.nodes: list[str] = []
        self.initialized: list[str] = []

    def sync(self) -> None:
        """Learns what has happened since; fakes in another process tell it when they are asked."""

    def take(self) -> list[dict[str, Any]]:
        """Returns the calls since the last time."""
        self.sync()
        calls, self.calls = self.calls, []
        return calls

    def in_order(self, nodes: Iterable[str]) -> list[str]:
        """Sorts nodes into the order of the case, which differs from that of the cluster."""
        return sorted(nodes, key=self.nodes.index)

    def add(self, point: str, plugin: str, status: Status | None = None, **details: Any) -> None:
        call: dict[str, Any] = {"point": point, "plugin": plugin}
        call.update((key, value) for key, value in details.items()
                    if value is not None and value not in ("", [], {}))
        if status is not None and not status.is_success:
            call["code"] = status.code.label
        self.calls.append(call)


def fake_class(spec: dict[str, Any], tracer: Tracer) -> type:
    """Makes a plugin class with the methods of a fake's points."""
    points = set(spec.get("points") or ())
    if not {"preFilter"} & points:
        points.discard("addRemovePod")
    if "score" not in points:
        points.discard("normalize")
    members: dict[str, Any] = {
        "__init__": _init(spec, tracer), "instance_name": spec.get("instanceName") or None,
        "__module__": __name__}
    for point in points:
        for method in _METHODS[point]:
            members[method] = getattr(_Methods, method)
    if not points:  # unlike upstream, libsched refuses plugins without a method
        members["committed"] = lambda self, view: None
    return type(spec["name"], (_Rules,), members)


def _init(spec: dict[str, Any], tracer: Tracer) -> Callable[[Any], None]:
    def init(self: Any) -> None:
        tracer.initialized.append(spec["name"])
        if spec.get("factoryError"):
            raise InvalidError(spec["factoryError"])
        self.registered = spec["name"]
        self.called = spec.get("instanceName") or spec["name"]
        self.script = spec.get("script") or {}
        self.tracer = tracer

    return init


class _Rules:
    """The base of all fakes, with their rules."""

    registered: str
    called: str
    script: dict[str, list[dict[str, Any]]]
    tracer: Tracer

    def _rule(self, call: str, pod: Any, node: str = "", other: str = "") -> dict[str, Any]:
        for rule in self.script.get(call) or ():
            if rule.get("pod", "") in ("", pod.name) and rule.get("node", "") in ("", node) and (
                    rule.get("other", "") in ("", other)):
                return rule
        return {}

    def _add(self, point: str, status: Status | None, **details: Any) -> Any:
        self.tracer.add(point, self.registered, status, **details)
        return status

    def _counter(self, state: Any) -> int | None:
        count: int | None = state.read(self.registered) if self.registered in state else None
        return count

    def _on_node(self, call: str, pod: Any, node: str) -> tuple[dict[str, Any], Any]:
        rule = self._rule(call, pod, node)
        return rule, self._add(call, rule_status(rule), node=node)

    def _change(self, call: str, by: int, state: Any, pod: Any, other: Any, node: Any) -> Any:
        status = rule_status(self._rule(call, pod, node.name, other.name))
        count = self._counter(state)
        if count is not None:
            count += by
            state.write(self.registered, count)
        return self._add(call, status, node=node.name, other=other.key, state=count,
                         pods=_pods(node))


class _Methods(_Rules):
    """The methods of all points; a fake has some of them."""

    def pre_enqueue(self, pod: Any) -> Any:
        return self._add("preEnqueue", rule_status(self._rule("preEnqueue", pod)))

    def less(self, a: Any, b: Any) -> bool:
        return False

    def pre_filter(self, state: Any, pod: Any) -> Any:
        rule = self._rule("preFilter", pod)
        status = rule_status(rule)
        state.write(self.registered, 0)
        self._add("preFilter", status, nodes=sorted(state.view.nodes))
        return rule.get("nodeNames"), status

    def add_pod(self, state: Any, pod: Any, other: Any, node: Any) -> Any:
        return self._change("addPod", 1, state, pod, other, node)

    def remove_pod(self, state: Any, pod: Any, other: Any, node: Any) -> Any:
        return self._change("removePod", -1, state, pod, other, node)

    def filter(self, state: Any, pod: Any, node: Any) -> Any:
        return self._add("filter", rule_status(self._rule("filter", pod, node.name)), node=node.name,
                         state=self._counter(state), pods=_pods(node))

    def post_filter(self, state: Any, pod: Any, statuses: Any) -> Any:
        rule = self._rule("postFilter", pod)
        status = self._add("postFilter", rule_status(rule), statuses={
            node: statuses.code(node).label for node in self.tracer.nodes})
        wish = rule.get("nominated")
        if wish is None:
            return None, status
        mode = NominatingMode.OVERRIDE if wish.get("mode") == "override" else NominatingMode.NOOP
        return Nomination(wish.get("node", ""), mode), status

    def pre_score(self, state: Any, pod: Any, nodes: Any) -> Any:
        return self._add("preScore", rule_status(self._rule("preScore", pod)),
                         nodes=self.tracer.in_order(nodes.names))

    def score(self, state: Any, pod: Any, node: Any) -> Any:
        rule, status = self._on_node("score", pod, node.name)
        score = int(rule.get("score", 0))
        self.tracer.raw[self.called, node.name] = score
        self.tracer.normalized[self.called, node.name] = score
        return score, status

    def normalize_score(self, state: Any, pod: Any, nodes: Any, scores: Any) -> Any:
        rule = self._rule("normalizeScore", pod)
        status = rule_status(rule)
        names = list(nodes.names)
        before = [int(score) for score in scores]
        for index, name in enumerate(names):
            scores[index] = (rule.get("normalized") or {}).get(name, before[index])
            self.tracer.normalized[self.called, name] = int(scores[index])
        score_of = dict(zip(names, before))
        walked = self.tracer.in_order(names)
        return self._add("normalizeScore", status, nodes=walked,
                         scores=[score_of[name] for name in walked])

    def reserve(self, state: Any, pod: Any, node: str) -> Any:
        return self._on_node("reserve", pod, node)[1]

    def unreserve(self, state: Any, pod: Any, node: str) -> None:
        self._add("unreserve", None, node=node)

    def permit(self, state: Any, pod: Any, node: str) -> Any:
        rule, status = self._on_node("permit", pod, node)
        return status, duration(rule.get("timeout") or "0s") / 1e9

    def pre_bind_pre_flight(self, state: Any, pod: Any, node: str) -> Any:
        rule, status = self._on_node("preBindPreFlight", pod, node)
        return status, bool(rule.get("allowParallel"))

    def pre_bind(self, state: Any, pod: Any, node: str) -> Any:
        return self._on_node("preBind", pod, node)[1]

    def bind(self, state: Any, pod: Any, node: str) -> Any:
        return self._on_node("bind", pod, node)[1]

    def post_bind(self, state: Any, pod: Any, node: str) -> None:
        self._add("postBind", None, node=node)

    def sign_pod(self, pod: Any) -> Any:
        rule = self._rule("sign", pod)
        status = self._add("sign", rule_status(rule))
        return {key: JSON(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
                for key, value in (rule.get("fragments") or {}).items()}, status


def rule_status(rule: dict[str, Any]) -> Status | None:
    """Returns the status that a rule gives; None is Success."""
    if not rule.get("code"):
        return None
    status = Status(Code.of(rule["code"]), "", tuple(rule.get("reasons") or ()))
    return status.with_error(rule["error"]) if rule.get("error") else status


def _pods(node: Any) -> list[str]:
    return sorted(pod.key for pod in node.pods)


def duration(text: str) -> int:
    """Converts a duration in Go's notation to nanoseconds."""
    total = 0
    for whole, fraction, unit in _PART.findall(text):
        total += int(whole or 0) * _UNIT[unit]
        if fraction:
            total += int(fraction) * _UNIT[unit] // 10 ** len(fraction)
    return -total if text.startswith("-") else total


def duration_text(nanoseconds: int) -> str:
    """Formats a duration in Go's notation."""
    if nanoseconds == 0:
        return "0s"
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if rest < 10**9:
        for unit, size in (("ms", 10**6), ("µs", 10**3), ("ns", 1)):
            if rest >= size:
                return f"{sign}{_decimal(rest, size)}{unit}"
    minutes, rest = divmod(rest, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(rest, 10**9)}s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{sign}{hours}h{text}" if hours else sign + text


def _decimal(value: int, unit: int) -> str:
    whole, fraction = divmod(value, unit)
    digits = str(fraction).rjust(len(str(unit)) - 1, "0").rstrip("0") if unit > 1 else ""
    return f"{whole}.{digits}" if digits else str(whole)
