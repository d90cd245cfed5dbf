"""The steps of mode trace: each makes a call of the framework and returns its result."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

from libsched.cluster import Cluster, Snapshot
from libsched.errors import NotFoundError
from libsched.framework import Framework
from libsched.objects import Pod
from libsched.services import Nomination, NominatingMode, Services
from libsched.state import CycleState
from libsched.status import Code, Status
from libsched.statuses import NodeStatuses

from .trace_fake import Tracer, duration_text

_SHORT = 1  # the longest wait, in seconds, that a case runs to its end
_HOUR = 3600

Result = dict[str, Any]


@dataclasses.dataclass
class Diagnosis:
    """The reasons why no node takes a pod."""

    statuses: dict[str, Status] = dataclasses.field(default_factory=dict)
    absent: Status = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
    unschedulable: set[str] = dataclasses.field(default_factory=set)
    pending: set[str] = dataclasses.field(default_factory=set)
    pre_filter: str = ""
    post_filter: str = ""

    def add(self, status: Status) -> None:
        if status.plugin and status.is_rejected:
            self.unschedulable.add(status.plugin)
        if status.plugin and status.code is Code.PENDING:
            self.pending.add(status.plugin)


class Driver:
    """The state that the steps of a pod share, on top of the state of a case."""

    pod: Pod
    state: CycleState

    def __init__(self, framework: Framework, cluster: Cluster, services: Services,
                 tracer: Tracer, by_key: dict[str, Pod]) -> None:
        self.framework = framework
        self.cluster = cluster
        self.services = services
        self.tracer = tracer
        self.by_key = by_key
        self.views: list[Snapshot] = [cluster.snapshot()]
        self.score_order = [name for name, _ in framework.plugins.get("score", ())]

    def of_pod(self, pod: Pod) -> Driver:
        made = copy.copy(self)
        made.pod, made.state, made.diagnosis = pod, CycleState(), Diagnosis()
        made.feasible, made.chosen, made.info = None, "", None
        made.wait, made.waiting = [], {}
        return made

    diagnosis: Diagnosis
    feasible: list[str] | None
    chosen: str
    info: Nomination | None
    wait: list[dict[str, Any]]
    waiting: dict[str, float]

    @property
    def view(self) -> Snapshot:
        """The cluster at the start of the last cycle; all pods share it."""
        return self.views[-1]

    @property
    def nodes(self) -> list[str]:
        return self.tracer.nodes

    def skipped(self, point: str, skips: Callable[[str], bool]) -> list[str]:
        return sorted({name for name, _ in self.framework.plugins.get(point, ()) if skips(name)})

    def phase(self, name: str, do: Callable[[Result], None]) -> Result:
        """Runs a function and collects the calls that it causes."""
        result, groups = self.begin(name)
        do(result)
        return self.end(result, groups)

    def begin(self, name: str) -> tuple[Result, dict[str, int]]:
        """Begins a phase."""
        return {"step": name}, self._pre_bind_groups()

    def end(self, result: Result, groups: dict[str, int]) -> Result:
        """Ends a phase: returns its result, with the calls since `begin`."""
        calls = self.tracer.take()
        if calls:
            result["calls"] = _grouped(self._by_node(calls), groups)
        return {key: value for key, value in result.items()
                if value is not None and value is not False and value not in ([], {}, "")}

    def _by_node(self, calls: list[Result]) -> list[Result]:
        """Sorts calls of Score into upstream's order: by node, up to the first failure."""
        scores = [call for call in calls if call["point"] == "score"]
        if not scores:
            return calls
        place = {node: index for index, node in enumerate(self.nodes)}
        ordered = sorted(scores, key=lambda call: place[call["node"]])
        for index, call in enumerate(ordered):
            if "code" in call:
                ordered = ordered[:index + 1]
                break
        first = calls.index(scores[0])
        others = [call for call in calls[first:] if call["point"] != "score"]
        return calls[:first] + ordered + others

    def _pre_bind_groups(self) -> dict[str, int]:
        """Returns the numbers of groups of two or more PreBind plugins that may run in parallel."""
        groups: dict[str, int] = {}
        number = 1
        for name, _ in self.framework.plugins.get("preBind", ()):
            if not self.state.parallel_pre_bind(name):
                number += 1
            elif not self.state.skips_pre_bind(name):
                groups[name] = number
        numbers = list(groups.values())
        return {name: group for name, group in groups.items() if numbers.count(group) > 1}


def _grouped(calls: list[Result], groups: dict[str, int]) -> list[Any]:
    """Sorts and marks calls whose order upstream leaves open."""
    grouped: list[Any] = []
    index = 0
    while index < len(calls):
        first = calls[index]
        group = groups.get(first["plugin"]) if first["point"] == "preBind" else None
        if group is None and first["point"] != "normalizeScore":
            grouped.append(first)
            index += 1
            continue
        end = index
        while end < len(calls) and calls[end]["point"] == first["point"] and (
                group is None or groups.get(calls[end]["plugin"]) == group):
            end += 1
        group_calls = sorted(calls[index:end], key=lambda call: str(call["plugin"]))
        grouped.append({"unordered": group_calls})
        index = end
    return grouped


def told(status: Status) -> Result:
    """Returns a status in the form of a golden result."""
    result: Result = {"code": status.code.label}
    if status.plugin:
        result["plugin"] = status.plugin
    if status.reasons:
        result["reasons"] = list(status.reasons)
    if status.error is not None:
        result["error"] = status.error
    return result


def nominated(wish: Nomination | None) -> Result | None:
    if wish is None:
        return None
    result: Result = {"mode": "override" if wish.mode is NominatingMode.OVERRIDE else "noop"}
    return {**result, "node": wish.node} if wish.node else result


def best(scores: list[Result]) -> str:
    return str(min(scores, key=lambda score: (-score["total"], score["node"]))["node"])


def run_step(driver: Driver, step: dict[str, Any]) -> Result:
    """Runs a step other than a whole cycle."""
    do: str = step.get("do", "")
    # The node of a step: the named one, else the chosen one, else the first.
    name = step.get("node") or driver.chosen or (driver.nodes[0] if driver.nodes else "")
    scored = driver.nodes if driver.feasible is None else driver.feasible
    framework, state, view, pod = driver.framework, driver.state, driver.view, driver.pod
    if do == "preEnqueue":
        return driver.phase(do, lambda result: result.update(
            status=told(framework.run_pre_enqueue_plugins(view, pod))))
    if do == "sign":
        return driver.phase(do, lambda result: result.update(
            signature=framework.sign_pod(view, pod)))
    if do == "preFilter":
        return pre_filter(driver)[0]
    if do == "filter":
        return driver.phase(do, lambda result: result.update(
            {"node": name, "skipped": "no such node"} if name not in view.nodes else
            {"node": name, "status": told(framework.run_filter_plugins(state, view, pod, name))}))
    if do == "filterAll":
        driver.feasible, driver.diagnosis = [], Diagnosis()
        return driver.phase(do, lambda result: _filter_all(driver, result))
    if do in ("addPod", "removePod"):
        return driver.phase(do, lambda result: result.update(
            _change(driver, do, name, step.get("other", ""))))
    if do == "postFilter":
        return post_filter(driver)
    if do == "preScore":
        return pre_score(driver, scored)[0]
    if do == "score":
        result = score(driver, scored)[0]
        if result.get("scores"):
            driver.chosen = best(result["scores"])
        return result
    if do == "waitOnPermit":
        return wait_on_permit(driver, pod)[0]
    return on_node(driver, do, pod, name)[0]


def _filter_all(driver: Driver, result: Result) -> None:
    nodes = []
    assert driver.feasible is not None
    for node in driver.nodes:
        status = driver.framework.run_filter_plugins_with_nominated_pods(
            driver.state, driver.view, driver.pod, node)
        nodes.append({"node": node, **told(status)})
        if status.is_success:
            driver.feasible.append(node)
        else:
            driver.diagnosis.statuses[node] = status
    result["nodes"], result["feasible"] = nodes, list(driver.feasible)


def _change(driver: Driver, do: str, node: str, other: str) -> Result:
    """Runs AddPod or RemovePod with a node that has the other pod, or no longer has it."""
    result: Result = {"node": node, "other": other}
    changed = driver.by_key.get(other)
    if changed is None:
        raise NotFoundError(f'no pod "{other}"')
    if node not in driver.view.nodes:
        return {**result, "skipped": "no such node"}
    run = driver.framework.run_pre_filter_extension_remove_pod
    if do == "addPod":
        run = driver.framework.run_pre_filter_extension_add_pod
    elif all(pod.uid != changed.uid for pod in driver.view.nodes[node].pods):
        return {**result, "skipped": "pod not on node"}
    status = run(driver.state, driver.view, driver.pod, changed, node)
    return {**result, "status": told(status)}


def pre_filter(driver: Driver) -> tuple[Result, Any, Status]:
    answer: list[Any] = []

    def run(result: Result) -> None:
        narrowed, status = driver.framework.run_pre_filter_plugins(
            driver.state, driver.view, driver.pod)
        answer[:] = [narrowed, status]
        driver.diagnosis = Diagnosis(unschedulable=set(narrowed.plugins))
        if status.is_rejected:
            driver.diagnosis.absent = status
        result.update(
            status=told(status), restrictedBy=list(narrowed.plugins), allNodes=narrowed.all_nodes,
            skipFilter=driver.skipped("preFilter", driver.state.skips_filter),
            nodeNames=sorted(narrowed.node_names or ()))

    return driver.phase("preFilter", run), answer[0], answer[1]


def post_filter(driver: Driver) -> Result:
    def run(result: Result) -> None:
        diagnosis = driver.diagnosis
        driver.info, status = driver.framework.run_post_filter_plugins(
            driver.state, driver.view, driver.pod,
            NodeStatuses(diagnosis.statuses, diagnosis.absent))
        diagnosis.post_filter = status.message
        result.update(status=told(status), nominated=nominated(driver.info))

    return driver.phase("postFilter", run)


def pre_score(driver: Driver, nodes: list[str]) -> tuple[Result, Status]:
    answer: list[Status] = []

    def run(result: Result) -> None:
        answer.append(driver.framework.run_pre_score_plugins(
            driver.state, driver.view, driver.pod, nodes))
        result.update(status=told(answer[0]),
                      skipScore=driver.skipped("preScore", driver.state.skips_score))

    return driver.phase("preScore", run), answer[0]


def score(driver: Driver, nodes: list[str]) -> tuple[Result, Status]:
    answer: list[Status] = []
    driver.tracer.sync()
    raw, normalized = driver.tracer.raw, driver.tracer.normalized
    raw.clear()
    normalized.clear()

    def run(result: Result) -> None:
        scores, status = driver.framework.run_score_plugins(
            driver.state, driver.view, driver.pod, nodes)
        driver.tracer.sync()
        answer.append(status)
        result["status"] = told(status)
        if status.is_success:
            # Upstream's sum over no plugins is 0.
            totals = {node: int(scores.total(node)) if scores.plugins else 0 for node in nodes}
            result["scores"] = [{"node": node, "total": totals[node], "plugins": {
                plugin: {"raw": raw.get((plugin, node), 0),
                         "normalized": normalized.get((plugin, node), 0),
                         "weighted": int(one.weighted)}
                for plugin, one in scores[node].items()}} for node in nodes]

    return driver.phase("score", run), answer[0]


def on_node(driver: Driver, point: str, pod: Pod, node: str) -> tuple[Result, Status]:
    """Runs an extension point that gets a pod and the name of a node."""
    answer: list[Status] = [Status()]
    framework, state, cluster = driver.framework, driver.state, driver.cluster

    def run(result: Result) -> None:
        result["node"] = node
        if point == "unreserve":
            framework.run_reserve_plugins_unreserve(state, cluster, pod, node)
            return
        if point == "postBind":
            framework.run_post_bind_plugins(state, cluster, pod, node)
            return
        if point == "reserve":
            answer[0] = framework.run_reserve_plugins_reserve(state, cluster, pod, node)
        elif point == "permit":
            waits, answer[0] = framework.run_permit_plugins(state, cluster, pod, node)
            if answer[0].is_wait:
                _add_waiting(driver, pod, waits)
            result["waitTimes"] = {name: duration_text(round(wait * 1e9))
                                   for name, wait in waits.items()}
        elif point == "preBindPreFlight":
            answer[0] = framework.run_pre_bind_pre_flights(state, cluster, pod, node)
            result["skipPreBind"] = driver.skipped("preBind", state.skips_pre_bind)
            result["parallelPreBind"] = driver.skipped("preBind", state.parallel_pre_bind)
        elif point == "preBind":
            answer[0] = framework.run_pre_bind_plugins(state, cluster, pod, node)
        elif point == "bind":
            answer[0] = framework.run_bind_plugins(state, cluster, pod, node)
        else:
            raise NotFoundError(f'unknown step "{point}"')
        result["status"] = told(answer[0])

    return driver.phase(point, run), answer[0]


def _add_waiting(driver: Driver, pod: Pod, waits: dict[str, float]) -> None:
    """Makes the pod wait. Timers that scripted actions forestall are long."""
    driver.waiting = {name: _HOUR if any(_decides(action) or action.get("allow") == name
                                         for action in driver.wait) else wait
                      for name, wait in waits.items()}
    driver.services.add_waiting_pod(pod, driver.waiting)


def replace_waiting(driver: Driver) -> None:
    """Makes a pod wait, as a cycle asks, with those timers; its waits are in nanoseconds."""
    if driver.services.waiting_pod(driver.pod) is not None and driver.waiting:
        _add_waiting(driver, driver.pod,
                     {name: wait / 1e9 for name, wait in driver.waiting.items()})


def _decides(action: dict[str, Any]) -> bool:
    return bool(action.get("reject") or action.get("preempt") or action.get("remove"))


def wait_on_permit(driver: Driver, pod: Pod) -> tuple[Result, Status]:
    answer: list[Status] = []

    def run(result: Result) -> None:
        script_wait(driver, pod, result)
        answer.append(driver.framework.wait_on_permit(driver.cluster, pod))
        result["status"] = told(answer[0])

    return driver.phase("waitOnPermit", run), answer[0]


def script_wait(driver: Driver, pod: Pod, result: Result) -> None:
    """Performs the actions of the case on a pod, if it waits."""
    waiting = driver.services.waiting_pod(pod)
    result["waiting"] = waiting is not None
    if waiting is None:
        return
    decided = False
    returned = result["returned"] = []
    for action in driver.wait:
        if action.get("allow"):
            waiting.allow(action["allow"])
        elif action.get("reject"):
            returned.append(waiting.reject(action["reject"], action.get("message", "")))
        elif action.get("preempt"):
            returned.append(waiting.preempt(action["preempt"], action.get("message", "")))
        elif action.get("remove"):
            returned.append(driver.services.reject_waiting_pod(pod))
        decided = decided or _decides(action) or not waiting.pending_plugins
    pending = result["pending"] = waiting.pending_plugins
    if not (decided or any(driver.waiting[name] <= _SHORT for name in pending)):
        result["removed"] = driver.services.reject_waiting_pod(pod)
