"""Mode queue: a scheduling queue in virtual time, with the pods that the script has popped."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from libsched import _core
from libsched.cluster import Cluster
from libsched.config import Config
from libsched.errors import Error, PluginError
from libsched.framework import Framework
from libsched.objects import Node, Objects, Pod
from libsched.plugins import PluginSpec
from libsched.queue import Queue, QueuedPod
from libsched.services import Clock, Services

from .case_text import BadCase
from .cases import Case
from .queue_fakes import HintError, World, fake_plugin
from .queue_spec import QueueSpec, Step
from .queue_view import QueueView, Result
from .trace_fake import duration

_START = 946_684_800 * 10**9  # 2000-01-01T00:00:00Z
_OFFSET = 300_000_000  # the script begins off the full second
_TICK = "1us"


class Driver:
    """The queue of a case.

    A Pop that waits is one that is tried again after each step and each timer.
    """

    def __init__(self, case: Case, spec: QueueSpec, objects: Objects) -> None:
        self.clock = Clock.virtual(_START + _OFFSET)
        self.world = World(spec.plugins)
        self.services = Services(self.clock)
        cluster = Cluster()
        cluster.apply(objects)
        self.queue = _queue(case, spec, self.world, self.services, cluster)
        self.view = QueueView(self.queue, _START, case.release)
        self.pops_from_backoff = spec.gates.get("SchedulerPopFromBackoffQ", True)
        self.tick = duration(spec.options.get("tick") or _TICK)
        self.pods: dict[str, Pod] = {}  # the lister
        self.held: list[QueuedPod] = []  # popped, oldest first
        self.waits = False
        self.popped: QueuedPod | None = None  # by the Pop that waits
        self.closed = False

    def finish(self, result: Result) -> None:
        """Ends a step: a Pop that waits may have got a pod, and the state becomes part of the result."""
        self.try_pop()
        if self.popped is not None:
            self.hold(self.popped, result)
            self.waits, self.popped = False, None
        elif self.waits and self.closed:
            self.waits, result["popped"] = False, "(nil)"
        result["now"] = self.clock.now_ns - _START
        result.update(self.view.state())

    def attempt(self, change: Callable[[], None]) -> None:
        """Makes a change of the queue. Upstream only logs the errors of hints."""
        try:
            change()
        except PluginError as error:
            if not isinstance(error.__cause__, HintError):
                raise

    def sleep(self, nanoseconds: int) -> None:
        """Lets time pass, with the queue's timers."""
        end = self.clock.now_ns + nanoseconds
        while (due := self.queue.next_due()) is not None and due <= end:
            self.clock.advance_to(due)
            self.queue.run_due()
            self.try_pop()
        self.clock.advance_to(end)

    def try_pop(self) -> None:
        """Pops a pod if a Pop waits for one."""
        if self.waits and self.popped is None:
            self.popped = self.queue.pop()

    def hold(self, queued: QueuedPod | None, result: Result) -> None:
        """Notes in the result what a Pop has returned."""
        if queued is None:
            result["popped"] = "(nil)"
            return
        result["popped"], result["info"] = queued.key, self.view.info(queued)
        self.held.append(queued)

    def take(self, step: Step, result: Result) -> QueuedPod | None:
        """Takes one of the popped pods; None if there is none."""
        if not self.held:
            return None
        queued = self.held.pop(step.members.get("held", 0) % len(self.held))
        result["of"] = queued.key
        return queued

    def known(self, name: str) -> Pod:
        """Returns the lister's version of a pod."""
        if name not in self.pods:
            raise BadCase(f'no pod "{name}"')
        return self.pods[name]

    def object(self, step: Step, key: str) -> Pod | Node | Objects | None:
        """Returns an object of a step; other kinds than pods and nodes as Objects."""
        if key not in step.objects:
            return None
        try:
            objects = Objects.parse(step.objects[key], defaults=False)
        except Error as error:
            raise BadCase(f"{key}: {error}") from None
        if objects.pods:
            return objects.pods[0]
        return objects.nodes[0] if objects.nodes else objects

    def new_version(self, pod: Pod) -> Pod:
        """Puts a new version of a pod into the lister."""
        self.view.versions[pod] = str(len(self.view.versions) + 1)
        self.pods[pod.key] = pod
        return pod


def _queue(case: Case, spec: QueueSpec, world: World, services: Services,
           cluster: Cluster) -> Queue:
    """Makes the queue with the profiles of the case."""
    try:
        config = Config(case.config, semantics=case.release)
    except Error as error:
        raise BadCase(f"config: {error.message}") from None
    # Unlike Framework(plugins=...), which enables plugins that the profile does not name.
    registry = _core.Registry()
    for index, plugin in enumerate(spec.plugins):
        made = PluginSpec(fake_plugin(plugin, world, index))
        registry.add(made.name, made.methods, list(made.reasons), made.factory)
    frameworks = []
    for name in config.profiles:
        framework = object.__new__(Framework)
        try:
            framework._make(config, name, registry, spec.gates, case.release, services=services)
        except Error as error:
            raise BadCase(f'profile "{name}": {error.message}') from None
        frameworks.append(framework)
    times = {key: value / 10**9 for key, value in _times(case, spec.options).items()}
    return Queue(cluster, frameworks, **times)


def _times(case: Case, options: dict[str, Any]) -> dict[str, int]:
    """Returns the times of the queue in nanoseconds; without an entry, upstream's default."""
    times = {}
    try:
        config = json.loads(case.config or b"{}")
    except ValueError:
        raise BadCase("config: mode queue takes only JSON") from None
    for argument, option, field in (
            ("initial_backoff", "initialBackoffSeconds", "podInitialBackoffSeconds"),
            ("max_backoff", "maxBackoffSeconds", "podMaxBackoffSeconds")):
        seconds = options.get(option, config.get(field))
        if seconds is not None:
            times[argument] = seconds * 10**9
    if options.get("maxInUnschedulable"):
        times["max_in_unschedulable"] = duration(options["maxInUnschedulable"])
    return times
