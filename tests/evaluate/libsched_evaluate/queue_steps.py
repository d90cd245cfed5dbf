"""Mode queue: the steps of a script. The form is that of tests/oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libsched.errors import Error, ExistsError
from libsched.objects import Node, Objects, Pod
from libsched.services import Nomination, NominatingMode

from .case_text import BadCase
from .cases import Case
from .queue_driver import Driver
from .queue_fakes import actions_of
from .queue_spec import Step
from .queue_view import Result
from .trace_fake import duration


def run_queue(case: Case, objects: Objects) -> Result:
    """Returns the golden result of a case of mode queue.

    Raises
    ------
    BadCase
        The case cannot be loaded, or its script cannot be run.
    """
    assert case.queue is not None
    driver = Driver(case, case.queue, objects)
    steps = []
    for index, step in enumerate(case.queue.script):
        try:
            steps.append(_run(driver, step))
        except (BadCase, Error) as error:
            raise BadCase(f"script[{index}] {step.members.get('do', '')}: {error}") from None
    return {**({"name": case.name} if case.name else {}), "steps": steps or None}


def _run(driver: Driver, step: Step) -> Result:
    """Runs a step and returns its result."""
    result: Result = {"do": step.members.get("do", "")}
    function = _STEPS.get(result["do"])
    if function is None:
        raise BadCase("unknown step")
    driver.sleep(driver.tick)
    driver.attempt(lambda: function(driver, step, result))
    driver.finish(result)
    return result


def _pod_step(driver: Driver, step: Step, result: Result) -> None:
    """Tells the queue about a new version of a pod."""
    pod, old = driver.object(step, "pod"), driver.object(step, "old")
    if not isinstance(pod, Pod):
        raise BadCase("needs a pod")
    if old is None:
        old = driver.pods.get(pod.key)
    driver.new_version(pod)
    do = step.members["do"]
    if step.members.get("listerOnly"):
        return
    if do == "add":
        driver.queue.add(pod)
    elif do == "assignedAdd":
        driver.queue.assigned_pod_added(pod)
    elif not isinstance(old, Pod):
        raise BadCase(f"pod {pod.key} has no earlier version")
    elif do == "update":
        driver.queue.update(old, pod)
    else:
        driver.queue.assigned_pod_updated(old, pod)


def _delete(driver: Driver, step: Step, result: Result) -> None:
    pod = driver.known(step.members.get("name", ""))
    del driver.pods[pod.key]
    if not step.members.get("listerOnly"):
        driver.queue.delete(pod)


def _pop(driver: Driver, step: Step, result: Result) -> None:
    if driver.waits:
        result["popped"] = "(busy)"
        return
    counts = driver.queue.counts
    empty = not (counts.active or counts.backoff and driver.pops_from_backoff)
    queued = driver.queue.pop()
    if queued is not None or driver.closed:
        driver.hold(queued, result)
    elif not empty:  # what was there is in flight already: upstream drops it and waits
        driver.waits = True
    elif step.members.get("wait"):
        driver.waits, result["popped"] = True, "(waits)"
    else:
        result["popped"] = "(blocks)"


def _pop_specific(driver: Driver, step: Step, result: Result) -> None:
    driver.hold(driver.queue.pop_specific(driver.known(step.members.get("name", ""))), result)


def _done(driver: Driver, step: Step, result: Result) -> None:
    if step.members.get("name"):
        driver.queue.done(f"Pod/{step.members['name']}")
    elif (queued := driver.take(step, result)) is not None:
        driver.queue.done(queued.pod)


def _fail(driver: Driver, step: Step, result: Result) -> None:
    """Brings a popped pod back as upstream's failure handler does."""
    queued = driver.take(step, result)
    if queued is None:
        return
    pod = driver.pods.get(queued.key)
    if pod is None or pod.node_name or pod.uid != queued.pod.uid:
        driver.queue.done(queued.pod)
        return
    try:
        driver.queue.add_unschedulable(
            queued, pod=pod, unschedulable=step.members.get("unschedulable", ()),
            pending=step.members.get("pending", ()))
    except ExistsError as error:
        result["error"] = error.message


def _bound(driver: Driver, step: Step, result: Result) -> None:
    """Does what happens when a popped pod reaches its node."""
    queued = driver.take(step, result)
    if queued is None:
        return
    driver.queue.done(queued.pod)
    old = driver.pods.get(queued.key)
    if old is None or old.uid != queued.pod.uid:
        return
    pod = driver.new_version(old.copy(node_name=step.members.get("node", "")))
    driver.attempt(lambda: driver.queue.move_all("AssignedPod", actions_of(["Add"], ""), new=pod))
    driver.queue.delete(old)


def _move(driver: Driver, step: Step, result: Result) -> None:
    members = step.members
    old, new = driver.object(step, "old"), driver.object(step, "new")
    check: dict[str, Any] = {"max_priority": members.get("maxPriority")}
    if check["max_priority"] is None and members.get("except"):
        check["except_pod"] = _named(members["except"])
    if members.get("resource"):
        driver.queue.move_all(members["resource"], actions_of(members.get("actions", []), "move"),
                              label=members.get("label", ""), old=old, new=new, **check)
    elif isinstance(old, Node) and isinstance(new, Node):
        driver.queue.node_updated(old, new, **check)
    else:
        raise BadCase("a move without resource needs two nodes")


def _activate(driver: Driver, step: Step, result: Result) -> None:
    driver.queue.activate([driver.known(name) for name in step.members.get("names", ())])


def _nominate(driver: Driver, step: Step, result: Result) -> None:
    pod = driver.known(step.members.get("name", ""))
    if pod.node_name:  # upstream's nominator asks the lister
        driver.services.remove_nomination(pod)
        return
    override = step.members.get("mode") == "override"
    driver.services.nominate(pod, Nomination(
        step.members.get("node", ""),
        NominatingMode.OVERRIDE if override else NominatingMode.NOOP))


def _delete_nominated(driver: Driver, step: Step, result: Result) -> None:
    driver.services.remove_nomination(driver.known(step.members.get("name", "")))


def _flush_backoff(driver: Driver, step: Step, result: Result) -> None:
    driver.queue.flush_backoff()


def _flush_unschedulable(driver: Driver, step: Step, result: Result) -> None:
    driver.queue.flush_unschedulable()


def _advance(driver: Driver, step: Step, result: Result) -> None:
    driver.sleep(duration(step.members.get("by", "")))


def _start(driver: Driver, step: Step, result: Result) -> None:
    """Starts the queue's timers; one of them is due at once."""
    driver.queue.run()
    driver.queue.run_due()


def _close(driver: Driver, step: Step, result: Result) -> None:
    if driver.closed:
        raise BadCase("closed before")
    driver.closed = True
    driver.queue.close()


def _set_rules(driver: Driver, step: Step, result: Result) -> None:
    members = step.members
    driver.world.set_rules(members.get("plugin", ""), members.get("point", ""),
                           members.get("rules", []))


def _listing(driver: Driver, step: Step, result: Result) -> None:
    result["listing"] = driver.view.listing()


def _named(key: str) -> Pod:
    """Returns a pod with this namespace/name."""
    namespace, _, name = key.rpartition("/")
    return Pod({"metadata": {"namespace": namespace, "name": name}, "spec": {"containers": []}})


_STEPS: dict[str, Callable[[Driver, Step, Result], None]] = {
    "add": _pod_step, "update": _pod_step, "assignedAdd": _pod_step, "assignedUpdate": _pod_step,
    "delete": _delete, "pop": _pop, "popSpecific": _pop_specific, "done": _done, "fail": _fail,
    "bound": _bound, "move": _move, "activate": _activate, "nominate": _nominate,
    "deleteNominated": _delete_nominated, "flushBackoff": _flush_backoff,
    "flushUnschedulable": _flush_unschedulable, "advance": _advance, "run": _start,
    "close": _close, "rules": _set_rules, "list": _listing,
}
