"""The step `cycle` of mode trace: a scheduling and binding cycle in upstream's order."""

from __future__ import annotations

from collections import Counter
from typing import Any

from libsched.objects import Pod
from libsched.services import Nomination
from libsched.state import CycleState
from libsched.status import Code, Status

from .trace_steps import (
    Diagnosis,
    Driver,
    Result,
    best,
    nominated,
    on_node,
    post_filter,
    pre_filter,
    pre_score,
    score,
    told,
    wait_on_permit,
)

_CLEAR = Nomination()


class _FitError(Exception):
    """No node takes the pod."""

    def __init__(self, diagnosis: Diagnosis, nodes: int, code: Code) -> None:
        super().__init__()
        self.diagnosis = diagnosis
        self.nodes = nodes
        self.code = code

    @property
    def text(self) -> str:
        said = self.diagnosis
        text = f"0/{self.nodes} nodes are available:"
        if said.pre_filter:
            text += f" {said.pre_filter}."
        else:
            reasons = Counter(reason for status in said.statuses.values()
                              for reason in status.reasons)
            if len(said.statuses) < self.nodes:
                for reason in said.absent.reasons:
                    reasons[reason] += self.nodes - len(said.statuses)
            lines = sorted((f"{count} {reason}" for reason, count in reasons.items()),
                           key=str.encode)
            text += f" {', '.join(lines)}." if lines else ""
        return f"{text} {said.post_filter}" if said.post_filter else text


class _Failed(Exception):
    """The cycle ends with a status."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self.status = status


def run_cycle(driver: Driver) -> Result:
    """Runs a cycle for a pod, like upstream's scheduleOnePod."""
    result: Result = {"step": "cycle"}
    if driver.pod.key in driver.deleting:
        return {**result, "skipped": "deleting"}
    if driver.pod.key in driver.assumed:
        return {**result, "skipped": "assumed"}
    driver.views.append(driver.cluster.snapshot())
    driver.state, driver.feasible, driver.chosen = CycleState(), None, ""
    driver.info, driver.diagnosis, driver.decided = _CLEAR, Diagnosis(), ""
    phases: list[Result] = []
    try:
        _schedule(driver, phases)
        result.update(phases=phases, status={"code": "Success"}, chosen=driver.chosen)
        return result
    except _FitError as error:
        result["phases"] = phases
        result["status"] = told(Status(error.code).with_error(error.text))
        result["unschedulablePlugins"] = sorted(error.diagnosis.unschedulable)
        result["pendingPlugins"] = sorted(error.diagnosis.pending)
    except _Failed as error:
        result.update(phases=phases, status=told(error.status))
    result["chosen"] = driver.decided or None
    result["nominated"] = nominated(driver.info)
    driver.services.nominate(driver.pod, driver.info)
    return {key: value for key, value in result.items() if value is not None and value != []}


def _error(status: Status) -> _Failed:
    """Upstream's AsStatus(status.AsError())."""
    if status.error is None:
        return _Failed(Status())
    return _Failed(Status(Code.ERROR).with_error(status.error))


def _schedule(driver: Driver, phases: list[Result]) -> None:
    if not driver.nodes:
        raise _Failed(Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE).with_error(
            "no nodes available to schedule pods"))
    _fit(driver, phases)
    if not driver.feasible:
        if driver.framework.plugins.get("postFilter"):
            phases.append(post_filter(driver))
        raise _FitError(driver.diagnosis, len(driver.nodes), Code.UNSCHEDULABLE)
    driver.chosen = driver.feasible[0]
    if len(driver.feasible) > 1 and driver.framework.plugins.get("score"):
        result, status = pre_score(driver, driver.feasible)
        phases.append(result)
        if not status.is_success:
            raise _error(status)
        result, status = score(driver, driver.feasible)
        phases.append(result)
        if not status.is_success:
            raise _error(status)
        driver.chosen = best(result["scores"])
    driver.decided = driver.chosen
    assumed = driver.pod.copy(node_name=driver.chosen)
    driver.cluster.assume(assumed, driver.chosen)
    driver.services.remove_nomination(assumed)
    try:
        _commit(driver, phases, assumed)
    except (_FitError, _Failed):
        phases.append(on_node(driver, "unreserve", driver.pod, driver.chosen)[0])
        driver.info = _CLEAR
        driver.cluster.forget(assumed.key)
        raise
    driver.assumed.add(driver.pod.key)


def _fit(driver: Driver, phases: list[Result]) -> None:
    """Upstream's findNodesThatFitPod for all nodes in the order of their names."""
    result, narrowed, status = pre_filter(driver)
    phases.append(result)
    diagnosis = driver.diagnosis
    if not status.is_success:
        if not status.is_rejected:
            raise _error(status)
        diagnosis.pre_filter = status.message
        diagnosis.add(status)
        return
    nodes = driver.nodes
    wanted = driver.pod.nominated_node_name
    if wanted in nodes:
        # A copy: the statuses are shared, new plugins are not.
        shared = Diagnosis(diagnosis.statuses, diagnosis.absent, diagnosis.unschedulable or set(),
                           diagnosis.pending or set())
        if not _filter(driver, phases, "filterNominated", [wanted], shared) and driver.feasible:
            return
    if narrowed.node_names is not None:
        nodes = [node for node in nodes if node in narrowed.node_names]
        diagnosis.absent = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "", (
            f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(diagnosis.unschedulable))}]",))
    failed = _filter(driver, phases, "filterAll", nodes, diagnosis)
    if failed:
        raise _error(failed[0])


def _filter(driver: Driver, phases: list[Result], name: str, nodes: list[str],
            diagnosis: Diagnosis) -> list[Status]:
    """Runs Filter with nominated pods. Returns the Error that ended it, if there is one."""
    driver.feasible = None
    failed: list[Status] = []

    def run(result: Result) -> None:
        if not driver.framework.plugins.get("filter"):
            driver.feasible = list(nodes) or None
            result["feasible"] = list(nodes)
            return
        told_nodes: list[dict[str, Any]] = []
        feasible: list[str] = []
        for node in nodes:
            status = driver.framework.run_filter_plugins_with_nominated_pods(
                driver.state, driver.view, driver.pod, node)
            told_nodes.append({"node": node, **told(status)})
            if status.is_error:
                failed.append(status)
                break
            if status.is_success:
                feasible.append(node)
                continue
            diagnosis.statuses[node] = status
            diagnosis.add(status)
        driver.feasible = feasible or None
        result.update(nodes=told_nodes, feasible=feasible)

    phases.append(driver.phase(name, run))
    return failed


def _commit(driver: Driver, phases: list[Result], assumed: Pod) -> None:
    """The rest of the cycle, from Reserve on."""

    def run(point: str) -> Status:
        result, status = on_node(driver, point, driver.pod, driver.chosen)
        phases.append(result)
        return status

    def rejected(status: Status, diagnosis: Diagnosis) -> _FitError:
        diagnosis.statuses = {driver.chosen: status}
        return _FitError(diagnosis, 1, status.code)

    for point in ("reserve", "permit"):
        status = run(point)
        if status.is_rejected:
            diagnosis = Diagnosis()
            diagnosis.add(status)
            raise rejected(status, diagnosis)
        if not status.is_success and not (point == "permit" and status.is_wait):
            raise _Failed(status)
    # The binding cycle.
    status = run("preBindPreFlight")
    if status.is_error or status.is_rejected:
        raise _Failed(status)  # a waiting pod keeps waiting, as upstream
    result, status = wait_on_permit(driver, assumed)
    phases.append(result)
    if not status.is_success:
        if status.is_rejected:
            raise rejected(status, Diagnosis(unschedulable={status.plugin}))
        raise _Failed(status)
    for point in ("preBind", "bind"):
        status = run(point)
        if not status.is_success:
            raise _Failed(status)
    run("postBind")
