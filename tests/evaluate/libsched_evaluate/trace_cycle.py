"""The step `cycle` of mode trace: the library's scheduling and binding cycle, and its events."""

from __future__ import annotations

from typing import Any

from libsched import _core
from libsched.errors import StateError
from libsched.services import Nomination, NominatingMode
from libsched.state import CycleState
from libsched.status import Status, status_of

from .trace_fake import duration_text
from .trace_steps import Diagnosis, Driver, Result, nominated, replace_waiting, script_wait, told

# The points of the C API by number, as golden results call them.
_POINTS = ("preFilter", "filterNominated", "filterAll", "postFilter", "preScore", "score",
           "reserve", "unreserve", "permit", "preBindPreFlight", "waitOnPermit", "preBind", "bind",
           "postBind")
_ASSUMED, _FAILED = 0, 1
_SKIPPED = {2: "deleting", 3: "assumed"}
_BY_NAME = 1  # among several best nodes


class _Recorder:
    """Makes the phases of a golden result from the events of a cycle."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.phases: list[Result] = []
        self.groups: dict[str, int] = {}
        self.result: Result = {}

    def hear(self, point: int, ended: bool, state: _core.CycleState, node: str, status: Any,
             narrowed: Any, judged: Any, scores: Any, waits: list[tuple[str, int]],
             nomination: tuple[int, str] | None) -> None:
        name, driver = _POINTS[point], self.driver
        own, driver.state = driver.state, object.__new__(CycleState)
        driver.state._handle = state  # the cycle uses its own state
        try:
            if not ended:
                self.result, self.groups = driver.begin(name)
                if node and name != "waitOnPermit":
                    self.result["node"] = node
                if name == "waitOnPermit":
                    replace_waiting(driver)
                    script_wait(driver, driver.pod, self.result)
                return
            if status is not None:
                self.result["status"] = told(status_of(status))
            if name == "preFilter":
                self._pre_filter(status_of(status), *narrowed)
            elif judged is not None:
                self._filter(*judged)
            elif name == "postFilter":
                wish = None if nomination is None else Nomination(
                    nomination[1], NominatingMode(nomination[0]))
                self.result["nominated"] = nominated(wish)
            elif name == "preScore":
                self.result["skipScore"] = driver.skipped("preScore", driver.state.skips_score)
            elif name == "score" and status_of(status).is_success:
                self._score(scores)
            elif name == "permit":
                driver.waiting = dict(waits)
                self.result["waitTimes"] = {plugin: duration_text(time) for plugin, time in waits}
            elif name == "preBindPreFlight":
                state_ = driver.state
                self.result["skipPreBind"] = driver.skipped("preBind", state_.skips_pre_bind)
                self.result["parallelPreBind"] = driver.skipped("preBind", state_.parallel_pre_bind)
            self.phases.append(driver.end(self.result, self.groups))
        finally:
            driver.state = own

    def _pre_filter(self, status: Status, all_nodes: bool, nodes: list[str],
                    plugins: list[str]) -> None:
        driver = self.driver
        driver.diagnosis = Diagnosis(unschedulable=set(plugins))
        if status.is_rejected:
            driver.diagnosis.absent = status
        self.result.update(restrictedBy=plugins, allNodes=all_nodes, nodeNames=sorted(nodes),
                           skipFilter=driver.skipped("preFilter", driver.state.skips_filter))

    def _filter(self, judged: list[tuple[str, Any]], absent: Any) -> None:
        driver = self.driver
        said = {node: status_of(status) for node, status in judged}
        feasible = [node for node, status in said.items() if status.is_success]
        if driver.framework.plugins.get("filter"):
            self.result["nodes"] = [{"node": node, **told(status)}
                                    for node, status in said.items()]
        self.result["feasible"] = feasible
        driver.feasible = feasible or None
        driver.diagnosis.absent = status_of(absent)
        driver.diagnosis.statuses.update((node, status) for node, status in said.items()
                                         if status.is_rejected)

    def _score(self, scores: list[tuple[str, int, list[tuple[str, int]]]]) -> None:
        tracer = self.driver.tracer
        tracer.sync()
        self.result["scores"] = [
            # Upstream's sum over no plugins is 0.
            {"node": node, "total": total if columns else 0, "plugins": {
                plugin: {"raw": tracer.raw.get((plugin, node), 0),
                         "normalized": tracer.normalized.get((plugin, node), 0),
                         "weighted": weighted}
                for plugin, weighted in columns}}
            for node, total, columns in scores]


def run_cycle(driver: Driver) -> Result:
    """Runs a cycle for a pod, like upstream's scheduleOnePod."""
    before, view = dict(vars(driver)), driver.cluster.snapshot()
    driver.state, driver.feasible, driver.chosen = CycleState(), None, ""
    driver.diagnosis, driver.waiting = Diagnosis(), {}
    driver.tracer.sync()
    driver.tracer.raw.clear()
    driver.tracer.normalized.clear()
    recorder, writer = _Recorder(driver), _core.WriterQueue()
    driver.views.append(view)
    with driver.framework._take(driver.cluster) as evaluator:
        scheduling = _core.schedule_one(
            [evaluator], driver.pod._handle, driver.state._handle, writer, _BY_NAME, 0, False, True,
            driver.framework.profile, recorder.hear, None, None)
    attempt = scheduling.outcome()[0]
    if attempt in _SKIPPED:
        driver.views.remove(view)
        vars(driver).update(before)
        return {"step": "cycle", "skipped": _SKIPPED[attempt]}
    if attempt == _ASSUMED:
        scheduling.bind()
    attempt, _, driver.chosen, _, _, _, wish, status, rejectors, pending = scheduling.outcome()
    if attempt == _FAILED and driver.chosen and all(
            phase["step"] != "reserve" for phase in recorder.phases):
        raise StateError(status_of(status).message)  # not assumed, which the oracle does not cover
    result: Result = {"step": "cycle", "phases": recorder.phases,
                      "status": told(status_of(status)), "chosen": driver.chosen}
    if attempt == _FAILED:
        writer.apply(driver.cluster._handle)
        driver.info = Nomination(wish[1], NominatingMode(wish[0])) if wish[0] else None
        result.update(unschedulablePlugins=rejectors, pendingPlugins=pending,
                      nominated=nominated(driver.info))
    return {key: value for key, value in result.items() if value not in (None, [], "")}
