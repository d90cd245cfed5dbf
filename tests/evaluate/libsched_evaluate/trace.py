"""Mode trace: drives the framework around scripted plugins and records their calls.

The format is that of tests/oracle. Time is virtual: waiting for a timer takes no time.
"""

from __future__ import annotations

import re
from typing import Any

from libsched import _core
from libsched.cluster import Cluster
from libsched.config import Config
from libsched.errors import Error
from libsched.framework import Framework
from libsched.objects import Pod
from libsched.plugins import PluginSpec
from libsched.services import Clock, Services

from .case_text import BadCase
from .cases import Case
from .trace_cycle import run_cycle
from .trace_fake import Tracer, fake_class
from .trace_steps import Driver, run_step


class _Client:
    """An API server that accepts every binding."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def bind(self, pod: Pod, node: str) -> None:
        self._tracer.sync()
        self._tracer.add("bind", "DefaultBinder", node=node)


class InProcess:
    """Where fakes run: here, in the process of the framework."""

    def tracer(self) -> Tracer:
        return Tracer()

    def add(self, registry: _core.Registry, fake: dict[str, Any], tracer: Tracer) -> None:
        """Adds a fake to a registry."""
        spec = PluginSpec(fake_class(fake, tracer))
        registry.add(spec.name, spec.methods, list(spec.reasons), spec.factory)


#: What libsched says of a code that a slot may not return, and what Go prints of upstream's nil error and empty text.
_REFUSED = ((re.compile(r"\w+ returned (?:Wait|Skip); it may return [\w, ]+ or Error"), "%!w(<nil>)"),
            (re.compile(r"\w+ returned Error without a reason"), ""))


def as_upstream(value: Any) -> Any:
    """Returns a result with upstream's texts about refused codes."""
    if isinstance(value, dict):
        return {key: as_upstream(part) for key, part in value.items()}
    if isinstance(value, list):
        return [as_upstream(part) for part in value]
    if isinstance(value, str):
        for pattern, text in _REFUSED:
            value = pattern.sub(text, value)
    return value


#: Tests put another host here, with fakes in another process.
host = InProcess()


def trace(case: Case, objects: list[Any], pods: list[Pod]) -> dict[str, Any]:
    """Returns the golden result of a case of mode trace.

    Raises
    ------
    BadCase
        The case cannot be loaded.
    """
    golden: dict[str, Any] = {"name": case.name} if case.name else {}
    golden["mode"] = "trace"
    tracer = host.tracer()
    services = Services(Clock.virtual(), _Client(tracer))
    cluster, by_key = _cluster(objects, services)
    tracer.nodes = sorted(cluster.nodes)
    try:
        framework = _framework(case, tracer, services)
    except Error as error:
        golden["constructionError"] = error.message
        return golden
    tracer.sync()
    plugins = {point: [{"name": name, **({"weight": weight} if weight else {})}
                       for name, weight in listed]
               for point, listed in framework.plugins.items()}
    if plugins:
        golden["plugins"] = plugins
    if tracer.initialized:
        golden["initialized"] = sorted(tracer.initialized)
    by_key.update((pod.key, pod) for pod in pods)
    shared = Driver(framework, cluster, services, tracer, by_key)
    results = []
    for pod in pods:
        results.append({"pod": pod.key, "steps": as_upstream(_run(case, shared.of_pod(pod)))})
    if results:
        golden["pods"] = results
    return golden


def _run(case: Case, driver: Driver) -> list[dict[str, Any]]:
    steps = [step for step in case.steps if step.get("pod", "") in ("", driver.pod.name)]
    results = []
    for index, step in enumerate(steps):
        driver.wait = step.get("wait") or []
        for later in steps[index:]:
            if later.get("do") in ("waitOnPermit", "cycle"):
                driver.wait = later.get("wait") or []
                break
        if step.get("do") == "cycle":
            results.append(run_cycle(driver))
        else:
            results.append(run_step(driver, step))
    driver.services.reject_waiting_pod(driver.pod)
    driver.framework.wait_on_permit(driver.cluster, driver.pod)
    return results


def _cluster(objects: list[Any], services: Services) -> tuple[Cluster, dict[str, Pod]]:
    """Makes the cluster with nodes by name, bound pods and nominations; also returns all pods."""
    cluster = Cluster(node_order="insertion")
    by_key: dict[str, Pod] = {}
    pods = [one for one in objects if isinstance(one, Pod)]
    cluster.add_nodes(sorted((one for one in objects if not isinstance(one, Pod)),
                             key=lambda node: str(node.name)))
    for pod in pods:
        by_key[pod.key] = pod
        if pod.node_name:
            cluster.add_pods(pod)
        elif pod.nominated_node_name:
            services.nominate(pod)
    return cluster, by_key


def _framework(case: Case, tracer: Tracer, services: Services) -> Framework:
    try:
        profile = Config.of_profile(case.profile, semantics=case.release)
    except Error as error:
        raise BadCase(f"profile: {error}") from None
    # Unlike Framework(plugins=...), which enables plugins that the profile does not name.
    registry = _core.Registry()
    for fake in case.fakes:
        host.add(registry, fake, tracer)
    made = object.__new__(Framework)
    made._make(profile, None, registry, semantics=case.release, services=services)
    return made
